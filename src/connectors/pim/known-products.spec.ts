import type { JsonObject } from '../../core/value/json';
import { referencedProduct, type PrunedProduct, prunedProduct, type KnownProduct } from './known-products';

const simple = (sku: string): JsonObject => ({ pimId: '7', slug: 'lamp', name: 'Lamp', sku, price: 100 });
const withVariants = (...skus: readonly string[]): JsonObject => ({
    pimId: '7',
    slug: 'lamp',
    name: 'Lamp',
    optionGroups: ['Variant'],
    variants: skus.map(sku => ({ pimId: `v${sku}`, sku, name: sku, options: { Variant: sku } })),
});
const known = (skus: readonly string[], isGrouped = false): KnownProduct => ({ slug: 'lamp', skus, isGrouped });
const told = ({ sku, variants, optionGroups }: JsonObject): string => {
    const list = (variants ?? [{ sku: sku! }]) as readonly JsonObject[];
    const words = list.map(
        one =>
            `${String(one['sku'])}${one['__operation'] ? ' deleted' : ''}${one['enabled'] === false ? ' disabled' : ''}`,
    );
    return `${optionGroups ? 'grouped: ' : ''}${words.join(', ')}`;
};

describe('a product that was loaded before', () => {
    const table: ReadonlyArray<
        readonly [string, JsonObject, KnownProduct | undefined, PrunedProduct, string, readonly string[]]
    > = [
        ['is new', simple('A'), undefined, 'DISABLE', 'A', ['A']],
        ['is as it was', simple('A'), known(['A']), 'DISABLE', 'A', ['A']],
        ['has another SKU', simple('B'), known(['A']), 'NONE', 'A deleted, B', ['B']],
        ['is new with variants', withVariants('S', 'M'), undefined, 'DISABLE', 'grouped: S, M', ['S', 'M']],
        [
            'gets its first variants',
            withVariants('S', 'M'),
            known(['A']),
            'DISABLE',
            'grouped: A deleted, S, M',
            ['S', 'M'],
        ],
        [
            'has its variants in another order',
            withVariants('M', 'S'),
            known(['S', 'M'], true),
            'DISABLE',
            'grouped: S, M',
            ['S', 'M'],
        ],
        [
            'loses a variant',
            withVariants('S'),
            known(['S', 'M'], true),
            'DISABLE',
            'grouped: S, M disabled',
            ['S', 'M'],
        ],
        [
            'loses a variant for good',
            withVariants('S'),
            known(['S', 'M'], true),
            'DELETE',
            'grouped: S, M deleted',
            ['S'],
        ],
        ['loses a variant that is not hidden', withVariants('S'), known(['S', 'M'], true), 'NONE', 'grouped: S', ['S']],
        [
            'loses the one that it is found by',
            withVariants('M'),
            known(['S', 'M'], true),
            'DISABLE',
            'grouped: S disabled, M',
            ['S', 'M'],
        ],
        ['loses that for good', withVariants('M'), known(['S', 'M'], true), 'DELETE', 'grouped: S deleted, M', ['M']],
        [
            'loses that without hiding it',
            withVariants('M'),
            known(['S', 'M'], true),
            'NONE',
            'grouped: S, M',
            ['S', 'M'],
        ],
        [
            'has no variants any more',
            simple('A'),
            known(['S', 'M'], true),
            'DISABLE',
            'grouped: S disabled, A, M disabled',
            ['S', 'A', 'M'],
        ],
    ];
    it.each(table)('%s', (_, product, before, missing, words, skus) => {
        const { data, known: now } = referencedProduct(product, before, { missing, languages: [] });
        expect([told(data), now.skus]).toEqual([words, skus]);
        // What is remembered makes the same record the next time.
        if (!words.includes('deleted'))
            expect(referencedProduct(product, now, { missing, languages: [] })).toEqual({ data, known: now });
        expect(JSON.stringify(data['variants'] ?? [])).not.toContain('pimId');
    });

    it('is not found by a SKU of another one, where it is new and has others', () => {
        const { data } = referencedProduct(withVariants('S', 'M'), undefined, {
            missing: 'DISABLE',
            languages: [],
            foreign: new Map([['S', '8']]),
        });
        expect(told(data)).toBe('grouped: M, S');
    });

    it('is known by its slug where its variants are not loaded', () => {
        const { sku: _, price: _price, ...alone } = simple('A');
        expect(referencedProduct(alone, known(['A']), { missing: 'DISABLE', languages: [] })).toEqual({
            data: alone,
            known: known(['A']),
        });
    });

    it('is disabled or deleted by what it is found by', () => {
        expect(prunedProduct('7', known(['A', 'B']), { missing: 'DISABLE', bySku: true })).toEqual({
            pimId: '7',
            sku: 'A',
            enabled: false,
        });
        expect(prunedProduct('7', known(['A']), { missing: 'DELETE', bySku: false })).toEqual({
            pimId: '7',
            slug: 'lamp',
            __operation: 'DELETE',
        });
    });
});
