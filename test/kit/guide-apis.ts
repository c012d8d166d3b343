import type { JsonObject, JsonValue } from '../../src/core/value/json';
import type { OutboundStreamRequest } from '../../src/core/adapter/outbound';
import type { FakeStream } from '../../src/testing/fake-outbound';

/** The APIs that the pipelines of the guides call, and their credentials. */
export const GUIDE_CONNECTIONS = {
    erp: { type: 'HTTP', settings: { baseUrl: 'https://erp.example.com' } },
    'erp-api': { type: 'REST', settings: { baseUrl: 'https://erp.example.com/api/v2' } },
    'brand-shop': { type: 'GRAPHQL', settings: { baseUrl: 'https://brand.example.com' } },
    woo: { type: 'REST', settings: { baseUrl: 'https://shop.example.com/wp-json/wc/v3' } },
    shopify: {
        type: 'GRAPHQL',
        settings: { baseUrl: 'https://my-shop.myshopify.com/admin/api/2026-10/graphql.json' },
    },
};

const ARTICLES: readonly JsonObject[] = [
    { number: 'A-1', title: 'Shoe', gross: '19.95' },
    { number: 'A-2', title: 'Sock', gross: 4.5 },
];
const WOO: readonly JsonObject[] = [
    {
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
    },
    { id: 2, type: 'variable', slug: 'sock', name: 'Sock', status: 'publish', sku: '', price: '4.5', categories: [] },
    { id: 3, type: 'simple', slug: 'draft', name: 'Draft', status: 'draft', sku: '', price: '' },
];
const VARIATIONS: readonly JsonObject[] = [
    { id: 21, sku: 'K-S', price: '4.5', manage_stock: 'parent', attributes: [{ name: 'Size', option: 'S' }] },
    {
        id: 22,
        sku: '',
        price: '5',
        manage_stock: true,
        stock_quantity: -2,
        attributes: [{ name: 'Size', option: 'M' }],
    },
];
const SHOPIFY: JsonObject = {
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

/** An API answers as its vendor documents; other addresses do not exist. */
export function guideApi({ url, body }: Pick<OutboundStreamRequest, 'url' | 'body'>): FakeStream {
    const { host, pathname, searchParams } = new URL(url);
    const isFirst = Number(searchParams.get('page') ?? 1) === 1;
    const { variables = {} } = typeof body === 'string' ? (JSON.parse(body) as { variables?: { after?: string } }) : {};
    switch (`${host}${pathname}`) {
        case 'erp.example.com/api/v2/articles':
            return json({ data: isFirst ? ARTICLES : [], total: ARTICLES.length });
        case 'brand.example.com/shop-api':
            return json({
                data: { products: { items: [{ slug: 'shoe', name: 'Shoe', description: '' }], totalItems: 1 } },
            });
        case 'shop.example.com/wp-json/wc/v3/products':
            return searchParams.get('orderby') === 'id' ? json(isFirst ? WOO : []) : { status: 400, body: [] };
        case 'shop.example.com/wp-json/wc/v3/products/2/variations':
            return json(VARIATIONS);
        case 'my-shop.myshopify.com/admin/api/2026-10/graphql.json': {
            const isEnd = variables.after !== undefined;
            const pageInfo = { hasNextPage: !isEnd, endCursor: isEnd ? null : 'c1' };
            return json({
                data: {
                    products: { nodes: [isEnd ? { ...SHOPIFY, handle: 'boot', title: 'Boot' } : SHOPIFY], pageInfo },
                },
            });
        }
    }
    return { status: 404, body: [] };
}

function json(value: JsonValue): FakeStream {
    return { headers: { 'content-type': 'application/json' }, body: [JSON.stringify(value)] };
}
