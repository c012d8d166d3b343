import type { JsonObject } from '../value/json';
import { type BuiltinTemplate, templatePipeline } from './pipeline-template';

const EVERY_NIGHT = { type: 'SCHEDULE', cron: '0 4 * * *' } as const;
/** How many categories of a product become facet values. */
const MAX_CATEGORIES = 10;

/** Fields of the product in its first row, where `rowsToProduct` finds them. */
function inFirstRow(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(fields).map(([to, from]) => [`rows.0.product.${to}`, from]));
}

function productFields(names: readonly string[]): Readonly<Record<string, string>> {
    return Object.fromEntries(names.map(name => [name, `product.${name}`]));
}

const CENTS = { op: 'toCents', args: { source: 'price', target: 'price' } };
/** Oversold variants have a negative quantity. */
const NOT_NEGATIVE = {
    op: 'ifThenElse',
    args: { condition: [{ field: 'stock', cmp: 'lt', value: 0 }], thenValue: 0, target: 'stock' },
};
const NAMED = { rules: [{ type: 'required', spec: { field: 'name' } }] };

/** Shopify uses "Title" for products without options. */
const NO_OPTION = ['Title'];
const SHOPIFY_QUERY = `query ($first: Int!, $after: String) {
  products(first: $first, after: $after, sortKey: ID) {
    nodes {
      handle title descriptionHtml status vendor productType tags
      variants(first: 100) { nodes { sku price inventoryQuantity selectedOptions { name value } } }
    }
    pageInfo { hasNextPage endCursor }
  }
}
`;
const SHOPIFY_PRODUCT: JsonObject = {
    handle: 'shoe',
    title: 'Shoe',
    descriptionHtml: '<p>Good</p>',
    status: 'ACTIVE',
    vendor: 'Nordfjell',
    productType: '',
    tags: ['new'],
    variants: {
        nodes: [
            { sku: 'S-41', price: '19.95', inventoryQuantity: 4, selectedOptions: [{ name: 'Size', value: '41' }] },
            { sku: null, price: '24.50', inventoryQuantity: -1, selectedOptions: [{ name: 'Size', value: '42' }] },
        ],
    },
};
const SHOPIFY_UPDATE: JsonObject = {
    id: 788032119674,
    title: 'Example T-Shirt',
    handle: 'example-t-shirt',
    body_html: '<p>An example T-Shirt</p>',
    status: 'active',
    options: [{ name: 'Size', position: 1, values: ['Small', 'Medium'] }],
    variants: [
        { title: 'Small', sku: 'EXAMPLE-S', price: '19.99', option1: 'Small', option2: null, option3: null },
        { title: 'Medium', sku: 'EXAMPLE-M', price: '21.50', option1: 'Medium', option2: null, option3: null },
    ],
};

const WOO_FIELDS = {
    slug: 'slug',
    name: 'name',
    description: 'description',
    enabled: 'status',
    ...Object.fromEntries(
        Array.from({ length: MAX_CATEGORIES }, (_, n) => [`facetValues.Category.${n}`, `categories.${n}.name`]),
    ),
};
const WOO_VARIANT = ['id', 'sku', 'price', 'manage_stock', 'stock_quantity'];
const WOO_PRODUCT: JsonObject = {
    id: 1,
    type: 'simple',
    slug: 'shoe',
    name: 'Shoe',
    status: 'publish',
    sku: 'S-1',
    price: '19.95',
    categories: [{ name: 'Shoes' }],
    manage_stock: true,
    stock_quantity: 4,
};
const WOO_UPDATE: JsonObject = {
    id: 31,
    name: 'Beanie',
    slug: 'beanie',
    type: 'simple',
    status: 'publish',
    description: '<p>A warm beanie</p>',
    sku: 'WOO-BEANIE',
    price: '18.00',
    regular_price: '20.00',
    sale_price: '18.00',
};

/** The APIs and webhooks of other shops. */
export const shopApiTemplates: readonly BuiltinTemplate[] = [
    {
        code: 'shopify-live',
        group: 'SYNC',
        title: 'Products from Shopify',
        description: "Reads products with variants, options and stock from Shopify's Admin API, every night.",
        guide: 'recipes/shopify.md#admin-api',
        notes: ['Create an access token in Shopify that may read products and inventory.'],
        sample: [SHOPIFY_PRODUCT],
        definition: templatePipeline('shopify-live')
            .trigger('start', { type: 'MANUAL' })
            .trigger('nightly', EVERY_NIGHT)
            .extract('products', {
                adapterCode: 'graphql',
                connectionCode: 'shopify',
                url: '?',
                query: SHOPIFY_QUERY,
                dataPath: 'data.products.nodes',
                pagination: { type: 'RELAY', limit: 50 },
            })
            .transform('shape', [
                {
                    op: 'map',
                    args: {
                        mapping: {
                            handle: 'handle',
                            rows: 'variants.nodes',
                            ...inFirstRow({
                                slug: 'handle',
                                name: 'title',
                                description: 'descriptionHtml',
                                enabled: 'status',
                                'facetValues.Vendor': 'vendor',
                                'facetValues.Type': 'productType',
                                'facetValues.Tag': 'tags',
                            }),
                        },
                    },
                },
                {
                    op: 'rowsToProduct',
                    args: {
                        key: 'handle',
                        product: productFields(['slug', 'name', 'description', 'enabled', 'facetValues']),
                        variant: { sku: 'sku', price: 'price', stock: 'inventoryQuantity' },
                        options: [0, 1, 2].map(n => ({
                            nameColumn: `selectedOptions.${n}.name`,
                            valueColumn: `selectedOptions.${n}.value`,
                        })),
                        noOption: NO_OPTION,
                        skuFallback: '${key}-${n}',
                    },
                },
                { op: 'lookup', args: { source: 'enabled', map: { ACTIVE: true }, default: false, target: 'enabled' } },
                ...['facetValues.Vendor', 'facetValues.Type'].map(path => ({
                    op: 'lookup',
                    args: { source: path, map: { '': null }, target: path },
                })),
                { op: 'each', args: { path: 'variants', operators: [CENTS, NOT_NEGATIVE] } },
            ])
            .validate('check', NAMED)
            .load('load', { adapterCode: 'productUpsert', createMissingFacetValues: true })
            .build().definition,
    },
    {
        code: 'shopify-updates',
        group: 'SYNC',
        title: 'Changed products from Shopify by webhook',
        description: 'Receives each product that changes in Shopify and updates it at once.',
        guide: 'recipes/shopify.md#webhooks',
        notes: [
            'After publishing, create a webhook in Shopify with the topic "Product update" and the address of the trigger.',
        ],
        sample: [SHOPIFY_UPDATE],
        definition: templatePipeline('shopify-updates')
            .trigger('shopify', {
                type: 'WEBHOOK',
                authentication: 'HMAC',
                secretCode: 'shopify-hook',
                hmacHeaderName: 'X-Shopify-Hmac-SHA256',
                idempotencyKeyHeader: 'X-Shopify-Webhook-Id',
            })
            .transform('shape', [
                {
                    op: 'map',
                    args: {
                        mapping: {
                            handle: 'handle',
                            rows: 'variants',
                            ...inFirstRow({
                                slug: 'handle',
                                name: 'title',
                                description: 'body_html',
                                enabled: 'status',
                            }),
                            'rows.0.options': 'options',
                        },
                    },
                },
                {
                    op: 'rowsToProduct',
                    args: {
                        key: 'handle',
                        product: productFields(['slug', 'name', 'description', 'enabled']),
                        variant: { sku: 'sku', price: 'price' },
                        options: [0, 1, 2].map(n => ({
                            nameColumn: `options.${n}.name`,
                            valueColumn: `option${n + 1}`,
                        })),
                        noOption: NO_OPTION,
                        skuFallback: '${key}-${n}',
                    },
                },
                { op: 'lookup', args: { source: 'enabled', map: { active: true }, default: false, target: 'enabled' } },
                { op: 'each', args: { path: 'variants', operators: [CENTS] } },
            ])
            .validate('check', NAMED)
            .load('products', { adapterCode: 'productUpsert' })
            .build().definition,
    },
    {
        code: 'woo-products',
        group: 'SYNC',
        title: 'Products from WooCommerce',
        description: "Reads changed products with their variations from WooCommerce's REST API, every night.",
        guide: 'recipes/woocommerce.md#rest-api',
        notes: ['Create a read-only key in WooCommerce.'],
        sample: [WOO_PRODUCT],
        definition: templatePipeline('woo-products')
            .trigger('start', { type: 'MANUAL' })
            .trigger('nightly', EVERY_NIGHT)
            .extract('products', {
                adapterCode: 'httpApi',
                connectionCode: 'woo',
                url: '/products?orderby=id&order=asc&dates_are_gmt=true',
                pagination: { type: 'PAGE', limit: 100, pageSizeParam: 'per_page' },
                incremental: { param: 'modified_after' },
            })
            .route('kinds', { branches: [{ name: 'variable', when: [{ field: 'type', value: 'variable' }] }] })
            .transform('variations', [
                {
                    op: 'httpLookup',
                    args: {
                        connectionCode: 'woo',
                        url: '/products/{{id}}/variations?per_page=100',
                        target: 'variations',
                        failOnError: true,
                        cacheTtlSec: 0,
                    },
                },
                { op: 'map', args: { mapping: { rows: 'variations', ...inFirstRow(WOO_FIELDS) } } },
            ])
            .transform('single', [
                {
                    op: 'map',
                    args: {
                        mapping: {
                            ...Object.fromEntries(WOO_VARIANT.map(name => [`rows.0.${name}`, name])),
                            ...inFirstRow(WOO_FIELDS),
                        },
                    },
                },
            ])
            .transform('shape', [
                {
                    op: 'rowsToProduct',
                    args: {
                        product: productFields(['slug', 'name', 'description', 'enabled', 'facetValues']),
                        variant: {
                            sku: 'sku',
                            price: 'price',
                            stock: 'stock_quantity',
                            id: 'id',
                            isManaged: 'manage_stock',
                        },
                        options: [0, 1, 2].map(n => ({
                            nameColumn: `attributes.${n}.name`,
                            valueColumn: `attributes.${n}.option`,
                        })),
                        skuFallback: 'woo-${id}',
                    },
                },
                {
                    op: 'lookup',
                    args: { source: 'enabled', map: { publish: true }, default: false, target: 'enabled' },
                },
                {
                    op: 'each',
                    args: {
                        path: 'variants',
                        operators: [
                            { op: 'validateRequired', args: { fields: ['price'] } },
                            CENTS,
                            NOT_NEGATIVE,
                            // Only the stock that the variant manages itself is kept.
                            {
                                op: 'ifThenElse',
                                args: {
                                    condition: [{ field: 'isManaged', cmp: 'ne', value: true }],
                                    thenValue: null,
                                    target: 'stock',
                                },
                            },
                            { op: 'coalesce', args: { paths: ['stock'], target: 'level' } },
                            { op: 'omit', args: { fields: ['id', 'isManaged', 'stock'] } },
                            { op: 'map', args: { mapping: { stock: 'level' }, passthrough: true } },
                        ],
                    },
                },
            ])
            .validate('check', NAMED)
            .load('load', { adapterCode: 'productUpsert', createMissingFacetValues: true })
            .edge('start', 'products')
            .edge('nightly', 'products')
            .edge('products', 'kinds')
            .edge('kinds', 'variations', 'variable')
            .edge('kinds', 'single', 'default')
            .edge('variations', 'shape')
            .edge('single', 'shape')
            .edge('shape', 'check')
            .edge('check', 'load')
            .build().definition,
    },
    {
        code: 'woo-updates',
        group: 'SYNC',
        title: 'Changed products from WooCommerce by webhook',
        description: 'Receives each simple product that changes in WooCommerce and updates it at once.',
        guide: 'recipes/woocommerce.md#webhooks',
        notes: [
            'After publishing, create a webhook in WooCommerce with the topic "Product updated" and the address of the trigger.',
        ],
        sample: [WOO_UPDATE],
        definition: templatePipeline('woo-updates')
            .trigger('woo', {
                type: 'WEBHOOK',
                authentication: 'HMAC',
                secretCode: 'woo-hook',
                hmacHeaderName: 'X-WC-Webhook-Signature',
                idempotencyKeyHeader: 'X-WC-Webhook-Delivery-ID',
            })
            .validate('check', {
                rules: [
                    { type: 'enum', spec: { field: 'type', enum: ['simple'] } },
                    { type: 'required', spec: { field: 'sku' } },
                    { type: 'pattern', spec: { field: 'price', pattern: '^[0-9]+(\\.[0-9]{1,2})?$' } },
                ],
            })
            .transform('shape', [
                CENTS,
                {
                    op: 'ifThenElse',
                    args: {
                        condition: { field: 'status', value: 'publish' },
                        thenValue: true,
                        elseValue: false,
                        target: 'enabled',
                    },
                },
                { op: 'pick', args: { fields: ['sku', 'slug', 'name', 'description', 'price', 'enabled'] } },
            ])
            .load('products', { adapterCode: 'productUpsert' })
            .build().definition,
    },
];
