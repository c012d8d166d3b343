import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { json, path } from '../../schema/fields';

/** Sets a field to a fixed value. */
export const set = recordOperator({
    code: 'set',
    category: 'Data',
    title: 'Set a value',
    summary: 'Sets a field to a fixed value.',
    config: z.strictObject({
        path: path('Field', 'Where the value goes; objects on the way are made.'),
        value: json('Value', 'Any JSON value; it replaces what was there.'),
    }),
    examples: [
        { args: { path: 'enabled', value: true }, in: { sku: 'A1' }, out: { sku: 'A1', enabled: true } },
        {
            args: { path: 'tax.category', value: 'Übrige' },
            in: { tax: null },
            out: { tax: { category: 'Übrige' } },
            note: 'Objects are made on the way.',
        },
        { args: { path: 'tags', value: [] }, in: { tags: ['a'] }, out: { tags: [] } },
        { args: { path: 'name', value: null }, in: { name: 'x' }, out: { name: null } },
        {
            args: { path: 'name.de', value: 'x' },
            in: { name: 'x' },
            error: 'Field "name.de": cannot be written, because "name" is a string',
        },
    ],
    compile(args, { bounds }) {
        const target = bounds.field(args.path);
        return data => target.set(data, args.value);
    },
});
