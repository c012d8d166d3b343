import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { isNothing } from '../../data/decimal';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';
import { compileMismatch, MISMATCH_NOTE, NO_MOMENT, onMismatch } from './mismatch';
import { readMoment } from '../../data/moment';
import { unit, UNIT_MS } from './units';

/** Computes the time between two dates. */
export const dateDiff = recordOperator({
    code: 'dateDiff',
    category: 'Date',
    title: 'Difference of dates',
    summary:
        'Counts the whole units of time between two dates, where a month has the average length of 30.44 days and a year one of 365.25.',
    config: z.strictObject({
        startDate: path('Start', 'The first date: an ISO date or time, or milliseconds since 1970.'),
        endDate: path('End', 'The second date.'),
        target: path('To', 'Where the whole number goes; negative when the end is before the start.'),
        unit: unit(),
        absolute: z.boolean().default(false).meta({ title: 'Absolute', description: 'Leaves the sign away.' }),
        onMismatch: onMismatch(),
    }),
    notes: ['Units that have begun do not count: 47 hours are one day. What is no date is a mismatch.', MISMATCH_NOTE],
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
            error: 'Field "b": is "später", which is no ISO date or time',
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
            const [from, until] = [readMoment(first), readMoment(last)];
            if (from === undefined || until === undefined) {
                // Of two that are no dates, the one that is there at all is told.
                const isFirst = from === undefined && !(until === undefined && isNothing(first));
                const misfit = isFirst ? { path: startDate, value: first } : { path: endDate, value: last };
                return unfit(data, { ...misfit, problem: NO_MOMENT });
            }
            const whole = Math.trunc((until - from) / UNIT_MS[by]);
            // Zero has no sign in JSON.
            return to.set(data, (absolute ? Math.abs(whole) : whole) || 0);
        };
    },
});
