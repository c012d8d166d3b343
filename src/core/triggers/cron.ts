import { clause, type FactText } from '../errors/rendered';
import { CronExpressionParser } from 'cron-parser';
import { MINUTE_MS, type WallTime } from './wall-clock';

/** The five fields, in their order, with the values that each may have. In a week both 0 and 7 are Sunday. */
const FIELDS = [
    { name: clause`minute`, min: 0, max: 59 },
    { name: clause`hour`, min: 0, max: 23 },
    { name: clause`day of the month`, min: 1, max: 31 },
    { name: clause`month`, min: 1, max: 12 },
    { name: clause`day of the week`, min: 0, max: 7 },
] as const;
type Field = (typeof FIELDS)[number];

const SYNTAX = clause`*, */n, a number, a range such as 1-5, a range with a step such as 10-50/20, and lists of these with commas`;
const ITEM = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;
const LONGEST = 256;
const DAY_MS = 86_400_000;

/** Why the expression is not a valid cron expression, to follow the field's name in a message; undefined if it is valid. */
export function cronProblem(expression: string): FactText | undefined {
    if (expression.length > LONGEST) return clause`has ${expression.length} characters; allowed: at most ${LONGEST}`;
    const parts = expression.trim().split(/\s+/);
    if (parts.length !== FIELDS.length)
        return clause`allowed: five fields, for minute, hour, day of the month, month, day of the week`;
    for (const [i, field] of FIELDS.entries()) {
        for (const item of parts[i]!.split(',')) {
            const problem = itemProblem(item, field);
            if (problem !== undefined) return problem;
        }
    }
    try {
        const { days, daysOfWeek, months } = namedBy(expression);
        const isEver = daysOfWeek !== undefined || [...months].some(month => [...(days ?? [1])].some(isDayOf(month)));
        return isEver ? undefined : NEVER;
    } catch {
        // What is left to the library: values that come twice in a list, and days that no month has.
        const twice = FIELDS.find((field, i) => comeTwice(parts[i]!, field));
        return twice ? clause`has a value twice for the ${twice.name}; allowed: each value once` : NEVER;
    }
}

/** Whether two items of a list name the same value. */
function comeTwice(list: string, field: Field): boolean {
    const named = list.split(',').map(item => valuesOf(item, field));
    return new Set(named.flatMap(values => [...values])).size < named.reduce((sum, { size }) => sum + size, 0);
}

/** What an item without a problem names; of the two Sundays the first. */
function valuesOf(item: string, { min, max }: Field): ReadonlySet<number> {
    const [, first, last = first, step = '1'] = ITEM.exec(item)!;
    const [from, to] = first === undefined ? [min, max] : [Number(first), Number(last)];
    const count = Math.floor((to - from) / Number(step)) + 1;
    const values = Array.from({ length: count }, (_, i) => from + i * Number(step));
    return new Set(max === 7 ? values.map(day => day % 7) : values);
}

const NEVER = clause`names days that none of its months has; allowed: days that come`;

function isDayOf(month: number): (day: number) => boolean {
    // Of a leap year: the 29th of February comes.
    const last = new Date(Date.UTC(2024, month, 0)).getUTCDate();
    return day => day <= last;
}

function itemProblem(item: string, { name, min, max }: Field): FactText | undefined {
    const [matched, first, last, step] = ITEM.exec(item) ?? [];
    const isStepOfOne = step !== undefined && first !== undefined && last === undefined;
    if (matched === undefined || isStepOfOne)
        return clause`has ${JSON.stringify(item)} for the ${name}; allowed: ${SYNTAX}`;
    for (const number of [first, last]) {
        if (number !== undefined && (Number(number) < min || Number(number) > max))
            return clause`has ${number} for the ${name}; allowed: ${min} to ${max}`;
    }
    if (last !== undefined && Number(last) < Number(first))
        return clause`has the range ${item} for the ${name}; allowed: ranges that end where they begin or later`;
    if (step !== undefined && (Number(step) < 1 || Number(step) > max))
        return clause`has the step ${step} for the ${name}; allowed: 1 to ${max}`;
    return undefined;
}

/** The values that an expression names, by field; undefined for a field of days that names all of them. */
interface Named {
    readonly minutes: readonly number[];
    readonly hours: readonly number[];
    readonly months: ReadonlySet<number>;
    readonly days: ReadonlySet<number> | undefined;
    /** 0 is Sunday. */
    readonly daysOfWeek: ReadonlySet<number> | undefined;
}

function namedBy(expression: string): Named {
    const { minute, hour, dayOfMonth, month, dayOfWeek } = CronExpressionParser.parse(expression).fields;
    return {
        minutes: minute.values,
        hours: hour.values,
        months: new Set<number>(month.values),
        days: dayOfMonth.isWildcard ? undefined : new Set(dayOfMonth.values.map(Number)),
        daysOfWeek: dayOfWeek.isWildcard ? undefined : new Set(dayOfWeek.values.map(day => Number(day) % 7)),
    };
}

/** A cron expression in local time. Daylight saving is handled elsewhere. */
export class Cron {
    private readonly named: Named;

    /** Of an expression that has no `cronProblem`. */
    constructor(expression: string) {
        this.named = namedBy(expression);
    }

    names(wall: WallTime): boolean {
        const { minutes, hours } = this.named;
        const date = new Date(wall);
        return minutes.includes(date.getUTCMinutes()) && hours.includes(date.getUTCHours()) && this.namesDay(date);
    }

    /** The minutes that it names before one and after another, both left out, the latest first. */
    *backwards(before: WallTime, after: WallTime): Generator<WallTime> {
        const { minutes, hours } = this.named;
        for (let day = before - (before % DAY_MS); day + DAY_MS > after; day -= DAY_MS) {
            if (!this.namesDay(new Date(day))) continue;
            for (const hour of hours.toReversed()) {
                for (const minute of minutes.toReversed()) {
                    const wall = day + (hour * 60 + minute) * MINUTE_MS;
                    if (wall <= after) return;
                    if (wall < before) yield wall;
                }
            }
        }
    }

    /** If both fields of days are set, a day that matches one of them matches, as in cron. */
    private namesDay(date: Date): boolean {
        const { months, days, daysOfWeek } = this.named;
        if (!months.has(date.getUTCMonth() + 1)) return false;
        const isDay = days?.has(date.getUTCDate());
        const isDayOfWeek = daysOfWeek?.has(date.getUTCDay());
        if (isDay === undefined || isDayOfWeek === undefined) return isDay ?? isDayOfWeek ?? true;
        return isDay || isDayOfWeek;
    }
}
