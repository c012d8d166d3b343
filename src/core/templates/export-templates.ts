import type { JsonObject } from '../value/json';
import { type BuiltinTemplate, templatePipeline } from './pipeline-template';

const VARIANT: JsonObject = {
    id: '1',
    sku: 'LAMP-1',
    name: 'Desk lamp',
    price: 4995,
    currencyCode: 'EUR',
    enabled: true,
    productId: '17',
    product: {
        name: 'Desk lamp',
        slug: 'desk-lamp',
        description: 'Bright',
        featuredAsset: { preview: 'preview/lamp.jpg' },
        customFields: { brand: 'Nordfjell' },
    },
    stockLevels: [{ stockOnHand: 12 }],
    customFields: { gtin: '4006381333931' },
};

/** Reads the shop's enabled variants with what a feed needs. */
const FEED_VARIANTS = {
    adapterCode: 'platformQuery',
    entity: 'PRODUCT_VARIANT',
    relations: ['product', 'product.featuredAsset', 'stockLevels'],
    filters: [{ field: 'enabled', operator: 'eq', value: true }],
};

/** The attributes that Google and Meta share, from fields of the variant. */
const FEED_MAPPING = {
    id: 'sku',
    title: 'name',
    description: 'product.description',
    link: 'link',
    image_link: 'image',
    availability: 'stockLevels.0.stockOnHand',
    price: 'price',
    currencyCode: 'currencyCode',
    brand: 'product.customFields.brand',
    gtin: 'customFields.gtin',
    item_group_id: 'productId',
};
const FEED_ADDRESSES = [
    { op: 'template', args: { template: 'https://shop.example.com/products/${product.slug}', target: 'link' } },
    {
        op: 'template',
        args: { template: 'https://shop.example.com/assets/${product.featuredAsset.preview}', target: 'image' },
    },
];
const FEED_NOTES = [
    'Map brand and GTIN to the custom fields of your shop.',
    'After the first run, create an address for the file under Feeds.',
];

/** Files and requests with the shop's data. */
export const exportTemplates: readonly BuiltinTemplate[] = [
    {
        code: 'pim-product-export',
        group: 'EXPORT',
        title: 'Product Export for PIM (JSON)',
        description: 'Sends all products as JSON lists to a PIM, with translations, variants and decimal prices.',
        guide: 'pimcore.md#export-products-to-a-pim',
        notes: ['Set the address of your PIM in the step pim.'],
        sample: [
            {
                id: '17',
                enabled: true,
                translations: [
                    { languageCode: 'en', name: 'Desk lamp', slug: 'desk-lamp', description: 'Bright', baseId: '17' },
                ],
                variants: [
                    {
                        id: '1',
                        sku: 'LAMP-1',
                        price: 4995,
                        currencyCode: 'EUR',
                        enabled: true,
                        stockLevels: [{ stockOnHand: 12 }],
                    },
                ],
            },
        ],
        definition: templatePipeline('pim-product-export')
            .throughput({ batchSize: 500 })
            .trigger('start', { type: 'MANUAL' })
            .extract('products', {
                adapterCode: 'platformQuery',
                entity: 'PRODUCT',
                relations: ['variants.stockLevels'],
                flattenTranslations: false,
                includeFields: ['id', 'enabled', 'translations', 'variants'],
                batchSize: 500,
            })
            .transform('shape', [
                {
                    op: 'each',
                    args: {
                        path: 'translations',
                        operators: [{ op: 'pick', args: { fields: ['languageCode', 'name', 'slug', 'description'] } }],
                    },
                },
                {
                    op: 'each',
                    args: {
                        path: 'variants',
                        operators: [
                            { op: 'math', args: { operation: 'divide', source: 'price', operand: 100, decimals: 2 } },
                            { op: 'copy', args: { source: 'stockLevels.0.stockOnHand', target: 'stockQuantity' } },
                            {
                                op: 'pick',
                                args: { fields: ['sku', 'price', 'currencyCode', 'stockQuantity', 'enabled'] },
                            },
                        ],
                    },
                },
                { op: 'rename', args: { from: 'enabled', to: 'published' } },
            ])
            .sink('pim', {
                adapterCode: 'webhook',
                url: 'https://pim.example.com/import/products',
                apiKeySecretCode: 'pim-import-key',
                batchSize: 500,
            })
            .build().definition,
    },
    {
        code: 'products-to-sftp',
        group: 'EXPORT',
        title: 'Products as CSV to an SFTP server',
        description: 'Writes all variants with names, prices and stock into a CSV file and uploads it every night.',
        guide: 'exports-and-feeds.md#example-products-on-an-sftp-server',
        notes: ['Set the folder and the columns in the step export.'],
        sample: [VARIANT],
        definition: templatePipeline('products-to-sftp')
            .throughput({ batchSize: 5000 })
            .trigger('start', { type: 'MANUAL' })
            .trigger('nightly', { type: 'SCHEDULE', cron: '0 2 * * *' })
            .extract('variants', {
                adapterCode: 'platformQuery',
                entity: 'PRODUCT_VARIANT',
                relations: ['product', 'stockLevels'],
            })
            .transform('row', [
                { op: 'math', args: { operation: 'divide', source: 'price', operand: 100, decimals: 2 } },
                {
                    op: 'map',
                    args: {
                        mapping: {
                            sku: 'sku',
                            name: 'name',
                            product: 'product.name',
                            slug: 'product.slug',
                            description: 'product.description',
                            price: 'price',
                            currency: 'currencyCode',
                            stock: 'stockLevels.0.stockOnHand',
                            enabled: 'enabled',
                        },
                    },
                },
            ])
            .sink('export', {
                adapterCode: 'fileExport',
                format: 'CSV',
                columns: ['sku', 'name', 'product', 'slug', 'description', 'price', 'currency', 'stock', 'enabled'],
                fileName: 'products-${date}.csv',
                connectionCode: 'partner-sftp',
                folder: 'in/products',
            })
            .build().definition,
    },
    {
        code: 'prices-to-customer',
        group: 'EXPORT',
        title: "A price list on a customer's SFTP server",
        description: 'Writes SKU, name and price of all variants into a CSV file and uploads it every night.',
        guide: 'exports-and-feeds.md#example-a-price-list-on-a-customers-sftp-server',
        notes: ['Set the folder in the step export. Prices are in the smallest unit of the currency.'],
        sample: [VARIANT],
        definition: templatePipeline('prices-to-customer')
            .throughput({ batchSize: 5000 })
            .trigger('nightly', { type: 'SCHEDULE', cron: '0 2 * * *' })
            .extract('variants', { adapterCode: 'platformQuery', entity: 'PRODUCT_VARIANT' })
            .sink('export', {
                adapterCode: 'fileExport',
                format: 'CSV',
                columns: ['sku', 'name', 'price', 'currencyCode'],
                delimiter: ';',
                fileName: 'prices-${date}.csv',
                connectionCode: 'customer-sftp',
                folder: 'in/prices',
            })
            .build().definition,
    },
    {
        code: 'google-feed',
        group: 'FEEDS',
        title: 'Google product feed',
        description:
            'Writes an XML feed for Google Merchant Center every hour and checks it against the rules of Google.',
        guide: 'exports-and-feeds.md#google-and-meta-feeds',
        notes: ['Set the addresses of your shop in the steps attributes and feed.', ...FEED_NOTES],
        sample: [VARIANT],
        definition: templatePipeline('google-feed')
            .throughput({ batchSize: 500 })
            .trigger('hourly', { type: 'SCHEDULE', cron: '0 * * * *' })
            .extract('variants', FEED_VARIANTS)
            .transform('attributes', [...FEED_ADDRESSES, { op: 'map', args: { mapping: FEED_MAPPING } }])
            .sink('feed', {
                adapterCode: 'fileExport',
                format: 'XML',
                feed: 'googleMerchant',
                exportCode: 'google-de',
                country: 'DE',
                pricesIncludeTax: true,
                feedTitle: 'Example shop',
                feedLink: 'https://shop.example.com',
            })
            .build().definition,
    },
    {
        code: 'meta-feed',
        group: 'FEEDS',
        title: 'Meta catalog feed',
        description: 'Writes a CSV feed for Facebook and Instagram every hour and checks it against the rules of Meta.',
        guide: 'exports-and-feeds.md#google-and-meta-feeds',
        notes: ['Set the address of your shop in the step attributes.', ...FEED_NOTES],
        sample: [VARIANT],
        definition: templatePipeline('meta-feed')
            .throughput({ batchSize: 500 })
            .trigger('hourly', { type: 'SCHEDULE', cron: '30 * * * *' })
            .extract('variants', FEED_VARIANTS)
            .transform('attributes', [
                ...FEED_ADDRESSES,
                { op: 'map', args: { mapping: FEED_MAPPING } },
                { op: 'set', args: { path: 'condition', value: 'new' } },
            ])
            .sink('feed', {
                adapterCode: 'fileExport',
                format: 'CSV',
                feed: 'metaCatalog',
                exportCode: 'meta',
                country: 'DE',
                pricesIncludeTax: true,
            })
            .build().definition,
    },
];
