const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The longest period that is shown by hour; in longer ones the bars would be too narrow. */
const BY_HOUR_MS = 3 * DAY_MS;

/** How far the page looks back; `own` is from one moment to another. */
export const RANGES = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS, quarter: 90 * DAY_MS } as const;

/** What a person has chosen. */
export interface ChosenTime {
    readonly range: string | undefined;
    readonly from: string | undefined;
    readonly to: string | undefined;
}

/** The start and end, and the interval of the parts. */
export interface TimeWindow {
    readonly from: string;
    /** None: now. */
    readonly to: string | undefined;
    readonly period: 'HOUR' | 'DAY';
}

/** The window that is meant; the last 24 hours where nothing sound is. Its beginning is that of a minute, so that it stays the same for a while. */
export function windowOf({ range, from, to }: ChosenTime, now: number): TimeWindow {
    const [start, end] = [Date.parse(from ?? ''), Date.parse(to ?? '')];
    if (range === 'own' && !Number.isNaN(start)) {
        const until = Number.isNaN(end) ? now : end;
        if (start < until)
            return {
                from: new Date(start).toISOString(),
                to: Number.isNaN(end) ? undefined : new Date(end).toISOString(),
                period: periodOf(until - start),
            };
    }
    const length = range !== undefined && range in RANGES ? RANGES[range as keyof typeof RANGES] : RANGES.day;
    const minute = Math.floor(now / 60_000) * 60_000;
    return { from: new Date(minute - length).toISOString(), to: undefined, period: periodOf(length) };
}

function periodOf(length: number): 'HOUR' | 'DAY' {
    return length <= BY_HOUR_MS ? 'HOUR' : 'DAY';
}

/** The starts of all parts of a window, those without a run included. */
export function partsOf(
    { from, to }: { readonly from: string; readonly to: string },
    period: 'HOUR' | 'DAY',
): readonly string[] {
    const step = period === 'HOUR' ? HOUR_MS : DAY_MS;
    const parts: string[] = [];
    for (let at = Math.floor(Date.parse(from) / step) * step; at < Date.parse(to); at += step)
        parts.push(new Date(at).toISOString());
    return parts;
}
