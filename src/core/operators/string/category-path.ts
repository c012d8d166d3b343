import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { foldName } from '../../data/fold-name';
import { compilePath } from '../../data/path';
import { OTHER_THAN_TEXT, readText } from '../../data/read-text';
import { unpadded } from '../../data/unpadded';
import { recordInvalid, valueInvalid } from '../../errors/record-invalid';
import { path } from '../../schema/fields';
import type { JsonObject, JsonValue } from '../../value/json';

const MAX_LEVELS = 20;
const MAX_PATHS = 1000;
/** Makes the collections of a category path. */
export const categoryPath = recordOperator({
    code: 'categoryPath',
    category: 'String',
    title: 'Category path',
    summary: 'Makes a list of collections, parents first, from a text such as "Home > Kitchen > Pans".',
    config: z.strictObject({
        source: path('From', `The text with the path, or a list of such texts. ${OTHER_THAN_TEXT}`),
        target: path('To', 'The field for the list of collections.'),
        separator: z.string().min(1).max(10).default('>').meta({
            title: 'Separator',
            description: 'The text between the levels. White space around levels is removed.',
        }),
        pathField: path(
            'Field for the path',
            'The field of a collection for its whole path, such as "Home > Kitchen". Default: no such field.',
        ).optional(),
        paths: path(
            'Field for all paths',
            'The field of the record for the list of the paths of all its collections, for example as facet values. Default: no such field.',
        ).optional(),
    }),
    notes: [
        'A collection is {name, parent}: its name, and the list of the names above it, from the top level down (empty at the top level). The loader finds a collection by these names, so two collections "Accessories" with different parents remain two, and so do "C", "C++" and "C#".',
        'Upper and lower case, and white space around names, make no difference. A list of paths gives each collection once. Levels without a name are skipped. An empty text gives an empty list.',
        `At most ${MAX_LEVELS} levels and ${MAX_PATHS} paths are allowed.`,
        'To load the collections with collectionUpsert, continue with expand. The slug of a new collection is made of the names of its path, such as "home-kitchen-pans".',
    ],
    examples: [
        {
            args: { source: 'category', target: 'collections' },
            in: { category: 'Home > Küche > Pans' },
            out: {
                category: 'Home > Küche > Pans',
                collections: [
                    { name: 'Home', parent: [] },
                    { name: 'Küche', parent: ['Home'] },
                    { name: 'Pans', parent: ['Home', 'Küche'] },
                ],
            },
        },
        {
            args: { source: 'c', target: 'c', separator: '/', pathField: 'path' },
            in: { c: ['Men/Accessories', 'Women/accessories/', 'men'] },
            out: {
                c: [
                    { name: 'Men', parent: [], path: 'Men' },
                    { name: 'Accessories', parent: ['Men'], path: 'Men / Accessories' },
                    { name: 'Women', parent: [], path: 'Women' },
                    { name: 'accessories', parent: ['Women'], path: 'Women / accessories' },
                ],
            },
            note: 'Two collections with the same name and different parents.',
        },
        {
            args: { source: 'c', target: 'list', paths: 'facetValues.Category' },
            in: { c: 'Home>Pans' },
            out: {
                c: 'Home>Pans',
                list: [
                    { name: 'Home', parent: [] },
                    { name: 'Pans', parent: ['Home'] },
                ],
                facetValues: { Category: ['Home', 'Home > Pans'] },
            },
        },
        { args: { source: 'c', target: 'list' }, in: { c: '' }, out: { c: '', list: [] } },
        { args: { source: 'c', target: 'list' }, in: { sku: 'A' }, out: { sku: 'A' } },
    ],
    reads: ({ source }) => [source],
    compile({ source, target, separator, pathField, paths }, { bounds }) {
        const from = compilePath(source);
        const to = bounds.field(target);
        const whole = pathField === undefined ? undefined : compilePath(pathField);
        const listed = paths === undefined ? undefined : bounds.field(paths);
        const joint = ` ${unpadded(separator) || separator} `;
        return data => {
            const texts = textsOf(source, from.get(data));
            if (texts === undefined) return data;
            const found = new Map<string, { readonly path: string; readonly collection: JsonObject }>();
            for (const text of texts) {
                bounds.fits(target, text.length * MAX_LEVELS);
                const names: string[] = [];
                for (const name of levelsOf(source, text, separator)) {
                    const parent = [...names];
                    names.push(name);
                    const path = names.join(joint);
                    const identity = JSON.stringify(names.map(foldName));
                    if (found.has(identity)) continue;
                    const collection: JsonObject = { name, parent };
                    found.set(identity, { path, collection: whole?.set(collection, path) ?? collection });
                }
            }
            const all = [...found.values()];
            const out = to.set(
                data,
                all.map(({ collection }) => collection),
            );
            if (!listed || all.length === 0) return out;
            return listed.set(
                out,
                all.map(one => one.path),
            );
        };
    },
});

/** The texts of a value; undefined if the record is left unchanged. */
function textsOf(at: string, value: JsonValue | undefined): readonly string[] | undefined {
    if (!Array.isArray(value)) {
        const text = readText(value);
        return text === undefined ? undefined : [text];
    }
    const list = value as readonly JsonValue[];
    if (list.length > MAX_PATHS) throw recordInvalid(at, `has ${list.length} paths; at most ${MAX_PATHS} are allowed`);
    return list.map((one, index) => {
        const text = readText(one);
        if (text === undefined) throw valueInvalid(`${at}.${index}`, one, 'is not a text');
        return text;
    });
}

function levelsOf(at: string, text: string, separator: string): readonly string[] {
    const levels = text
        .split(separator)
        .map(unpadded)
        .filter(name => name !== '');
    if (levels.length > MAX_LEVELS)
        throw recordInvalid(at, `has ${levels.length} levels; at most ${MAX_LEVELS} are allowed`);
    return levels;
}
