import type { JsonValue } from '../../value/json';

/** Longest format (spec 3, date operators). */
export const MAX_FORMAT = 128;

const TOKENS = ['YYYY', 'MM', 'DD', 'HH', 'mm', 'ss'] as const;
type Token = (typeof TOKENS)[number];
const SPLIT = /(\[[^\]]*\]|YYYY|MM|DD|HH|mm|ss)/;
const BRACKETS = /\[[^\]]*\]/g;
const SAME_LETTERS = /(\p{L})\1*/gu;
const SEPARATORS = ['T', 'Z'];

/** A moment in UTC, in milliseconds since 1970. */
export type Moment = number;

/** Year 0 to 9999: what four digits can spell. */
const [FIRST, LAST] = [Date.UTC(-1, 12), Date.UTC(9999, 11, 31, 23, 59, 59, 999)];

export function isDateInRange(moment: Moment): boolean {
    return moment >= FIRST && moment <= LAST;
}

/** What formats are made of, for descriptions and messages. */
export const FORMAT_SYNTAX = `${TOKENS.join(', ')}; T and Z behind a token; text in [brackets]; whatever is no letter`;

/** What is wrong with a format, as the end of "format: …"; undefined when nothing is. */
export function formatProblem(format: string): string | undefined {
    const outside = format.replace(BRACKETS, text => ' '.repeat(text.length));
    const open = outside.indexOf('[');
    if (open >= 0) return `has a "[" at character ${open + 1} without a "]" behind it`;
    let hasToken = false;
    for (const { 0: letters, index } of outside.matchAll(SAME_LETTERS)) {
        if (isToken(letters)) hasToken = true;
        else if (!hasToken || !SEPARATORS.includes(letters))
            return `has "${letters}" at character ${index + 1}, which stands for nothing; allowed: ${FORMAT_SYNTAX}`;
    }
    return hasToken ? undefined : `has no token, so it says nothing of a date; allowed: ${FORMAT_SYNTAX}`;
}

/** The tokens of a format in their order. */
export function tokensOf(format: string): readonly Token[] {
    return partsOf(format).flatMap(({ token }) => (token === undefined ? [] : [token]));
}

/** Writes moments with the tokens YYYY, MM, DD, HH, mm and ss in UTC; everything else stands for itself, and so does what is in brackets. */
export function compileFormat(format: string): (moment: Moment) => string {
    const parts = partsOf(format);
    return moment => {
        const date = new Date(moment);
        return parts.map(({ token, text }) => (token === undefined ? text : written(token, date))).join('');
    };
}

/**
 * Reads what `compileFormat` writes: the whole text must fit, each token with all its digits, and the date must exist. Tokens
 * that the format lacks are those of the beginning (January, the first, midnight); without a year there is no date.
 */
export function compileParse(format: string): (text: string) => Moment | undefined {
    const parts = partsOf(format);
    if (!tokensOf(format).includes('YYYY')) return () => undefined;
    return text => {
        const read: Partial<Record<Token, number>> = {};
        let at = 0;
        for (const { token, text: part } of parts) {
            const end = at + part.length;
            const piece = text.slice(at, end);
            if (token === undefined) {
                if (piece !== part) return undefined;
            } else {
                if (piece.length !== part.length || !/^\d+$/.test(piece)) return undefined;
                // A token that comes twice must say the same.
                if (read[token] !== undefined && read[token] !== Number(piece)) return undefined;
                read[token] = Number(piece);
            }
            at = end;
        }
        return at === text.length ? momentOf(read) : undefined;
    };
}

/** The moment that a field holds: ISO date or time (UTC where it names no zone), or a number of milliseconds since 1970. */
export function readMoment(value: JsonValue | undefined): Moment | undefined {
    if (typeof value === 'number')
        return Number.isFinite(value) && isDateInRange(value) ? Math.trunc(value) : undefined;
    if (typeof value !== 'string') return undefined;
    const match = ISO.exec(value.trim());
    if (!match) return undefined;
    const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match;
    const local = momentOf({
        YYYY: Number(year),
        MM: Number(month),
        DD: Number(day),
        HH: Number(hour),
        mm: Number(minute),
        ss: Number(second),
    });
    const offset = offsetOf(zone);
    if (local === undefined || offset === undefined) return undefined;
    const moment = local + Number(fraction.slice(0, 3).padEnd(3, '0')) - offset;
    return isDateInRange(moment) ? moment : undefined;
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

function offsetOf(zone: string): number | undefined {
    if (zone.toUpperCase() === 'Z') return 0;
    const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
    if (hours > 23 || minutes > 59) return undefined;
    return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Undefined for what the calendar does not have (30 February, hour 24). */
function momentOf({
    YYYY = 0,
    MM = 1,
    DD = 1,
    HH = 0,
    mm = 0,
    ss = 0,
}: Partial<Record<Token, number>>): Moment | undefined {
    const isThere = MM >= 1 && MM <= 12 && DD >= 1 && DD <= daysIn(YYYY, MM) && HH <= 23 && mm <= 59 && ss <= 59;
    if (!isThere) return undefined;
    if (YYYY >= 100) return Date.UTC(YYYY, MM - 1, DD, HH, mm, ss);
    // The quick way takes 26 for 1926.
    const date = new Date(0);
    date.setUTCFullYear(YYYY, MM - 1, DD);
    return date.setUTCHours(HH, mm, ss, 0);
}

function daysIn(year: number, month: number): number {
    if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
    return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** A token, or text that stands for itself. */
interface Part {
    readonly token?: Token;
    readonly text: string;
}

function partsOf(format: string): readonly Part[] {
    return format
        .split(SPLIT)
        .map((text): Part => {
            if (isToken(text)) return { token: text, text };
            return { text: text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text };
        })
        .filter(({ text }) => text !== '');
}

function isToken(part: string): part is Token {
    return (TOKENS as readonly string[]).includes(part);
}

function written(token: Token, date: Date): string {
    const value = {
        YYYY: date.getUTCFullYear(),
        MM: date.getUTCMonth() + 1,
        DD: date.getUTCDate(),
        HH: date.getUTCHours(),
        mm: date.getUTCMinutes(),
        ss: date.getUTCSeconds(),
    }[token];
    return String(value).padStart(token.length, '0');
}
