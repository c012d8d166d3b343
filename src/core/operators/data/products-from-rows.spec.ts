import fc from 'fast-check';
import { ENV } from '../../../testing/bare-call';
import type { JsonObject, JsonValue } from '../../value/json';
import { columnsToRows } from './columns-to-rows';
import { rowsToProduct } from './rows-to-product';

const LOCATION = { seq: 0, id: '0', warn: () => undefined };

function product(args: JsonObject, data: JsonObject): JsonObject {
    return rowsToProduct.compile(rowsToProduct.config.parse(args), ENV)(data, LOCATION) as JsonObject;
}

function issuesOf(args: JsonObject): readonly string[] {
    const { error } = rowsToProduct.config.safeParse({ product: { name: 't' }, variant: { sku: 's' }, ...args });
    return (error?.issues ?? []).map(({ path }) => path.join('.'));
}

const SHOPIFY = {
    key: 'Handle',
    product: { slug: 'Handle', name: 'Title', '_facet.vendor': 'Vendor' },
    variantWhen: ['Variant SKU', 'Option1 Value', 'Variant Price'],
    variant: { sku: 'Variant SKU', price: 'Variant Price', picture: 'Variant Image' },
    options: [1, 2].map(n => ({ nameColumn: `Option${n} Name`, valueColumn: `Option${n} Value` })),
    noOption: ['Title'],
    assets: ['Image Src'],
    variantAssets: ['picture'],
    skuFallback: '${key}-${n}',
};

describe('rowsToProduct', () => {
    it('reads a product of Shopify whose first row alone has texts and names of options', () => {
        const rows: JsonObject[] = [
            { Title: 'Shirt', Vendor: 'Acme', 'Option1 Name': 'Size', 'Option1 Value': 'S', 'Option2 Name': 'Color' },
            { Title: '', 'Option1 Value': 'M', 'Option2 Value': 'Red', 'Variant Price': '5', 'Image Src': ' a.jpg ' },
            { 'Image Src': 'b.jpg' },
            { 'Option1 Value': 'L', 'Variant SKU': 'L-1', 'Image Src': 'a.jpg', 'Variant Image': 'b.jpg' },
        ];
        const withKey = rows.map(row => ({ Handle: 'shirt', ...row }));
        expect(product(SHOPIFY, { Handle: 'shirt', rows: withKey })).toEqual({
            slug: 'shirt',
            name: 'Shirt',
            _facet: { vendor: 'Acme' },
            variants: [
                { options: { Size: 'S' }, sku: 'shirt-1' },
                { price: '5', options: { Size: 'M', Color: 'Red' }, sku: 'shirt-2' },
                { sku: 'L-1', options: { Size: 'L' }, assets: ['b.jpg'] },
            ],
            assets: ['a.jpg', 'b.jpg'],
        });
    });

    it('has a variant for each row that has one of the fields, and no others', () => {
        const row = fc.record({
            s: fc.constantFrom<JsonValue>('', ' ', null, 'A', 0, false),
            p: fc.constantFrom('x.jpg', ''),
        });
        fc.assert(
            fc.property(fc.array(row), rows => {
                const args = { product: { name: 't' }, variant: { sku: 's' }, variantWhen: ['s'], assets: ['p'] };
                const out = product(args, { rows });
                const filled = rows.filter(({ s }) => s !== null && (typeof s !== 'string' || s.trim() !== ''));
                expect(out['variants']).toEqual(filled.map(({ s }) => ({ sku: s })));
                expect(out['assets']).toEqual(rows.some(({ p }) => p !== '') ? ['x.jpg'] : undefined);
            }),
        );
    });

    it('has a parent for a variant only if no row names a parent', () => {
        const args = { product: { name: 't' }, parent: 'p', variant: { sku: 's' }, variantWhen: ['s'] };
        const skusOf = (rows: JsonObject[]) =>
            (product(args, { rows })['variants'] as readonly JsonObject[]).map(({ sku }) => sku);
        expect(skusOf([{ s: 'P' }, { s: 'A', p: 'P' }, { p: 'P' }, { s: 'B', p: 'P' }])).toEqual(['A', 'B']);
        expect(
            skusOf([
                { s: 'P', p: ' ' },
                { s: 'Q', p: null },
            ]),
        ).toEqual(['P', 'Q']);
        expect(
            skusOf([
                { s: 'P', p: 'P' },
                { s: 'A', p: 'P' },
            ]),
        ).toEqual(['P', 'A']);
    });

    it('takes the option groups of a row from that row, and from the first row only if it has none', () => {
        const rows: JsonObject[] = [
            { s: 1, o: 'Size', v: 'M' },
            { s: 2, o: 'Color', v: 'Red' },
            { s: 3, o: ' ', v: 'L' },
        ];
        const args = {
            product: { name: 't' },
            variant: { sku: 's' },
            options: [{ nameColumn: 'o', valueColumn: 'v' }],
        };
        expect(product(args, { rows })['variants']).toEqual([
            { sku: 1, options: { Size: 'M' } },
            { sku: 2, options: { Color: 'Red' } },
            { sku: 3, options: { Size: 'L' } },
        ]);
    });

    it.each<[string, JsonObject]>([
        ['the key is missing', { rows: [{ p: 1, v: 'M' }] }],
        ['the key is null', { h: null, rows: [{ p: 1, v: 'M' }] }],
        ['the key is empty', { h: '', rows: [{ p: 1, v: 'M' }] }],
        ['the key is blank', { h: ' \u200b', rows: [{ p: 1, v: 'M' }] }],
        ['a field of the variant is empty', { h: 'K', rows: [{ p: ' ', v: 'M' }] }],
        ['the option is missing', { h: 'K', rows: [{ p: 1 }] }],
    ])('makes no SKU that several products would share: %s', (_, data) => {
        const args = {
            key: 'h',
            product: { name: 't' },
            variant: { price: 'p' },
            options: [{ name: 'Size', valueColumn: 'v' }],
            skuFallback: '${key}-${options.Size}-${price}',
        };
        const [variant] = product(args, data)['variants'] as readonly JsonObject[];
        expect(variant).not.toHaveProperty('sku');
        expect(product(args, { h: 'K', rows: [{ p: 1, v: 'M' }] })['variants']).toMatchObject([{ sku: 'K-M-1' }]);
    });

    it('does not change its rows', () => {
        const rows = [Object.freeze({ t: 'a', s: 'A' })];
        expect(() =>
            product({ product: { 'a.b': 't' }, variant: { 'c.d': 's' } }, Object.freeze({ rows: Object.freeze(rows) })),
        ).not.toThrow();
    });

    it.each<[JsonObject, string]>([
        [{ rows: 'x' }, 'Field "rows": "x" is not a list'],
        [{ rows: [1] }, 'Field "rows.0": 1 is not an object'],
        [{ rows: Array(10_001).fill({}) }, 'has 10001 rows; at most 10000 are allowed'],
        [
            { rows: [{ 'Option1 Name': 'Size', 'Option1 Value': 'S', 'Option2 Name': 'Size', 'Option2 Value': 'M' }] },
            'is a second option of the group "Size" for one variant',
        ],
    ])('rejects %j', (data, message) => {
        expect(() => product(SHOPIFY, data)).toThrow(message);
    });

    it('rejects options that do not match their groups in number', () => {
        const args = {
            product: { name: 't' },
            variant: { sku: 's' },
            options: [{ nameColumn: 'g', valueColumn: 'o', delimiter: '|' }],
        };
        expect(() => product(args, { rows: [{ g: 'A|B', o: '1' }] })).toThrow(/1 options.* 2 option groups/);
    });

    it('reads the name of a group from the row of the option if it has one', () => {
        const args = {
            product: { name: 't' },
            variant: { sku: 's' },
            options: [0, 1].map(n => ({ nameColumn: `a.${n}.name`, valueColumn: `a.${n}.option` })),
        };
        const size: JsonObject = { name: 'Size', option: 'S' };
        const rows: JsonObject[] = [
            { t: 'Shirt', s: 'A', a: [{ name: 'Colour', option: 'Red' }, size] },
            { s: 'B', a: [size] },
        ];
        const out = rowsToProduct.compile(rowsToProduct.config.parse(args), ENV)({ rows }, LOCATION);
        expect(out).toMatchObject({
            variants: [
                { sku: 'A', options: { Colour: 'Red', Size: 'S' } },
                { sku: 'B', options: { Size: 'S' } },
            ],
        });
    });

    it('makes no variant of the row of the product itself if others name it as their parent', () => {
        const args = { product: { name: 't' }, variant: { sku: 's' }, parent: 'p' };
        const { compile, config } = rowsToProduct;
        const skusOf = (rows: JsonObject[]): unknown => {
            const { variants } = compile(config.parse(args), ENV)({ rows }, LOCATION) as JsonObject;
            return variants;
        };
        const parent: JsonObject = { t: 'Shirt', s: 'SHIRT', p: '' };
        expect(skusOf([parent, { s: 'SHIRT-S', p: 'SHIRT' }])).toEqual([{ sku: 'SHIRT-S' }]);
        expect(skusOf([parent])).toEqual([{ sku: 'SHIRT' }]);
    });

    it('needs exactly one source of the name of a group, and the key that it uses', () => {
        expect(issuesOf({ options: [{ valueColumn: 'v' }] })).toEqual(['options.0.nameColumn']);
        expect(issuesOf({ options: [{ valueColumn: 'v', name: 'a', nameColumn: 'b' }] })).toEqual(['options.0.name']);
        expect(issuesOf({ skuFallback: '${key}-${n}' })).toEqual(['skuFallback']);
        expect(issuesOf({ skuFallback: '${options.Size}-${n}' })).toEqual([]);
    });
});

it('columnsToRows and rowsToProduct make variants of columns', () => {
    const config = columnsToRows.config.parse({ columns: ['S', 'M'], nameField: 'size', valueField: 'stock' });
    const rows = columnsToRows.compile(config, ENV)({ sku: 'H', name: 'Hemd', S: 1, M: 2 }, LOCATION) as JsonObject;
    const args = {
        key: 'sku',
        product: { name: 'name' },
        variant: { stock: 'stock' },
        options: [{ name: 'Size', valueColumn: 'size' }],
        skuFallback: '${key}-${options.Size}',
    };
    expect(product(args, rows)).toEqual({
        name: 'Hemd',
        variants: [
            { stock: 1, options: { Size: 'S' }, sku: 'H-S' },
            { stock: 2, options: { Size: 'M' }, sku: 'H-M' },
        ],
    });
});
