import { ProductVariant, StockLevel } from '@vendure/core';
import gql from 'graphql-tag';
import { In } from 'typeorm';
import { z } from 'zod';
import { batchOperator, defineLoader, type JsonObject, type StatementProgram } from '../../src';
import { flowError } from '../../src/core/errors/flow-error';
import { send, sql } from '../../src/database/statement';
import { type FlowServer, type RunAnswer, until } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as } from '../fixtures/authoring-api';

/** What happens to the batch with a certain record. Runs are executed in this process. */
const trouble: { holds?: string | undefined; refuses?: string | undefined; reached?: () => void } = {};

const holdUp = batchOperator({
    code: 'holdUp',
    category: 'Test',
    title: 'Hold up',
    summary: 'Waits with one of its batches until the run is stopped.',
    examples: [],
    config: z.strictObject({}),
    open: () => async (batch, cx) => {
        if (!batch.some(({ data }) => data['sku'] === trouble.holds)) return batch;
        trouble.reached?.();
        return new Promise((_, stop) => {
            cx.signal.addEventListener('abort', () => stop(cx.signal.reason as Error), { once: true });
        });
    },
});

const fussy = defineLoader({
    code: 'fussy',
    title: 'Fussy',
    summary: 'Loads nothing, and throws at one of its batches.',
    config: z.strictObject({}),
    open: () =>
        Promise.resolve({
            locks: () => [],
            *plan(batch) {
                yield* send(sql`SELECT 1`);
                if (batch.some(({ data }) => data['sku'] === trouble.refuses))
                    throw flowError('DATABASE_REFUSED', { problem: 'disk full' });
                return {
                    changes: batch.map(({ data }) => ({ action: 'unchanged' as const, key: String(data['sku']) })),
                    *apply(): StatementProgram<[]> {
                        yield* send(sql`SELECT 1`);
                        return [];
                    },
                };
            },
        }),
});

const BATCH = 4;
const COUNT = 24;
/** The stock before the file is imported. */
const BEFORE = 100;

/** A file of stock deltas whose import was cancelled or has failed, and is started again. */
function again(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let pipelines: ReturnType<typeof as>;
    beforeAll(async () => {
        shop = await open();
        pipelines = as(shop.adminClient);
    });
    afterEach(() => {
        trouble.holds = trouble.refuses = undefined;
    });

    const step = (key: string, kind: string, config: JsonObject): JsonObject => ({ key, kind, config });
    const chained = (...steps: JsonObject[]): JsonObject[] =>
        steps.slice(1).map((to, i) => ({ from: steps[i]!['key']!, to: to['key']! }));
    const published = async (code: string, steps: JsonObject[], concurrency: number): Promise<void> => {
        const definition = {
            version: 1,
            throughput: { batchSize: BATCH, concurrency },
            steps: [step('start', 'TRIGGER', { type: 'MANUAL' }), ...steps],
            edges: chained(step('start', 'TRIGGER', {}), ...steps),
        };
        await pipelines.publish(await pipelines.create({ code, definition }));
    };
    const upload = async (content: string): Promise<string> => {
        const body = new FormData();
        body.set('file', new File([content], 'deltas.csv'));
        const headers = {
            authorization: `Bearer ${shop.adminClient.getAuthToken()}`,
            'vendure-token': shop.channelToken,
        };
        const response = await fetch(`${shop.url}/flow/upload`, { method: 'POST', headers, body });
        return ((await response.json()) as { file: { id: string } }).file.id;
    };
    const skuOf = (code: string, n: number): string => `${code}-${n}`;
    const deltaOf = (n: number): number => n + 1;

    /** A pipeline that adds each delta of its file twice, with two load steps, to separate variants. */
    const adding = async (
        code: string,
        { concurrency = 3, ...reading }: { readonly concurrency?: number; readonly resetCheckpoint?: boolean } = {},
    ): Promise<void> => {
        const skus = Array.from({ length: COUNT }, (_, n) => skuOf(code, n));
        const data = skus.map(sku => ({ slug: sku.toLowerCase(), name: sku, sku, price: 100, stock: BEFORE }));
        await published(
            `${code}-products`,
            [
                step('in', 'EXTRACT', { adapterCode: 'inMemory', data }),
                step('products', 'LOAD', { adapterCode: 'productUpsert' }),
            ],
            1,
        );
        expect(await shop.perform(`${code}-products`)).toMatchObject({ outcome: 'SUCCESS', recordsLoaded: COUNT });
        const fileId = await upload(`sku,stock\n${skus.map((sku, n) => `${sku},${deltaOf(n)}`).join('\n')}\n`);
        const add = { adapterCode: 'stockAdjust', mode: 'ADD' };
        await published(
            code,
            [
                step('in', 'EXTRACT', { adapterCode: 'csv', fileId, ...reading }),
                step('numbers', 'TRANSFORM', {
                    operators: [{ op: 'toNumber', args: { source: 'stock', target: 'stock' } }],
                }),
                step('first', 'LOAD', add),
                step('hold', 'TRANSFORM', { operators: [{ op: 'holdUp', args: {} }] }),
                step('fussy', 'LOAD', { adapterCode: 'fussy' }),
                step('second', 'LOAD', add),
            ],
            concurrency,
        );
    };
    /** How often each delta was added, in the order of the file. */
    const added = async (code: string): Promise<readonly number[]> => {
        const skus = Array.from({ length: COUNT }, (_, n) => skuOf(code, n));
        const variants = await shop.dataSource.getRepository(ProductVariant).findBy({ sku: In(skus) });
        const levels = await shop.dataSource
            .getRepository(StockLevel)
            .findBy({ productVariantId: In(variants.map(({ id }) => id)) });
        return skus.map((sku, n) => {
            const { id } = variants.find(variant => variant.sku === sku)!;
            const onHand = levels
                .filter(({ productVariantId }) => productVariantId === id)
                .reduce((sum, { stockOnHand }) => sum + stockOnHand, 0);
            return (onHand - BEFORE) / deltaOf(n);
        });
    };
    const each = (times: number): readonly number[] => Array.from({ length: COUNT }, () => times);
    const countsOf = (run: RunAnswer, stepKey: string) => run.counters.find(counters => counters.stepKey === stepKey);
    const updatedBy = (stepKey: string, ...runs: readonly RunAnswer[]): number =>
        runs.reduce((sum, run) => sum + (countsOf(run, stepKey)?.updated ?? 0), 0);
    const eventsOf = async ({ id }: RunAnswer): Promise<ReadonlyArray<string | null>> => {
        const { flowLogs } = await shop.adminClient.query(
            gql`query Log($id: ID!) { flowLogs(runId: $id, options: { take: 50 }) { items { code } } }`,
            { id },
        );
        return flowLogs.items.map(({ code }: { code: string | null }) => code);
    };

    /**
     * Cancels the run while the third of six batches is between its load steps. The later batches are done, unless the slice has ended
     * before they began.
     */
    const cancelled = async (code: string): Promise<RunAnswer> => {
        trouble.holds = skuOf(code, 2 * BATCH + 1);
        const isHeld = new Promise<void>(resolve => {
            trouble.reached = resolve;
        });
        const { id } = await shop.start(code);
        await isHeld;
        const isBehind = (times: readonly number[]): boolean => times[5 * BATCH - 1] === 2;
        await until(() => added(code), isBehind, 5_000).catch(() => undefined);
        await shop.adminClient.query(gql`mutation Cancel($id: ID!) { cancelFlowPipelineRun(id: $id) { id } }`, { id });
        const run = await shop.ended(id);
        expect(run).toMatchObject({ status: 'CANCELLED' });
        trouble.holds = undefined;
        return run;
    };

    it('is finished where it was cancelled: steps that have loaded a batch skip it, the others load it', async () => {
        const code = 'again-cancelled';
        await adding(code);
        const first = await cancelled(code);
        const then = await added(code);
        expect(then.slice(0, 3 * BATCH)).toEqual([...each(2).slice(0, 2 * BATCH), ...each(1).slice(0, BATCH)]);

        const dry = await shop.perform(code, 'dryRunFlowPipeline');
        expect(dry).toMatchObject({ status: 'COMPLETED', recordsRead: COUNT });

        const second = await shop.perform(code);
        expect(await added(code)).toEqual(each(2));
        expect(second).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', recordsRead: COUNT - 2 * BATCH });
        for (const [stepKey, times] of [
            ['first', 1],
            ['second', 2],
        ] as const) {
            const unchanged = then.slice(2 * BATCH).filter(done => done >= times).length;
            expect(countsOf(second, stepKey)).toMatchObject({ unchanged, updated: COUNT - 2 * BATCH - unchanged });
            expect(updatedBy(stepKey, first, second)).toBe(COUNT);
        }
        expect(await eventsOf(second)).toContain('SOURCE_READ_ON');

        // That run has completed: the file is read again from the beginning, and added again.
        expect(await shop.perform(code)).toMatchObject({ outcome: 'SUCCESS', recordsRead: COUNT });
        expect(await added(code)).toEqual(each(4));
    });

    it('is finished where it has failed, and where that run has failed too', async () => {
        const code = 'again-failed';
        await adding(code, { concurrency: 2 });
        const runs: RunAnswer[] = [];
        for (const place of [BATCH + 1, 4 * BATCH, 4 * BATCH]) {
            trouble.refuses = skuOf(code, place);
            const run = await shop.perform(code);
            expect(run).toMatchObject({ status: 'FAILED', error: { code: 'DATABASE_REFUSED', stepKey: 'fussy' } });
            runs.push(run);
        }
        trouble.refuses = undefined;
        const last = await shop.perform(code);
        expect(last).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS' });
        expect(await added(code)).toEqual(each(2));
        for (const stepKey of ['first', 'second']) expect(updatedBy(stepKey, ...runs, last)).toBe(COUNT);
    });

    it('reports the rejects of a load that is not repeated, in the run that counts them', async () => {
        const code = 'again-rejects';
        await adding(code);
        // A variant that is deleted between upload and import.
        await shop.dataSource
            .getRepository(ProductVariant)
            .update({ sku: skuOf(code, 3 * BATCH + 1) }, { deletedAt: new Date() });
        await cancelled(code);
        const second = await shop.perform(code);
        expect(second).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsRejected: 1 });
        const { flowRecordErrors } = await shop.adminClient.query(
            gql`query Rejects($id: ID!) { flowRecordErrors(runId: $id) { items { stepKey seq place path } } }`,
            { id: second.id },
        );
        const seq = 3 * BATCH + 1;
        expect(flowRecordErrors.items).toEqual([{ stepKey: 'first', seq, place: `line ${seq + 2}`, path: 'sku' }]);
        expect((await added(code)).filter((_, n) => n !== seq)).toEqual(each(2).slice(1));
    });

    it('is read again from the beginning, and added again, if resetCheckpoint is set', async () => {
        const code = 'again-anew';
        await adding(code, { resetCheckpoint: true });
        await cancelled(code);
        const before = await added(code);
        expect([before[0], before[2 * BATCH]]).toEqual([2, 1]);
        expect(await shop.perform(code)).toMatchObject({ outcome: 'SUCCESS', recordsRead: COUNT });
        expect(await added(code)).toEqual(before.map(times => times + 2));
    });
}

export const sameFileAgainSuite: SharedSuite = {
    title: 'the same file again',
    adapters: [holdUp, fussy],
    tests: again,
};
