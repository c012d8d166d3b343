import fc from 'fast-check';
import { ENV } from '../../../testing/bare-call';
import type { JsonObject, JsonValue } from '../../value/json';
import { categoryPath } from './category-path';

const LOCATION = { seq: 0, id: '0', warn: () => undefined };

function collections(args: JsonObject, data: JsonObject): readonly JsonObject[] {
    const out = categoryPath.compile(categoryPath.config.parse({ source: 'c', target: 'c', ...args }), ENV);
    return (out(data, LOCATION) as JsonObject)['c'] as readonly JsonObject[];
}

describe('categoryPath', () => {
    it('has every collection once, after its parent', () => {
        const name = fc.constantFrom('Home', 'Küche', 'Accessories', 'Tür 2');
        const paths = fc.array(fc.array(name, { minLength: 1, maxLength: 4 }), { maxLength: 5 });
        fc.assert(
            fc.property(paths, all => {
                const made = collections({}, { c: all.map(levels => levels.join(' > ')) });
                const slugs = made.map(({ slug }) => slug as JsonValue);
                const expected = new Set(all.flatMap(levels => levels.map((_, i) => levels.slice(0, i + 1).join('>'))));
                expect(new Set(slugs).size).toBe(slugs.length);
                expect(slugs.length).toBe(expected.size);
                for (const [i, { parent }] of made.entries())
                    if (parent !== null) expect(slugs.slice(0, i)).toContain(parent);
            }),
        );
    });

    it('takes names that differ in case and surrounding blanks for one collection', () => {
        expect(collections({}, { c: ['Küche > Pans', ' KÜCHE >pots'] }).map(({ slug }) => slug)).toEqual([
            'kueche',
            'kueche-pans',
            'kueche-pots',
        ]);
    });

    it.each<[string, string]>([
        ['Café', 'Cafe'],
        ['Küche', 'Kueche'],
        ['A & B', 'A B'],
        ['A + B', 'A B'],
        ['Sale! > X', 'Sale > X'],
        ['Tech > T-Shirt', 'Tech > T Shirt'],
    ])('rejects a record with %s and %s, whose slugs are the same', (one, other) => {
        const [slugs, names] = [/have the same slug/, `"${one.split(' > X')[0]!}"`];
        expect(() => collections({}, { c: [one, other] })).toThrow(slugs);
        expect(() => collections({}, { c: [one, other] })).toThrow(names);
    });

    it.each<[readonly string[], readonly string[]]>([
        [
            ['C', 'C++', 'C#', 'C+'],
            ['c', 'c-plus-plus', 'c-hash', 'c-plus'],
        ],
        [
            ['A', 'A+', 'A++', '+A'],
            ['a', 'a-plus', 'a-plus-plus', 'plus-a'],
        ],
        [
            ['5 kg', '<5 kg', '> 5 kg', '5% kg'],
            ['5-kg', 'under-5-kg', 'over-5-kg', '5-percent-kg'],
        ],
        [
            ['1,5 l', '15 l', '3/4', '34'],
            ['1-5-l', '15-l', '3-4', '34'],
        ],
        [
            ['Home + Garden', 'R+B', 'C++ Bücher', 'C++/Java'],
            ['home-garden', 'r-b', 'c-plus-plus-buecher', 'c-plus-plus-java'],
        ],
    ])('keeps %j apart', (names, slugs) => {
        expect(collections({ separator: '|' }, { c: names }).map(({ slug }) => slug)).toEqual(slugs);
        for (const [i, c] of names.entries())
            expect(collections({ separator: '|' }, { c }).map(({ slug }) => slug)).toEqual([slugs[i]]);
    });

    it('lists the paths of all collections, and leaves the field alone if there are none', () => {
        const args = categoryPath.config.parse({ source: 'c', target: 'l', separator: '/', paths: 'p' });
        const of = (data: JsonObject) => categoryPath.compile(args, ENV)(data, LOCATION) as JsonObject;
        const paths = Array.from({ length: 500 }, (_, i) => `Room ${i}/Chairs`);
        const listed = paths.flatMap(path => [path.split('/')[0], path.replace('/', ' / ')]);
        expect(of({ c: paths })['p']).toEqual(listed);
        expect(of({ c: '', p: ['kept'] })).toEqual({ c: '', l: [], p: ['kept'] });
    });

    it.each<[JsonValue, string]>([
        [['A', {}], 'Field "c.1": an object is not a text'],
        [Array(21).fill('a').join('>'), 'has 21 levels; at most 20 are allowed'],
        [Array(1_001).fill('a'), 'has 1001 paths; at most 1000 are allowed'],
    ])('rejects %j', (c, message) => {
        expect(() => collections({}, { c })).toThrow(message);
    });
});
