import { Tag } from '@vendure/core';
import gql from 'graphql-tag';
import { createPipelineBuilder, type BuiltinCatalogue } from '../../src';
import type { SharedSuite } from '../config/shared-shop';
import { type FlowServer, type RunAnswer, until } from '../config/flow-server';
import { slowNumbers, tagLoader } from '../config/tag-loader';

const BATCH = 20;
const RECORDS = 20_000;

interface TagCatalogue extends Omit<BuiltinCatalogue, 'extractors' | 'loaders'> {
    readonly extractors: readonly [typeof slowNumbers];
    readonly loaders: readonly [typeof tagLoader];
}
const pipeline = createPipelineBuilder<TagCatalogue>();

/** `sleepMs` keeps each load in the database for a while, so that a cancel occurs during a load. */
const long = (code: string, sleepMs: number) =>
    pipeline(code)
        .throughput({ batchSize: BATCH })
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'slowNumbers', count: RECORDS, pageSize: BATCH, pageMs: sleepMs > 0 ? 0 : 20 })
        .load('out', { adapterCode: 'tags', sleepMs })
        .build();

const additions = {
    pipelines: [long('slow-source', 0), long('slow-load', 400)],
    adapters: [tagLoader, slowNumbers],
} satisfies Partial<SharedSuite>;

function cancels(open: () => Promise<FlowServer>, code: string): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });
    afterEach(() => shop.dataSource.getRepository(Tag).createQueryBuilder().delete().execute());

    const cancel = async (id: string): Promise<RunAnswer> => {
        const { cancelFlowPipelineRun } = await shop.adminClient.query(
            gql`mutation Cancel($id: ID!) { cancelFlowPipelineRun(id: $id) { id status cancelRequestedAt } }`,
            { id },
        );
        return cancelFlowPipelineRun as RunAnswer;
    };

    it('ends a run long before its source, in mid-load, and leaves no half batch', async () => {
        const { id } = await shop.start(code);
        await until(
            () => shop.run(id),
            ({ recordsLoaded }) => recordsLoaded > 0,
        );
        await cancel(id);
        const run = await until(
            () => shop.run(id),
            ({ status }) => status !== 'RUNNING',
        );
        expect(run).toMatchObject({ status: 'CANCELLED', outcome: null, error: null });
        const stored = await shop.dataSource.getRepository(Tag).count();
        expect(stored).toBeGreaterThan(0);
        expect(stored).toBeLessThan(RECORDS / 4);
        expect(stored % BATCH).toBe(0);
        expect(stored).toBe(run.recordsLoaded);
    });

    it('writes nothing more once it is CANCELLED', async () => {
        const { id } = await shop.start(code);
        await until(
            () => shop.run(id),
            ({ recordsLoaded }) => recordsLoaded > 0,
        );
        await cancel(id);
        await until(
            () => shop.run(id),
            ({ status }) => status === 'CANCELLED',
        );
        const stored = await shop.dataSource.getRepository(Tag).count();
        await new Promise(resolve => setTimeout(resolve, 1000));
        expect(await shop.dataSource.getRepository(Tag).count()).toBe(stored);
    });

    it('ends a run that waits for another one at once, and does not change that one', async () => {
        const first = await shop.start(code);
        const second = await shop.start(code);
        expect(await cancel(second.id)).toMatchObject({ status: 'CANCELLED' });
        expect(['PENDING', 'RUNNING']).toContain((await shop.run(first.id)).status);
        await cancel(first.id);
        await shop.ended(first.id);
    });

    it('is rejected for a run that has ended, with its state', async () => {
        const { id } = await shop.start(code);
        await cancel(id);
        await shop.ended(id);
        await expect(cancel(id)).rejects.toMatchObject({
            response: { errors: [{ extensions: { code: 'RUN_STATE_CONFLICT' } }] },
        });
    });
}

export const cancellingSuite: SharedSuite = {
    title: 'cancelling',
    ...additions,
    tests: (open, database) => {
        describe('while the source is slow', () => cancels(open, 'slow-source'));
        // SQLite has no statement that takes a given time.
        if (database !== 'sqlite') describe('while the load is slow', () => cancels(open, 'slow-load'));
    },
};
