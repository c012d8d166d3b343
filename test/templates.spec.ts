import { builtinTemplates } from '../src/core/templates/builtin-templates';
import { type BuiltinTemplate, TEMPLATE_GROUPS } from '../src/core/templates/pipeline-template';
import type { JsonObject } from '../src/core/value/json';
import type { DefinitionInput, StepDefinition } from '../src/core/pipeline/definition';
import { checkDefinition, parseDefinition } from '../src/core/pipeline/parse';
import { availableTemplates } from '../src/plugin/api/template.resolver';
import { setUp } from '../src/plugin/setup';
import { type PipelineTest, runPipeline } from '../src/testing/run';
import { GUIDE_CONNECTIONS } from './kit/guide-apis';
import { type GuideBlock, guideBlocks } from './kit/guide-blocks';
import { pipelinesOf, type Shown } from './kit/guide-pipelines';
import { guideAnchors, headingAnchor } from './kit/guide-headings';

const { registry } = setUp({});
const byCode = builtinTemplates.map(template => [template.code, template] as const);

/** What a template makes of its sample: the records that reach each LOAD and SINK step, and the fields that reject one. */
interface Expected {
    readonly loaded: Readonly<Record<string, readonly JsonObject[]>>;
    readonly rejected?: readonly string[];
}

const LAMPS = [
    { sku: 'LA-1', name: 'Desk lamp', slug: 'desk-lamp', price: 4900, stock: 12 },
    { sku: 'LA-2', name: 'Floor lamp', slug: 'floor-lamp', price: 12990, stock: 3 },
];
const FEED_ITEM = {
    id: 'LAMP-1',
    title: 'Desk lamp',
    description: 'Bright',
    link: 'https://shop.example.com/products/desk-lamp',
    image_link: 'https://shop.example.com/assets/preview/lamp.jpg',
    availability: 12,
    price: 4995,
    currencyCode: 'EUR',
    brand: 'Nordfjell',
    gtin: '4006381333931',
    item_group_id: '17',
};
const DOCUMENT = {
    id: '17',
    name: 'Desk lamp',
    slug: 'desk-lamp',
    description: 'Bright',
    enabled: true,
    image: 'preview/lamp.jpg',
    variants: [{ sku: 'LAMP-1', price: 4995, currencyCode: 'EUR' }],
    facetValues: [{ id: '3', name: 'Study' }],
};
const LEVELS: Expected = { loaded: { stock: [{ sku: 'LAMP-1', stock: 12 }] }, rejected: ['available'] };

const collection = (parent: readonly string[], name: string, facetValue: string): JsonObject => ({
    parent: [...parent],
    name,
    filters: [{ code: 'facet-value-filter', args: { facetValueIds: [facetValue], containsAny: true } }],
});

const EXPECTED: Readonly<Record<string, Expected>> = {
    'price-list': {
        loaded: { products: [...LAMPS, { sku: 'LA-3', name: 'Lampshade', slug: 'lampshade', price: 1950, stock: 40 }] },
    },
    'shopify-products': {
        loaded: {
            products: [
                {
                    slug: 'linen-apron',
                    name: 'Linen apron',
                    description: '<p>Washed linen.</p>',
                    enabled: true,
                    facetValues: { Vendor: 'Nordfjell', Type: 'Apron', Tag: ['kitchen', 'linen'] },
                    variants: [
                        { sku: 'APRON-M', price: 3995, stock: 4, options: { Colour: 'Moss' } },
                        { sku: 'linen-apron-2', price: 3995, stock: 0, options: { Colour: 'Slate' } },
                    ],
                },
                {
                    slug: 'oak-board',
                    name: 'Oak board',
                    enabled: false,
                    facetValues: { Vendor: 'Nordfjell', Type: 'Board' },
                    variants: [{ sku: 'OAK-1', price: 2450, stock: 7 }],
                },
            ],
        },
    },
    'shopify-stock': {
        loaded: {
            load: [
                { sku: 'S-41', price: 1995, stock: 4 },
                { sku: 'S-42', price: 2450, stock: 0 },
            ],
        },
    },
    'woocommerce-products': {
        loaded: {
            products: [
                {
                    name: 'Beanie',
                    description: 'A warm beanie.',
                    enabled: true,
                    facetValues: { Categories: ['Clothing', 'Clothing > Accessories'], Tag: ['wool'] },
                    variants: [{ sku: 'WOO-BEANIE', price: 2000, stock: 14 }],
                },
                {
                    name: 'Hoodie',
                    enabled: true,
                    facetValues: { Categories: ['Clothing'] },
                    variants: [
                        { sku: 'WOO-HOODIE-S', price: 4500, stock: 3, options: { Size: 'S' } },
                        { sku: 'WOO-HOODIE-M', price: 4500, stock: 5, options: { Size: 'M' } },
                    ],
                },
            ],
            collections: [
                collection([], 'Clothing', 'Categories:Clothing'),
                collection(['Clothing'], 'Accessories', 'Categories:Clothing > Accessories'),
            ],
        },
    },
    'vendure-products': {
        loaded: {
            products: [
                {
                    name: 'Field laptop',
                    slug: 'field-laptop',
                    description: 'Sturdy and easy to mend.',
                    facetValues: ['category:Computers', 'brand:Nordfjell'],
                    variants: [
                        {
                            sku: 'FL-13',
                            price: 129900,
                            stock: 10,
                            taxCategory: 'Standard Tax',
                            trackInventory: true,
                            options: { screen: '13 inch' },
                        },
                        {
                            sku: 'FL-15',
                            price: 149900,
                            stock: 4,
                            taxCategory: 'Standard Tax',
                            options: { screen: '15 inch' },
                        },
                    ],
                },
                {
                    name: 'Reading lamp',
                    slug: 'reading-lamp',
                    variants: [
                        {
                            sku: 'LAMP-9',
                            price: 2450,
                            stock: 12,
                            taxCategory: 'Standard Tax',
                            facetValues: ['room:Study'],
                        },
                    ],
                },
            ],
        },
    },
    customers: {
        loaded: {
            customers: [
                {
                    emailAddress: 'anna@example.com',
                    firstName: 'Anna',
                    lastName: 'Lund',
                    addresses: [{ streetLine1: 'Quay 1', postalCode: '20095', city: 'Hamburg', country: 'DE' }],
                },
                { emailAddress: 'ben@example.com', firstName: 'Ben', lastName: 'Ode' },
            ],
        },
    },
    'prices-and-stock': {
        loaded: {
            prices: [
                { sku: 'LA-1', price: 4500, stock: 10 },
                { sku: 'LA-2', price: 11990, stock: 5 },
            ],
            levels: [
                { sku: 'LA-1', price: 4500, stock: 10 },
                { sku: 'LA-2', price: 11990, stock: 5 },
            ],
        },
    },
    'nightly-stock': {
        loaded: {
            stock: [
                { sku: 'LAMP-1', stock: 12 },
                { sku: 'LAMP-2', stock: 0 },
            ],
        },
    },
    'sftp-drop': {
        loaded: {
            stock: [
                { sku: 'LAMP-1', stock: 12 },
                { sku: 'LAMP-2', stock: 0 },
            ],
        },
    },
    'bucket-drop': { loaded: { products: [{ sku: 'LAMP-1', name: 'Desk lamp', slug: 'desk-lamp', price: 4900 }] } },
    'google-sheet': {
        loaded: {
            products: [
                { sku: 'LA-1', name: 'Desk lamp', slug: 'desk-lamp', price: 4500, stock: 10 },
                { sku: 'LA-2', name: 'Floor lamp', slug: 'floor-lamp', price: 11990, stock: 5 },
            ],
        },
    },
    'erp-articles': {
        loaded: {
            products: [{ sku: 'A-1', name: 'Desk lamp', slug: 'a-1', description: 'Bright', price: 4900, stock: 12 }],
        },
    },
    'old-shop-products': {
        loaded: {
            load: [
                { sku: 'A-1', name: 'Desk lamp', slug: 'desk-lamp', price: 4900, __operation: 'UPSERT' },
                { sku: 'A-2', name: 'Floor lamp', slug: 'floor-lamp', price: 12900, __operation: 'DELETE' },
            ],
        },
    },
    'warehouse-stock': LEVELS,
    'warehouse-messages': LEVELS,
    'shopify-live': {
        loaded: {
            load: [
                {
                    slug: 'shoe',
                    name: 'Shoe',
                    description: '<p>Good</p>',
                    enabled: true,
                    facetValues: { Vendor: 'Nordfjell', Type: null, Tag: ['new'] },
                    variants: [
                        { sku: 'S-41', price: 1995, stock: 4, options: { Size: '41' } },
                        { sku: 'shoe-2', price: 2450, stock: 0, options: { Size: '42' } },
                    ],
                },
            ],
        },
    },
    'shopify-updates': {
        loaded: {
            products: [
                {
                    slug: 'example-t-shirt',
                    name: 'Example T-Shirt',
                    description: '<p>An example T-Shirt</p>',
                    enabled: true,
                    variants: [
                        { sku: 'EXAMPLE-S', price: 1999, options: { Size: 'Small' } },
                        { sku: 'EXAMPLE-M', price: 2150, options: { Size: 'Medium' } },
                    ],
                },
            ],
        },
    },
    'woo-products': {
        loaded: {
            load: [
                {
                    slug: 'shoe',
                    name: 'Shoe',
                    enabled: true,
                    facetValues: { Category: ['Shoes'] },
                    variants: [{ sku: 'S-1', price: 1995, stock: 4 }],
                },
            ],
        },
    },
    'woo-updates': {
        loaded: {
            products: [
                {
                    sku: 'WOO-BEANIE',
                    slug: 'beanie',
                    name: 'Beanie',
                    description: '<p>A warm beanie</p>',
                    price: 1800,
                    enabled: true,
                },
            ],
        },
    },
    'pim-product-export': {
        loaded: {
            pim: [
                {
                    id: '17',
                    published: true,
                    translations: [{ languageCode: 'en', name: 'Desk lamp', slug: 'desk-lamp', description: 'Bright' }],
                    variants: [{ sku: 'LAMP-1', price: 49.95, currencyCode: 'EUR', stockQuantity: 12, enabled: true }],
                },
            ],
        },
    },
    'products-to-sftp': {
        loaded: {
            export: [
                {
                    sku: 'LAMP-1',
                    name: 'Desk lamp',
                    product: 'Desk lamp',
                    slug: 'desk-lamp',
                    description: 'Bright',
                    price: 49.95,
                    currency: 'EUR',
                    stock: 12,
                    enabled: true,
                },
            ],
        },
    },
    'prices-to-customer': {
        loaded: {
            export: [expect.objectContaining({ sku: 'LAMP-1', name: 'Desk lamp', price: 4995, currencyCode: 'EUR' })],
        },
    },
    'google-feed': { loaded: { feed: [FEED_ITEM] } },
    'meta-feed': { loaded: { feed: [{ ...FEED_ITEM, condition: 'new' }] } },
    'catalogue-to-meilisearch': { loaded: { index: [DOCUMENT] } },
    'changes-to-meilisearch': { loaded: { index: [DOCUMENT] } },
    'catalogue-to-typesense': { loaded: { index: [DOCUMENT] } },
    'changes-to-typesense': { loaded: { index: [DOCUMENT] } },
    'orders-to-erp': {
        loaded: {
            erp: [
                expect.objectContaining({
                    id: '12',
                    customer: { firstName: 'Anna', lastName: 'Lund', emailAddress: 'anna@example.com' },
                    lines: [{ quantity: 2, listPrice: 4995, productVariant: { sku: 'LAMP-1', name: 'Desk lamp' } }],
                }),
            ],
        },
    },
    'stock-to-queue': {
        loaded: {
            queue: [{ id: '40', productVariantId: '1', stockLocationId: '1', movementType: 'SALE' }],
        },
    },
    'approve-expensive-products': { loaded: { products: LAMPS } },
};

/** Runs the pipeline of a template with its sample in place of what its source reads, or of what its trigger brings. */
async function runTemplate({ definition, sample }: BuiltinTemplate): Promise<PipelineTest> {
    const source = definition.steps.find(({ kind }) => kind === 'EXTRACT');
    const gates = definition.steps.filter(({ kind }) => kind === 'GATE').map(({ key }) => [key, 'APPROVE'] as const);
    return await runPipeline({
        pipeline: source ? definition : withSource(definition, sample),
        ...(source && !hasSampleText(source) && { records: { [source.key]: sample } }),
        gates: Object.fromEntries(gates),
        connections: GUIDE_CONNECTIONS,
    });
}

function hasSampleText({ config }: StepDefinition): boolean {
    return 'csvText' in config || 'jsonText' in config;
}

/** The records that a trigger brings come from a source between it and the next step. */
function withSource(definition: DefinitionInput, data: readonly JsonObject[]): DefinitionInput {
    const triggers = definition.steps.filter(({ kind }) => kind === 'TRIGGER').map(({ key }) => key);
    const steps: readonly StepDefinition[] = [
        ...definition.steps.map(step => (step.kind === 'TRIGGER' ? { ...step, config: { type: 'MANUAL' } } : step)),
        { key: 'sample', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data } },
    ];
    const edges = definition.edges.map(edge => (triggers.includes(edge.from) ? { ...edge, from: 'sample' } : edge));
    return { ...definition, steps, edges: [...edges, ...triggers.map(from => ({ from, to: 'sample' }))] };
}

describe('templates', () => {
    it('are at least 18, with some in each group', () => {
        expect(builtinTemplates.length).toBeGreaterThanOrEqual(18);
        expect([...new Set(builtinTemplates.map(({ group }) => group))]).toEqual([...TEMPLATE_GROUPS]);
    });

    it('have an expectation each', () => {
        expect(Object.keys(EXPECTED).sort()).toEqual(byCode.map(([code]) => code).sort());
    });

    it.each(byCode)('%s is valid without errors and warnings', (_, { definition }) => {
        expect(checkDefinition(definition, registry).issues).toEqual([]);
    });

    it.each(byCode)('%s makes of its sample what it promises', async (code, template) => {
        const { error, status, loaded, rejected } = await runTemplate(template);
        const { loaded: expected, rejected: fields = [] } = EXPECTED[code]!;
        expect({ error, status, rejected: rejected.map(({ path }) => path) }).toEqual({
            error: null,
            status: 'COMPLETED',
            rejected: fields,
        });
        expect(loaded).toEqual(expected);
    });

    it('need no scripts', () => {
        expect(JSON.stringify(builtinTemplates.map(({ definition }) => definition))).not.toContain('"script"');
    });

    it('have schedules that become active with publishing', () => {
        const schedules = builtinTemplates.flatMap(({ definition }) =>
            definition.steps.filter(({ config }) => config['type'] === 'SCHEDULE'),
        );
        expect(schedules.length).toBeGreaterThan(8);
        expect(schedules.filter(({ config }) => config['enabled'] === false)).toEqual([]);
    });

    it('list the connections and secrets that they need', () => {
        const needs = availableTemplates([], registry).map(
            ({ code, connections, secrets }) => [code, [...connections.map(one => one.code), ...secrets]] as const,
        );
        expect(Object.fromEntries(needs.filter(([, codes]) => codes.length > 0))).toEqual({
            'nightly-stock': ['supplier-sftp'],
            'sftp-drop': ['supplier-sftp'],
            'bucket-drop': ['supplier-feeds'],
            'erp-articles': ['erp'],
            'old-shop-products': ['old-shop'],
            'warehouse-stock': ['warehouse-hook'],
            'warehouse-messages': ['warehouse-queue'],
            'shopify-live': ['shopify'],
            'shopify-updates': ['shopify-hook'],
            'woo-products': ['woo'],
            'woo-updates': ['woo-hook'],
            'pim-product-export': ['pim-import-key'],
            'products-to-sftp': ['partner-sftp'],
            'prices-to-customer': ['customer-sftp'],
            'catalogue-to-meilisearch': ['search-key'],
            'changes-to-meilisearch': ['search-key'],
            'catalogue-to-typesense': ['search-key'],
            'changes-to-typesense': ['search-key'],
            'orders-to-erp': ['erp-signing'],
            'stock-to-queue': ['warehouse-queue'],
        });
    });

    it('are left out if their adapters are not registered', () => {
        expect(availableTemplates([], setUp({ registerBuiltinAdapters: false }).registry)).toEqual([]);
    });
});

/** A pipeline of the guide, with the section that prints it. */
interface Printed extends Shown {
    readonly section: string;
}

const pageOf = ({ place }: GuideBlock): string => place.replace(/^docs\/guide\//, '').replace(/:\d+$/, '');
const SEARCH_ENGINES = 'search-engines.md';

/** The blocks of the page on search engines use the declarations of those before them. */
function printedPipelines(): readonly Printed[] {
    const search = guideBlocks.filter(block => block.language === 'ts' && pageOf(block) === SEARCH_ENGINES);
    const joined = pipelinesOf({ ...search[0]!, text: search.map(({ text }) => text).join('\n') });
    return [
        ...guideBlocks
            .filter(block => !search.includes(block))
            .flatMap(block =>
                pipelinesOf(block).map(shown => ({
                    ...shown,
                    section: `${pageOf(block)}#${headingAnchor(block.heading)}`,
                })),
            ),
        ...joined.map(shown => ({ ...shown, section: `${SEARCH_ENGINES}#${shown.code.replace(/^.*-to-/, '')}` })),
    ];
}

/** A definition with all defaults, without the file or the text of its source, and with its edges in order. */
function comparable(definition: unknown): unknown {
    const { steps, edges, ...rest } = parseDefinition(definition, registry);
    return {
        ...rest,
        steps: steps.map(({ config, ...step }) => {
            const { fileId: _file, csvText: _csv, jsonText: _json, resetCheckpoint: _reset, ...others } = config;
            return { ...step, config: others };
        }),
        edges: edges.map(({ from, to, branch = '' }) => `${from}:${branch} > ${to}`).sort(),
    };
}

describe('the guide of a template', () => {
    const both = printedPipelines().flatMap(({ section, code, definition }) =>
        builtinTemplates
            .filter(template => template.code === code && section.startsWith(template.guide))
            .map(template => [code, template, definition] as const),
    );

    it.each(byCode)('has the section that %s names', (_, { guide }) => {
        const [page = '', anchor] = guide.split('#');
        const anchors = guideAnchors(page);
        expect(anchors).toContain(anchor ?? anchors[0]);
    });

    it('prints most pipelines', () => {
        expect(both.length).toBeGreaterThan(18);
    });

    it.each(both)('prints the pipeline of the template: %s', (_, template, definition) => {
        expect(comparable(definition)).toEqual(comparable(template.definition));
    });
});
