import type { JsonValue } from '../value/json';

/** A timestamp in UTC, in milliseconds since 1970. */
export type Timestamp = number;

/** Years 0 to 9999: those with four digits. */
const [FIRST, LAST] = [Date.UTC(-1, 12), Date.UTC(9999, 11, 31, 23, 59, 59, 999)];

export function isDateInRange(timestamp: Timestamp): boolean {
    return timestamp >= FIRST && timestamp <= LAST;
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * The timestamp in a field: an ISO date or time (UTC without a time zone, on every worker), or a number of milliseconds
 * since 1970.
 */
export function readTimestamp(value: JsonValue | undefined): Timestamp | undefined {
    if (typeof value === 'number')
        return Number.isFinite(value) && isDateInRange(value) ? Math.trunc(value) : undefined;
    if (typeof value !== 'string') return undefined;
    const match = ISO.exec(value.trim());
    if (!match) return undefined;
    const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match;
    const local = timestampOf([year, month, day, hour, minute, second].map(Number));
    const offset = offsetOf(zone);
    if (local === undefined || offset === undefined) return undefined;
    const moment = local + Number(fraction.slice(0, 3).padEnd(3, '0')) - offset;
    return isDateInRange(moment) ? moment : undefined;
}

/** 3 March 1973. */
const SURELY_MILLISECONDS = 100_000_000_000;

/**
 * Like `readTimestamp`, for values that are stored. A smaller number is rejected: it is more likely a number of seconds,
 * or a day of a spreadsheet, than a time shortly after 1970.
 */
export function readUnambiguousTimestamp(value: JsonValue | undefined): Timestamp | undefined {
    return typeof value === 'number' && Math.abs(value) < SURELY_MILLISECONDS ? undefined : readTimestamp(value);
}

function offsetOf(zone: string): number | undefined {
    if (zone.toUpperCase() === 'Z') return 0;
    const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
    if (hours > 23 || minutes > 59) return undefined;
    return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/**
 * The timestamp of year, month (1 to 12), day, hour, minute and second; undefined for a date or time that does not
 * exist (30 February, hour 24).
 */
export function timestampOf([year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0]: readonly number[]):
    Timestamp | undefined {
    const isThere =
        month >= 1 &&
        month <= 12 &&
        day >= 1 &&
        day <= daysIn(year, month) &&
        hour <= 23 &&
        minute <= 59 &&
        second <= 59;
    if (!isThere) return undefined;
    if (year >= 100) return Date.UTC(year, month - 1, day, hour, minute, second);
    // The fast path reads 26 as 1926.
    const date = new Date(0);
    date.setUTCFullYear(year, month - 1, day);
    return date.setUTCHours(hour, minute, second, 0);
}

function daysIn(year: number, month: number): number {
    if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
    return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
