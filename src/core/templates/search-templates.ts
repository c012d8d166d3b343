import type { DefinitionInput } from '../pipeline/definition';
import type { JsonObject } from '../value/json';
import { type BuiltinTemplate, templatePipeline } from './pipeline-template';

const PRODUCTS = {
    adapterCode: 'platformQuery',
    entity: 'PRODUCT',
    relations: ['variants', 'facetValues', 'featuredAsset'],
};

/** A product as a document of the index. */
const DOCUMENT = [
    {
        op: 'each',
        args: { path: 'variants', operators: [{ op: 'pick', args: { fields: ['sku', 'price', 'currencyCode'] } }] },
    },
    { op: 'each', args: { path: 'facetValues', operators: [{ op: 'pick', args: { fields: ['id', 'name'] } }] } },
    {
        op: 'map',
        args: {
            mapping: {
                id: 'id',
                __operation: '__operation',
                name: 'name',
                slug: 'slug',
                description: 'description',
                enabled: 'enabled',
                image: 'featuredAsset.preview',
                variants: 'variants',
                facetValues: 'facetValues',
            },
        },
    },
];

const PRODUCT: JsonObject = {
    id: '17',
    name: 'Desk lamp',
    slug: 'desk-lamp',
    description: 'Bright',
    enabled: true,
    featuredAsset: { id: '5', preview: 'preview/lamp.jpg' },
    variants: [{ id: '1', sku: 'LAMP-1', price: 4995, currencyCode: 'EUR', enabled: true }],
    facetValues: [{ id: '3', code: 'study', name: 'Study' }],
};

/** A search engine that documents are sent to. */
interface SearchEngine {
    readonly code: string;
    readonly name: string;
    readonly sink: JsonObject & { readonly adapterCode: string };
    readonly guide: string;
    readonly notes: readonly string[];
}

const MEILISEARCH: SearchEngine = {
    code: 'meilisearch',
    name: 'Meilisearch',
    sink: {
        adapterCode: 'meilisearch',
        host: 'https://search.example.com',
        apiKeySecretCode: 'search-key',
        indexName: 'products',
        languageCode: 'en',
        primaryKey: 'id',
        searchableFields: ['name', 'description', 'variants.sku'],
        filterableFields: ['enabled', 'facetValues.id'],
    },
    guide: 'search-engines.md#meilisearch',
    notes: [
        'Install the package meilisearch on the server.',
        'Set the address of your search engine in the step index.',
    ],
};

const TYPESENSE: SearchEngine = {
    code: 'typesense',
    name: 'Typesense',
    sink: {
        adapterCode: 'typesense',
        host: 'search.example.com',
        port: 443,
        apiKeySecretCode: 'search-key',
        collectionName: 'products',
        languageCode: 'en',
        idField: 'id',
    },
    guide: 'search-engines.md#typesense',
    notes: [
        'Install the package typesense on the server.',
        'Create a collection with the alias products, and set the address of your search engine in the step index.',
    ],
};

function catalogueTo({ code, sink }: SearchEngine): DefinitionInput {
    return templatePipeline(`catalogue-to-${code}`)
        .throughput({ batchSize: 1000 })
        .trigger('nightly', { type: 'SCHEDULE', cron: '0 3 * * *' })
        .trigger('by-hand', { type: 'MANUAL' })
        .extract('read', PRODUCTS)
        .transform('document', DOCUMENT)
        .sink('index', { ...sink, rebuild: true })
        .build().definition;
}

function changesTo({ code, sink }: SearchEngine): DefinitionInput {
    return templatePipeline(`changes-to-${code}`)
        .trigger('product', { type: 'EVENT', event: 'ProductEvent' })
        .trigger('variant', { type: 'EVENT', event: 'ProductVariantEvent' })
        .extract('read', { ...PRODUCTS, seedMode: 'LOOKUP' })
        .transform('document', DOCUMENT)
        .sink('index', sink)
        .build().definition;
}

function templatesOf(engine: SearchEngine): readonly BuiltinTemplate[] {
    const { code, name, guide, notes } = engine;
    return [
        {
            code: `catalogue-to-${code}`,
            group: 'SEARCH',
            title: `Products to ${name}`,
            description: `Rebuilds the index of ${name} with all products every night, without downtime.`,
            guide,
            notes,
            sample: [PRODUCT],
            definition: catalogueTo(engine),
        },
        {
            code: `changes-to-${code}`,
            group: 'SEARCH',
            title: `Changed products to ${name}`,
            description: `Sends each product that is created, changed or deleted to ${name} at once.`,
            guide,
            notes,
            sample: [PRODUCT],
            definition: changesTo(engine),
        },
    ];
}

/** Documents for search engines. */
export const searchTemplates: readonly BuiltinTemplate[] = [MEILISEARCH, TYPESENSE].flatMap(templatesOf);
