import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path, wholeNumber } from '../../schema/fields';
import { readMoment } from './tokens';
import { add, unit } from './units';

/** Later or earlier (spec 3, `dateAdd`). */
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
    }),
    notes: [
        'By the calendar, in UTC: a month after 31 January is 28 February, or 29 in a leap year. What is no date leaves the target as it is, and so does a result beyond the year 9999.',
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
    ],
    compile({ source, target, amount, unit: by }) {
        const from = compilePath(source);
        const to = compilePath(target);
        return data => {
            const moment = readMoment(from.get(data));
            const sum = moment === undefined ? undefined : add(moment, amount, by);
            return sum === undefined ? data : to.set(data, new Date(sum).toISOString());
        };
    },
});
