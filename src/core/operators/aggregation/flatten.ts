import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import type { JsonValue } from '../../value/json';
import { compilePath } from '../../data/path';
import { path, wholeNumber } from '../../schema/fields';

/** Flattens nested lists. */
export const flatten = recordOperator({
    code: 'flatten',
    category: 'Aggregation',
    title: 'Flatten a list',
    summary: 'Puts the elements of lists within a list into the list itself.',
    config: z.strictObject({
        source: path('From', 'The list; what is no list is left alone.'),
        target: path('To', 'Where the result goes; the field itself where absent.').optional(),
        depth: wholeNumber(
            { min: 1, max: 32 },
            { title: 'Depth', description: 'How many levels are taken away.' },
        ).default(1),
    }),
    examples: [
        { args: { source: 'a' }, in: { a: [1, [2, [3]], []] }, out: { a: [1, 2, [3]] } },
        {
            args: { source: 'a', target: 'b', depth: 2 },
            in: { a: [[['x']], 'y'] },
            out: { a: [[['x']], 'y'], b: ['x', 'y'] },
        },
        {
            args: { source: 'a' },
            in: { a: [{ b: [1] }, null] },
            out: { a: [{ b: [1] }, null] },
            note: 'Lists within objects stay.',
        },
        { args: { source: 'a' }, in: { a: 'x' }, out: { a: 'x' } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, depth }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target ?? source);
        return data => {
            const list = from.get(data);
            if (!Array.isArray(list)) return data;
            return to.set(data, (list as unknown[]).flat(depth) as JsonValue[]);
        };
    },
});
