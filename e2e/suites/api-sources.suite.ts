import gql from 'graphql-tag';
import { Product, ProductVariant } from '@vendure/core';
import type { JsonObject } from '../../src';
import { ApiServer, PLAYED_CONFIGS, PLAYS } from '../../test/kit/api-plays';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';
import { connectionsOf, makeSecret } from '../fixtures/resource-api';

/** The number of products that are read page by page with the shop's own API. */
const PRODUCTS = 400;

const QUERY = `query ($skip: Int, $take: Int) {
    products(options: { skip: $skip, take: $take, sort: { id: ASC }, filter: { slug: { contains: "api-own" } } }) {
        items { name slug variants { sku price } } totalItems
    }
}`;

function apiSources(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let pipelines: ReturnType<typeof as>;

    beforeAll(async () => {
        shop = await open();
        pipelines = as(shop.adminClient);
        await makeSecret(shop.adminClient, 'own-admin-token', shop.adminClient.getAuthToken());
        await makeSecret(shop.adminClient, 'own-channel', shop.channelToken);
        const { create } = connectionsOf(shop.adminClient);
        await create({
            code: 'own-admin-api',
            type: 'GRAPHQL',
            settings: {
                baseUrl: `${shop.url}/admin-api`,
                auth: { type: 'BEARER', secretCode: 'own-admin-token' },
            },
        });
        await create({
            code: 'own-shop-api',
            type: 'GRAPHQL',
            settings: {
                baseUrl: `${shop.url}/shop-api`,
                auth: { type: 'API_KEY', headerName: 'vendure-token', secretCode: 'own-channel' },
            },
        });
        await publish('api-fill', {
            adapterCode: 'generator',
            count: PRODUCTS,
            template: { name: 'n{{index}}', slug: 'api-own-n{{index}}', sku: 'API-OWN-n{{index}}', price: 1999 },
        });
        const filled = await shop.perform('api-fill');
        if (filled.recordsLoaded !== PRODUCTS) throw new Error(`The shop has ${filled.recordsLoaded} products`);
    });

    async function publish(code: string, source: JsonObject, operators: readonly JsonObject[] = []): Promise<void> {
        const steps = [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            { key: 'in', kind: 'EXTRACT', config: source },
            ...(operators.length > 0 ? [{ key: 'as', kind: 'TRANSFORM', config: { operators } }] : []),
            { key: 'out', kind: 'LOAD', config: { adapterCode: 'productUpsert' } },
        ];
        const edges = steps.slice(1).map(({ key }, i) => ({ from: steps[i]!.key, to: key }));
        await pipelines.publish(await pipelines.create({ code, definition: { version: 1, steps, edges } }));
    }

    const skusLike = async (prefix: string): Promise<readonly string[]> => {
        const variants = await shop.dataSource
            .getRepository(ProductVariant)
            .createQueryBuilder('variant')
            .where('variant.sku LIKE :sku', { sku: `${prefix}%` })
            .getMany();
        return variants.map(({ sku }) => sku).sort();
    };

    it('are read by graphql: each product of the shop once, with its own admin API', async () => {
        const copied: readonly JsonObject[] = [
            { op: 'template', args: { template: 'api-copy-${name}', target: 'slug' } },
            { op: 'template', args: { template: 'API-COPY-${name}', target: 'sku' } },
            { op: 'copy', args: { source: 'variants.0.price', target: 'price' } },
            { op: 'remove', args: { path: 'variants' } },
        ];
        const source = {
            adapterCode: 'graphql',
            connectionCode: 'own-admin-api',
            // The channel is in the URL: as a header it would have to be a secret.
            url: `?vendure-token=${shop.channelToken}`,
            query: QUERY,
            dataPath: 'data.products.items',
            pagination: { type: 'OFFSET', totalCountPath: 'data.products.totalItems' },
        };
        await publish('api-copy', source, copied);
        const run = await shop.perform('api-copy');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsRead: PRODUCTS });
        const expected = (await skusLike('API-OWN-')).map(sku => sku.replace('OWN', 'COPY'));
        expect(expected).toHaveLength(PRODUCTS);
        expect(await skusLike('API-COPY-')).toEqual(expected);
        expect(await shop.dataSource.getRepository(Product).count({ where: { enabled: true } })).toBeGreaterThanOrEqual(
            2 * PRODUCTS,
        );
    });

    it('are read by graphql as customers see them; a step test reads only the records that it shows', async () => {
        const source = {
            adapterCode: 'graphql',
            connectionCode: 'own-shop-api',
            url: '?',
            query: QUERY.replace('filter: { slug: { contains: "api-own" } }', 'filter: { slug: { contains: "api-" } }'),
            dataPath: 'data.products.items',
            pagination: { type: 'OFFSET', limit: 100 },
        };
        await publish('api-seen', source, [{ op: 'remove', args: { path: 'variants' } }]);
        const run = await shop.perform('api-seen', 'dryRunFlowPipeline');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsRead: 2 * PRODUCTS });
        const definition = {
            version: 1,
            steps: [
                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                { key: 'in', kind: 'EXTRACT', config: source },
            ],
            edges: [{ from: 'start', to: 'in' }],
        };
        const { testFlowStep } = await shop.adminClient.query(
            gql`
                mutation Test($input: TestFlowStepInput!) {
                    testFlowStep(input: $input) {
                        out
                        error {
                            code
                        }
                    }
                }
            `,
            { input: { definition, stepKey: 'in', limit: 3 } },
        );
        expect(testFlowStep).toMatchObject({ error: null, out: [{ name: 'n0' }, { name: 'n1' }, { name: 'n2' }] });
    });

    it('are read by httpApi if they have changed since the last completed run', async () => {
        const products = [1, 2, 3].map(i => ({
            id: i,
            name: `P ${i}`,
            slug: `api-since-${i}`,
            sku: `S-${i}`,
            price: 5,
        }));
        const server = await new ApiServer(PLAYS.woocommerce(products)).listen();
        try {
            await publish(
                'api-since',
                {
                    adapterCode: 'httpApi',
                    url: `${server.url}/products`,
                    ...PLAYED_CONFIGS.woocommerce,
                    incremental: { param: 'modified_after' },
                },
                [{ op: 'remove', args: { path: 'id' } }],
            );
            const since = () => [
                ...new Set(server.seen.splice(0).map(({ url }) => url.searchParams.get('modified_after'))),
            ];
            expect(await shop.perform('api-since')).toMatchObject({ status: 'COMPLETED', recordsLoaded: 3 });
            expect(since()).toEqual([null]);
            server.play = () => ({ status: 404 });
            expect(await shop.perform('api-since')).toMatchObject({
                status: 'FAILED',
                error: { code: 'REMOTE_REFUSED' },
            });
            const [first] = since();
            server.play = PLAYS.woocommerce([]);
            expect(await shop.perform('api-since')).toMatchObject({ status: 'COMPLETED', outcome: 'EMPTY' });
            const [second] = since();
            // A run that has not completed does not move the position.
            expect([typeof first, second]).toEqual(['string', first]);
            server.play = PLAYS.woocommerce([]);
            await shop.perform('api-since', 'dryRunFlowPipeline');
            expect(since()).toEqual([null]);
        } finally {
            await server.close();
        }
    });
}

export const apiSourcesSuite: SharedSuite = { title: 'sources that are APIs', tests: apiSources };
