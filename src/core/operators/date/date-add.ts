import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path, wholeNumber } from '../../schema/fields';
import { compileMismatch, MISMATCH_NOTE, NO_MOMENT, onMismatch } from './mismatch';
import { readMoment } from '../../data/moment';
import { add, unit } from './units';

const BEYOND = 'and the result is beyond the years 0 to 9999';

/** Adds a duration to a date. */
export const dateAdd = recordOperator({
    code: 'dateAdd',
    category: 'Date',
    title: 'Add to a date',
    summary: 'Moves a date forth or back by so many units of time.',
    config: z.strictObject({
        source: path('From', 'The date: an ISO date or time, or milliseconds since 1970.'),
        target: path('To', 'Where the result goes, as an ISO time.'),
        amount: wholeNumber(
            { min: -1_000_000_000, max: 1_000_000_000 },
            { title: 'Amount', description: 'How many; a negative number goes back.' },
        ),
        unit: unit(),
        onMismatch: onMismatch(),
    }),
    notes: [
        'By the calendar, in UTC: a month after 31 January is 28 February, or 29 in a leap year. What is no date is a mismatch, and so is a result beyond the years 0 to 9999.',
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
            error: 'Field "d": is "9999-06-01", and the result is beyond the years 0 to 9999',
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
            const moment = readMoment(value);
            if (moment === undefined) return unfit(data, { path: source, value, problem: NO_MOMENT });
            const sum = add(moment, amount, by);
            if (sum === undefined) return unfit(data, { path: source, value, problem: BEYOND });
            return to.set(data, new Date(sum).toISOString());
        };
    },
});
