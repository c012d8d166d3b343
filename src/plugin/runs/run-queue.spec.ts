import type { JobQueueService } from '@vendure/core';
import { RunQueue } from './run-queue';

describe('runs that come by the hundred', () => {
    it('get a job of their pipeline at a time, the first of those that came meanwhile next, and none is waited for', async () => {
        const given: Array<{ readonly runId: unknown; accept(): void }> = [];
        const add = ({ runId }: { runId: unknown }): Promise<void> =>
            new Promise(resolve => given.push({ runId, accept: resolve }));
        const queue = new RunQueue({ createQueue: () => Promise.resolve({ add }) } as unknown as JobQueueService);
        await queue.onModuleInit();
        const turn = () => new Promise(resolve => setImmediate(resolve));
        for (const runId of [1, 2, 3]) queue.addSoon('a', runId);
        queue.addSoon('b', 9);
        expect(given.map(({ runId }) => runId)).toEqual([1, 9]);
        given[0]!.accept();
        await turn();
        queue.addSoon('a', 4);
        queue.addSoon('a', 5);
        expect(given.map(({ runId }) => runId)).toEqual([1, 9, 2]);
        given[2]!.accept();
        await turn();
        expect(given.map(({ runId }) => runId)).toEqual([1, 9, 2, 4]);
        given[3]!.accept();
        await turn();
        queue.addSoon('a', 6);
        expect(given.map(({ runId }) => runId)).toEqual([1, 9, 2, 4, 6]);
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
        const queue = new RunQueue({ createQueue: () => Promise.resolve({ add }) } as unknown as JobQueueService);
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
