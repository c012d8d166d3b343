import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { splitEscaped } from '../../data/escaped-list';
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
        target: path('To', 'The field for the list.'),
        delimiter: z
            .string()
            .min(1)
            .max(100)
            .meta({ title: 'Delimiter', description: 'The text between the elements, taken literally.' }),
        trim: z
            .boolean()
            .default(false)
            .meta({ title: 'Trim', description: 'Removes white space around every element.' }),
        escape: z.boolean().default(false).meta({
            title: 'Escape',
            description:
                'A delimiter after a backslash belongs to its element, as joining with escape writes it; two backslashes are one.',
        }),
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
            note: 'Empty elements are kept.',
        },
        {
            args: { source: 't', target: 't', delimiter: ',' },
            in: { t: '' },
            out: { t: [] },
            note: 'Empty text becomes an empty list.',
        },
        {
            args: { source: 't', target: 't', delimiter: '|', escape: true },
            in: { t: '9\\|10|C:\\\\|a\\b' },
            out: { t: ['9|10', 'C:\\', 'a\\b'] },
            note: 'A backslash before any other character is kept.',
        },
        { args: { source: 't', target: 'tags', delimiter: '.' }, in: { t: 'abc' }, out: { t: 'abc', tags: ['abc'] } },
        { args: { source: 't', target: 'tags', delimiter: ',' }, in: { t: null }, out: { t: null } },
        {
            args: { source: 't', target: 'tags', delimiter: ',' },
            in: { t: ['a,b'] },
            out: { t: ['a,b'] },
            note: 'A list is left unchanged.',
        },
        { args: { source: 't', target: 'ids', delimiter: ',' }, in: { t: 7 }, out: { t: 7, ids: ['7'] } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, delimiter, trim, escape }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target);
        const most = bounds.mostElements + 1;
        return data => {
            const text = readText(from.get(data));
            if (text === undefined) return data;
            const parts = text === '' ? [] : escape ? splitEscaped(text, delimiter, most) : text.split(delimiter, most);
            bounds.elements(target, parts.length);
            return to.set(data, trim ? parts.map(part => part.trim()) : parts);
        };
    },
});
