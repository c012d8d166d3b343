import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';

/** Takes the first element of a list. */
export const first = recordOperator({
    code: 'first',
    category: 'Aggregation',
    title: 'First element',
    summary: 'Takes the first element of a list.',
    config: z.strictObject({
        source: path('From', 'The list; what is no list, or an empty one, is left alone.'),
        target: path('To', 'Where the element goes.'),
    }),
    examples: [
        {
            args: { source: 'images', target: 'image' },
            in: { images: ['a.png', 'b.png'] },
            out: { images: ['a.png', 'b.png'], image: 'a.png' },
        },
        { args: { source: 'a', target: 'a' }, in: { a: [null, 1] }, out: { a: null } },
        { args: { source: 'a', target: 'b' }, in: { a: [] }, out: { a: [] } },
        { args: { source: 'a', target: 'b' }, in: { a: 'text' }, out: { a: 'text' } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target);
        return data => {
            const list = from.get(data);
            return Array.isArray(list) && list.length > 0 ? to.set(data, list[0]!) : data;
        };
    },
});
