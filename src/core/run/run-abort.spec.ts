import { MemoryState } from '../../../test/kit/memory-ports';
import { ids, LOAD, pages, runPipeline, sketched, straight } from '../../../test/kit/pipeline';
import { toyPages } from '../../../test/kit/toy-adapters';
import { VirtualClock } from '../../../test/kit/virtual-clock';
import type { JsonObject } from '../value/json';
import { flowError } from '../errors/flow-error';

describe('a yield', () => {
    const definition = sketched(straight(pages(ids(10)), { throughput: { batchSize: 1, concurrency: 3 } }));

    it('starts no further batch, commits those on their way, and the next slice does the rest', async () => {
        const clock = new VirtualClock();
        const state = new MemoryState();
        const slice = new AbortController();
        const at = async (point: string): Promise<void> => {
            await clock.sleep(10);
            if (point === 'positions.commit.before') slice.abort();
        };
        const first = await runPipeline(definition, { clock, state, at, yieldSignal: slice.signal });
        expect(first.end.end).toBe('yielded');
        expect(state.positions['read']?.batchNo).toBe(state.markers.size);
        expect(state.markers.size).toBeLessThan(10);
        expect(first.end.counters).toEqual(state.counters);
        const second = await runPipeline(definition, { clock, state });
        expect(second.end).toMatchObject({ end: 'completed', counters: { write: { created: 10 } } });
    });

    it('gets on by a batch a slice even when the slice is over before the first', async () => {
        const state = new MemoryState();
        let slices = 1;
        for (; slices < 30; slices++) {
            const { end } = await runPipeline(definition, { state, yieldSignal: AbortSignal.abort() });
            if (end.end === 'completed') break;
        }
        expect(slices).toBe(11); // the end of the source is found in a separate slice
        expect(state.shop.size).toBe(10);
    });

    it('does not wait for a slow source', async () => {
        const clock = new VirtualClock();
        const slice = new AbortController();
        const source = toyPages((point, cx) =>
            point === 'page 1' ? clock.sleep(3_600_000, cx.signal) : Promise.resolve(),
        );
        const pipeline = sketched(straight(pages(ids(1), ids(1, 1)), { throughput: { batchSize: 1 } }));
        const startedAt = clock.now();
        void clock.sleep(60_000).then(() => slice.abort());
        const { end } = await runPipeline(pipeline, { clock, adapters: [source], yieldSignal: slice.signal });
        expect(end).toMatchObject({ end: 'yielded', counters: { write: { created: 1 } } });
        expect(clock.now() - startedAt).toBeLessThan(62_000);
    });
});

describe('a cancel', () => {
    const CANCELLED = flowError('RUN_CANCELLED', {});

    async function cancelledAfter(
        ms: number,
        more: { source?: ReturnType<typeof toyPages>; at?: (clock: VirtualClock) => (point: string) => Promise<void> },
    ) {
        const clock = new VirtualClock();
        const cancel = new AbortController();
        const startedAt = clock.now();
        void clock.sleep(ms).then(() => cancel.abort(CANCELLED));
        const { end, state } = await runPipeline(
            sketched(straight(pages(ids(2), ids(2, 2)), { throughput: { batchSize: 1 } })),
            {
                clock,
                signal: cancel.signal,
                adapters: more.source ? [more.source] : [],
                ...(more.at && { at: more.at(clock) }),
            },
        );
        return { end, state, endedAfter: clock.now() - startedAt };
    }

    it('ends the run within two seconds while a source does not respond', async () => {
        const source = toyPages(() => new Promise(() => undefined));
        const { end, endedAfter } = await cancelledAfter(5_000, { source });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'RUN_CANCELLED' } });
        expect(endedAfter).toBeLessThan(7_000);
    });

    it('ends the run within two seconds while a load waits for its next try', async () => {
        const busy = (): ((point: string) => Promise<void>) => async point => {
            if (point === 'loads.commit.before')
                throw flowError('DATABASE_BUSY', { problem: 'deadlock' }, { waitMs: 200_000 });
        };
        const { end, endedAfter } = await cancelledAfter(1_000, { at: busy });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'RUN_CANCELLED' } });
        expect(endedAfter).toBeLessThan(3_000);
    });

    it('ends the run within two seconds while the database does not respond, and commits nothing more', async () => {
        const { end, state, endedAfter } = await cancelledAfter(1_000, {
            at: () => point => (point === 'loads.commit.after' ? new Promise(() => undefined) : Promise.resolve()),
        });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'RUN_CANCELLED' } });
        expect(endedAfter).toBeLessThan(3_000);
        expect(state.commits).toEqual([]);
    });

    it('starts no further step, even if the active one returns in time', async () => {
        const clock = new VirtualClock();
        const cancel = new AbortController();
        void clock.sleep(100).then(() => cancel.abort(CANCELLED));
        const { end, state } = await runPipeline(
            sketched({
                steps: {
                    start: ['TRIGGER', {}],
                    read: ['EXTRACT', pages(ids(2))],
                    write: ['LOAD', LOAD],
                    next: ['LOAD', { ...LOAD, table: 'next' }],
                },
                edges: ['start > read > write > next'],
            }),
            { clock, signal: cancel.signal, at: point => clock.sleep(point === 'loads.commit.after' ? 500 : 0) },
        );
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'RUN_CANCELLED' } });
        expect(state.history).toEqual(['load write read 0 0']);
    });

    it('closes the source', async () => {
        const clock = new VirtualClock();
        const closed: string[] = [];
        const source = toyPages(async (_, cx) => {
            cx.signal.addEventListener('abort', () => closed.push('told'));
            await clock.sleep(50_000, cx.signal).finally(() => closed.push('closed'));
        });
        const cancel = new AbortController();
        void clock.sleep(500).then(() => cancel.abort(CANCELLED));
        await runPipeline(sketched(straight(pages(ids(1)))), { clock, adapters: [source], signal: cancel.signal });
        expect(closed).toEqual(['told', 'closed']);
    });

    it('before the start leaves no history', async () => {
        const { end, state } = await runPipeline(sketched(straight(pages(ids(1)))), {
            signal: AbortSignal.abort(CANCELLED),
        });
        expect(end).toMatchObject({ end: 'stopped', error: { code: 'RUN_CANCELLED' } });
        expect(state.history).toEqual([]);
    });
});

describe('the error budget', () => {
    const bad = (good: number, rejected: number): JsonObject[] => [
        ...ids(good),
        ...ids(rejected, 1_000).map(one => ({ ...one, bad: true })),
    ];
    const over = { end: 'stopped', error: { code: 'ERROR_BUDGET_EXCEEDED' } };

    it('stops the run at one rejected record more than maxErrors, and keeps committed records', async () => {
        const sketch = (maxErrors: number) =>
            sketched(straight(pages(bad(4, 3)), { throughput: { batchSize: 1 }, errorHandling: { maxErrors } }));
        const { end, state } = await runPipeline(sketch(2));
        expect(end).toMatchObject(over);
        expect(state.positions['read']?.batchNo).toBe(6);
        expect((await runPipeline(sketch(3))).end).toMatchObject({ end: 'completed', outcome: 'PARTIAL' });
    });

    it('counts records that were rejected before the run was resumed', async () => {
        const state = new MemoryState();
        const definition = sketched(
            straight(pages(bad(0, 3)), { throughput: { batchSize: 1 }, errorHandling: { maxErrors: 2 } }),
        );
        for (let slice = 0; slice < 2; slice++) {
            const { end } = await runPipeline(definition, { state, yieldSignal: AbortSignal.abort() });
            expect(end.end).toBe('yielded');
        }
        expect((await runPipeline(definition, { state })).end).toMatchObject(over);
    });

    it('checks the rate after the first hundred records only', async () => {
        const sketch = (records: JsonObject[]) =>
            sketched(straight(pages(records), { throughput: { batchSize: 10 }, errorHandling: { maxErrorRate: 0.1 } }));
        expect((await runPipeline(sketch(bad(9, 81)))).end).toMatchObject({ end: 'completed' });
        expect((await runPipeline(sketch(bad(89, 11)))).end).toMatchObject(over);
        expect((await runPipeline(sketch(bad(90, 10)))).end).toMatchObject({ end: 'completed' });
        expect((await runPipeline(sketch([...bad(0, 20), ...ids(80)]))).end).toMatchObject(over);
    });
});
