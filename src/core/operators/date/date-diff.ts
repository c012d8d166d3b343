import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';
import { readMoment } from './tokens';
import { unit, UNIT_MS } from './units';

/** The time between (spec 3, `dateDiff`). */
export const dateDiff = recordOperator({
    code: 'dateDiff',
    category: 'Date',
    title: 'Difference of dates',
    summary: 'Counts the whole units of time between two dates.',
    config: z.strictObject({
        startDate: path('Start', 'The first date: an ISO date or time, or milliseconds since 1970.'),
        endDate: path('End', 'The second date.'),
        target: path('To', 'Where the whole number goes; negative when the end is before the start.'),
        unit: unit(),
        absolute: z.boolean().default(false).meta({ title: 'Absolute', description: 'Leaves the sign away.' }),
    }),
    notes: [
        'Units that have begun do not count: 47 hours are one day. Months have 30.44 days and years 365.25. What is no date leaves the target as it is.',
    ],
    examples: [
        {
            args: { startDate: 'a', endDate: 'b', target: 'n', unit: 'days' },
            in: { a: '2026-01-01', b: '2026-01-02T23:00:00Z' },
            out: { a: '2026-01-01', b: '2026-01-02T23:00:00Z', n: 1 },
        },
        {
            args: { startDate: 'a', endDate: 'b', target: 'n', unit: 'hours' },
            in: { a: '2026-01-02', b: '2026-01-01' },
            out: { a: '2026-01-02', b: '2026-01-01', n: -24 },
        },
        {
            args: { startDate: 'a', endDate: 'b', target: 'n', unit: 'weeks', absolute: true },
            in: { a: 1_209_600_000, b: 0 },
            out: { a: 1_209_600_000, b: 0, n: 2 },
        },
        {
            args: { startDate: 'a', endDate: 'b', target: 'n', unit: 'years' },
            in: { a: '2000-01-01', b: '2026-01-01' },
            out: { a: '2000-01-01', b: '2026-01-01', n: 26 },
        },
        {
            args: { startDate: 'a', endDate: 'b', target: 'n', unit: 'days' },
            in: { a: '2026-01-01', b: 'später' },
            out: { a: '2026-01-01', b: 'später' },
        },
    ],
    compile({ startDate, endDate, target, unit: by, absolute }) {
        const [start, end, to] = [compilePath(startDate), compilePath(endDate), compilePath(target)];
        return data => {
            const [from, until] = [readMoment(start.get(data)), readMoment(end.get(data))];
            if (from === undefined || until === undefined) return data;
            const whole = Math.trunc((until - from) / UNIT_MS[by]);
            // Zero has no sign in JSON.
            return to.set(data, (absolute ? Math.abs(whole) : whole) || 0);
        };
    },
});
