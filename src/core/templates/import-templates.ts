import type { JsonObject } from '../value/json';
import { knownExportPipeline } from './known-export-pipeline';
import { type BuiltinTemplate, csvTextOf, templatePipeline } from './pipeline-template';

const PRICE_LIST = [
    { sku: 'LA-1', name: 'Desk lamp', price: '49.00', stock: '12' },
    { sku: 'LA-2', name: 'Floor lamp', price: '129.90', stock: '3' },
    { sku: 'LA-3', name: 'Lampshade', price: '19.50', stock: '40' },
];

const SHOPIFY_COLUMNS = [
    ...['Handle', 'Title', 'Body (HTML)', 'Vendor', 'Type', 'Tags', 'Published'],
    ...[1, 2, 3].flatMap(n => [`Option${n} Name`, `Option${n} Value`]),
    ...['Variant SKU', 'Variant Inventory Qty', 'Variant Price', 'Image Src', 'Variant Image', 'Status'],
];
const SHOPIFY_PRODUCTS: readonly JsonObject[] = [
    {
        Handle: 'linen-apron',
        Title: 'Linen apron',
        'Body (HTML)': '<p>Washed linen.</p>',
        Vendor: 'Nordfjell',
        Type: 'Apron',
        Tags: 'kitchen, linen',
        Published: 'true',
        'Option1 Name': 'Colour',
        'Option1 Value': 'Moss',
        'Variant SKU': 'APRON-M',
        'Variant Inventory Qty': '4',
        'Variant Price': '39.95',
        Status: 'active',
    },
    {
        Handle: 'linen-apron',
        'Option1 Value': 'Slate',
        'Variant Inventory Qty': '-2',
        'Variant Price': '39.95',
    },
    {
        Handle: 'oak-board',
        Title: 'Oak board',
        Vendor: 'Nordfjell',
        Type: 'Board',
        Published: 'true',
        'Option1 Name': 'Title',
        'Option1 Value': 'Default Title',
        'Variant SKU': 'OAK-1',
        'Variant Inventory Qty': '7',
        'Variant Price': '24.50',
        Status: 'draft',
    },
];

const WOOCOMMERCE_COLUMNS = [
    ...['ID', 'Type', 'SKU', 'Name', 'Published', 'Short description', 'Description', 'Tax status', 'Tax class'],
    ...['In stock?', 'Stock', 'Sale price', 'Regular price', 'Categories', 'Tags', 'Images', 'Parent', 'Brands'],
    ...[1, 2, 3].flatMap(n => [`Attribute ${n} name`, `Attribute ${n} value(s)`]),
];
const WOOCOMMERCE_PRODUCTS: readonly JsonObject[] = [
    {
        ID: '31',
        Type: 'simple',
        SKU: 'WOO-BEANIE',
        Name: 'Beanie',
        Published: '1',
        Description: 'A warm beanie.',
        'In stock?': '1',
        Stock: '14',
        'Regular price': '20.00',
        Categories: 'Clothing > Accessories',
        Tags: 'wool',
    },
    {
        ID: '32',
        Type: 'variable',
        SKU: 'WOO-HOODIE',
        Name: 'Hoodie',
        Published: '1',
        'In stock?': '1',
        Categories: 'Clothing',
        'Attribute 1 name': 'Size',
        'Attribute 1 value(s)': 'S, M',
    },
    {
        ID: '33',
        Type: 'variation',
        SKU: 'WOO-HOODIE-S',
        Name: 'Hoodie - S',
        Published: '1',
        'In stock?': '1',
        Stock: '3',
        'Regular price': '45.00',
        Parent: 'WOO-HOODIE',
        'Attribute 1 name': 'Size',
        'Attribute 1 value(s)': 'S',
    },
    {
        ID: '34',
        Type: 'variation',
        SKU: 'WOO-HOODIE-M',
        Name: 'Hoodie - M',
        Published: '1',
        'In stock?': '1',
        Stock: '5',
        'Regular price': '45.00',
        Parent: 'WOO-HOODIE',
        'Attribute 1 name': 'Size',
        'Attribute 1 value(s)': 'M',
    },
];

const VENDURE_COLUMNS = [
    ...['name', 'slug', 'description', 'assets', 'facets', 'optionGroups', 'optionValues', 'sku', 'price'],
    ...['taxCategory', 'stockOnHand', 'trackInventory', 'variantAssets', 'variantFacets'],
];
const VENDURE_PRODUCTS: readonly JsonObject[] = [
    {
        name: 'Field laptop',
        slug: 'field-laptop',
        description: 'Sturdy and easy to mend.',
        facets: 'category:Computers|brand:Nordfjell',
        optionGroups: 'screen',
        optionValues: '13 inch',
        sku: 'FL-13',
        price: '1299.00',
        taxCategory: 'standard',
        stockOnHand: '10',
        trackInventory: 'true',
    },
    { optionValues: '15 inch', sku: 'FL-15', price: '1499.00', taxCategory: 'standard', stockOnHand: '4' },
    {
        name: 'Reading lamp',
        slug: 'reading-lamp',
        sku: 'LAMP-9',
        price: '24.50',
        taxCategory: 'standard',
        stockOnHand: '12',
        variantFacets: 'room:Study',
    },
];
/** The names of Vendure's own sample data. */
const TAX_CATEGORIES = { standard: 'Standard Tax', reduced: 'Reduced Tax', zero: 'Zero Tax' };

const CUSTOMERS: readonly JsonObject[] = [
    {
        Mail: 'anna@example.com',
        'First name': 'Anna',
        'Last name': 'Lund',
        Street: 'Quay 1',
        Zip: '20095',
        City: 'Hamburg',
        Country: 'de',
    },
    { Mail: 'ben@example.com', 'First name': 'Ben', 'Last name': 'Ode' },
];

const SHOPIFY_LINES: readonly JsonObject[] = [
    { sku: 'S-41', price: '19.95', inventoryQuantity: 4 },
    { sku: 'S-42', price: '24.50', inventoryQuantity: 0 },
];

/** Files that people upload. */
export const importTemplates: readonly BuiltinTemplate[] = [
    {
        code: 'price-list',
        group: 'IMPORT',
        title: 'Products from a price list',
        description: 'Cleans and validates a CSV file and imports products with prices and stock.',
        guide: 'installing.md#7-create-a-pipeline',
        sample: PRICE_LIST,
        definition: templatePipeline('price-list')
            .trigger('start', { type: 'MANUAL' })
            .extract('price-list', { adapterCode: 'csv', csvText: csvTextOf(PRICE_LIST) })
            .transform('to-product', [
                { op: 'trim', args: { path: 'sku' } },
                { op: 'trim', args: { path: 'name' } },
                { op: 'toCents', args: { source: 'price', target: 'price' } },
                { op: 'toNumber', args: { source: 'stock' } },
                { op: 'slugify', args: { source: 'name', target: 'slug' } },
            ])
            .validate('check', {
                rules: ['sku', 'name', 'price'].map(field => ({ type: 'required', spec: { field } })),
            })
            .load('products', { adapterCode: 'productUpsert', matchBy: 'sku' })
            .build().definition,
    },
    {
        code: 'shopify-products',
        group: 'IMPORT',
        title: 'Products from a Shopify export',
        description: "Imports Shopify's product file with variants, options, stock, facets and pictures.",
        guide: 'recipes/shopify.md#product-export',
        sample: SHOPIFY_PRODUCTS,
        definition: knownExportPipeline({
            code: 'shopify-products',
            columns: SHOPIFY_COLUMNS,
            csvText: csvTextOf(SHOPIFY_PRODUCTS, SHOPIFY_COLUMNS),
        }),
    },
    {
        code: 'shopify-stock',
        group: 'IMPORT',
        title: 'Prices and stock from a Shopify bulk operation',
        description: "Updates prices and stock of existing variants from the lines of Shopify's bulk file.",
        guide: 'recipes/shopify.md#bulk-operation',
        sample: SHOPIFY_LINES,
        definition: templatePipeline('shopify-stock')
            .trigger('start', { type: 'MANUAL' })
            .extract('variants', {
                adapterCode: 'json',
                jsonText: SHOPIFY_LINES.map(line => `${JSON.stringify(line)}\n`).join(''),
            })
            .transform('shape', [
                { op: 'map', args: { mapping: { sku: 'sku', price: 'price', stock: 'inventoryQuantity' } } },
                { op: 'validateRequired', args: { fields: ['sku', 'price'] } },
                { op: 'toCents', args: { source: 'price', target: 'price' } },
            ])
            .load('load', { adapterCode: 'variantUpsert', strategy: 'UPDATE' })
            .build().definition,
    },
    {
        code: 'woocommerce-products',
        group: 'IMPORT',
        title: 'Products from a WooCommerce export',
        description: "Imports WooCommerce's product file with variations, categories and pictures.",
        guide: 'recipes/woocommerce.md#product-export',
        sample: WOOCOMMERCE_PRODUCTS,
        definition: knownExportPipeline({
            code: 'woocommerce-products',
            columns: WOOCOMMERCE_COLUMNS,
            csvText: csvTextOf(WOOCOMMERCE_PRODUCTS, WOOCOMMERCE_COLUMNS),
        }),
    },
    {
        code: 'vendure-products',
        group: 'IMPORT',
        title: "Products from Vendure's product file",
        description: "Imports the CSV format of Vendure's own importer.",
        guide: 'recipes/vendure.md',
        sample: VENDURE_PRODUCTS,
        notes: ['Enter the names of your tax categories in the step to-product.'],
        definition: knownExportPipeline({
            code: 'vendure-products',
            columns: VENDURE_COLUMNS,
            csvText: csvTextOf(VENDURE_PRODUCTS, VENDURE_COLUMNS),
            // They name files, not addresses.
            omitted: ['assets', 'variants.0.assets'],
            conversions: { taxCategory: [{ type: 'TRIM' }, { type: 'LOOKUP', values: TAX_CATEGORIES }] },
        }),
    },
    {
        code: 'customers',
        group: 'IMPORT',
        title: 'Customers with addresses',
        description: 'Imports one customer per row with an address and groups. Existing addresses and groups are kept.',
        guide: 'customers.md',
        sample: CUSTOMERS,
        notes: ['Create the customer groups that the file names.'],
        definition: templatePipeline('customers')
            .trigger('start', { type: 'MANUAL' })
            .extract('file', { adapterCode: 'csv', csvText: csvTextOf(CUSTOMERS) })
            .transform('to-customer', [
                {
                    op: 'map',
                    args: {
                        mapping: {
                            emailAddress: 'Mail',
                            firstName: 'First name',
                            lastName: 'Last name',
                            groups: 'Groups',
                            'address.streetLine1': 'Street',
                            'address.postalCode': 'Zip',
                            'address.city': 'City',
                            'address.country': 'Country',
                        },
                    },
                },
                { op: 'validateRequired', args: { fields: ['emailAddress', 'firstName', 'lastName'] } },
                { op: 'uppercase', args: { path: 'address.country' } },
                { op: 'split', args: { source: 'groups', target: 'groups', delimiter: '|' } },
                { op: 'copy', args: { source: 'address', target: 'addresses.0' } },
                { op: 'remove', args: { path: 'address' } },
            ])
            .load('customers', { adapterCode: 'customerUpsert', addressesMode: 'MERGE', groupsMode: 'MERGE' })
            .build().definition,
    },
];
