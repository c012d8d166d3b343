import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import type { JsonValue } from '../../value/json';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';

/** Joins the elements of a list into a text. */
export const joinOperator = recordOperator({
    code: 'join',
    category: 'String',
    title: 'Join a list',
    summary: 'Joins the elements of a list into one text.',
    config: z.strictObject({
        source: path('From', 'The list; what is no list is left alone.'),
        target: path('To', 'Where the text goes.'),
        delimiter: z
            .string()
            .max(100)
            .meta({ title: 'Delimiter', description: 'What is put between the elements; may be empty.' }),
    }),
    notes: ['Null is empty text; objects and lists within the list are put in as JSON.'],
    examples: [
        {
            args: { source: 'tags', target: 't', delimiter: ', ' },
            in: { tags: ['rot', 'grün'] },
            out: { tags: ['rot', 'grün'], t: 'rot, grün' },
        },
        { args: { source: 'a', target: 'a', delimiter: '|' }, in: { a: [1, null, true] }, out: { a: '1||true' } },
        {
            args: { source: 'a', target: 'a', delimiter: ',' },
            in: { a: [] },
            out: { a: '' },
            note: 'An empty list is empty text.',
        },
        { args: { source: 'a', target: 'a', delimiter: ' ' }, in: { a: [{ b: 1 }, [2]] }, out: { a: '{"b":1} [2]' } },
        { args: { source: 'a', target: 't', delimiter: ',' }, in: { a: 'x' }, out: { a: 'x' } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, delimiter }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target);
        return data => {
            const list = from.get(data);
            if (!Array.isArray(list)) return data;
            let text = '';
            for (let i = 0; i < list.length; i++) {
                const element = bounds.textOf(target, (list as readonly JsonValue[])[i]);
                text += i === 0 ? element : delimiter + element;
                bounds.fits(target, text.length);
            }
            return to.set(data, text);
        };
    },
});
