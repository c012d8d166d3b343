import type { Conversion, ImportPlan, PlannedField } from './import-plan';
import type { ImportFacts } from './import-profile';

/** A CSV file with its header in the first row. */
export const CSV_FACTS: ImportFacts = {
    format: 'CSV',
    encoding: 'utf-8',
    delimiter: ',',
    decimals: 'POINT',
    headerRow: 1,
    skipAfterHeader: 0,
    footerRows: 0,
};

/** A column that fills a field. */
export function column(field: string, name: string, ...conversions: readonly Conversion[]): PlannedField {
    return { field, columns: [name], conversions };
}

const TRIM: Conversion = { type: 'TRIM' };
const COMMA: Conversion = { type: 'NUMBER', decimals: 'COMMA' };
const TO_CENTS: Conversion = { type: 'TO_CENTS' };

/** A plan of products without fields. */
export const EMPTY_PLAN: ImportPlan = {
    version: 1,
    source: { kind: 'FILE', fileId: '2' },
    facts: CSV_FACTS,
    target: 'PRODUCTS',
    matchBy: 'sku',
    fields: [],
    prices: { missing: 'REJECT' },
    missing: { action: 'NONE', maxShare: 0.1 },
    createMissingFacetValues: true,
    remedies: [],
};

/** A price list of a German supplier, with a title above the header. */
export const PRICE_LIST: ImportPlan = {
    ...EMPTY_PLAN,
    facts: { ...CSV_FACTS, encoding: 'windows-1252', delimiter: ';', decimals: 'COMMA', headerRow: 2 },
    language: 'de',
    fields: [
        column('sku', 'Art.-Nr.', TRIM),
        column('name', 'Bezeichnung', TRIM),
        column(
            'price',
            'UVP €',
            { type: 'REMOVE_TEXT', text: '€', of: 'CURRENCY' },
            { type: 'DASH_DECIMALS' },
            COMMA,
            TO_CENTS,
        ),
        column('stock', 'Lagerbestand', { type: 'REMOVE_TEXT', text: 'Stk', of: 'UNIT' }, COMMA),
        column('facet:Warengruppe', 'Warengruppe', { type: 'SPLIT', separator: '|' }),
    ],
};

/** A product export of Shopify. */
export const SHOPIFY_PRODUCTS: ImportPlan = {
    ...EMPTY_PLAN,
    knownExport: 'shopify-products',
    matchBy: 'slug',
    fields: [
        column('slug', 'Handle'),
        column('name', 'Title'),
        column('description', 'Body (HTML)'),
        column('facet:Vendor', 'Vendor'),
        column('facet:Tag', 'Tags', { type: 'SPLIT', separator: ',' }),
        column('enabled', 'Published', { type: 'BOOLEAN', yes: ['true'], no: ['false'] }),
        column('sku', 'Variant SKU'),
        column('price', 'Variant Price', TO_CENTS),
        column('stock', 'Variant Inventory Qty', { type: 'NUMBER', decimals: 'POINT' }, { type: 'NEGATIVE_TO_ZERO' }),
        column('assets', 'Image Src'),
        column('variants.0.assets', 'Variant Image'),
    ],
    variants: {
        grouping: { kind: 'BY_COLUMN', column: 'Handle' },
        pairs: [1, 2, 3].map(number => ({
            nameColumn: `Option${number} Name`,
            valueColumn: `Option${number} Value`,
        })),
        skuFallback: '${key}-${n}',
    },
};

export const PRICES: ImportPlan = {
    ...EMPTY_PLAN,
    target: 'PRICES',
    fields: [
        column('sku', 'sku'),
        column('price', 'net', { type: 'NUMBER', decimals: 'POINT' }, { type: 'ADD_TAX', percent: 19 }, TO_CENTS),
        column('price.USD', 'price_usd', TO_CENTS),
    ],
};

export const STOCK: ImportPlan = {
    ...EMPTY_PLAN,
    facts: { ...CSV_FACTS, format: 'XLSX', sheet: 'Stock', headerRow: null, footerRows: 1 },
    target: 'STOCK',
    fields: [column('sku', 'column1'), column('stock', 'column2', { type: 'NUMBER', decimals: 'POINT' })],
};

export const CUSTOMERS: ImportPlan = {
    ...EMPTY_PLAN,
    target: 'CUSTOMERS',
    matchBy: 'emailAddress',
    fields: [
        column('emailAddress', 'E-Mail', TRIM),
        column('firstName', 'First name'),
        column('lastName', 'Last name'),
        column('groups', 'Groups', { type: 'SPLIT', separator: '|' }),
        column('addresses.0.streetLine1', 'Street'),
        column('addresses.0.postalCode', 'Zip'),
        column('addresses.0.country', 'Country', { type: 'LOOKUP', values: { Germany: 'DE' } }),
    ],
    missing: { action: 'DISABLE', maxShare: 0.1 },
};

export const COLLECTIONS: ImportPlan = {
    ...EMPTY_PLAN,
    facts: { ...CSV_FACTS, format: 'JSON', headerRow: null, recordPath: 'data.categories' },
    target: 'COLLECTIONS',
    matchBy: 'slug',
    language: 'en',
    fields: [
        column('slug', 'slug'),
        column('name', 'title.en'),
        column('name.de', 'title.de'),
        column('parent', 'parent.slug'),
        column('assets', 'image'),
    ],
    missing: { action: 'DISABLE', maxShare: 0.2 },
};

export const FACETS: ImportPlan = {
    ...EMPTY_PLAN,
    facts: { ...CSV_FACTS, format: 'XML', headerRow: null, recordPath: 'values.value' },
    target: 'FACETS',
    matchBy: 'name',
    fields: [column('facet', 'facet'), column('name', 'name')],
};

export const ASSETS: ImportPlan = {
    ...EMPTY_PLAN,
    target: 'ASSETS',
    fields: [
        column('sku', 'sku'),
        { field: 'assets', columns: ['image_1', 'image_2'], conversions: [] },
    ],
    remedies: [{ type: 'SKIP_PICTURES' }],
};

export const ORDERS: ImportPlan = {
    ...EMPTY_PLAN,
    target: 'ORDERS',
    matchBy: 'code',
    fields: [
        column('code', 'Order'),
        column('orderPlacedAt', 'Date', { type: 'DATE', format: 'DD.MM.YYYY' }),
        { field: 'state', value: 'PaymentSettled', conversions: [] },
        column('customer', 'Mail'),
        column('lines.0.sku', 'SKU'),
        column('lines.0.quantity', 'Qty', { type: 'NUMBER', decimals: 'POINT' }),
        column('lines.0.price', 'Price', TO_CENTS),
    ],
    variants: { grouping: { kind: 'BY_COLUMN', column: 'Order' } },
};
