import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';

/** Takes the last element of a list. */
export const last = recordOperator({
    code: 'last',
    category: 'Aggregation',
    title: 'Last element',
    summary: 'Takes the last element of a list.',
    config: z.strictObject({
        source: path('From', 'The list; what is no list, or an empty one, is left alone.'),
        target: path('To', 'Where the element goes.'),
    }),
    examples: [
        {
            args: { source: 'path', target: 'category' },
            in: { path: ['Möbel', 'Stühle'] },
            out: { path: ['Möbel', 'Stühle'], category: 'Stühle' },
        },
        { args: { source: 'a', target: 'a' }, in: { a: [1, { b: 2 }] }, out: { a: { b: 2 } } },
        { args: { source: 'a', target: 'b' }, in: { a: [] }, out: { a: [] } },
        { args: { source: 'a', target: 'b' }, in: { a: null }, out: { a: null } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target);
        return data => {
            const list = from.get(data);
            return Array.isArray(list) && list.length > 0 ? to.set(data, list[list.length - 1]!) : data;
        };
    },
});
