import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { json, path } from '../../schema/fields';

/** Sets a field that has no value. */
export const defaultValue = recordOperator({
    code: 'default',
    category: 'Enrichment',
    title: 'Default value',
    summary: 'Fills a field that is missing or null.',
    config: z.strictObject({
        path: path('Field', 'The field to fill.'),
        value: json('Value', 'What it gets when it is missing or null.'),
    }),
    examples: [
        { args: { path: 'stock', value: 0 }, in: { sku: 'A1' }, out: { sku: 'A1', stock: 0 } },
        {
            args: { path: 'name.de', value: 'Ohne Namen' },
            in: { name: { de: null } },
            out: { name: { de: 'Ohne Namen' } },
        },
        {
            args: { path: 'name', value: 'x' },
            in: { name: '' },
            out: { name: '' },
            note: 'Empty text is a value, and so are 0, false and an empty list.',
        },
        { args: { path: 'tags', value: ['a'] }, in: { tags: [] }, out: { tags: [] } },
        {
            args: { path: 'name.de', value: 'x' },
            in: { name: 7 },
            error: 'Field "name.de": cannot be written, because "name" is a number',
        },
    ],
    compile(args, { bounds }) {
        const field = bounds.field(args.path);
        return data => {
            const value = field.get(data);
            return value === undefined || value === null ? field.set(data, args.value) : data;
        };
    },
});
