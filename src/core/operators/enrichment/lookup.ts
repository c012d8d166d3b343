import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { json, jsonValue, path } from '../../schema/fields';

/** Replaces a value by means of a table. */
export const lookup = recordOperator({
    code: 'lookup',
    category: 'Enrichment',
    title: 'Look up',
    summary: 'Replaces a value by what a table has for it.',
    config: z.strictObject({
        source: path('From', 'The field whose value is looked up: text, a number, or true and false.'),
        map: z.record(z.string(), jsonValue()).meta({
            title: 'Table',
            description: 'What to look up on the left, what it becomes on the right. Upper and lower case differ.',
            widget: 'mapping',
        }),
        target: path('To', 'Where the answer goes.'),
        default: json(
            'Default',
            'What the target gets when the table has nothing for the value. Without it the record stays as it is.',
        ).optional(),
    }),
    examples: [
        {
            args: { source: 'c', map: { rot: 'red', grün: 'green' }, target: 'color' },
            in: { c: 'grün' },
            out: { c: 'grün', color: 'green' },
        },
        {
            args: { source: 'id', map: { 7: { code: 'std' } }, target: 'tax' },
            in: { id: 7 },
            out: { id: 7, tax: { code: 'std' } },
            note: 'A number is looked up by its text.',
        },
        { args: { source: 'c', map: { rot: 'red' }, target: 'color' }, in: { c: 'blau' }, out: { c: 'blau' } },
        {
            args: { source: 'c', map: { rot: 'red' }, target: 'color', default: null },
            in: { c: 'blau' },
            out: { c: 'blau', color: null },
        },
        {
            args: { source: 'c', map: { rot: 'red' }, target: 'color', default: 'none' },
            in: {},
            out: { color: 'none' },
            note: 'A missing value is found nowhere.',
        },
        {
            args: { source: 'c', map: { rot: 'red' }, target: 'c' },
            in: { c: ['rot'] },
            out: { c: ['rot'] },
            note: 'Lists and objects are not looked up.',
        },
        { args: { source: 'c', map: {}, target: 'd' }, in: { c: 'constructor' }, out: { c: 'constructor' } },
    ],
    reads: ({ source, default: fallback }) => (fallback === undefined ? [source] : []),
    compile(args, { bounds }) {
        const from = compilePath(args.source);
        const to = bounds.field(args.target);
        const table = new Map(Object.entries(args.map));
        return data => {
            const key = from.get(data);
            const found = key === undefined || typeof key === 'object' ? undefined : table.get(String(key));
            const answer = found === undefined ? args.default : found;
            return answer === undefined ? data : to.set(data, answer);
        };
    },
});
