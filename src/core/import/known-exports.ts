import { headerKeyOf } from './header-names';
import type { Conversion, ImportTarget, PlannedVariants } from './import-plan';
import type { FieldShape } from './target-fields';

/** A field of an export of another system. Columns that a file does not have are left out. */
export interface KnownField {
    /** A field that ends with `*` takes the rest of its path from the name of the column: `facet:*` is `facet:Brand` for a column of this name. */
    readonly field: string;
    /** Names of columns; one that ends with `*` stands for all that begin so. */
    readonly columns: readonly string[];
    readonly shape: FieldShape;
    /** Conversions instead of those that the values suggest. */
    readonly conversions?: readonly Conversion[];
}

/** An export of another system, recognised by its columns. */
export interface KnownExport {
    readonly code: string;
    readonly target: ImportTarget;
    /** Columns of which at least 85 % are in the file. */
    readonly markers: readonly string[];
    readonly matchBy: string;
    readonly fields: readonly KnownField[];
    readonly variants?: PlannedVariants;
}

const YES_NO: Conversion = {
    type: 'BOOLEAN',
    yes: ['true', '1', 'yes', 'active', 'published'],
    no: ['false', '0', 'no', 'draft', 'archived', '-1'],
};

type KnownValues = Pick<KnownField, 'shape' | 'conversions'>;

function known(field: string, columns: string | readonly string[], values: FieldShape | KnownValues): KnownField {
    return {
        field,
        columns: typeof columns === 'string' ? [columns] : columns,
        ...(typeof values === 'string' ? { shape: values } : values),
    };
}

const split = (separator: string): readonly Conversion[] => [{ type: 'TRIM' }, { type: 'SPLIT', separator }];
/** Paths of categories: the text between two of them, and the text between two levels. */
const paths = (between: string, levels: string): readonly Conversion[] => [
    { type: 'TRIM' },
    { type: 'SPLIT', separator: between },
    { type: 'SPLIT', separator: levels },
];
const STOCK: readonly Conversion[] = [
    { type: 'TRIM' },
    { type: 'NUMBER', decimals: 'POINT' },
    { type: 'NEGATIVE_TO_ZERO' },
];
const MONEY: readonly Conversion[] = [{ type: 'TRIM' }, { type: 'NUMBER', decimals: 'POINT' }, { type: 'TO_CENTS' }];
const SWITCH: readonly Conversion[] = [{ type: 'TRIM' }, YES_NO];

/** States of orders for the payments that Shopify names. */
const ORDER_STATES: Conversion = {
    type: 'LOOKUP',
    values: {
        authorized: 'PaymentAuthorized',
        paid: 'PaymentSettled',
        partially_refunded: 'PaymentSettled',
        refunded: 'PaymentSettled',
        pending: 'ArrangingAdditionalPayment',
        partially_paid: 'ArrangingAdditionalPayment',
        voided: 'Cancelled',
        expired: 'Cancelled',
    },
};

/** Texts that are read as they were written. */
const AS_WRITTEN: KnownValues = { shape: 'ANY', conversions: [] };

/** As Flow writes lists: parts may contain the separator after a backslash. */
const OWN_LIST: readonly Conversion[] = [{ type: 'TRIM' }, { type: 'SPLIT', separator: '|', escaped: true }];

/** The code of the files that Flow's export wizard writes. */
export const OWN_EXPORT = 'flow-products';

/** The exports that are recognised, the more specific first. */
export const KNOWN_EXPORTS: readonly KnownExport[] = [
    {
        code: OWN_EXPORT,
        target: 'PRODUCTS',
        markers: ['sku', 'price', 'stock', 'enabled', 'taxCategory', 'optionGroups', 'optionValues', 'assets'],
        matchBy: 'sku',
        fields: [
            known('sku', 'sku', AS_WRITTEN),
            known('name', 'name*', AS_WRITTEN),
            known('price', 'price', 'PRICE'),
            known('stock', 'stock', 'WHOLE_NUMBER'),
            known('stock:*', 'stock:*', 'WHOLE_NUMBER'),
            known('slug', 'slug', AS_WRITTEN),
            known('description', 'description*', AS_WRITTEN),
            known('enabled', 'enabled', 'BOOLEAN'),
            known('taxCategory', 'taxCategory', AS_WRITTEN),
            known('assets', 'assets', { shape: 'IMAGE', conversions: OWN_LIST }),
            known('facet:*', 'facet:*', { shape: 'TAGS', conversions: OWN_LIST }),
            known('variants.0.name', 'variantName*', AS_WRITTEN),
            known('variants.0.enabled', 'variantEnabled', 'BOOLEAN'),
            known('variants.0.assets', 'variantAssets', { shape: 'IMAGE', conversions: OWN_LIST }),
            known('trackInventory', 'trackInventory', AS_WRITTEN),
            known('customFields.*', 'customFields.*', 'ANY'),
        ],
        // The slug of another language only joins rows.
        variants: {
            grouping: { kind: 'BY_COLUMN', column: 'slug*' },
            pairs: [{ nameColumn: 'optionGroups', valueColumn: 'optionValues', separator: '|', escaped: true }],
        },
    },
    {
        code: 'shopify-products',
        target: 'PRODUCTS',
        markers: [
            'Handle',
            'Title',
            'Body (HTML)',
            'Vendor',
            'Tags',
            'Published',
            'Option1 Name',
            'Option1 Value',
            'Variant SKU',
            'Variant Price',
            'Image Src',
        ],
        matchBy: 'slug',
        fields: [
            known('slug', 'Handle', 'CODE'),
            known('name', 'Title', 'NAME'),
            known('description', 'Body (HTML)', 'LONG_TEXT'),
            known('enabled', ['Status', 'Published'], { shape: 'BOOLEAN', conversions: SWITCH }),
            known('facet:Vendor', 'Vendor', { shape: 'WORD', conversions: [{ type: 'TRIM' }] }),
            known('facet:Type', 'Type', { shape: 'WORD', conversions: [{ type: 'TRIM' }] }),
            known('facet:Tag', 'Tags', { shape: 'TAGS', conversions: split(',') }),
            known('sku', 'Variant SKU', 'CODE'),
            known('price', 'Variant Price', { shape: 'PRICE', conversions: MONEY }),
            known('stock', 'Variant Inventory Qty', { shape: 'WHOLE_NUMBER', conversions: STOCK }),
            known('assets', 'Image Src', { shape: 'IMAGE', conversions: [{ type: 'TRIM' }] }),
            known('variants.0.assets', 'Variant Image', { shape: 'IMAGE', conversions: [{ type: 'TRIM' }] }),
        ],
        variants: {
            grouping: { kind: 'BY_COLUMN', column: 'Handle' },
            pairs: [1, 2, 3].map(n => ({ nameColumn: `Option${n} Name`, valueColumn: `Option${n} Value` })),
            skuFallback: '${key}-${n}',
        },
    },
    {
        code: 'shopify-orders',
        target: 'ORDERS',
        markers: [
            'Name',
            'Email',
            'Financial Status',
            'Fulfillment Status',
            'Currency',
            'Subtotal',
            'Total',
            'Lineitem quantity',
            'Lineitem name',
            'Lineitem price',
            'Lineitem sku',
            'Created at',
        ],
        matchBy: 'code',
        fields: [
            known('code', 'Name', 'CODE'),
            known('customer', 'Email', 'EMAIL'),
            known('state', 'Financial Status', { shape: 'WORD', conversions: [{ type: 'TRIM' }, ORDER_STATES] }),
            known('orderPlacedAt', 'Created at', 'DATE'),
            known('currencyCode', 'Currency', 'WORD'),
            known('lines.0.sku', 'Lineitem sku', 'CODE'),
            known('lines.0.quantity', 'Lineitem quantity', 'WHOLE_NUMBER'),
            known('lines.0.price', 'Lineitem price', { shape: 'PRICE', conversions: MONEY }),
            known('totalWithTax', 'Total', { shape: 'PRICE', conversions: MONEY }),
            known('shippingWithTax', 'Shipping', { shape: 'PRICE', conversions: MONEY }),
            ...shopifyAddress('shippingAddress', 'Shipping'),
            ...shopifyAddress('billingAddress', 'Billing'),
        ],
        variants: { grouping: { kind: 'BY_COLUMN', column: 'Name' } },
    },
    {
        code: 'shopify-customers',
        target: 'CUSTOMERS',
        markers: [
            'First Name',
            'Last Name',
            'Email',
            'Accepts Email Marketing',
            'Total Spent',
            'Total Orders',
            'Tags',
            'Note',
        ],
        matchBy: 'emailAddress',
        fields: [
            known('emailAddress', 'Email', 'EMAIL'),
            known('firstName', 'First Name', 'NAME'),
            known('lastName', 'Last Name', 'NAME'),
            known('phoneNumber', ['Phone', 'Default Address Phone'], 'PHONE'),
            known('addresses.0.company', ['Company', 'Default Address Company'], 'NAME'),
            known('addresses.0.streetLine1', ['Address1', 'Default Address Address1'], 'NAME'),
            known('addresses.0.streetLine2', ['Address2', 'Default Address Address2'], 'NAME'),
            known('addresses.0.city', ['City', 'Default Address City'], 'NAME'),
            known('addresses.0.province', ['Province Code', 'Province', 'Default Address Province Code'], 'NAME'),
            known('addresses.0.country', ['Country Code', 'Default Address Country Code'], 'COUNTRY'),
            known('addresses.0.postalCode', ['Zip', 'Default Address Zip'], 'POSTAL_CODE'),
        ],
    },
    {
        code: 'woocommerce-products',
        target: 'PRODUCTS',
        markers: [
            'ID',
            'Type',
            'SKU',
            'Name',
            'Published',
            'Short description',
            'Description',
            'Tax status',
            'Tax class',
            'In stock?',
            'Stock',
            'Sale price',
            'Regular price',
            'Categories',
            'Images',
            'Parent',
        ],
        matchBy: 'sku',
        fields: [
            known('sku', 'SKU', 'CODE'),
            known('name', 'Name', 'NAME'),
            known('description', 'Description', 'LONG_TEXT'),
            known('enabled', 'Published', { shape: 'BOOLEAN', conversions: SWITCH }),
            known('price', 'Regular price', 'PRICE'),
            known('stock', 'Stock', { shape: 'WHOLE_NUMBER', conversions: STOCK }),
            known('taxCategory', 'Tax class', 'TAX'),
            known('collections', 'Categories', { shape: 'CATEGORY', conversions: paths(',', '>') }),
            known('facet:Tag', 'Tags', { shape: 'TAGS', conversions: split(',') }),
            known('facet:Brand', 'Brands', { shape: 'TAGS', conversions: split(',') }),
            known('assets', 'Images', { shape: 'IMAGE', conversions: split(',') }),
        ],
        variants: {
            grouping: { kind: 'PARENT', column: 'Parent', key: 'SKU' },
            pairs: [1, 2, 3].map(n => ({ nameColumn: `Attribute ${n} name`, valueColumn: `Attribute ${n} value(s)` })),
        },
    },
    {
        code: 'magento2-products',
        target: 'PRODUCTS',
        markers: [
            'sku',
            'attribute_set_code',
            'product_type',
            'categories',
            'product_websites',
            'name',
            'description',
            'price',
            'url_key',
            'product_online',
            'tax_class_name',
            'visibility',
            'qty',
            'additional_attributes',
        ],
        matchBy: 'sku',
        fields: [
            known('sku', 'sku', 'CODE'),
            known('name', 'name', 'NAME'),
            known('description', 'description', 'LONG_TEXT'),
            known('slug', 'url_key', 'CODE'),
            known('price', 'price', { shape: 'PRICE', conversions: MONEY }),
            known('stock', 'qty', { shape: 'WHOLE_NUMBER', conversions: STOCK }),
            known('enabled', 'product_online', {
                shape: 'BOOLEAN',
                conversions: [{ type: 'TRIM' }, { type: 'BOOLEAN', yes: ['1'], no: ['2', '0'] }],
            }),
            known('taxCategory', 'tax_class_name', 'TAX'),
            known('collections', 'categories', { shape: 'CATEGORY', conversions: paths(',', '/') }),
            known('featuredAsset', 'base_image', 'IMAGE'),
            known('assets', 'additional_images', { shape: 'IMAGE', conversions: split(',') }),
        ],
    },
    {
        code: 'prestashop-products',
        target: 'PRODUCTS',
        markers: [
            'Product ID',
            'Active (0/1)',
            'Name *',
            'Categories (x,y,z...)',
            'Price tax excluded',
            'Tax rules ID',
            'Reference #',
            'Quantity',
            'Description',
            'URL rewritten',
            'Image URLs (x,y,z...)',
        ],
        matchBy: 'sku',
        fields: [
            known('sku', 'Reference #', 'CODE'),
            known('name', 'Name *', 'NAME'),
            known('slug', 'URL rewritten', 'CODE'),
            known('description', 'Description', 'LONG_TEXT'),
            known('enabled', 'Active (0/1)', { shape: 'BOOLEAN', conversions: SWITCH }),
            known('price', 'Price tax excluded', 'PRICE'),
            known('stock', 'Quantity', { shape: 'WHOLE_NUMBER', conversions: STOCK }),
            known('facet:Category', 'Categories (x,y,z...)', { shape: 'TAGS', conversions: split(',') }),
            known('facet:Brand', ['Brand', 'Manufacturer'], 'WORD'),
            known('facet:Tag', 'Tags (x,y,z...)', { shape: 'TAGS', conversions: split(',') }),
            known('assets', 'Image URLs (x,y,z...)', { shape: 'IMAGE', conversions: split(',') }),
        ],
    },
    {
        code: 'bigcommerce-products',
        target: 'PRODUCTS',
        markers: [
            'Item Type',
            'Product ID',
            'Product Name',
            'Product Type',
            'Product Code/SKU',
            'Brand Name',
            'Product Description',
            'Price',
            'Product Visible?',
            'Current Stock Level',
            'Category',
            'Product URL',
        ],
        matchBy: 'sku',
        fields: [
            known('sku', 'Product Code/SKU', 'CODE'),
            known('name', 'Product Name', 'NAME'),
            known('description', 'Product Description', 'LONG_TEXT'),
            known('price', 'Price', { shape: 'PRICE', conversions: MONEY }),
            known('stock', 'Current Stock Level', { shape: 'WHOLE_NUMBER', conversions: STOCK }),
            known('enabled', 'Product Visible?', {
                shape: 'BOOLEAN',
                conversions: [{ type: 'TRIM' }, { type: 'BOOLEAN', yes: ['y', 'true', '1'], no: ['n', 'false', '0'] }],
            }),
            known('facet:Brand', 'Brand Name', 'WORD'),
            known('collections', 'Category', { shape: 'CATEGORY', conversions: paths(';', '/') }),
            known('taxCategory', 'Product Tax Class', 'TAX'),
            known('assets', 'Product Image URL*', { shape: 'IMAGE', conversions: [{ type: 'TRIM' }] }),
        ],
    },
    {
        code: 'vendure-products',
        target: 'PRODUCTS',
        markers: [
            'name',
            'slug',
            'description',
            'assets',
            'facets',
            'optionGroups',
            'optionValues',
            'sku',
            'price',
            'taxCategory',
            'stockOnHand',
            'trackInventory',
            'variantAssets',
            'variantFacets',
        ],
        matchBy: 'slug',
        fields: [
            known('name', 'name', 'NAME'),
            known('slug', 'slug', 'CODE'),
            known('description', 'description', 'LONG_TEXT'),
            known('assets', 'assets', { shape: 'IMAGE', conversions: split('|') }),
            known('facetValues', 'facets', { shape: 'TAGS', conversions: split('|') }),
            known('sku', 'sku', 'CODE'),
            known('price', 'price', { shape: 'PRICE', conversions: MONEY }),
            known('taxCategory', 'taxCategory', 'TAX'),
            known('stock', 'stockOnHand', { shape: 'WHOLE_NUMBER', conversions: STOCK }),
            known('trackInventory', 'trackInventory', { shape: 'BOOLEAN', conversions: SWITCH }),
            known('variants.0.assets', 'variantAssets', { shape: 'IMAGE', conversions: split('|') }),
            known('variants.0.facetValues', 'variantFacets', { shape: 'TAGS', conversions: split('|') }),
            known('enabled', 'enabled', { shape: 'BOOLEAN', conversions: SWITCH }),
        ],
        variants: {
            grouping: { kind: 'CONTINUING', column: 'name' },
            pairs: [{ nameColumn: 'optionGroups', valueColumn: 'optionValues', separator: '|' }],
        },
    },
    {
        code: 'akeneo-products',
        target: 'PRODUCTS',
        markers: ['sku', 'categories', 'enabled', 'family', 'groups'],
        matchBy: 'sku',
        fields: [
            known('sku', 'sku', 'CODE'),
            known('name', ['name', 'name-*'], 'NAME'),
            known('description', ['description', 'description-*'], 'LONG_TEXT'),
            known('enabled', 'enabled', { shape: 'BOOLEAN', conversions: SWITCH }),
            known('price', 'price-*', { shape: 'PRICE', conversions: MONEY }),
            known('facet:Category', 'categories', { shape: 'TAGS', conversions: split(',') }),
            known('facet:Family', 'family', 'WORD'),
        ],
        // No variants: the file does not say which of its columns are their options.
    },
    {
        code: 'google-merchant',
        target: 'PRODUCTS',
        markers: ['id', 'title', 'description', 'link', 'image_link', 'availability', 'price', 'condition'],
        matchBy: 'sku',
        fields: [
            known('sku', 'id', 'CODE'),
            known('name', 'title', 'NAME'),
            known('description', 'description', 'LONG_TEXT'),
            known('price', 'price', 'PRICE'),
            known('featuredAsset', 'image_link', { shape: 'IMAGE', conversions: [{ type: 'TRIM' }] }),
            known('assets', 'additional_image_link', { shape: 'IMAGE', conversions: split(',') }),
            known('facet:Brand', 'brand', 'WORD'),
            known('collections', 'product_type', { shape: 'CATEGORY', conversions: paths(',', '>') }),
            known('option:Color', 'color', 'WORD'),
            known('option:Size', 'size', 'WORD'),
            known('facet:Material', 'material', 'WORD'),
        ],
        variants: { grouping: { kind: 'BY_COLUMN', column: 'item_group_id' } },
    },
    {
        code: 'amazon-flat-file',
        target: 'PRODUCTS',
        markers: [
            'item_sku',
            'item_name',
            'external_product_id',
            'external_product_id_type',
            'brand_name',
            'standard_price',
            'quantity',
            'main_image_url',
            'feed_product_type',
        ],
        matchBy: 'sku',
        fields: [
            known('sku', 'item_sku', 'CODE'),
            known('name', 'item_name', 'NAME'),
            known('description', 'product_description', 'LONG_TEXT'),
            known('price', 'standard_price', { shape: 'PRICE', conversions: MONEY }),
            known('stock', 'quantity', { shape: 'WHOLE_NUMBER', conversions: STOCK }),
            known('featuredAsset', 'main_image_url', { shape: 'IMAGE', conversions: [{ type: 'TRIM' }] }),
            known('assets', 'other_image_url*', { shape: 'IMAGE', conversions: [{ type: 'TRIM' }] }),
            known('facet:Brand', 'brand_name', 'WORD'),
            known('option:Color', 'color_name', 'WORD'),
            known('option:Size', 'size_name', 'WORD'),
        ],
        variants: { grouping: { kind: 'PARENT', column: 'parent_sku', key: 'item_sku' } },
    },
];

function shopifyAddress(prefix: string, title: string): readonly KnownField[] {
    return [
        known(`${prefix}.fullName`, `${title} Name`, 'NAME'),
        known(`${prefix}.company`, `${title} Company`, 'NAME'),
        known(`${prefix}.streetLine1`, [`${title} Address1`, `${title} Street`], 'NAME'),
        known(`${prefix}.streetLine2`, `${title} Address2`, 'NAME'),
        known(`${prefix}.city`, `${title} City`, 'NAME'),
        known(`${prefix}.postalCode`, `${title} Zip`, 'POSTAL_CODE'),
        known(`${prefix}.province`, `${title} Province`, 'NAME'),
        known(`${prefix}.country`, `${title} Country`, 'COUNTRY'),
        known(`${prefix}.phoneNumber`, `${title} Phone`, 'PHONE'),
    ];
}

const LEAST_MARKERS = 0.85;

/** The known export that a file is, by its columns: the one with most markers of which at least 85 % are there. */
export function detectExport(names: readonly string[]): KnownExport | undefined {
    const present = new Set(names.map(headerKeyOf));
    const found = KNOWN_EXPORTS.map(known => {
        const hits = known.markers.filter(marker => present.has(headerKeyOf(marker))).length;
        return { known, hits, share: hits / known.markers.length };
    }).filter(({ share }) => share >= LEAST_MARKERS);
    return found.sort((a, b) => b.hits - a.hits)[0]?.known;
}

/** The names of a file's columns that are meant by those of a known export, without regard to case and signs. */
export function matchColumns(wanted: readonly string[], names: readonly string[]): readonly string[] {
    return wanted.flatMap(pattern => {
        const isPrefix = pattern.endsWith('*') && !pattern.endsWith(' *');
        const key = headerKeyOf(isPrefix ? pattern.slice(0, -1) : pattern);
        return names.filter(name => {
            const other = headerKeyOf(name);
            return isPrefix ? other === key || other.startsWith(`${key} `) : other === key;
        });
    });
}
