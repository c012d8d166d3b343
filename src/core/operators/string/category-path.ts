import { z } from 'zod';
import { recordOperator } from '../../adapter/operator';
import { foldName } from '../../data/fold-name';
import { compilePath } from '../../data/path';
import { OTHER_THAN_TEXT, readText } from '../../data/read-text';
import { unpadded } from '../../data/unpadded';
import { recordInvalid, valueInvalid } from '../../errors/record-invalid';
import { path } from '../../schema/fields';
import type { JsonObject, JsonValue } from '../../value/json';
import { slugOfText } from './slug';

const MAX_LEVELS = 20;
const MAX_PATHS = 1000;
/** The maximum number of letters that one character becomes in a slug. */
const MOST_LETTERS = 18;

/** Signs that distinguish names and that slugs leave out, with the words for them. */
const WORDS: Readonly<Record<string, string>> = {
    '#': 'hash',
    '<': 'under',
    '>': 'over',
    '=': 'equal',
    '%': 'percent',
    '*': 'star',
    $: 'dollar',
    '€': 'euro',
    '£': 'pound',
    '°': 'degree',
};
const SIGNS = new RegExp(`[${Object.keys(WORDS).join('')}]`, 'g');

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
        'A collection is {name, slug, parent}: its name, a slug built from all names of its path, and the slug of its parent (null at the top level). So two collections "Accessories" with different parents remain two.',
        'A list of paths gives each collection once. Levels without a name are skipped. An empty text gives an empty list.',
        `At most ${MAX_LEVELS} levels and ${MAX_PATHS} paths are allowed. A name without letters and digits rejects the record, and so do two paths of a record with the same slug, such as "Café" and "Cafe".`,
        'Signs such as + # < > % become words in slugs, so that "C", "C++" and "C#" remain three: c, c-plus-plus and c-hash. A plus between two words only joins them.',
        'The paths of different records are not compared. If two of them have the same slug, the loader takes them for one collection: rename one of them.',
        'To load the collections with collectionUpsert, continue with expand.',
    ],
    examples: [
        {
            args: { source: 'category', target: 'collections' },
            in: { category: 'Home > Küche > Pans' },
            out: {
                category: 'Home > Küche > Pans',
                collections: [
                    { name: 'Home', slug: 'home', parent: null },
                    { name: 'Küche', slug: 'home-kueche', parent: 'home' },
                    { name: 'Pans', slug: 'home-kueche-pans', parent: 'home-kueche' },
                ],
            },
        },
        {
            args: { source: 'c', target: 'c', separator: '/', pathField: 'path' },
            in: { c: ['Men/Accessories', 'Women/Accessories/', 'Men'] },
            out: {
                c: [
                    { name: 'Men', slug: 'men', parent: null, path: 'Men' },
                    { name: 'Accessories', slug: 'men-accessories', parent: 'men', path: 'Men / Accessories' },
                    { name: 'Women', slug: 'women', parent: null, path: 'Women' },
                    { name: 'Accessories', slug: 'women-accessories', parent: 'women', path: 'Women / Accessories' },
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
                    { name: 'Home', slug: 'home', parent: null },
                    { name: 'Pans', slug: 'home-pans', parent: 'home' },
                ],
                facetValues: { Category: ['Home', 'Home > Pans'] },
            },
        },
        { args: { source: 'c', target: 'list' }, in: { c: '' }, out: { c: '', list: [] } },
        { args: { source: 'c', target: 'list' }, in: { sku: 'A' }, out: { sku: 'A' } },
        {
            args: { source: 'c', target: 'list' },
            in: { c: 'Home > !!' },
            error: 'Field "c": "!!" has no letters or digits, so no slug can be made of it',
        },
        {
            args: { source: 'c', target: 'list' },
            in: { c: ['A > B-C', 'A-B > C'] },
            error: 'Field "c": "A > B-C" and "A-B > C" have the same slug "a-b-c"',
        },
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
                bounds.fits(target, text.length * MOST_LETTERS);
                let parent: string | null = null;
                const names: string[] = [];
                for (const name of levelsOf(source, text, separator)) {
                    names.push(name);
                    const own = slugOfText(withWordsForSigns(name), '-');
                    if (own === '')
                        throw valueInvalid(source, name, 'has no letters or digits, so no slug can be made of it');
                    const slug: string = parent === null ? own : `${parent}-${own}`;
                    const path = names.join(joint);
                    const before = found.get(slug);
                    if (before && foldName(before.path) !== foldName(path))
                        throw recordInvalid(
                            source,
                            `"${before.path}" and "${path}" have the same slug "${slug}". Rename one of them`,
                        );
                    const collection: JsonObject = { name, slug, parent };
                    if (!before) found.set(slug, { path, collection: whole?.set(collection, path) ?? collection });
                    parent = slug;
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

/** A name whose signs are words, so that "C", "C++" and "C#" have different slugs. A plus between two words joins them, as in "Home + Garden". */
function withWordsForSigns(name: string): string {
    const isBlank = (at: number): boolean => /\s/.test(name[at]!);
    return name
        .replace(/\++/g, (signs, at: number) => {
            const [before, after] = [at - 1, at + signs.length];
            const isJoint =
                signs.length === 1 && before >= 0 && after < name.length && isBlank(before) === isBlank(after);
            return isJoint ? ' ' : `${' plus'.repeat(signs.length)} `;
        })
        .replace(SIGNS, sign => ` ${WORDS[sign]!} `);
}

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
