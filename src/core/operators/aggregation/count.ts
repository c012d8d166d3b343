import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { readText } from '../../data/read-text';
import { path } from '../../schema/fields';

/** Counts the elements of a list, or the characters of a text. */
export const count = recordOperator({
    code: 'count',
    category: 'Aggregation',
    title: 'Count',
    summary: 'Counts the elements of a list or the characters of a text.',
    config: z.strictObject({
        source: path('From', 'The list or the text. A number is read as its text; any other value is left alone.'),
        target: path('To', 'Where the number goes.'),
    }),
    notes: [
        'Characters are counted as Unicode code points. A missing field is not counted as 0: put a default before it.',
    ],
    examples: [
        { args: { source: 'tags', target: 'n' }, in: { tags: ['a', null] }, out: { tags: ['a', null], n: 2 } },
        { args: { source: 'name', target: 'n' }, in: { name: 'Öl🛢' }, out: { name: 'Öl🛢', n: 3 } },
        {
            args: { source: 'zip', target: 'n' },
            in: { zip: 80331 },
            out: { zip: 80331, n: 5 },
            note: 'The characters of the number.',
        },
        { args: { source: 'tags', target: 'n' }, in: { tags: [] }, out: { tags: [], n: 0 } },
        { args: { source: 'tags', target: 'n' }, in: {}, out: {} },
        { args: { source: 'tags', target: 'n' }, in: { tags: { a: 1 } }, out: { tags: { a: 1 } } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.place(target);
        return data => {
            const value = from.get(data);
            if (Array.isArray(value)) return to.set(data, value.length);
            const text = readText(value);
            return text === undefined ? data : to.set(data, points(text));
        };
    },
});

function points(text: string): number {
    let n = 0;
    for (const _ of text) n++;
    return n;
}
