import { setUp } from '../../plugin/setup';
import { checkDefinition } from '../pipeline/parse';
import { isErrorIssue } from '../pipeline/issues';
import type { DefinitionInput } from '../pipeline/definition';
import type { JsonObject } from '../value/json';
import { compileImport } from './compile-import';
import type { ImportPlan } from './import-plan';
import {
    ASSETS,
    COLLECTIONS,
    filledBy,
    CUSTOMERS,
    EMPTY_PLAN,
    FACETS,
    ORDERS,
    PRICE_LIST,
    PRICES,
    PRODUCT_EXPORT,
    STOCK,
} from '../../../test/fixtures/import-plans';

const PLANS: Readonly<Record<string, ImportPlan>> = {
    'a German price list': PRICE_LIST,
    'products of Shopify': PRODUCT_EXPORT,
    prices: PRICES,
    stock: STOCK,
    customers: CUSTOMERS,
    collections: COLLECTIONS,
    facets: FACETS,
    pictures: ASSETS,
    orders: ORDERS,
};

/** The operators of the step that builds records. */
function operatorsOf({ steps }: DefinitionInput): readonly JsonObject[] {
    return (steps[2]?.config['operators'] ?? []) as readonly JsonObject[];
}

function configsOf({ steps }: DefinitionInput): Readonly<Record<string, JsonObject>> {
    return Object.fromEntries(steps.map(({ key, config }) => [key, config]));
}

const { registry } = setUp({});

function errorsOf(definition: DefinitionInput): readonly string[] {
    const { issues } = checkDefinition(definition, registry);
    return issues.filter(isErrorIssue).map(({ message }) => message);
}

describe('compileImport', () => {
    it.each(Object.entries(PLANS))('makes a valid pipeline of %s', (_, plan) => {
        expect(errorsOf(compileImport(plan))).toEqual([]);
    });

    it.each(Object.entries(PLANS))('makes the same pipeline of %s again', (_, plan) => {
        const copy = JSON.parse(JSON.stringify(plan)) as ImportPlan;
        expect(compileImport(copy)).toEqual(compileImport(plan));
    });

    it.each(Object.values(PLANS))('has no scripts', plan => {
        expect(JSON.stringify(compileImport(plan))).not.toContain('"script"');
    });

    it('compiles a German price list', () => {
        const operator = (op: string, args: JsonObject): JsonObject => ({ op, args });
        expect(compileImport(PRICE_LIST)).toEqual({
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                {
                    key: 'file',
                    kind: 'EXTRACT',
                    config: {
                        adapterCode: 'csv',
                        fileId: '2',
                        delimiter: ';',
                        encoding: 'windows-1252',
                        headerRow: 2,
                        trim: true,
                    },
                },
                {
                    key: 'to-product',
                    kind: 'TRANSFORM',
                    config: {
                        operators: [
                            operator('map', {
                                mapping: {
                                    sku: 'Art\\.-Nr\\.',
                                    name: 'Bezeichnung',
                                    price: 'UVP €',
                                    stock: 'Lagerbestand',
                                    'facetValues.Warengruppe': 'Warengruppe',
                                },
                            }),
                            operator('trim', { path: 'sku' }),
                            operator('trim', { path: 'name' }),
                            operator('replaceRegex', {
                                path: 'price',
                                pattern: '\\s*(€|EUR)\\s*',
                                replacement: '',
                                flags: 'gi',
                            }),
                            operator('replaceRegex', {
                                path: 'price',
                                pattern: '[.,]\\s*[-–—]+\\s*$',
                                replacement: '',
                            }),
                            operator('parseNumber', { source: 'price', locale: 'de-AT' }),
                            operator('toCents', { source: 'price', target: 'price' }),
                            operator('replaceRegex', {
                                path: 'stock',
                                pattern: '\\s*Stk\\.?\\s*$',
                                replacement: '',
                                flags: 'i',
                            }),
                            operator('parseNumber', { source: 'stock', locale: 'de-AT' }),
                            operator('split', {
                                source: 'facetValues.Warengruppe',
                                target: 'facetValues.Warengruppe',
                                delimiter: '|',
                                trim: true,
                            }),
                            operator('each', {
                                path: 'facetValues.Warengruppe',
                                operators: [
                                    operator('when', {
                                        conditions: [{ field: '_item', cmp: 'isEmpty' }],
                                        action: 'drop',
                                    }),
                                ],
                            }),
                        ],
                    },
                },
                {
                    key: 'check',
                    kind: 'VALIDATE',
                    config: {
                        errorHandlingMode: 'ACCUMULATE',
                        rules: [
                            { type: 'required', spec: { field: 'sku' } },
                            { type: 'required', spec: { field: 'name' } },
                        ],
                    },
                },
                {
                    key: 'products',
                    kind: 'LOAD',
                    config: {
                        adapterCode: 'productUpsert',
                        allowDeletes: false,
                        matchBy: 'sku',
                        missingPrice: 'REJECT',
                        createMissingFacetValues: true,
                        facetValuesMode: 'MERGE',
                        history: true,
                        missing: { action: 'NONE' },
                    },
                },
            ],
            edges: [
                { from: 'start', to: 'file' },
                { from: 'file', to: 'to-product' },
                { from: 'to-product', to: 'check' },
                { from: 'check', to: 'products' },
            ],
        });
    });

    it('compiles products with variants in rows', () => {
        const definition = compileImport(PRODUCT_EXPORT);
        const { file, check, products } = configsOf(definition);
        expect(file).toMatchObject({ adapterCode: 'csv', groupBy: 'Handle' });
        expect(operatorsOf(definition)[0]).toEqual({
            op: 'rowsToProduct',
            args: {
                rows: 'rows',
                key: 'Handle',
                product: {
                    slug: 'Handle',
                    name: 'Title',
                    description: 'Body (HTML)',
                    'facetValues.Vendor': 'Vendor',
                    'facetValues.Tag': 'Tags',
                    enabled: 'Published',
                },
                variantWhen: ['Variant SKU', 'Variant Price', 'Option1 Value', 'Option2 Value', 'Option3 Value'],
                variant: {
                    sku: 'Variant SKU',
                    price: 'Variant Price',
                    stock: 'Variant Inventory Qty',
                    'assets.0': 'Variant Image',
                },
                options: [
                    { nameColumn: 'Option1 Name', valueColumn: 'Option1 Value' },
                    { nameColumn: 'Option2 Name', valueColumn: 'Option2 Value' },
                    { nameColumn: 'Option3 Name', valueColumn: 'Option3 Value' },
                ],
                noOption: ['Title', 'Default Title'],
                assets: ['Image Src'],
                skuFallback: '${key}-${n}',
            },
        });
        expect(check).toMatchObject({
            rules: [
                { type: 'required', spec: { field: 'name' } },
                { type: 'length', spec: { field: 'variants', required: true, minLength: 1 } },
            ],
        });
        expect(products).toMatchObject({ matchBy: 'slug', missingPrice: 'REJECT' });
    });

    it('compiles variants that name their parent', () => {
        const definition = compileImport({
            ...EMPTY_PLAN,
            fields: [filledBy('sku', 'sku'), filledBy('name', 'name'), filledBy('price', 'price')],
            variants: { grouping: { kind: 'PARENT', column: 'parent', key: 'sku' } },
        });
        expect(errorsOf(definition)).toEqual([]);
        expect(configsOf(definition)['file']).toMatchObject({
            groupBy: { column: 'parent', fallback: 'sku', apart: true },
        });
        expect(operatorsOf(definition)).toContainEqual(
            expect.objectContaining({ args: expect.objectContaining({ parent: 'parent' }) }),
        );
    });

    it('compiles columns that become variants', () => {
        const plan: ImportPlan = {
            ...EMPTY_PLAN,
            fields: [
                filledBy('sku', 'Nr.'),
                filledBy('name', 'Name'),
                filledBy('price', 'Price', { type: 'TO_CENTS' }),
            ],
            variants: {
                grouping: { kind: 'BY_COLUMN', column: 'Nr.' },
                columns: { option: 'Size', columns: ['S', 'M.'], field: 'stock' },
            },
        };
        const definition = compileImport(plan);
        expect(configsOf(definition)['file']).not.toHaveProperty('groupBy');
        expect(operatorsOf(definition)).toEqual([
            {
                op: 'columnsToRows',
                args: { columns: ['S', 'M\\.'], nameField: '_column', valueField: '_value', target: 'rows' },
            },
            {
                op: 'rowsToProduct',
                args: {
                    rows: 'rows',
                    key: 'Nr\\.',
                    product: { name: 'Name' },
                    variantWhen: ['_value'],
                    variant: { price: 'Price', stock: '_value' },
                    options: [{ name: 'Size', valueColumn: '_column' }],
                    noOption: ['Title', 'Default Title'],
                    skuFallback: '${key}-${options.Size}',
                },
            },
            {
                op: 'each',
                args: {
                    path: 'variants',
                    operators: [
                        { op: 'toCents', args: { source: 'price', target: 'price' } },
                        { op: 'parseNumber', args: { source: 'stock', locale: 'en-US' } },
                    ],
                },
            },
        ]);
    });

    it('compiles prices, with tax added and in several currencies', () => {
        const definition = compileImport(PRICES);
        expect(operatorsOf(definition)[0]).toEqual({
            op: 'map',
            args: { mapping: { sku: 'sku', price: 'net', 'prices.USD': 'price_usd' } },
        });
        expect(configsOf(definition)['prices']).toEqual({ adapterCode: 'priceUpdate', history: true });
    });

    it('compiles stock of a workbook without a header and with a last row of totals', () => {
        const { file, stock } = configsOf(compileImport(STOCK));
        expect(file).toEqual({
            adapterCode: 'xlsx',
            fileId: '2',
            sheetName: 'Stock',
            hasHeader: false,
            skipAtEnd: 1,
        });
        expect(stock).toEqual({ adapterCode: 'stockAdjust', history: true });
    });

    it('compiles customers, whom it does not disable', () => {
        const { customers } = configsOf(compileImport(CUSTOMERS));
        expect(customers).toEqual({
            adapterCode: 'customerUpsert',
            addressesMode: 'MERGE',
            allowDeletes: false,
            history: true,
            missing: { action: 'NONE' },
        });
    });

    it('compiles collections of JSON with texts in two languages', () => {
        const definition = compileImport(COLLECTIONS, { defaultLanguage: 'en' });
        const { file, collections } = configsOf(definition);
        expect(file).toEqual({ adapterCode: 'json', fileId: '2', itemsPath: 'data.categories' });
        expect(operatorsOf(definition)[0]).toEqual({
            op: 'map',
            args: {
                mapping: {
                    slug: 'slug',
                    name: 'title.en',
                    'translations.de.name': 'title.de',
                    parent: 'parent.slug',
                    'assets.0': 'image',
                },
            },
        });
        expect(collections).toMatchObject({
            adapterCode: 'collectionUpsert',
            createMissingParents: true,
            allowDeletes: false,
            missing: { action: 'DISABLE', maxShare: 0.2 },
        });
    });

    it('writes texts into the language of the file if the channel has another one', () => {
        const [, , , check] = compileImport(COLLECTIONS, { defaultLanguage: 'fr' }).steps;
        expect(check?.config['rules']).toEqual([
            { type: 'required', spec: { field: 'translations.en.name' } },
            { type: 'required', spec: { field: 'translations.de.name' } },
        ]);
    });

    it('creates facets before their values', () => {
        const { steps } = compileImport(FACETS);
        expect(steps.slice(-2).map(({ key, config }) => [key, config['adapterCode']])).toEqual([
            ['facets', 'facetUpsert'],
            ['facet-values', 'facetValueUpsert'],
        ]);
    });

    it('loads collections after the products whose categories they are', () => {
        const category = filledBy('collections', 'Pfad', { type: 'TRIM' }, { type: 'SPLIT', separator: ' > ' });
        const definition = compileImport({ ...EMPTY_PLAN, fields: [filledBy('sku', 'sku'), category] });
        expect(definition.edges.slice(-2)).toEqual([
            { from: 'products', to: 'to-collections' },
            { from: 'to-collections', to: 'collections' },
        ]);
        expect(operatorsOf(definition).slice(1, 3)).toEqual([
            { op: 'trim', args: { path: 'collections' } },
            {
                op: 'categoryPath',
                args: { source: 'collections', target: '_categories', separator: '>', paths: 'facetValues.Pfad' },
            },
        ]);
        expect(configsOf(definition)['to-collections']?.['operators']).toContainEqual({
            op: 'template',
            args: { template: 'Pfad:${path}', target: 'filters.0.args.facetValueIds.0' },
        });
    });

    it('uses amounts with the decimals of the shop', () => {
        expect(operatorsOf(compileImport(PRICE_LIST, { moneyDecimals: 3 }))).toContainEqual({
            op: 'currency',
            args: { source: 'price', target: 'price', decimals: 3 },
        });
    });

    it('puts all fields of a variant into a list if one of them is only there', () => {
        const plan = {
            ...EMPTY_PLAN,
            fields: [filledBy('sku', 'sku'), filledBy('name', 'name'), filledBy('variants.0.customFields.ean', 'EAN')],
        };
        expect(operatorsOf(compileImport(plan))[0]).toEqual({
            op: 'map',
            args: { mapping: { 'variants.0.sku': 'sku', name: 'name', 'variants.0.customFields.ean': 'EAN' } },
        });
    });

    it.each([
        [
            { kind: 'URL', url: 'https://example.com/a.csv' } as const,
            {},
            {
                adapterCode: 'httpApi',
                url: 'https://example.com/a.csv',
                format: 'CSV',
                delimiter: ',',
                csv: { trim: true },
            },
        ],
        [
            { kind: 'REMOTE', connectionCode: 'supplier', path: '/out/prices [1].csv' } as const,
            {},
            {
                adapterCode: 'ftp',
                connectionCode: 'supplier',
                remotePath: '/out',
                filePattern: 'prices \\[1\\].csv',
                format: 'CSV',
                csv: { delimiter: ',', trim: true },
            },
        ],
        [
            { kind: 'REMOTE', connectionCode: 'bucket', path: 'out/prices.csv' } as const,
            { connections: { bucket: 'OBJECT_STORAGE' } },
            {
                adapterCode: 'objectStorage',
                connectionCode: 'bucket',
                prefix: 'out/prices.csv',
                format: 'CSV',
                csv: { delimiter: ',', trim: true },
            },
        ],
    ])('reads other sources', (source, context, expected) => {
        const plan: ImportPlan = { ...EMPTY_PLAN, source, fields: [filledBy('sku', 'sku'), filledBy('name', 'name')] };
        const definition = compileImport(plan, context);
        expect(configsOf(definition)['file']).toEqual(expected);
        expect(errorsOf(definition)).toEqual([]);
    });
});
