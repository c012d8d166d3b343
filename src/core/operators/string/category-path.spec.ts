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

    it('takes names that differ in case or accents for one collection', () => {
        expect(collections({}, { c: ['Küche > Pans', 'KÜCHE > pots'] }).map(({ slug }) => slug)).toEqual([
            'kueche',
            'kueche-pans',
            'kueche-pots',
        ]);
    });

    it.each<[JsonValue, string]>([
        [['A', {}], 'Field "c.1": an object is not a text'],
        [Array(21).fill('a').join('>'), 'has 21 levels; at most 20 are allowed'],
        [Array(1_001).fill('a'), 'has 1001 paths; at most 1000 are allowed'],
    ])('rejects %j', (c, message) => {
        expect(() => collections({}, { c })).toThrow(message);
    });
});
