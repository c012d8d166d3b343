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
export function filledBy(field: string, name: string, ...conversions: readonly Conversion[]): PlannedField {
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
        filledBy('sku', 'Art.-Nr.', TRIM),
        filledBy('name', 'Bezeichnung', TRIM),
        filledBy(
            'price',
            'UVP €',
            { type: 'REMOVE_TEXT', text: '€', of: 'CURRENCY' },
            { type: 'DASH_DECIMALS' },
            COMMA,
            TO_CENTS,
        ),
        filledBy('stock', 'Lagerbestand', { type: 'REMOVE_TEXT', text: 'Stk', of: 'UNIT' }, COMMA),
        filledBy('facet:Warengruppe', 'Warengruppe', { type: 'SPLIT', separator: '|' }),
    ],
};

/** A product export of Shopify. */
export const PRODUCT_EXPORT: ImportPlan = {
    ...EMPTY_PLAN,
    knownExport: 'shopify-products',
    matchBy: 'slug',
    fields: [
        filledBy('slug', 'Handle'),
        filledBy('name', 'Title'),
        filledBy('description', 'Body (HTML)'),
        filledBy('facet:Vendor', 'Vendor'),
        filledBy('facet:Tag', 'Tags', { type: 'SPLIT', separator: ',' }),
        filledBy('enabled', 'Published', { type: 'BOOLEAN', yes: ['true'], no: ['false'] }),
        filledBy('sku', 'Variant SKU'),
        filledBy('price', 'Variant Price', TO_CENTS),
        filledBy('stock', 'Variant Inventory Qty', { type: 'NUMBER', decimals: 'POINT' }, { type: 'NEGATIVE_TO_ZERO' }),
        filledBy('assets', 'Image Src'),
        filledBy('variants.0.assets', 'Variant Image'),
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
        filledBy('sku', 'sku'),
        filledBy('price', 'net', { type: 'NUMBER', decimals: 'POINT' }, { type: 'ADD_TAX', percent: 19 }, TO_CENTS),
        filledBy('price.USD', 'price_usd', TO_CENTS),
    ],
};

export const STOCK: ImportPlan = {
    ...EMPTY_PLAN,
    facts: { ...CSV_FACTS, format: 'XLSX', sheet: 'Stock', headerRow: null, footerRows: 1 },
    target: 'STOCK',
    fields: [filledBy('sku', 'column1'), filledBy('stock', 'column2', { type: 'NUMBER', decimals: 'POINT' })],
};

export const CUSTOMERS: ImportPlan = {
    ...EMPTY_PLAN,
    target: 'CUSTOMERS',
    matchBy: 'emailAddress',
    fields: [
        filledBy('emailAddress', 'E-Mail', TRIM),
        filledBy('firstName', 'First name'),
        filledBy('lastName', 'Last name'),
        filledBy('groups', 'Groups', { type: 'SPLIT', separator: '|' }),
        filledBy('addresses.0.streetLine1', 'Street'),
        filledBy('addresses.0.postalCode', 'Zip'),
        filledBy('addresses.0.country', 'Country', { type: 'LOOKUP', values: { Germany: 'DE' } }),
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
        filledBy('slug', 'slug'),
        filledBy('name', 'title.en'),
        filledBy('name.de', 'title.de'),
        filledBy('parent', 'parent.slug'),
        filledBy('assets', 'image'),
    ],
    missing: { action: 'DISABLE', maxShare: 0.2 },
};

export const FACETS: ImportPlan = {
    ...EMPTY_PLAN,
    facts: { ...CSV_FACTS, format: 'XML', headerRow: null, recordPath: 'values.value' },
    target: 'FACETS',
    matchBy: 'name',
    fields: [filledBy('facet', 'facet'), filledBy('name', 'name')],
};

export const ASSETS: ImportPlan = {
    ...EMPTY_PLAN,
    target: 'ASSETS',
    fields: [filledBy('sku', 'sku'), { field: 'assets', columns: ['image_1', 'image_2'], conversions: [] }],
    remedies: [{ type: 'SKIP_PICTURES' }],
};

export const ORDERS: ImportPlan = {
    ...EMPTY_PLAN,
    target: 'ORDERS',
    matchBy: 'code',
    fields: [
        filledBy('code', 'Order'),
        filledBy('orderPlacedAt', 'Date', { type: 'DATE', format: 'DD.MM.YYYY' }),
        { field: 'state', value: 'PaymentSettled', conversions: [] },
        filledBy('customer', 'Mail'),
        filledBy('lines.0.sku', 'SKU'),
        filledBy('lines.0.quantity', 'Qty', { type: 'NUMBER', decimals: 'POINT' }),
        filledBy('lines.0.price', 'Price', TO_CENTS),
    ],
    variants: { grouping: { kind: 'BY_COLUMN', column: 'Order' } },
};
