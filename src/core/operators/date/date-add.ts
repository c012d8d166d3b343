import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path, wholeNumber } from '../../schema/fields';
import { compileMismatch, MISMATCH_NOTE, NO_TIMESTAMP, onMismatch } from './mismatch';
import { readTimestamp } from '../../data/timestamp';
import { add, unit } from './units';

const BEYOND = 'cannot be moved: the result is outside the years 0 to 9999';

/** Adds a duration to a date. */
export const dateAdd = recordOperator({
    code: 'dateAdd',
    category: 'Date',
    title: 'Add to a date',
    summary: 'Moves a date forwards or backwards by an amount of time.',
    config: z.strictObject({
        source: path('From', 'The date: an ISO date or time, or milliseconds since 1970.'),
        target: path('To', 'The field for the result, an ISO time.'),
        amount: wholeNumber(
            { min: -1_000_000_000, max: 1_000_000_000 },
            { title: 'Amount', description: 'The number of units. A negative number moves backwards.' },
        ),
        unit: unit(),
        onMismatch: onMismatch(),
    }),
    notes: [
        'Uses the calendar, in UTC: a month after 31 January is 28 February, or 29 in a leap year. A value that is not a date, or a result outside the years 0 to 9999, is a mismatch.',
        MISMATCH_NOTE,
    ],
    examples: [
        {
            args: { source: 'd', target: 'd', amount: 1, unit: 'months' },
            in: { d: '2026-01-31' },
            out: { d: '2026-02-28T00:00:00.000Z' },
        },
        {
            args: { source: 'd', target: 'e', amount: -90, unit: 'minutes' },
            in: { d: '2026-01-01T00:30:00Z' },
            out: { d: '2026-01-01T00:30:00Z', e: '2025-12-31T23:00:00.000Z' },
        },
        {
            args: { source: 'd', target: 'd', amount: 4, unit: 'years' },
            in: { d: '2024-02-29' },
            out: { d: '2028-02-29T00:00:00.000Z' },
        },
        {
            args: { source: 'd', target: 'e', amount: 1, unit: 'days' },
            in: { d: 'übermorgen' },
            out: { d: 'übermorgen' },
        },
        {
            args: { source: 'd', target: 'e', amount: 1, unit: 'years' },
            in: { d: '9999-06-01' },
            out: { d: '9999-06-01' },
        },
        {
            args: { source: 'd', target: 'e', amount: 1, unit: 'years', onMismatch: 'REJECT' },
            in: { d: '9999-06-01' },
            error: 'Field "d": "9999-06-01" cannot be moved: the result is outside the years 0 to 9999',
        },
        {
            args: { source: 'd', target: 'd', amount: 1, unit: 'days', onMismatch: 'NULL' },
            in: { d: 'übermorgen' },
            out: { d: null },
        },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, amount, unit: by, onMismatch: mode }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.place(target);
        const unfit = compileMismatch(mode, to);
        return data => {
            const value = from.get(data);
            const moment = readTimestamp(value);
            if (moment === undefined) return unfit(data, { path: source, value, problem: NO_TIMESTAMP });
            const sum = add(moment, amount, by);
            if (sum === undefined) return unfit(data, { path: source, value, problem: BEYOND });
            return to.set(data, new Date(sum).toISOString());
        };
    },
});
