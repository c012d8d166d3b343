const DAY_MS = 86_400_000;
const SECOND_MS = 1000;
/** Day 0 of both systems. */
const EPOCH_1900 = Date.UTC(1899, 11, 31);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const BEHIND_9999 = Date.UTC(10_000, 0, 1);
/** Lotus 1-2-3 took 1900 for a leap year, and Excel has counted its 29 February ever since. */
const LEAP_DAY = 60;

/**
 * The text of a number in a date format: `2024-02-29`, with a time of day `2024-02-29T13:00:00.000Z`, a time alone
 * `13:00:00`, a duration `36:00:00`. Undefined for a number that is not a date: a negative one, one after the year
 * 9999, and the 29 February 1900, which never existed.
 */
export function dateText(serial: number, kind: 'date' | 'duration', is1904: boolean): string | undefined {
    const ms = Math.round(serial * DAY_MS);
    if (ms < 0) return undefined;
    if (kind === 'duration' || ms < DAY_MS) return timeText(ms);
    const day = Math.floor(ms / DAY_MS);
    if (!is1904 && day === LEAP_DAY) return undefined;
    const counted = is1904 ? EPOCH_1904 + ms : EPOCH_1900 + ms - (day > LEAP_DAY ? DAY_MS : 0);
    return counted < BEHIND_9999 ? isoText(new Date(counted)) : undefined;
}

/** The same text for a date that the cell has as ISO 8601; undefined for any other text. */
export function isoDateText(text: string): string | undefined {
    const found = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(text);
    if (!found) return undefined;
    const [, day = '', time = '00:00', zone = 'Z'] = found;
    const date = new Date(`${day}T${time}${zone}`);
    // The 31 February would become a day in March.
    const exists = new Date(`${day}T00:00Z`);
    return Number.isNaN(date.getTime()) || exists.toISOString().slice(0, 10) !== day ? undefined : isoText(date);
}

function isoText(date: Date): string {
    const text = date.toISOString();
    return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text;
}

function timeText(ms: number): string {
    const seconds = Math.floor(ms / SECOND_MS);
    const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60].map(part =>
        String(part).padStart(2, '0'),
    );
    const rest = ms % SECOND_MS;
    return rest === 0 ? parts.join(':') : `${parts.join(':')}.${String(rest).padStart(3, '0')}`;
}
