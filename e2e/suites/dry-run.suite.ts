import { ProductVariant } from '@vendure/core';
import type { JsonObject } from '../../src/core/data/json';
import { pipeline } from '../../src';
import type { SharedSuite } from '../config/shared-shop';
import { type FlowServer, type RunAnswer } from '../config/flow-server';

const known = ['KNOWN-1', 'KNOWN-2', 'GONE'].map(sku => ({
    slug: sku.toLowerCase(),
    name: sku,
    sku,
    price: 500,
    stock: 3,
}));

/** First the fields of productUpsert, then those of the steps behind it. */
const records: readonly JsonObject[] = [
    { slug: 'new-1', name: 'New 1', sku: 'NEW-1', price: 100, stock: 5, feed: 100, level: 7, active: true },
    { slug: 'new-2', name: 'New 2', sku: 'NEW-2', price: 200, stock: 5, feed: 250, level: 5, active: false },
    { slug: 'new-3', name: 'New 3', sku: 'NEW-3', feed: 1, level: 1, active: true },
    { slug: 'no-variant', name: 'Has no variant', feed: 1, level: 1, active: true },
    { slug: 'known-1', name: 'KNOWN-1', sku: 'KNOWN-1', price: 600, stock: 3, feed: 600, level: 3, active: true },
    { slug: 'known-2', name: 'KNOWN-2', sku: 'KNOWN-2', price: 500, stock: 3, feed: 500, level: 9, active: false },
    { slug: 'gone', sku: 'GONE', feed: 1, level: 1, active: true, __operation: 'DELETE' },
    // What the steps behind it made of this one is not what productUpsert left.
    { slug: 'new-2', name: 'New 2', sku: 'NEW-2', price: 200, stock: 5, feed: 200, level: -1, active: false },
    { slug: 'known-2', name: 'KNOWN-2', sku: 'KNOWN-2', price: 500, stock: 9, feed: 500, level: 9, active: true },
    { slug: 'gone', name: 'Back', sku: 'GONE', price: 100, stock: 0, feed: 100, level: 2, active: true },
];

const seed = pipeline('seed')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'inMemory', data: [...known] })
    .load('products', { adapterCode: 'productUpsert' })
    .build();

const chain = pipeline('chain')
    .throughput({ batchSize: 3, concurrency: 4 })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'inMemory', data: [...records] })
    .load('products', { adapterCode: 'productUpsert' })
    .transform('keep', [{ op: 'remove', args: { path: '__operation' } }])
    .load('prices', { adapterCode: 'priceUpdate', priceField: 'feed' })
    .load('levels', { adapterCode: 'stockAdjust', stockField: 'level' })
    .load('variants', {
        adapterCode: 'variantUpsert',
        strategy: 'UPDATE',
        enabledField: 'active',
        priceField: 'none',
        stockField: 'level',
        nameField: 'none',
    })
    .build();
const inOrder = {
    ...chain,
    code: 'chain-in-order',
    definition: { ...chain.definition, throughput: { ...chain.definition.throughput, concurrency: 1 } },
};

const additions = { pipelines: [seed, chain, inOrder] } satisfies Partial<SharedSuite>;

function dryRuns(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });

    const countsOf = ({ counters }: RunAnswer) =>
        counters
            .filter(({ stepKey }) => stepKey !== 'in')
            .map(({ stepKey, created, updated, deleted, unchanged, rejected }) => ({
                stepKey,
                created,
                updated,
                deleted,
                unchanged,
                rejected,
            }));

    it('of loads that build on each other count what the real run does', async () => {
        expect(await shop.perform('seed')).toMatchObject({ recordsLoaded: 3 });
        const dry = await shop.perform('chain', 'dryRunFlowPipeline');
        expect(await shop.dataSource.getRepository(ProductVariant).countBy({ sku: 'NEW-1' })).toBe(0);
        const dryInOrder = await shop.perform('chain-in-order', 'dryRunFlowPipeline');
        const live = await shop.perform('chain-in-order');
        expect(countsOf(dry)).toEqual(countsOf(live));
        expect(countsOf(dryInOrder)).toEqual(countsOf(live));
        expect(countsOf(live)).toEqual([
            { stepKey: 'products', created: 5, updated: 2, deleted: 1, unchanged: 2, rejected: 0 },
            { stepKey: 'keep', created: 0, updated: 0, deleted: 0, unchanged: 0, rejected: 0 },
            { stepKey: 'prices', created: 0, updated: 2, deleted: 0, unchanged: 6, rejected: 2 },
            { stepKey: 'levels', created: 0, updated: 4, deleted: 0, unchanged: 3, rejected: 1 },
            { stepKey: 'variants', created: 0, updated: 3, deleted: 0, unchanged: 4, rejected: 0 },
        ]);
    });
}

export const dryRunsSuite: SharedSuite = { title: 'dry runs', ...additions, tests: dryRuns };
