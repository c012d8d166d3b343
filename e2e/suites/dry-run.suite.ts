import { ProductVariant } from '@vendure/core';
import gql from 'graphql-tag';
import { z } from 'zod';
import type { JsonObject } from '../../src/core/value/json';
import { type BuiltinCatalogue, createPipelineBuilder, defineExtractor, pipeline } from '../../src';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { type FlowServer, type RunAnswer, until } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';

const known = ['KNOWN-1', 'KNOWN-2', 'GONE'].map(sku => ({
    slug: sku.toLowerCase(),
    name: sku,
    sku,
    price: 500,
    stock: 3,
}));

/** First the fields of productUpsert, then those of the steps after it. */
const records: readonly JsonObject[] = [
    { slug: 'new-1', name: 'New 1', sku: 'NEW-1', price: 100, stock: 5, feed: 100, level: 7, active: true },
    { slug: 'new-2', name: 'New 2', sku: 'NEW-2', price: 200, stock: 5, feed: 250, level: 5, active: false },
    { slug: 'new-3', name: 'New 3', sku: 'NEW-3', feed: 1, level: 1, active: true },
    { slug: 'no-variant', name: 'Has no variant', feed: 1, level: 1, active: true },
    { slug: 'known-1', name: 'KNOWN-1', sku: 'KNOWN-1', price: 600, stock: 3, feed: 600, level: 3, active: true },
    { slug: 'known-2', name: 'KNOWN-2', sku: 'KNOWN-2', price: 500, stock: 3, feed: 500, level: 9, active: false },
    { slug: 'gone', sku: 'GONE', feed: 1, level: 1, active: true, __operation: 'DELETE' },
    // For this one, the steps after it have changed what productUpsert had stored.
    { slug: 'new-2', name: 'New 2', sku: 'NEW-2', price: 200, stock: 5, feed: 200, level: -1, active: false },
    { slug: 'known-2', name: 'KNOWN-2', sku: 'KNOWN-2', price: 500, stock: 9, feed: 500, level: 9, active: true },
    { slug: 'gone', name: 'Back', sku: 'GONE', price: 100, stock: 0, feed: 100, level: 2, active: true },
];

const seed = pipeline('seed')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'inMemory', data: [...known] })
    .load('products', { adapterCode: 'productUpsert', missingPrice: 'ZERO' })
    .build();

const chain = pipeline('chain')
    .throughput({ batchSize: 3, concurrency: 4 })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'inMemory', data: [...records] })
    .load('products', { adapterCode: 'productUpsert', missingPrice: 'ZERO' })
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

const PAGE = 5;
const PRODUCTS = 4 * PAGE;

/** Every product three times: new, unchanged, and with another price. Its pages are so slow that there are several slices. */
const recurring = defineExtractor({
    code: 'recurring',
    title: 'Recurring products',
    summary: 'Repeats its products.',
    config: z.strictObject({
        pageMs: z.int().meta({ title: 'Page time', description: 'Milliseconds that a page takes.' }),
    }),
    async *extract({ pageMs }, cx) {
        for (let at = Number(cx.resumeFrom ?? 0); at < 3 * PRODUCTS; at += PAGE) {
            await cx.clock.sleep(pageMs, cx.signal);
            yield { records: Array.from({ length: PAGE }, (_, i) => recurringProduct(at + i)), checkpoint: at + PAGE };
        }
    },
});

function recurringProduct(number: number): JsonObject {
    const code = `recurring-${number % PRODUCTS}`;
    return { slug: code, name: code, sku: code.toUpperCase(), price: number < 2 * PRODUCTS ? 100 : 200, stock: 1 };
}

/** Keeps its run in the queue's only slot until a test opens it. */
class Gate {
    private isOpen = true;
    isReached = false;

    readonly extractor = defineExtractor({
        code: 'gate',
        title: 'Gate',
        summary: 'Waits.',
        config: z.strictObject({}),
        extract: (_, cx) => this.wait(ms => cx.clock.sleep(ms, cx.signal)),
    });

    close(): void {
        [this.isOpen, this.isReached] = [false, false];
    }

    open(): void {
        this.isOpen = true;
    }

    private async *wait(sleep: (ms: number) => Promise<void>) {
        this.isReached = true;
        while (!this.isOpen) await sleep(20);
        yield { records: [recurringProduct(0)] };
    }
}
const gate = new Gate();

interface OwnCatalogue extends Omit<BuiltinCatalogue, 'extractors'> {
    readonly extractors: readonly [typeof recurring, typeof gate.extractor];
}
const own = createPipelineBuilder<OwnCatalogue>();
const recurs = (code: string, pageMs: number) =>
    own(code)
        .throughput({ batchSize: PAGE })
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'recurring', pageMs })
        .load('products', { adapterCode: 'productUpsert' })
        .build();
const held = own('held').trigger('start', { type: 'MANUAL' }).extract('in', { adapterCode: 'gate' }).build();

const additions = {
    pipelines: [seed, chain, inOrder, recurs('recurs', 0), recurs('recurs-slowly', 150), held],
    adapters: [recurring, gate.extractor],
} satisfies Partial<SharedSuite>;

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

    it('of loads that depend on each other count what the real run does', async () => {
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

    describe('that takes longer than a slice', () => {
        afterEach(() => gate.open());

        /** Resolves when the other run has the slot, so that the dry run waits for its next one. */
        const behindAnother = async (): Promise<{ readonly dry: RunAnswer; readonly other: RunAnswer }> => {
            const dry = await shop.start('recurs-slowly', 'dryRunFlowPipeline');
            await until(
                () => shop.run(dry.id),
                ({ recordsRead }) => recordsRead > 0,
            );
            gate.close();
            const other = await shop.start('held');
            await until(
                async () => gate.isReached,
                isReached => isReached,
            );
            return { dry, other };
        };
        const finishedAt = async ({ id }: RunAnswer): Promise<number> => {
            const runs = shop.dataSource.getRepository(FlowPipelineRun);
            const run = await runs.findOneByOrFail({ id: id.replace('T_', '') });
            return run.finishedAt!.getTime();
        };

        it('lets the run of another pipeline have its slot, and has the same report as one that was not interrupted', async () => {
            const leftAlone = await shop.perform('recurs', 'dryRunFlowPipeline');
            expect(countsOf(leftAlone)).toEqual([
                { stepKey: 'products', created: 20, updated: 20, deleted: 0, unchanged: 20, rejected: 0 },
            ]);
            const { dry, other } = await behindAnother();
            expect(await shop.run(dry.id)).toMatchObject({ status: 'RUNNING' });
            gate.open();
            expect(await shop.ended(other.id)).toMatchObject({ status: 'COMPLETED' });
            const run = await shop.ended(dry.id);
            expect(run).toMatchObject({ status: 'COMPLETED', attempt: 1, error: null });
            expect(await finishedAt(other)).toBeLessThan(await finishedAt(dry));
            expect(run.counters).toEqual(leftAlone.counters);
            expect(run.report).toEqual(leftAlone.report);
        });

        it('is cancelled at once while it waits for its next slice', async () => {
            const { dry, other } = await behindAnother();
            await shop.adminClient.query(gql`mutation Cancel($id: ID!) { cancelFlowPipelineRun(id: $id) { status } }`, {
                id: dry.id,
            });
            expect(await shop.ended(dry.id)).toMatchObject({ status: 'CANCELLED', error: null });
            expect(await shop.run(other.id)).toMatchObject({ status: 'RUNNING' });
            gate.open();
            expect(await shop.ended(other.id)).toMatchObject({ status: 'COMPLETED' });
            expect(await shop.run(dry.id)).toMatchObject({ status: 'CANCELLED' });
        });
    });
}

export const dryRunsSuite: SharedSuite = { title: 'dry runs', ...additions, tests: dryRuns };
