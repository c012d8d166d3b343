import { naming } from '../../../test/kit/naming';
import { said } from '../../../test/kit/said';
import type { JsonObject } from '../../core/value/json';
import { RecordIssues, trimIn } from '../entities/record-issues';
import { fieldNames } from './load-config';
import { readProduct } from './read-product';
import { rules } from '../../../test/kit/record-rules';

function read(data: JsonObject, config: Readonly<Record<string, string>> = {}) {
    const issues = new RecordIssues();
    const product = readProduct(data, rules, { names: fieldNames(config), faults: issues });
    return { product, problem: issues.count > 0 ? issues.error().message : undefined };
}

describe('reading a product record', () => {
    it('leaves what the record does not mention undefined', () => {
        expect(read({ slug: 'lamp' }).product).toMatchObject({
            slug: 'lamp',
            enabled: undefined,
            facetValues: undefined,
            channels: undefined,
            optionGroups: undefined,
            variants: undefined,
            isDelete: false,
        });
    });

    it('matches a SKU in addition to variants with one of them', () => {
        const { product, problem } = read({ slug: 'a', sku: ' \u200bx ', variants: [{ sku: 'w' }, { sku: 'x' }] });
        expect(problem).toBeUndefined();
        expect(product!.variants!.map(({ sku }) => sku)).toEqual(['w', 'x']);
    });

    it('makes slugs without the blanks round names and given slugs, and says so of given ones', () => {
        const readWith = (data: JsonObject) => {
            const issues = new RecordIssues();
            return { faults: issues, product: readProduct(data, rules, { names: fieldNames({}), faults: issues })! };
        };
        const made = readWith({ name: ' Padded Lamp ' });
        expect(made.product).toMatchObject({
            slug: undefined,
            madeSlug: 'padded-lamp',
            texts: new Map([['en', { values: { name: ' Padded Lamp ' } }]]),
        });
        expect(made.faults.trimmed).toBeUndefined();
        const given = readWith({ slug: ' my slug ', translations: { de: { slug: 'mein ' } } });
        expect(given.product).toMatchObject({ slug: 'my slug', madeSlug: 'my-slug' });
        expect(given.product.texts.get('de')).toEqual({ values: { slug: 'mein' } });
        expect(given.faults.trimmed).toEqual({ path: 'slug', value: ' my slug ' });
    });

    it('reads texts of lists without the blanks round them, and says so', () => {
        const issues = new RecordIssues();
        const data = { name: 'Shoe', optionGroups: ['size', ' colour'] };
        const product = readProduct(data, rules, { names: fieldNames({}), faults: issues })!;
        expect(product.optionGroups).toEqual(['size', 'colour']);
        expect(issues.trimmed).toEqual({ path: 'optionGroups.1', value: ' colour' });
    });

    it('makes the slug of the name when there is none', () => {
        expect(read({ name: 'Blue Lamp' }).product!.madeSlug).toBe('blue-lamp');
        expect(read({ name: 'Blue Lamp', slug: 'Other One' }).product!.madeSlug).toBe('other-one');
    });

    it('takes SKU, price and stock at the top level for one variant', () => {
        const { product } = read({
            name: 'Lamp',
            sku: 'L',
            price: 5,
            prices: { EUR: 6 },
            stock: { Outlet: 3 },
            trackInventory: false,
        });
        expect(product!.variants).toHaveLength(1);
        expect(product!.variants![0]).toMatchObject({
            sku: 'L',
            isFlat: true,
            trackInventory: 'FALSE',
            prices: new Map([
                ['USD', 5],
                ['EUR', 6],
            ]),
            stock: [{ locationId: 2, quantity: 3, isPlain: false }],
        });
    });

    it('takes a stock location by the id that GraphQL shows, and by that of the database', () => {
        for (const location of ['L_2', '2'])
            expect(read({ name: 'Lamp', sku: 'L', stock: { [location]: 3 } }).product!.variants![0]).toMatchObject({
                stock: [{ locationId: 2, location: 'Outlet', quantity: 3 }],
            });
    });

    it('reads renamed fields', () => {
        const { product } = read(
            { Artikel: 'L', Preis: 5, Titel: 'Lampe' },
            { skuField: 'Artikel', priceField: 'Preis', nameField: 'Titel' },
        );
        expect([product!.madeSlug, product!.variants![0]!.sku]).toEqual(['lampe', 'L']);
    });

    it('reads renamed fields by the same names in variants and translations', () => {
        const { product } = read(
            {
                Titel: 'Lampe',
                translations: { de: { Titel: 'Lampe', name: 'not this' } },
                variants: [{ Artikel: 'L', Preis: 5, Titel: 'Lampe, klein', translations: { de: { Titel: 'Klein' } } }],
            },
            { skuField: 'Artikel', priceField: 'Preis', nameField: 'Titel' },
        );
        const [variant] = product!.variants!;
        expect([product!.texts.get('de'), variant!.sku, variant!.prices.get('USD'), [...variant!.texts]]).toEqual([
            { values: { name: 'Lampe' } },
            'L',
            5,
            [
                ['en', { values: { name: 'Lampe, klein' } }],
                ['de', { values: { name: 'Klein' } }],
            ],
        ]);
    });

    it("lets translations speak for their language, the run's own too", () => {
        const { product } = read({
            name: 'Lamp',
            translations: { de: { name: 'Lampe' }, en: { description: 'Bright' } },
        });
        expect([...product!.texts]).toEqual([
            ['en', { values: { name: 'Lamp', description: 'Bright' } }],
            ['de', { values: { name: 'Lampe' } }],
        ]);
    });

    it.each<[JsonObject, string | RegExp]>([
        [{ slug: '!!!' }, 'Field "slug": is "!!!", of which no slug can be made'],
        [{ slug: 'a', price: 5 }, /^Field "sku": [^"]+$/],
        [{ slug: 'a', sku: 'x', price: 5, prices: { USD: 6 } }, 'Field "prices.USD": is 6, but price is 5'],
        [{ slug: 'a', variants: [{ sku: 'x' }], price: 5 }, 'Field "variants": is set together with price'],
        [{ slug: 'a', variants: [{ sku: 'x' }, { sku: 'x' }] }, 'Field "variants.1.sku": "x" comes twice'],
        [{ slug: 'a', sku: 'y', variants: [{ sku: 'x' }] }, 'Field "sku": is "y"'],
        [{ slug: 'a', variants: { sku: 'x' } }, 'Field "variants": is {"sku":"x"}; allowed: a list of variants'],
        [{ slug: 'a', variants: [{ sku: 'x', price: '7' }] }, 'Field "variants.0.price": is "7"'],
        [{ slug: 'a', variants: [{ sku: 'x', price: -7 }] }, naming('"variants.0.price"', -7, 'allowNegativePrices')],
        [{ slug: 'a', sku: 'x', prices: { EUR: -7 } }, naming('"prices.EUR"', -7, 'allowNegativePrices')],
        [{ slug: 'a', channels: ['closed'] }, '"closed" is a channel whose catalogue the run may not change'],
        [{ slug: 'a', channels: ['old'] }, '"old" names no channel; known: "own"'],
        [{ slug: 'a', facetValues: ['red'] }, 'Field "facetValues.0": is "red"; allowed: "facet:value"'],
        [{ slug: 'a', enabled: 'yes' }, naming('"enabled"', '"yes"', 'parseJson', 'switch')],
        [{ slug: 'a', enabled: 1 }, 'Field "enabled": is 1; allowed: true or false'],
        [
            { slug: 'a', sku: 'x', trackInventory: 'true' },
            'Field "trackInventory": is the text "true"; allowed: true or false, or the texts TRUE, FALSE, INHERIT (',
        ],
        [{ slug: 'a', facetValues: 'brand:x' }, naming('"facetValues"', '"brand:x"', 'split')],
        [{ slug: 'a', name: null }, 'Field "name": cannot be emptied'],
        [{ slug: 'a', translations: { fr: {} } }, 'is not a language of channel own; known: "en", "de"'],
        [
            { slug: 'a', sku: 'x', taxCategory: 'Luxury' },
            'Field "taxCategory": is "Luxury", which is not a tax category; known: "Standard"',
        ],
        [{ slug: 'a', __operation: 'MOVE' }, 'Field "__operation": is "MOVE"; allowed: CREATE, UPDATE, UPSERT, DELETE'],
    ])('rejects %j', (data, problem) => {
        const answer = read(data);
        expect(answer.product).toBeUndefined();
        expect(answer.problem).toMatch(problem);
    });

    it.each<[JsonObject, string]>([
        [{ Main: 5, ' main ': 5 }, 'stock. main '],
        [{ L_1: 5, Main: 3 }, 'stock.Main'],
        [{ MAIN: null, Main: 5 }, 'stock.Main'],
    ])('rejects stock that names a location twice: %j', (stock, field) => {
        const problem = (path: string): RegExp => naming(`"${path}"`, '"Main"');
        expect(read({ slug: 'a', sku: 'x', stock }).problem).toMatch(problem(field));
        expect(read({ slug: 'a', variants: [{ sku: 'x', stock }] }).problem).toMatch(problem(`variants.0.${field}`));
    });

    it.each<[JsonObject, string]>([
        [{ Vendor: 7.5 }, 'Field "facetValues.Vendor": is 7.5'],
        [{ Tag: ['a', 3] }, 'Field "facetValues.Tag.1": is 3'],
        [{ Tag: ['a', ''] }, said('field-is-empty-leave-it-out', { field: 'facetValues.Tag.1' })],
        [{ Vendor: '' }, said('field-is-empty-leave-it-out', { field: 'facetValues.Vendor' })],
        [{ 'a:b': 'c' }, 'Field "facetValues.a:b": is the facet "a:b"; allowed: the code or name of a facet'],
    ])('rejects facet values by facet %j', (facetValues, problem) => {
        expect(read({ slug: 'a', facetValues }).problem).toContain(problem);
    });

    it('reads facet values by facet as those of the list', () => {
        const byFacet = { Vendor: 'Acme', Tag: ['a', ' b ', 'a'], Year: 2026, Season: null, Empty: [] };
        const list = ['Vendor:Acme', 'Tag:a', 'Tag:b', 'Year:2026'];
        const textsOf = (facetValues: JsonObject | string[]) =>
            read({ slug: 'a', facetValues }).product?.facetValues?.map(({ text, facet, value }) => [
                text,
                facet,
                value,
            ]);
        expect(textsOf(byFacet)).toEqual(textsOf(list));
        expect(textsOf({})).toEqual([]);
    });

    it.each([
        'slug',
        'name',
        'enabled',
        'translations',
        'facetValues',
        'channels',
        'optionGroups',
        'variants',
        'sku',
        'price',
        'prices',
        'stock',
        'taxCategory',
        'trackInventory',
        'options',
        'assets',
        'featuredAsset',
        '__operation',
    ])('says of an empty %s that it is to be left out', field => {
        for (const nothing of ['', ' \t '])
            expect(read({ slug: 'a', sku: 'x', [field]: nothing }).problem).toContain(
                said('field-is-empty-leave-it-out', { field }),
            );
    });

    it('names what leaves blank cells out, of a blank text', () => {
        const problemOf = (name: string) => read({ slug: 'a', name }).problem;
        expect(problemOf(' ')).toMatch(naming('"name"', 'trim', 'csv'));
        expect(problemOf('')).not.toMatch(naming('trim'));
    });

    it.each<[string, JsonObject]>([
        ['translations.de.name', { translations: { de: { name: '' } } }],
        ['translations.de.slug', { translations: { de: { slug: '' } } }],
        ['facetValues.1', { facetValues: ['a:b', ''] }],
        ['channels.0', { channels: [' '] }],
        ['variants.0', { variants: [''] }],
        ['variants.0.sku', { variants: [{ sku: '' }] }],
        ['variants.0.price', { variants: [{ sku: 'x', price: '' }] }],
        ['variants.0.enabled', { variants: [{ sku: 'x', enabled: '' }] }],
        ['variants.0.options.Size', { variants: [{ sku: 'x', options: { Size: '' } }] }],
        ['prices.EUR', { sku: 'x', prices: { EUR: '' } }],
        ['stock.Main', { sku: 'x', stock: { Main: '' } }],
    ])('reports that an empty %s should be left out, at any level', (field, data) => {
        expect(read({ slug: 'a', ...data }).problem).toContain(said('field-is-empty-leave-it-out', { field }));
    });

    it('takes any text for a description', () => {
        for (const description of ['', '  '])
            expect(read({ slug: 'a', description }).product!.texts.get('en')).toEqual({
                values: { slug: 'a', description },
            });
    });

    it('reads SKUs and options without the blanks round them, and says so', () => {
        const issues = new RecordIssues();
        const record: JsonObject = {
            slug: 'a',
            variants: [{ sku: ' A-1 ', options: { ' Size': 'M ' } }, { sku: 'A-2' }],
        };
        const product = readProduct(record, rules, { names: fieldNames({}), faults: issues });
        const [first] = product!.variants!;
        expect([first!.sku, [...first!.options!]]).toEqual(['A-1', [['Size', 'M']]]);
        const untouched = new RecordIssues();
        readProduct({ slug: 'a', sku: 'A-1' }, rules, { names: fieldNames({}), faults: untouched });
        expect(trimIn([{ faults: untouched }, { faults: issues }, { faults: issues }])).toEqual({
            records: 2,
            path: 'variants.0.sku',
            value: ' A-1 ',
        });
        expect(trimIn([{ faults: untouched }])).toBeUndefined();
    });

    it('takes what is the same without the blanks round it for the same', () => {
        expect(read({ slug: 'a', variants: [{ sku: 'x' }, { sku: ' x' }] }).problem).toContain('"variants.1.sku"');
        expect(read({ slug: 'a', sku: 'x', options: { size: 'M', 'size ': 'L' } }).problem).toMatch(
            naming('"options.size "', 'blanks'),
        );
    });
});
