import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';

/** Converts any value to text. */
export const toText = recordOperator({
    code: 'toString',
    category: 'Numeric',
    title: 'To text',
    summary: 'Turns a value into text.',
    config: z.strictObject({
        source: path('From', 'The value; missing and null are left alone.'),
        target: path('To', 'Where the text goes; the field itself where absent.').optional(),
    }),
    notes: ['Objects and lists become JSON.'],
    examples: [
        { args: { source: 'sku' }, in: { sku: 123 }, out: { sku: '123' } },
        { args: { source: 'a', target: 't' }, in: { a: true }, out: { a: true, t: 'true' } },
        { args: { source: 'a' }, in: { a: 1e21 }, out: { a: '1e+21' } },
        { args: { source: 'a' }, in: { a: ['ü', null] }, out: { a: '["ü",null]' } },
        { args: { source: 'a', target: 't' }, in: { a: null }, out: { a: null } },
        {
            args: { source: 'a' },
            in: { a: '12.50' },
            out: { a: '12.50' },
            note: 'What is text already stays as it is.',
        },
        { args: { source: 'a' }, in: { a: 12.5 }, out: { a: '12.5' } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target ?? source);
        return data => {
            const value = from.get(data);
            return value === undefined || value === null ? data : to.set(data, bounds.textOf(to.text, value));
        };
    },
});
