import fc from 'fast-check';
import { ENV } from '../../../testing/bare-call';
import type { JsonObject, JsonValue } from '../../value/json';
import { categoryPath } from './category-path';

const LOCATION = { seq: 0, id: '0', warn: () => undefined };

function collections(args: JsonObject, data: JsonObject): readonly JsonObject[] {
    const out = categoryPath.compile(categoryPath.config.parse({ source: 'c', target: 'c', ...args }), ENV);
    return (out(data, LOCATION) as JsonObject)['c'] as readonly JsonObject[];
}

/** The whole path of each collection. */
const pathsOf = (made: readonly JsonObject[]): readonly JsonValue[] =>
    made.map(({ name, parent }) => [...(parent as string[]), name] as JsonValue);

describe('categoryPath', () => {
    it('has every collection once, after its parent', () => {
        const name = fc.constantFrom('Home', 'Küche', 'Accessories', 'Tür 2');
        const paths = fc.array(fc.array(name, { minLength: 1, maxLength: 4 }), { maxLength: 5 });
        fc.assert(
            fc.property(paths, all => {
                const made = pathsOf(collections({}, { c: all.map(levels => levels.join(' > ')) }));
                const expected = all.flatMap(levels => levels.map((_, i) => levels.slice(0, i + 1)));
                expect(new Set(made.map(path => JSON.stringify(path)))).toEqual(
                    new Set(expected.map(path => JSON.stringify(path))),
                );
                expect(new Set(made.map(path => JSON.stringify(path))).size).toBe(made.length);
                for (const [i, path] of made.entries()) {
                    const above = (path as readonly JsonValue[]).slice(0, -1);
                    if (above.length > 0) expect(made.slice(0, i)).toContainEqual(above);
                }
            }),
        );
    });

    it('takes names that differ in case and surrounding blanks for one collection', () => {
        expect(pathsOf(collections({}, { c: ['Küche > Pans', ' KÜCHE >pots'] }))).toEqual([
            ['Küche'],
            ['Küche', 'Pans'],
            ['KÜCHE', 'pots'],
        ]);
    });

    it.each([
        [['Café', 'Cafe', 'Küche', 'Kueche']],
        [['A & B', 'A B', 'A + B', 'A-B']],
        [['C', 'C++', 'C#', 'C+', '!!']],
        [['5 kg', '<5 kg', '> 5 kg', '1,5 l', '15 l', '3/4', '34']],
    ])('keeps %j apart', names => {
        expect(pathsOf(collections({ separator: '|' }, { c: names }))).toEqual(names.map(name => [name]));
    });

    it('keeps equal names of different levels apart', () => {
        expect(pathsOf(collections({}, { c: ['A > B-C', 'A-B > C', 'A B > C', 'A > B > C'] }))).toEqual([
            ['A'],
            ['A', 'B-C'],
            ['A-B'],
            ['A-B', 'C'],
            ['A B'],
            ['A B', 'C'],
            ['A', 'B'],
            ['A', 'B', 'C'],
        ]);
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
