import { ProductVariant } from '@vendure/core';
import gql from 'graphql-tag';
import { Like } from 'typeorm';
import { z } from 'zod';
import {
    type BuiltinCatalogue,
    checkpointRejected,
    createPipelineBuilder,
    defineExtractor,
    type JsonObject,
} from '../../src';
import { flowError } from '../../src/core/errors/flow-error';
import { type FlowServer, type RunAnswer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';

/** Another system: its changes, the oldest change whose cursors still work, and what was confirmed to it. */
const warehouse = { changes: [] as JsonObject[], oldest: 0, confirmed: [] as unknown[], isAway: false };

const changes = defineExtractor({
    code: 'changes',
    title: 'Changes',
    summary: 'Reads what has changed since the last run.',
    config: z.strictObject({}),
    saved: async () => ({ key: 'changes', startOver: false, by: 'completed' }),
    async *extract(_config, { resumeFrom }) {
        if (resumeFrom !== undefined && Number(resumeFrom) < warehouse.oldest)
            throw checkpointRejected('the cursor has expired (410)');
        // A read from the beginning gets a new cursor, which also works for another worker that continues with it.
        if (resumeFrom === undefined) warehouse.oldest = 0;
        for (let i = Number(resumeFrom ?? 0); i < warehouse.changes.length; i += 3) {
            const records = warehouse.changes.slice(i, i + 3);
            const next = i + records.length;
            yield { records, checkpoint: next, nextRun: { from: next }, afterSuccess: [{ upTo: next }] };
        }
    },
    async afterSuccess(_config, actions) {
        if (warehouse.isAway)
            throw flowError('REMOTE_BUSY', { host: 'warehouse.test', problem: 'is away', attempts: 1 });
        warehouse.confirmed.push(...actions.map(({ upTo }) => upTo));
    },
});

const change = (n: number): JsonObject => ({
    slug: `changed-${n}`,
    name: `Changed ${n}`,
    sku: `CHANGED-${n}`,
    price: 100,
});
const changed = (from: number, count: number): JsonObject[] =>
    Array.from({ length: count }, (_, i) => change(from + i));

const additions = {
    adapters: [changes],
    pipelines: [
        createPipelineBuilder<
            Omit<BuiltinCatalogue, 'extractors'> & { readonly extractors: readonly [typeof changes] }
        >()('change-feed')
            .throughput({ batchSize: 2 })
            .trigger('start', { type: 'MANUAL' })
            .extract('in', { adapterCode: 'changes' }, { retry: { maxRetries: 1, retryDelayMs: 0 } })
            .load('products', { adapterCode: 'productUpsert' })
            .build(),
    ],
} satisfies Partial<SharedSuite>;

interface Logs {
    readonly flowLogs: { readonly items: ReadonlyArray<{ readonly level: string; readonly code: string | null }> };
}

/** A source whose next run continues at the end of the last completed run. */
function feeds(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });

    /** The events of the warnings in the log of a run. */
    const warningsOf = async ({ id }: RunAnswer): Promise<ReadonlyArray<string | null>> => {
        const { flowLogs } = await shop.adminClient.query<Logs>(
            gql`query Log($id: ID!) { flowLogs(runId: $id, options: { take: 50 }) { items { level code } } }`,
            { id },
        );
        return flowLogs.items.flatMap(({ level, code }) => (level === 'WARN' ? [code] : []));
    };
    const known = (): Promise<number> =>
        shop.dataSource.getRepository(ProductVariant).countBy({ sku: Like('CHANGED-%') });

    it('is read by a dry run, which confirms nothing and does not move the position', async () => {
        warehouse.changes = changed(0, 7);
        expect(await shop.perform('change-feed', 'dryRunFlowPipeline')).toMatchObject({ recordsRead: 7 });
        expect(warehouse.confirmed).toEqual([]);
    });

    it('is read to its end and confirmed, and the next run continues there', async () => {
        expect(await shop.perform('change-feed')).toMatchObject({ status: 'COMPLETED', recordsLoaded: 7 });
        expect(warehouse.confirmed).toEqual([3, 6, 7]);
        expect(await shop.perform('change-feed')).toMatchObject({ status: 'COMPLETED', recordsRead: 0 });
        warehouse.changes.push(...changed(7, 2));
        expect(await shop.perform('change-feed')).toMatchObject({ recordsRead: 2, recordsLoaded: 2 });
        expect(warehouse.confirmed).toEqual([3, 6, 7, 9]);
        expect(await known()).toBe(9);
    });

    it('is read from its beginning if the cursor has expired, within the same run', async () => {
        warehouse.oldest = 12;
        warehouse.changes.push(...changed(9, 3));
        const run = await shop.perform('change-feed');
        expect(run).toMatchObject({ status: 'COMPLETED', recordsRead: 12, recordsLoaded: 3, recordsUnchanged: 9 });
        expect(await warningsOf(run)).toEqual(['POSITION_REJECTED_READ_AGAIN']);
        expect(await shop.perform('change-feed')).toMatchObject({ status: 'COMPLETED', recordsRead: 0 });
    });

    it('is confirmed later if that failed, and not read before', async () => {
        warehouse.confirmed.splice(0);
        warehouse.isAway = true;
        warehouse.changes.push(...changed(12, 1));
        const run = await shop.perform('change-feed');
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsLoaded: 1 });
        expect(await warningsOf(run)).toContain('SOURCE_ACTION_FAILED');
        warehouse.changes.push(...changed(13, 1));
        expect(await shop.perform('change-feed')).toMatchObject({
            status: 'FAILED',
            error: { code: 'REMOTE_BUSY', stepKey: 'in' },
            recordsRead: 0,
        });
        warehouse.isAway = false;
        expect(await shop.perform('change-feed')).toMatchObject({ status: 'COMPLETED', recordsLoaded: 1 });
        expect(warehouse.confirmed).toEqual([13, 14]);
        expect(await known()).toBe(14);
    });
}

export const changeFeedSuite: SharedSuite = { title: 'a change feed', ...additions, tests: feeds };
