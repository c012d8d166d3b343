import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { isNothing } from '../../data/decimal';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';
import { compileMismatch, MISMATCH_NOTE, NO_TIMESTAMP, onMismatch } from './mismatch';
import { readTimestamp } from '../../data/timestamp';
import { unit, UNIT_MS } from './units';

/** Computes the time between two dates. */
export const dateDiff = recordOperator({
    code: 'dateDiff',
    category: 'Date',
    title: 'Difference of dates',
    summary:
        'Counts the whole units of time between two dates. A month has the average length of 30.44 days and a year of 365.25.',
    config: z.strictObject({
        startDate: path('Start', 'The first date: an ISO date or time, or milliseconds since 1970.'),
        endDate: path('End', 'The second date.'),
        target: path('To', 'The field for the whole number. It is negative if the end is before the start.'),
        unit: unit(),
        absolute: z.boolean().default(false).meta({ title: 'Absolute', description: 'Removes the sign.' }),
        onMismatch: onMismatch(),
    }),
    notes: [
        'Only complete units count: 47 hours are one day. A value that is not a date is a mismatch.',
        MISMATCH_NOTE,
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
        {
            args: { startDate: 'a', endDate: 'b', target: 'n', unit: 'days', onMismatch: 'REJECT' },
            in: { a: '2026-01-01', b: 'später' },
            error: 'Field "b": "später" is not an ISO date or time',
        },
        {
            args: { startDate: 'a', endDate: 'b', target: 'n', unit: 'days', onMismatch: 'NULL' },
            in: { a: 'später', n: 1 },
            out: { a: 'später', n: null },
        },
        {
            args: { startDate: 'a', endDate: 'b', target: 'n', unit: 'days', onMismatch: 'NULL' },
            in: { a: '2026-01-01', n: 1 },
            out: { a: '2026-01-01', n: 1 },
        },
    ],
    reads: ({ startDate, endDate }) => [startDate, endDate],
    compile({ startDate, endDate, target, unit: by, absolute, onMismatch: mode }) {
        const [start, end, to] = [compilePath(startDate), compilePath(endDate), compilePath(target)];
        const unfit = compileMismatch(mode, to);
        return data => {
            const [first, last] = [start.get(data), end.get(data)];
            const [from, until] = [readTimestamp(first), readTimestamp(last)];
            if (from === undefined || until === undefined) {
                // If neither value is a date, report the one that is not empty.
                const isFirst = from === undefined && !(until === undefined && isNothing(first));
                const misfit = isFirst ? { path: startDate, value: first } : { path: endDate, value: last };
                return unfit(data, { ...misfit, problem: NO_TIMESTAMP });
            }
            const whole = Math.trunc((until - from) / UNIT_MS[by]);
            // JSON has no negative zero.
            return to.set(data, (absolute ? Math.abs(whole) : whole) || 0);
        };
    },
});
