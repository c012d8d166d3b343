import { isFlowError } from '../../core/errors/flow-error';
import type { JsonObject } from '../../core/value/json';
import {
    type AssetOptions,
    type CategoryOptions,
    type ProductOptions,
    transformAsset,
    transformCategory,
    transformProduct,
} from './transform';

const rejection = (work: () => unknown): string => {
    try {
        return JSON.stringify(work());
    } catch (error) {
        if (!isFlowError(error) || error.code !== 'RECORD_INVALID') throw error;
        return error.message;
    }
};
const node = { id: '7', key: 'lamp', published: true, sku: 'L-1', name: 'Lamp' };

describe('transformProduct', () => {
    const table: ReadonlyArray<readonly [string, JsonObject, ProductOptions, JsonObject]> = [
        ['the SKU', { ...node, sku: ' L-1 ' }, {}, { sku: 'L-1' }],
        ['itemNumber where there is no SKU', { ...node, sku: null, itemNumber: 12 }, {}, { sku: '12' }],
        ['the key where there is neither', { ...node, sku: '' }, {}, { sku: 'lamp' }],
        ['the slug', { ...node, slug: 'Desk Lamp', urlKey: 'x' }, {}, { slug: 'desk-lamp' }],
        ['urlKey where there is no slug', { ...node, urlKey: 'x' }, {}, { slug: 'x' }],
        ['a slug of the name', { ...node, name: 'Große Lampe' }, {}, { slug: 'grosse-lampe' }],
        ['the key for a name', { ...node, name: null }, {}, { name: 'lamp' }],
        ['a price exactly', { ...node, price: 19.99 }, {}, { price: 1999 }],
        ['a price of text', { ...node, price: '1.1' }, {}, { price: 110 }],
        [
            'no price where there is nothing but blanks',
            { ...node, price: '  ', stockQuantity: ' ' },
            {},
            { sku: 'L-1' },
        ],
        ['a price between blanks', { ...node, price: ' 1.10 ' }, {}, { price: 110 }],
        ['a price with its unit', { ...node, price: { value: 5, unit: 'EUR' } }, {}, { price: 500 }],
        ['a stock level', { ...node, stockQuantity: '12.0' }, {}, { stock: 12 }],
        ['that it is not published', { ...node, published: false }, {}, { enabled: false }],
        [
            'a switch of another field',
            { ...node, onSale: 0 },
            { mapping: { enabledField: 'onSale' } },
            { enabled: false },
        ],
        ['an emptied description', { ...node, description: null }, {}, { description: '' }],
        [
            "the channel's own language outside of the translations",
            { ...node, name: 'Lamp', name__de: 'Lampe', name__en: 'Lamp', slug__de: 'die-lampe' },
            { languages: ['de', 'en'], defaultLanguage: 'en' },
            { name: 'Lampe', slug: 'die-lampe', translations: { en: { name: 'Lamp' } } },
        ],
        [
            'the language of the response where the own one is missing',
            { ...node, name: 'Lamp', name__de: null },
            { languages: ['de'], defaultLanguage: 'en' },
            { name: 'Lamp' },
        ],
        [
            'pictures, each with its whole address',
            {
                ...node,
                _origin: 'https://pim.example.com',
                pictures: [
                    { fullpath: '/a b/ü#1.png' },
                    { image: { fullpath: '/c.png' } },
                    'https://cdn.example.com/d.png',
                    null,
                    {},
                ],
            },
            { mapping: { assetsField: 'pictures' } },
            {
                assets: [
                    'https://pim.example.com/a%20b/%C3%BC%231.png',
                    'https://pim.example.com/c.png',
                    'https://cdn.example.com/d.png',
                ],
            },
        ],
    ];
    it.each(table)('takes %s', (_, given, options, expected) => {
        expect(transformProduct(given, options)).toMatchObject(expected);
    });

    const variants: readonly JsonObject[] = [
        { id: '8', key: 'red', sku: 'L-R', name: 'Red', price: 1, published: true, name__de: 'Rot' },
        { id: '9', key: 'old', sku: 'L-O', published: false },
        {},
    ];
    it('takes variants that are published, each with a separate option', () => {
        expect(transformProduct({ ...node, price: 9, variants }, { languages: ['en', 'de'] })).toEqual({
            pimId: '7',
            slug: 'lamp',
            name: 'Lamp',
            enabled: true,
            optionGroups: ['Variant'],
            variants: [
                {
                    pimId: '8',
                    sku: 'L-R',
                    price: 100,
                    name: 'Red',
                    translations: { de: { name: 'Rot' } },
                    enabled: true,
                    options: { Variant: 'red' },
                },
            ],
        });
    });

    it('takes unpublished variants as disabled ones where they are wanted', () => {
        const { variants: made } = transformProduct({ ...node, variants }, { includeUnpublished: true });
        expect(made).toMatchObject([
            { sku: 'L-R', enabled: true },
            { sku: 'L-O', enabled: false, name: 'old' },
        ]);
    });

    it('takes none of what is sold in the place of variants of which none is published', () => {
        const hidden = variants.map(one => ({ ...one, ...('id' in one && { published: false }) }));
        const product = transformProduct({ ...node, price: 9, variants: hidden });
        expect(product).not.toHaveProperty('sku');
        expect(product).toMatchObject({
            enabled: true,
            variants: [
                { sku: 'L-R', enabled: false },
                { sku: 'L-O', enabled: false },
            ],
        });
    });

    it('does not look at what a variant costs that is not published', () => {
        const odd = [variants[0]!, { ...variants[1], price: 'on request' }];
        expect(transformProduct({ ...node, variants: odd })).toMatchObject({ variants: [{ sku: 'L-R' }] });
    });

    it('takes no variants where they are not wanted', () => {
        expect(transformProduct({ ...node, variants }, { includeVariants: false })).toMatchObject({ sku: 'L-1' });
        const alone = transformProduct({ ...node, price: 1, variants }, { syncVariants: false });
        expect(alone).toEqual({ pimId: '7', slug: 'lamp', name: 'Lamp', enabled: true });
    });

    const rejected: ReadonlyArray<readonly [JsonObject, string]> = [
        [{}, 'id'],
        [{ key: 'lamp' }, 'id'],
        [{ id: '7' }, 'name'],
        [{ ...node, name: '&', key: '&' }, 'name'],
        [{ id: '7', name: 'Lamp' }, 'sku'],
        [{ ...node, price: '12,50' }, 'price'],
        [{ ...node, price: 1.005 }, 'price'],
        [{ ...node, price: '1e3' }, 'price'],
        [{ ...node, price: true }, 'price'],
        [{ ...node, stockQuantity: 1.5 }, 'stockQuantity'],
        [{ ...node, published: 'maybe' }, 'published'],
        [{ ...node, variants: 'L-R' }, 'variants'],
        [{ ...node, variants: [{ id: 8, sku: 'L-R', price: 'x' }] }, 'variants.0.price'],
    ];
    it.each(rejected)('rejects %j', (given, field) => {
        expect(rejection(() => transformProduct(given))).toContain(`Field "${field}"`);
    });
});

describe('transformCategory', () => {
    const category = { id: 3, key: 'desk', name: 'Desk lamps', published: true };
    const table: ReadonlyArray<readonly [string, JsonObject, CategoryOptions, JsonObject]> = [
        ['the slug', { ...category, slug: 'desk-lamps' }, {}, { slug: 'desk-lamps', isPrivate: false }],
        ['the key for a slug', category, {}, { slug: 'desk', name: 'Desk lamps' }],
        ['a position', { ...category, position: 4, index: 1 }, {}, { position: 4 }],
        ['the index for what is next to nothing', { ...category, position: '1e-400', index: 1 }, {}, { position: 1 }],
        ['the index for a position', { ...category, position: null, index: 1 }, {}, { position: 1 }],
        [
            'the slug of its parent',
            { ...category, parent: { id: 1, key: 'Lamps', slug: null } },
            {},
            { parent: 'lamps' },
        ],
        ['that it is at the top', { ...category, parent: {} }, {}, { parent: null }],
        [
            'that its root is the top',
            { ...category, parent: { id: 1, key: 'c', fullpath: '/c' } },
            { rootPath: '/c/' },
            { parent: null },
        ],
        [
            'a parent of another field',
            { ...category, above: 'Lamps' },
            { mapping: { parentField: 'above' } },
            { parent: 'lamps' },
        ],
        ['that it is not published', { ...category, published: false }, {}, { isPrivate: true }],
        [
            'all languages',
            { ...category, name__de: 'Tischlampen', slug__de: 'tisch', slug: 'desk-lamps' },
            { languages: ['en', 'de'] },
            { translations: { de: { name: 'Tischlampen', slug: 'tisch' } } },
        ],
    ];
    it.each(table)('takes %s', (_, given, options, expected) => {
        expect(transformCategory(given, options)).toMatchObject(expected);
    });

    it('leaves the place of one alone if its parent was not requested', () => {
        expect(transformCategory(category)).toEqual({ pimId: '3', slug: 'desk', name: 'Desk lamps', isPrivate: false });
    });

    it.each([
        [{ key: 'a' }, 'id'],
        [{ id: 1 }, 'name'],
        [{ id: 1, name: 'A', key: '&' }, 'slug'],
        [{ id: 1, key: 'a', parent: { id: 2, key: '&' } }, 'parent.slug'],
    ] as const)('rejects %j', (given, field) => {
        expect(rejection(() => transformCategory(given as JsonObject))).toContain(`Field "${field}"`);
    });
});

describe('transformAsset', () => {
    const table: ReadonlyArray<readonly [JsonObject, AssetOptions, JsonObject]> = [
        [
            { id: 1, fullpath: '/a/b c.png', filename: 'b c.png' },
            { baseUrl: 'https://pim.test/x?y' },
            { pimId: '1', url: 'https://pim.test/a/b%20c.png', name: 'b c.png' },
        ],
        [
            { id: 1, fullpath: '/a%2f.png', _origin: 'https://pim.test' },
            {},
            { pimId: '1', url: 'https://pim.test/a%252f.png' },
        ],
        [
            { id: 1, cdn: 'https://cdn.test/1', title: 'T' },
            { mapping: { urlField: 'cdn', filenameField: 'title' } },
            { pimId: '1', url: 'https://cdn.test/1', name: 'T' },
        ],
    ];
    it.each(table)('makes of %j with %j', (given, options, expected) => {
        expect(transformAsset(given, options)).toEqual(expected);
    });

    it.each([
        [{ fullpath: '/a' }, 'id'],
        [{ id: 1 }, 'fullpath'],
        [{ id: 1, fullpath: '/a' }, 'fullpath'],
    ] as const)('rejects %j', (given, field) => {
        expect(rejection(() => transformAsset(given))).toContain(`Field "${field}"`);
    });
});
