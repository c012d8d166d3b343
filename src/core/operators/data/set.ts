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
        path: path('Field', 'The field to set. Missing objects along the path are created.'),
        value: json('Value', 'Any JSON value. It replaces the current value.'),
    }),
    examples: [
        { args: { path: 'enabled', value: true }, in: { sku: 'A1' }, out: { sku: 'A1', enabled: true } },
        {
            args: { path: 'tax.category', value: 'Übrige' },
            in: { tax: null },
            out: { tax: { category: 'Übrige' } },
            note: 'Missing objects along the path are created.',
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
