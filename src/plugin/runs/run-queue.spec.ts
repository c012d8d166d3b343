import type { JobQueueService } from '@vendure/core';
import { RunQueue } from './run-queue';
import type { RunStores } from './run-stores';

/** A queue that records what is added, and accepts it on demand. `next` returns which run of a pipeline is next. */
async function queueOf(next: (pipelineId: unknown) => Promise<unknown>) {
    const given: Array<{ readonly runId: unknown; accept(): void }> = [];
    const add = ({ runId }: { runId: unknown }): Promise<void> =>
        new Promise(resolve => given.push({ runId, accept: resolve }));
    const jobs = { createQueue: () => Promise.resolve({ add }) } as unknown as JobQueueService;
    const queue = new RunQueue(jobs, { leases: { next } } as unknown as RunStores);
    await queue.onModuleInit();
    return { queue, given, ids: () => given.map(({ runId }) => runId) };
}

const turn = () => new Promise(resolve => setImmediate(resolve));

describe('runs that come by the hundred', () => {
    it('get a job where none of their pipeline is at work or before them, and none is waited for', async () => {
        const next = new Map<unknown, unknown>([['b', 9]]);
        const { queue, given, ids } = await queueOf(pipelineId => Promise.resolve(next.get(pipelineId)));
        next.set('a', 1);
        for (const runId of [1, 2, 3]) queue.addSoon('a', runId);
        queue.addSoon('b', 9);
        await turn();
        expect(ids()).toEqual([1, 9]);
        given[0]!.accept();
        await turn();
        queue.addSoon('a', 4);
        await turn();
        expect(ids()).toEqual([1, 9]);
        // One of them runs.
        next.delete('a');
        queue.addSoon('a', 5);
        await turn();
        expect(ids()).toEqual([1, 9]);
        next.set('a', 6);
        queue.addSoon('a', 6);
        await turn();
        expect(ids()).toEqual([1, 9, 6]);
    });

    it('get a job also if the next run was added after others while the query for the next run was in progress', async () => {
        const next = new Map<unknown, unknown>();
        const { queue, ids } = await queueOf(pipelineId => Promise.resolve(next.get(pipelineId)));
        // One query is in progress, and ends before the next one starts.
        for (const runId of [1, 2, 3, 4]) queue.addSoon('a', runId);
        next.set('a', 1);
        queue.addSoon('b', 9);
        next.set('a', 3);
        await turn();
        expect(ids()).toEqual([3]);
    });

    it('get one each if the query for the next run fails', async () => {
        const { queue, given, ids } = await queueOf(() => Promise.reject(new Error('the database is away')));
        queue.addSoon('a', 1);
        await turn();
        queue.addSoon('a', 2);
        given[0]!.accept();
        await turn();
        expect(ids()).toEqual([1, 2]);
    });
});

describe('a job queue that answers nothing', () => {
    beforeEach(() => {
        jest.useFakeTimers();
    });
    afterEach(() => {
        jest.useRealTimers();
    });

    it('is given two jobs and no more until it answers, so that it does not take the connections of a whole pool', async () => {
        const given: Array<() => void> = [];
        const add = (): Promise<void> => new Promise(resolve => given.push(resolve));
        const queue = new RunQueue(
            { createQueue: () => Promise.resolve({ add }) } as unknown as JobQueueService,
            {} as RunStores,
        );
        await queue.onModuleInit();
        const first = [queue.add(1), queue.add(2)];
        await jest.advanceTimersByTimeAsync(5_000);
        expect(await Promise.all(first)).toEqual([false, false]);
        expect(await queue.add(3)).toBe(false);
        expect(given).toHaveLength(2);
        given[0]!();
        await jest.advanceTimersByTimeAsync(0);
        const next = queue.add(4);
        given[2]!();
        expect(await next).toBe(true);
    });
});
