import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';

/** Removes a field. */
export const remove = recordOperator({
    code: 'remove',
    category: 'Data',
    title: 'Remove a field',
    summary: 'Removes a field from the record.',
    config: z.strictObject({
        path: path('Field', 'What to remove. An element of a list is taken out, and those behind it move up.'),
    }),
    examples: [
        { args: { path: 'internal' }, in: { sku: 'A1', internal: { note: 'ä' } }, out: { sku: 'A1' } },
        { args: { path: 'brand.id' }, in: { brand: { id: 1, name: 'B' } }, out: { brand: { name: 'B' } } },
        { args: { path: 'tags.0' }, in: { tags: ['a', 'b'] }, out: { tags: ['b'] } },
        { args: { path: 'tags.0' }, in: { tags: [] }, out: { tags: [] }, note: 'What is not there stays not there.' },
        { args: { path: 'brand.id' }, in: { brand: 'text' }, out: { brand: 'text' } },
        { args: { path: 'name' }, in: { name: null }, out: {} },
    ],
    compile(args) {
        return compilePath(args.path).unset;
    },
});
