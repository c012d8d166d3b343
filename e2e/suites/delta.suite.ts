import { ProductVariant } from '@vendure/core';
import { z } from 'zod';
import { type BuiltinCatalogue, createPipelineBuilder, defineExtractor, type JsonObject } from '../../src';
import type { SharedSuite } from '../config/shared-shop';
import { type FlowServer, type RunAnswer } from '../config/flow-server';

/** The current products of the supplier. */
let feed: readonly JsonObject[] = [];

const supplier = defineExtractor({
    code: 'supplier',
    title: 'Supplier',
    summary: 'Reads what the supplier has just now.',
    config: z.strictObject({}),
    async *extract(_config, { resumeFrom }) {
        for (let i = Number(resumeFrom ?? 0); i < feed.length; i += 4)
            yield { records: feed.slice(i, i + 4), checkpoint: i + 4 };
    },
});

const product = (n: number, price: unknown = 100): JsonObject => ({
    slug: `delta-${n}`,
    name: `Delta ${n}`,
    sku: `DELTA-${n}`,
    price: price as number,
});
const products = (count: number): readonly JsonObject[] => Array.from({ length: count }, (_, n) => product(n));

const additions = {
    adapters: [supplier],
    pipelines: [
        createPipelineBuilder<
            Omit<BuiltinCatalogue, 'extractors'> & { readonly extractors: readonly [typeof supplier] }
        >()('delta')
            .throughput({ batchSize: 5, concurrency: 4 })
            .trigger('start', { type: 'MANUAL' })
            .extract('in', { adapterCode: 'supplier' })
            .transform('delta', [{ op: 'deltaFilter', args: { idPath: 'sku' } }])
            .load('products', { adapterCode: 'productUpsert' })
            .build(),
    ],
} satisfies Partial<SharedSuite>;

function deltas(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });

    const stepOf = ({ counters }: RunAnswer, key: string) => counters.find(({ stepKey }) => stepKey === key);
    const skus = async (): Promise<readonly string[]> =>
        (await shop.dataSource.getRepository(ProductVariant).find())
            .map(({ sku }) => sku)
            .filter(sku => sku.startsWith('DELTA'))
            .sort();

    it('a dry run keeps all records and remembers none of them', async () => {
        feed = products(20);
        for (let time = 0; time < 2; time++) {
            const dry = await shop.perform('delta', 'dryRunFlowPipeline');
            expect(stepOf(dry, 'products')).toMatchObject({ in: 20, created: 20 });
        }
    });

    it('an import that is repeated loads nothing', async () => {
        expect(await shop.perform('delta')).toMatchObject({
            status: 'COMPLETED',
            outcome: 'SUCCESS',
            recordsRead: 20,
            recordsLoaded: 20,
        });
        expect(await skus()).toHaveLength(20);
        const again = await shop.perform('delta');
        expect(again).toMatchObject({ status: 'COMPLETED', recordsRead: 20, recordsLoaded: 0 });
        expect(stepOf(again, 'delta')).toMatchObject({ in: 20, filtered: 20, out: 0 });
    });

    it('loads what has changed and what is new, at any place', async () => {
        feed = [product(20), ...products(20).slice(1), product(0, 999)];
        const run = await shop.perform('delta');
        expect(stepOf(run, 'delta')).toMatchObject({ in: 21, filtered: 19, out: 2 });
        expect(stepOf(run, 'products')).toMatchObject({ created: 1, updated: 1 });
    });

    it('a rejected record is not remembered, so the next run reads it again', async () => {
        feed = [product(30, 'much'), product(31)];
        expect(await shop.perform('delta')).toMatchObject({ outcome: 'PARTIAL', recordsRejected: 1, recordsLoaded: 1 });
        const again = await shop.perform('delta');
        expect(stepOf(again, 'delta')).toMatchObject({ in: 2, filtered: 1, out: 1 });
        expect(again).toMatchObject({ recordsRejected: 1 });
        feed = [product(30, 1_00), product(31)];
        expect(stepOf(await shop.perform('delta'), 'products')).toMatchObject({ in: 1, created: 1 });
    });
}

export const deltaFilterSuite: SharedSuite = { title: 'deltaFilter', ...additions, tests: deltas };
