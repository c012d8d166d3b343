import { z } from 'zod';
import { isDateInRange, type Moment } from '../../data/moment';

/** The units of durations, in the plural only. */
export const UNITS = ['seconds', 'minutes', 'hours', 'days', 'weeks', 'months', 'years'] as const;
export type Unit = (typeof UNITS)[number];

const SECOND = 1000;
const DAY = 86_400 * SECOND;
/** The length of each unit; a month is 30.44 days and a year 365.25. */
export const UNIT_MS: Readonly<Record<Unit, number>> = {
    seconds: SECOND,
    minutes: 60 * SECOND,
    hours: 3600 * SECOND,
    days: DAY,
    weeks: 7 * DAY,
    months: 30.44 * DAY,
    years: 365.25 * DAY,
};

/** The field for a unit of time. */
export function unit(): z.ZodEnum<{ [U in Unit]: U }> {
    return z.enum(UNITS).meta({ title: 'Unit', description: `One of ${UNITS.join(', ')}.` });
}

/** A moment so many units later by the calendar; undefined beyond the years 0 to 9999. A month that is too short ends earlier: 31 January and one month is 28 February. */
export function add(moment: Moment, amount: number, by: Unit): Moment | undefined {
    const months = by === 'months' ? amount : by === 'years' ? amount * 12 : 0;
    const sum =
        months === 0
            ? moment + (by === 'months' || by === 'years' ? 0 : amount * UNIT_MS[by])
            : addMonths(moment, months);
    return isDateInRange(sum) ? sum : undefined;
}

function addMonths(moment: Moment, months: number): Moment {
    const date = new Date(moment);
    const day = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() + months);
    const last = new Date(date);
    last.setUTCMonth(last.getUTCMonth() + 1, 0);
    date.setUTCDate(Math.min(day, last.getUTCDate()));
    return date.getTime();
}
