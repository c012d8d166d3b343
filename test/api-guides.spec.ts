import type { JsonObject } from '../src/core/value/json';
import type { DefinitionInput } from '../src/core/pipeline/definition';
import { builtinTemplates } from '../src/core/templates/builtin-templates';
import { runPipeline } from '../src/testing/run';
import { GUIDE_CONNECTIONS, guideApi } from './kit/guide-apis';
import { guideBlocks } from './kit/guide-blocks';
import { pipelinesOf } from './kit/guide-pipelines';

type Loaded = { readonly records: readonly JsonObject[]; readonly told: readonly string[] };

/** What a pipeline loads from the API of its guide, and what it rejects. */
async function loadedFrom(pipeline: DefinitionInput): Promise<Loaded> {
    const run = await runPipeline({
        pipeline,
        connections: GUIDE_CONNECTIONS,
        http: async request => {
            const { status = 200, headers = {}, body } = guideApi(request);
            return { status, headers, body: Buffer.from([...(body as Iterable<string>)].join('')) };
        },
        stream: guideApi,
    });
    expect(run.error).toBeNull();
    return { records: Object.values(run.loaded).flat(), told: run.rejected.map(({ message }) => message) };
}

function printed(page: string, code: string): DefinitionInput {
    return guideBlocks
        .filter(({ place }) => place.startsWith(page))
        .flatMap(block => pipelinesOf(block))
        .find(one => one.code === code)!.definition;
}

function ofTemplate(code: string): DefinitionInput {
    return builtinTemplates.find(template => template.code === code)!.definition;
}

it('the first pipeline of the guide on HTTP APIs reads what the guide says', async () => {
    const { records, told } = await loadedFrom(printed('docs/guide/http-apis.md', 'api-articles'));
    expect(told).toEqual([]);
    expect(records).toEqual([
        { sku: 'A-1', name: 'Shoe', slug: 'A-1', price: 1995 },
        { sku: 'A-2', name: 'Sock', slug: 'A-2', price: 450 },
    ]);
});

it('the WooCommerce template makes products with and without variations, and rejects drafts without a price', async () => {
    const { records, told } = await loadedFrom(ofTemplate('woo-products'));
    expect(records).toHaveLength(2);
    expect(records).toEqual(
        expect.arrayContaining([
            expect.objectContaining({
                slug: 'shoe',
                enabled: true,
                facetValues: { Category: ['Shoes'] },
                variants: [{ sku: 'S-1', price: 1995, stock: 4 }],
            }),
            expect.objectContaining({
                slug: 'sock',
                variants: [
                    { sku: 'K-S', price: 450, options: { Size: 'S' } },
                    { sku: 'woo-22', price: 500, stock: 0, options: { Size: 'M' } },
                ],
            }),
        ]),
    );
    expect(told).toEqual([expect.stringContaining('variants.0.price')]);
});

it('the template for Shopify’s Admin API reads page after page', async () => {
    const { records, told } = await loadedFrom(ofTemplate('shopify-live'));
    expect(told).toEqual([]);
    expect(records.map(({ slug }) => slug)).toEqual(['shoe', 'boot']);
    expect(records[0]).toMatchObject({
        enabled: true,
        facetValues: { Vendor: 'Nordfjell', Type: null, Tag: ['new'] },
        variants: [
            { sku: 'S-41', price: 1995, stock: 4, options: { Size: '41' } },
            { sku: 'shoe-2', price: 2450, stock: 0, options: { Size: '42' } },
        ],
    });
});

it('the lines of a bulk operation become prices and stock', async () => {
    const { records } = await loadedFrom(ofTemplate('shopify-stock'));
    expect(records).toEqual([
        { sku: 'S-41', price: 1995, stock: 4 },
        { sku: 'S-42', price: 2450, stock: 0 },
    ]);
});
