import type { JobQueueService } from '@vendure/core';
import { RunQueue } from './run-queue';

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
