import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { compilePath } from '../../data/path';
import { OTHER_THAN_TEXT, readText } from '../../data/read-text';
import { path } from '../../schema/fields';

/** Splits a text into a list. */
export const split = recordOperator({
    code: 'split',
    category: 'String',
    title: 'Split text',
    summary: 'Splits text into a list.',
    config: z.strictObject({
        source: path('From', `The text to split. ${OTHER_THAN_TEXT}`),
        target: path('To', 'Where the list goes.'),
        delimiter: z
            .string()
            .min(1)
            .max(100)
            .meta({ title: 'Delimiter', description: 'What stands between the elements; taken literally.' }),
        trim: z
            .boolean()
            .default(false)
            .meta({ title: 'Trim', description: 'Takes the white space off both ends of every element.' }),
    }),
    examples: [
        {
            args: { source: 't', target: 'tags', delimiter: ',', trim: true },
            in: { t: 'rot, grün ,blau' },
            out: { t: 'rot, grün ,blau', tags: ['rot', 'grün', 'blau'] },
        },
        {
            args: { source: 't', target: 't', delimiter: '|' },
            in: { t: 'a||b' },
            out: { t: ['a', '', 'b'] },
            note: 'Empty elements stay.',
        },
        {
            args: { source: 't', target: 't', delimiter: ',' },
            in: { t: '' },
            out: { t: [] },
            note: 'Empty text is an empty list.',
        },
        { args: { source: 't', target: 'tags', delimiter: '.' }, in: { t: 'abc' }, out: { t: 'abc', tags: ['abc'] } },
        { args: { source: 't', target: 'tags', delimiter: ',' }, in: { t: null }, out: { t: null } },
        {
            args: { source: 't', target: 'tags', delimiter: ',' },
            in: { t: ['a,b'] },
            out: { t: ['a,b'] },
            note: 'A list is left alone.',
        },
        { args: { source: 't', target: 'ids', delimiter: ',' }, in: { t: 7 }, out: { t: 7, ids: ['7'] } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, delimiter, trim }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target);
        const most = bounds.mostElements + 1;
        return data => {
            const text = readText(from.get(data));
            if (text === undefined) return data;
            const parts = text === '' ? [] : text.split(delimiter, most);
            bounds.elements(target, parts.length);
            return to.set(data, trim ? parts.map(part => part.trim()) : parts);
        };
    },
});
