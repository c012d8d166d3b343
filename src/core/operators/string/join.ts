import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { isJsonObject, type JsonValue } from '../../value/json';
import { escapedElement } from '../../data/escaped-list';
import { compilePath } from '../../data/path';
import { path } from '../../schema/fields';

/** Joins the elements of a list into a text. */
export const joinOperator = recordOperator({
    code: 'join',
    category: 'String',
    title: 'Join a list',
    summary: 'Joins the elements of a list into one text.',
    config: z.strictObject({
        source: path('From', 'The list. Other values are left unchanged.'),
        field: path(
            'Field',
            'For a list of objects: the field of an element that is joined. Elements without it are left out.',
        ).optional(),
        target: path('To', 'The field for the text.'),
        delimiter: z
            .string()
            .max(100)
            .meta({ title: 'Delimiter', description: 'The text between the elements. It may be empty.' }),
        escape: z.boolean().default(false).meta({
            title: 'Escape',
            description:
                'Puts a backslash before delimiters and backslashes in elements, so that splitting with escape gives the same elements.',
        }),
    }),
    notes: ['Null is empty text; objects and lists within the list are inserted as JSON.'],
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
            note: 'An empty list becomes empty text.',
        },
        { args: { source: 'a', target: 'a', delimiter: ' ' }, in: { a: [{ b: 1 }, [2]] }, out: { a: '{"b":1} [2]' } },
        { args: { source: 'a', target: 't', delimiter: ',' }, in: { a: 'x' }, out: { a: 'x' } },
        {
            args: { source: 'a', target: 'a', delimiter: '|', escape: true },
            in: { a: ['9|10', 'C:\\'] },
            out: { a: '9\\|10|C:\\\\' },
            note: 'Elements that contain the delimiter or a backslash.',
        },
        {
            args: { source: 'facetValues', field: 'facet.name', target: 'facets', delimiter: '|' },
            in: { facetValues: [{ facet: { name: 'Brand' } }, { code: 'new' }, { facet: { name: 'Season' } }] },
            out: {
                facetValues: [{ facet: { name: 'Brand' } }, { code: 'new' }, { facet: { name: 'Season' } }],
                facets: 'Brand|Season',
            },
        },
    ],
    reads: ({ source }) => [source],
    compile({ source, field, target, delimiter, escape }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target);
        const elementsOf = field === undefined ? undefined : fieldReader(field);
        return data => {
            const value = from.get(data);
            if (!Array.isArray(value)) return data;
            const list = elementsOf ? elementsOf(value) : (value as readonly JsonValue[]);
            let text = '';
            for (let i = 0; i < list.length; i++) {
                const plain = bounds.textOf(target, list[i]);
                const element = escape && delimiter !== '' ? escapedElement(plain, delimiter) : plain;
                text += i === 0 ? element : delimiter + element;
                bounds.fits(target, text.length);
            }
            return to.set(data, text);
        };
    },
});

/** Reads a field of the objects of a list that have it. */
function fieldReader(field: string): (list: readonly JsonValue[]) => readonly JsonValue[] {
    const path_ = compilePath(field);
    return list => list.flatMap(element => (isJsonObject(element) ? (path_.get(element) ?? []) : []));
}
