import { isFlowError } from '../../core/errors/flow-error';
import type { PipelineSource } from '../../core/pipeline/definition';
import type { JsonObject } from '../../core/value/json';
import { setUp } from '../../plugin/setup';
import { checkCodeFirst } from '../../plugin/options/written-pipelines';
import { readPimDocument } from '../../adapters/extractors/pim-document';
import { pimConnector } from './connector';
import type { PimConnectorOptions } from './options';

const made = (options: Partial<PimConnectorOptions> = {}): readonly PipelineSource[] =>
    pimConnector({ connectionCode: 'pim', ...options }).pipelines;
const stepOf = (pipeline: PipelineSource, key: string): JsonObject =>
    pipeline.definition.steps.find(step => step.key === key)!.config as JsonObject;
const rejection = (options: object): string => {
    try {
        pimConnector({ connectionCode: 'pim', ...options } as never);
        return 'accepted';
    } catch (error) {
        if (!isFlowError(error) || error.code !== 'OPTION_INVALID') throw error;
        return error.message;
    }
};
/** All words of the queries, as they are sent. */
const sent = (pipeline: PipelineSource, responseField: string): string => {
    const document = readPimDocument(String(stepOf(pipeline, 'extract')['query']), responseField);
    if ('problem' in document) throw new Error(document.problem.message);
    return document.text(['de'], { fields: new Set(), unlocalised: new Set() }).replace(/\s+/g, ' ');
};

describe('the connector of the PIM', () => {
    it('makes three pipelines that a shop takes as they are', () => {
        const { registry, pipelines } = setUp({ connectors: [pimConnector({ connectionCode: 'pim' })] });
        expect(registry.find('extractor', 'pimGraphQL')).toBeDefined();
        const sound = checkCodeFirst(
            pipelines,
            new Set(pipelines.flatMap(({ checked }) => checked.definition?.capabilities?.requires ?? [])),
        );
        expect(sound.map(({ source: { code, name, enabled } }) => [code, name, enabled])).toEqual([
            ['pim-product-sync', 'PIM Product Sync', true],
            ['pim-category-sync', 'PIM Category Sync', true],
            ['pim-asset-sync', 'PIM Asset Sync', true],
        ]);
        for (const { source } of pipelines)
            expect(source.definition.steps.filter(({ kind }) => kind !== 'TRIGGER').map(({ kind }) => kind)).toEqual([
                'EXTRACT',
                'VALIDATE',
                'TRANSFORM',
                'TRANSFORM',
                'LOAD',
            ]);
    });

    it('gives products and categories a signed webhook, and a schedule where there is one', () => {
        const [products, categories, assets] = made({
            pipelines: { productSync: { schedule: '0 3 * * *', name: 'Shoes' }, assetSync: { schedule: '0 4 * * *' } },
        });
        for (const pipeline of [products!, categories!])
            expect(stepOf(pipeline, 'pim-product-sync')).toEqual({
                type: 'WEBHOOK',
                authentication: 'HMAC',
                secretCode: 'pim-webhook-key',
                hmacHeaderName: 'X-Flow-Signature',
                idempotencyKeyHeader: 'X-Idempotency-Key',
            });
        expect(products!.name).toBe('Shoes');
        expect(stepOf(products!, 'schedule')).toEqual({ type: 'SCHEDULE', cron: '0 3 * * *' });
        const triggers = ({ definition }: PipelineSource) =>
            definition.steps.filter(({ kind }) => kind === 'TRIGGER').map(({ key }) => key);
        expect(triggers(categories!)).toEqual(['pim-product-sync', 'manual']);
        expect(triggers(assets!)).toEqual(['schedule', 'manual']);
    });

    it('has the defaults of the specification', () => {
        const [products, categories, assets] = made();
        expect(stepOf(products!, 'extract')).toMatchObject({
            connectionCode: 'pim',
            entityType: 'product',
            sortBy: 'id',
            sortOrder: 'ASC',
            first: 100,
            maxPages: 100,
            includeUnpublished: false,
            seedMode: 'LOOKUP',
            timeoutMs: 30_000,
            defaultLanguage: 'en',
        });
        expect(stepOf(categories!, 'extract')).toMatchObject({ sortBy: 'fullpath' });
        expect(stepOf(products!, 'load')).toMatchObject({
            matchBy: 'sku',
            missing: { action: 'DISABLE', maxShare: 0.1 },
        });
        expect(stepOf(categories!, 'load')).toMatchObject({ missing: { action: 'DISABLE' } });
        expect(JSON.stringify(stepOf(assets!, 'transform'))).toContain('["image/jpeg","image/png","image/webp"]');
        expect(products!.definition.throughput).toEqual({ batchSize: 100 });
        expect(products!.channel).toBeUndefined();
    });

    it('does what each option says', () => {
        const [products, categories, assets] = made({
            timeoutMs: 5_000,
            platformChannel: 'b2b',
            defaultLanguage: 'de',
            languages: ['de', 'fr'],
            webhookSecretCode: 'other-key',
            sync: {
                deltaSync: false,
                batchSize: 50,
                maxPages: 7,
                includeUnpublished: true,
                includeVariants: false,
                pathFilter: '/My_Products/',
                missing: 'NONE',
            },
            pipelines: {
                productSync: { syncVariants: false },
                categorySync: { rootPath: '/Tree' },
                assetSync: { folderPath: '/img', mimeTypes: ['image/gif'] },
            },
        });
        expect(products!.channel).toBe('b2b');
        expect(stepOf(products!, 'pim-product-sync')).toMatchObject({ secretCode: 'other-key' });
        expect(stepOf(products!, 'extract')).toMatchObject({
            first: 50,
            maxPages: 7,
            includeUnpublished: true,
            timeoutMs: 5_000,
            defaultLanguage: 'de',
            languages: ['de', 'fr'],
            filter: '{"path":{"$like":"/My\\\\_Products/%"}}',
        });
        expect(stepOf(categories!, 'extract')).toMatchObject({ filter: '{"path":{"$like":"/Tree/%"}}' });
        expect(stepOf(assets!, 'extract')).toMatchObject({ filter: '{"path":{"$like":"/img/%"}}' });
        expect(JSON.stringify(stepOf(products!, 'delta-filter'))).not.toContain('deltaFilter');
        expect(stepOf(products!, 'load')).toMatchObject({ matchBy: 'slug', missing: { action: 'NONE' } });
        expect(stepOf(products!, 'transform')).toMatchObject({
            operators: [{ op: 'pimProduct', args: { includeVariants: false, syncVariants: false, missing: 'NONE' } }],
        });
        expect(JSON.stringify(stepOf(assets!, 'transform'))).toContain('"image/gif"');
        expect(stepOf(assets!, 'load')).toEqual({ adapterCode: 'assetImport' });
        const [, , drawn] = made({ pipelines: { assetSync: { mimeTypes: ['image/svg+xml'] } } });
        expect(stepOf(drawn!, 'load')).toEqual({ adapterCode: 'assetImport', pictureAllowSvg: true });
        expect(sent(products!, 'getProductListing')).not.toMatch(/price|children/);
    });

    it('requests the substitutes for a SKU and a slug, of variants as well, and once', () => {
        const [products] = made();
        const query = sent(products!, 'getProductListing');
        expect(query.match(/\bitemNumber\b/g)).toHaveLength(2);
        expect(query).toContain('urlKey__de: urlKey(language: "de")');
        const [chosen] = made({ mapping: { product: { skuField: 'itemNumber', slugField: 'urlKey' } } });
        expect(String(stepOf(chosen!, 'extract')['query'])).not.toMatch(/(itemNumber|urlKey) @optional/);
    });

    it('leaves out pipelines that are not enabled', () => {
        const pipelines = made({ pipelines: { productSync: { enabled: false }, assetSync: { enabled: false } } });
        expect(pipelines.map(({ code }) => code)).toEqual(['pim-category-sync']);
    });

    const MAPPED: Partial<PimConnectorOptions> = {
        mapping: {
            product: { skuField: 'article', priceField: null, assetsField: 'images', enabledField: 'onSale' },
            category: { parentField: 'above', positionField: 'rank' },
            asset: { urlField: 'cdn' },
        },
        queries: { product: { className: 'shoe' }, category: { className: 'Group', responseField: 'groups' } },
    };
    const requested: ReadonlyArray<readonly [string, number, string, string]> = [
        ['names in every language', 0, 'getShoeListing', 'name name__de: name(language: "de")'],
        [
            'variants among the children, with the fields of the mapping',
            0,
            'getShoeListing',
            'variants: children(objectTypes: ["variant"]) { ... on object_Shoe { id key published article itemNumber stockQuantity onSale name',
        ],
        ['pictures', 0, 'getShoeListing', 'images { ... on asset { id fullpath } }'],
        ['categories under another name', 1, 'groups', 'groups: getGroupListing('],
        ['the parents of categories', 1, 'groups', 'rank above { ... on object_Group { id key fullpath published'],
        ['the address of assets', 2, 'getAssetListing', '... on asset { id cdn filename mimetype'],
    ];
    it.each(requested)('requests %s', (_, place, responseField, words) => {
        const pipeline = made(MAPPED)[place]!;
        expect(sent(pipeline, responseField)).toContain(words);
    });

    it('requests nothing that the PIM does not have', () => {
        const [products] = made(MAPPED);
        expect(stepOf(products!, 'extract')).toMatchObject({ responseField: 'getShoeListing' });
        expect(sent(products!, 'getShoeListing')).not.toContain('price');
    });

    it.each([
        'query ($first: Int, $after: Int, $filter: String) { mine: getShoeListing(first: $first, after: $after, filter: $filter, sortBy: "id") { totalCount edges { node { id } } } }',
    ])('sends a custom query unchanged: %s', query => {
        const options = { queries: { product: { query, responseField: 'mine' } } };
        const [products] = made(options);
        expect(stepOf(products!, 'extract')).toMatchObject({ query, responseField: 'mine' });
        expect(stepOf(products!, 'extract')).not.toHaveProperty('sortBy');
        const { pipelines } = setUp({ connectors: [pimConnector({ connectionCode: 'pim', ...options })] });
        expect(pipelines[0]!.checked.issues.filter(({ severity }) => severity !== 'WARNING')).toEqual([]);
    });

    const rejected: ReadonlyArray<readonly [object, string]> = [
        [{ connectionCode: undefined }, 'connectionCode'],
        [{ connectionCode: 'a b' }, 'connectionCode is "a b"'],
        [{ timeoutMs: 0 }, 'timeoutMs is 0; allowed: 1 to 300000'],
        [{ platformChannel: '' }, 'platformChannel'],
        [{ defaultLanguage: 'english!' }, 'defaultLanguage'],
        [{ sync: { batchSize: 1_001 } }, 'sync.batchSize is 1001; allowed: 1 to 1000'],
        [{ sync: { maxPages: 10_001 } }, 'sync.maxPages is 10001; allowed: 1 to 10000'],
        [{ sync: { missing: 'HIDE' } }, 'sync.missing'],
        [{ sync: { pathFilter: 'Products' } }, 'sync.pathFilter'],
        [{ sync: { deltaSync: 'yes' } }, 'sync.deltaSync'],
        [{ mapping: { product: { skuField: 'a.b' } } }, 'mapping.product.skuField'],
        [{ mapping: { product: { colourField: 'a' } } }, 'mapping.product.colourField'],
        [{ mapping: { asset: { urlField: null } } }, 'mapping.asset.urlField'],
        [{ queries: { product: { query: '{ a }', className: 'A' } } }, 'queries.product.className'],
        [{ pipelines: { productSync: { schedule: 'hourly' } } }, 'pipelines.productSync.schedule'],
        [{ pipelines: { assetSync: { mimeTypes: ['png'] } } }, 'pipelines.assetSync.mimeTypes'],
        [{ pipelines: { assetSync: { webhook: true } } }, 'pipelines.assetSync.webhook'],
    ];
    it.each(rejected)('rejects %j and names the field', (options, words) => {
        expect(rejection(options)).toContain(words);
    });

    it('reports all errors at once', () => {
        const message = rejection({ timeoutMs: 0, sync: { batchSize: 0 } });
        expect(message).toContain('timeoutMs');
        expect(message).toContain('sync.batchSize');
    });
});
