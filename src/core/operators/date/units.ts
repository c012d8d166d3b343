import { z } from 'zod';
import { isDateInRange, type Timestamp } from '../../data/timestamp';

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

/**
 * A timestamp plus a number of units, by the calendar; undefined outside the years 0 to 9999. In a month that is too
 * short, the last day is used: 31 January plus one month is 28 February.
 */
export function add(timestamp: Timestamp, amount: number, by: Unit): Timestamp | undefined {
    const months = by === 'months' ? amount : by === 'years' ? amount * 12 : 0;
    const sum =
        months === 0
            ? timestamp + (by === 'months' || by === 'years' ? 0 : amount * UNIT_MS[by])
            : addMonths(timestamp, months);
    return isDateInRange(sum) ? sum : undefined;
}

function addMonths(timestamp: Timestamp, months: number): Timestamp {
    const date = new Date(timestamp);
    const day = date.getUTCDate();
    date.setUTCDate(1);
    date.setUTCMonth(date.getUTCMonth() + months);
    const last = new Date(date);
    last.setUTCMonth(last.getUTCMonth() + 1, 0);
    date.setUTCDate(Math.min(day, last.getUTCDate()));
    return date.getTime();
}
