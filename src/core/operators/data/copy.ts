import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';

/** Copies a value to another field. */
export const copy = recordOperator({
    code: 'copy',
    category: 'Data',
    title: 'Copy a field',
    summary: 'Copies a field to another path.',
    config: z.strictObject({
        source: path('From', 'The field to read; it stays.'),
        target: path('To', 'Where the copy goes.'),
    }),
    examples: [
        { args: { source: 'name', target: 'title' }, in: { name: 'Tür' }, out: { name: 'Tür', title: 'Tür' } },
        {
            args: { source: 'images.0', target: 'image' },
            in: { images: [{ url: 'u' }] },
            out: { images: [{ url: 'u' }], image: { url: 'u' } },
        },
        {
            args: { source: 'images.0', target: 'image' },
            in: { images: [], image: 'old' },
            out: { images: [], image: 'old' },
            note: 'Nothing to copy: the target stays.',
        },
        {
            args: { source: 'a', target: 'b' },
            in: { a: null, b: 1 },
            out: { a: null, b: null },
            note: 'null is a value.',
        },
    ],
    reads: ({ source }) => [source],
    compile(args, { bounds }) {
        const from = compilePath(args.source);
        const to = bounds.field(args.target);
        return data => {
            const value = from.get(data);
            return value === undefined ? data : to.set(data, value);
        };
    },
});
