import { ids, pages, type RunOptions, runPipeline, sketched, straight } from '../../../test/kit/pipeline';
import { naming } from '../../../test/kit/naming';
import { flowError } from '../errors/flow-error';
import { MAX_PROVIDED_BYTES } from '../adapter/provided-records';
import type { HookStage } from '../adapter/hook-stages';
import type { JsonObject } from '../value/json';
import type { PipelineStart, PipelineStarted } from './pipeline-starts';

const HOOK = { type: 'TRIGGER_PIPELINE', pipelineCode: 'next' } as const;

async function run(
    records: JsonObject[],
    stage: HookStage,
    {
        answer = async () => 'started',
        failOnError = false,
        ...options
    }: RunOptions & {
        readonly answer?: (order: PipelineStart) => Promise<PipelineStarted>;
        readonly failOnError?: boolean;
    } = {},
) {
    const orders: PipelineStart[] = [];
    const start = (order: PipelineStart): Promise<PipelineStarted> => {
        orders.push(order);
        return answer(order);
    };
    const sketch = straight(pages(records), {
        throughput: { batchSize: 2 },
        hooks: { [stage]: [{ ...HOOK, failOnError }] },
    });
    const { end, state } = await runPipeline(sketched(sketch), {
        ...options,
        pipelines: { start },
        input: { pipelineCode: 'first', ...options.input },
    });
    const lines = state.events.flatMap(event => (event.type === 'log' ? [event.message] : []));
    return { end, orders, lines };
}

describe('a hook that starts a pipeline', () => {
    it('passes it the records of each batch, under a key that identifies the batch', async () => {
        const { end, orders } = await run(ids(3), 'AFTER_LOAD');
        expect(end).toMatchObject({ end: 'completed' });
        expect(orders.map(({ pipelineCode, records }) => [pipelineCode, records])).toEqual([
            ['next', ids(2)],
            ['next', ids(1, 2)],
        ]);
        const keys = orders.map(({ occurrence }) => occurrence);
        expect(new Set(keys).size).toBe(2);
        for (const key of keys) expect(key).toMatch(/^hook\/[0-9a-f]{64}\/0$/);
        // A repeated batch has the same key as before.
        expect((await run(ids(3), 'AFTER_LOAD')).orders.map(({ occurrence }) => occurrence)).toEqual(keys);
    });

    it('passes it the facts of the stage if there are no records', async () => {
        const { orders } = await run(ids(3), 'RUN_COMPLETED');
        expect(orders).toHaveLength(1);
        expect(orders[0]!.records).toEqual([
            expect.objectContaining({
                stage: 'RUN_COMPLETED',
                runId: 'run',
                pipelineCode: 'first',
                outcome: 'SUCCESS',
                totals: expect.objectContaining({ recordsRead: 3 }) as unknown,
            }),
        ]);
    });

    it('gives it the rejected records', async () => {
        const { orders } = await run([{ id: 1 }, { id: 2, bad: true }], 'ON_RECORD_ERROR');
        expect(orders.map(({ records }) => records)).toEqual([[{ id: 2, bad: true }]]);
    });

    it('starts several runs if the records are too many for one, and rejects a record that is too large for any', async () => {
        const large = (share: number): string => 'x'.repeat(Math.floor(MAX_PROVIDED_BYTES * share));
        const { orders } = await run(
            [
                { id: 1, text: large(0.6) },
                { id: 2, text: large(0.6) },
            ],
            'AFTER_EXTRACT',
        );
        expect(orders.map(({ records }) => records.map(({ id }) => id))).toEqual([[1], [2]]);
        expect(orders.map(({ occurrence }) => occurrence.slice(-2))).toEqual(['/0', '/1']);
        const tooLarge = { id: 1, text: large(1) };
        const beyond = await run([tooLarge], 'AFTER_EXTRACT');
        expect(beyond.orders).toEqual([]);
        // With the comma that follows it.
        const size = JSON.stringify(tooLarge).length + 1;
        expect(beyond.lines).toEqual([expect.stringMatching(naming(size, MAX_PROVIDED_BYTES))]);
    });

    it('does not change the batch', async () => {
        const { end } = await run(ids(3), 'BEFORE_LOAD');
        expect(end.counters['write']).toMatchObject({ in: 3, created: 3 });
    });

    it('reports why the pipeline was not started, and continues', async () => {
        const circle = await run(ids(1), 'AFTER_LOAD', { answer: async () => ({ ledHereBy: 'chance' }) });
        expect(circle.end).toMatchObject({ end: 'completed' });
        expect(circle.lines.join()).toContain('chance');
        const rejected = async (): Promise<PipelineStarted> => {
            throw flowError('PIPELINE_NOT_RUNNABLE', { code: 'next', problem: 'chance' });
        };
        const warned = await run(ids(1), 'AFTER_LOAD', { answer: rejected });
        expect(warned.end).toMatchObject({ end: 'completed' });
        expect(warned.lines.join()).toContain('chance');
        const failed = await run(ids(1), 'AFTER_LOAD', { answer: rejected, failOnError: true });
        expect(failed.end).toMatchObject({ end: 'stopped', error: { code: 'HOOK_FAILED' } });
    });

    it('stops the run, which is resumed later, if the database of the shop is lost meanwhile', async () => {
        const lost = flowError('DATABASE_LOST', { problem: 'Connection terminated' });
        for (const stage of ['RUN_STARTED', 'AFTER_EXTRACT', 'AFTER_LOAD'] as const) {
            const { end, lines } = await run(ids(3), stage, { answer: () => Promise.reject(lost) });
            expect(end).toMatchObject({ end: 'stopped', error: { code: 'DATABASE_LOST' } });
            expect(lines.join()).not.toContain('Connection terminated');
        }
    });

    it('starts nothing in a dry run', async () => {
        expect((await run(ids(1), 'AFTER_LOAD', { input: { mode: 'dryRun' } })).orders).toEqual([]);
    });
});
