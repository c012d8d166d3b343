/** What an hour or a day has come to; nothing where no run has ended in it. */
export interface Period<T> {
    readonly start: Date;
    readonly figures: T | undefined;
}

/** How long the periods are, and how many of them are shown. */
export interface Periods {
    readonly ms: number;
    readonly count: number;
}

/** The hours of a day. */
export const HOURS: Periods = { ms: 3_600_000, count: 24 };
/** The days of a month; they begin as the server's do, in UTC. */
export const DAYS: Periods = { ms: 86_400_000, count: 30 };

/** When the first of the periods begins that end with a moment. */
export function firstOf({ ms, count }: Periods, until: Date): Date {
    return new Date((Math.floor(until.getTime() / ms) - (count - 1)) * ms);
}

/** The periods up to a moment, those without a run included: a gap in a chart is something to be seen. */
export function filled<T>(
    known: ReadonlyArray<{ readonly start: string; readonly figures: T }>,
    periods: Periods,
    until: Date,
): ReadonlyArray<Period<T>> {
    const found = new Map(known.map(({ start, figures }) => [Date.parse(start), figures]));
    const first = firstOf(periods, until).getTime();
    return Array.from({ length: periods.count }, (_, index) => {
        const start = first + index * periods.ms;
        return { start: new Date(start), figures: found.get(start) };
    });
}
