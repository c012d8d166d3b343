import type { ImportTarget } from './import-plan';

/** What the values of a field look like. */
export type FieldShape =
    | 'CODE'
    | 'GROUP'
    | 'NAME'
    | 'LONG_TEXT'
    | 'WORD'
    | 'SIZE'
    | 'PRICE'
    | 'NUMBER'
    | 'WHOLE_NUMBER'
    | 'BOOLEAN'
    | 'DATE'
    | 'EMAIL'
    | 'IMAGE'
    | 'BARCODE'
    | 'TAX'
    | 'CATEGORY'
    | 'TAGS'
    | 'PHONE'
    | 'POSTAL_CODE'
    | 'COUNTRY'
    | 'ANY';

/**
 * Where a value goes. `FIELD` is a path of the loader's record. The others compete for columns as fields do, so that a purchase price is not taken
 * for the price: `FACET` and `CATEGORY` become facets or collections, `OPTION` an option of variants, `GROUP` joins rows to a product, and `CUSTOM`
 * needs a custom field of the shop.
 */
type FieldDestination = 'FIELD' | 'FACET' | 'CATEGORY' | 'OPTION' | 'GROUP' | 'CUSTOM';

export interface TargetField {
    /** The path of the loader's record, or the name of the destination in the plan: `facet:Brand`. */
    readonly field: string;
    /** The key of its synonyms. */
    readonly synonyms: string;
    readonly shape: FieldShape;
    readonly destination: FieldDestination;
    readonly isRequired?: boolean;
    /** Takes several columns. */
    readonly isMany?: boolean;
    /** Has a text for each language. Facets and options take the language of the import alone. */
    readonly isTranslated?: boolean;
    /** Has an amount for each currency. */
    readonly isMoney?: boolean;
    /** A word that a header has to start with: `shipping` of the fields of a delivery address. */
    readonly prefixes?: readonly string[];
}

type Extras = Partial<
    Pick<TargetField, 'isRequired' | 'isMany' | 'isTranslated' | 'isMoney' | 'synonyms' | 'prefixes'>
>;

function field(name: string, shape: FieldShape, extras: Extras = {}): TargetField {
    return { field: name, synonyms: name.slice(name.lastIndexOf('.') + 1), shape, destination: 'FIELD', ...extras };
}

/** A field of the dictionary that is not a field of the target. */
function concept(name: string, shape: FieldShape, more: Pick<TargetField, 'destination'> & Extras): TargetField {
    return { field: name, synonyms: name, shape, ...more };
}

const REQUIRED = { isRequired: true } as const;
const TRANSLATED = { isTranslated: true } as const;

const PRICE = field('price', 'PRICE', { isMoney: true, isRequired: true });
const PRODUCT_DETAILS: readonly TargetField[] = [
    concept('comparePrice', 'PRICE', { destination: 'CUSTOM' }),
    concept('costPrice', 'PRICE', { destination: 'CUSTOM' }),
    concept('ean', 'BARCODE', { destination: 'CUSTOM' }),
    concept('mpn', 'CODE', { destination: 'CUSTOM' }),
    concept('weight', 'NUMBER', { destination: 'CUSTOM' }),
    concept('seoTitle', 'LONG_TEXT', { destination: 'CUSTOM', ...TRANSLATED }),
    concept('brand', 'WORD', { destination: 'FACET' }),
    concept('material', 'WORD', { destination: 'FACET', ...TRANSLATED }),
    concept('tags', 'TAGS', { destination: 'FACET', ...TRANSLATED }),
    concept('category', 'CATEGORY', { destination: 'CATEGORY', isMany: true }),
    concept('colour', 'WORD', { destination: 'OPTION', ...TRANSLATED }),
    concept('size', 'SIZE', { destination: 'OPTION' }),
];

/** The fields of a postal address; `prefix` is the path of the address in the record. */
function address(prefix: string, prefixes?: readonly string[]): readonly TargetField[] {
    const extras = prefixes === undefined ? {} : { prefixes };
    return [
        field(`${prefix}.fullName`, 'NAME', extras),
        field(`${prefix}.company`, 'NAME', extras),
        field(`${prefix}.streetLine1`, 'NAME', extras),
        field(`${prefix}.streetLine2`, 'NAME', extras),
        field(`${prefix}.postalCode`, 'POSTAL_CODE', extras),
        field(`${prefix}.city`, 'NAME', extras),
        field(`${prefix}.province`, 'NAME', extras),
        field(`${prefix}.country`, 'COUNTRY', extras),
        ...(prefixes === undefined ? [] : [field(`${prefix}.phoneNumber`, 'PHONE', extras)]),
    ];
}

const SHIPPING_WORDS = [
    'shipping',
    'ship',
    'delivery',
    'versand',
    'liefer',
    'lieferung',
    'lieferadresse',
    'livraison',
    'envio',
    'spedizione',
    'verzend',
    'dostawa',
    'dostawy',
];
const BILLING_WORDS = [
    'billing',
    'bill',
    'invoice',
    'rechnung',
    'rechnungs',
    'facturation',
    'facturacion',
    'fatturazione',
    'factuur',
    'faktura',
    'faturacao',
];

/** What each target's loader takes, with the words that headers have for it. */
export const TARGET_FIELDS: Readonly<Record<ImportTarget, readonly TargetField[]>> = {
    PRODUCTS: [
        field('sku', 'CODE', REQUIRED),
        field('name', 'NAME', { isRequired: true, isTranslated: true }),
        PRICE,
        field('stock', 'WHOLE_NUMBER'),
        field('slug', 'CODE', TRANSLATED),
        field('description', 'LONG_TEXT', TRANSLATED),
        field('enabled', 'BOOLEAN'),
        field('taxCategory', 'TAX'),
        field('featuredAsset', 'IMAGE'),
        field('assets', 'IMAGE', { isMany: true }),
        ...PRODUCT_DETAILS,
        concept('groupKey', 'GROUP', { destination: 'GROUP' }),
    ],
    PRICES: [field('sku', 'CODE', REQUIRED), PRICE, ...PRODUCT_DETAILS.slice(0, 3)],
    STOCK: [field('sku', 'CODE', REQUIRED), field('stock', 'WHOLE_NUMBER', REQUIRED), ...PRODUCT_DETAILS.slice(2, 3)],
    CUSTOMERS: [
        field('emailAddress', 'EMAIL', REQUIRED),
        field('firstName', 'NAME'),
        field('lastName', 'NAME'),
        field('title', 'WORD'),
        field('phoneNumber', 'PHONE'),
        field('groups', 'TAGS'),
        ...address('addresses.0'),
    ],
    COLLECTIONS: [
        field('name', 'NAME', { isRequired: true, isTranslated: true, synonyms: 'collectionName' }),
        field('slug', 'CODE', TRANSLATED),
        field('parent', 'NAME'),
        field('description', 'LONG_TEXT', TRANSLATED),
        field('position', 'WHOLE_NUMBER'),
        field('featuredAsset', 'IMAGE'),
        field('assets', 'IMAGE', { isMany: true }),
    ],
    FACETS: [
        field('facet', 'WORD', REQUIRED),
        field('name', 'NAME', { isRequired: true, isTranslated: true, synonyms: 'facetValue' }),
        field('code', 'CODE'),
    ],
    ASSETS: [
        field('sku', 'CODE', REQUIRED),
        field('assets', 'IMAGE', { isRequired: true, isMany: true }),
        field('featuredAsset', 'IMAGE'),
    ],
    ORDERS: [
        field('code', 'CODE', { isRequired: true, synonyms: 'orderCode' }),
        field('orderPlacedAt', 'DATE', REQUIRED),
        field('lines.0.sku', 'CODE', REQUIRED),
        field('lines.0.quantity', 'WHOLE_NUMBER', REQUIRED),
        field('lines.0.price', 'PRICE'),
        field('customer', 'EMAIL'),
        field('state', 'WORD'),
        field('currencyCode', 'WORD'),
        field('totalWithTax', 'PRICE'),
        field('shippingWithTax', 'PRICE'),
        ...address('shippingAddress', SHIPPING_WORDS),
        ...address('billingAddress', BILLING_WORDS),
    ],
};

/** The field by which entities of the shop are found, the first that is mapped. */
export const MATCH_FIELDS: Readonly<Record<ImportTarget, readonly string[]>> = {
    PRODUCTS: ['sku', 'slug', 'name'],
    PRICES: ['sku'],
    STOCK: ['sku'],
    CUSTOMERS: ['emailAddress'],
    COLLECTIONS: ['slug', 'name'],
    FACETS: ['code', 'name'],
    ASSETS: ['sku', 'slug'],
    ORDERS: ['code'],
};
