import type { JobQueueService } from '@vendure/core';
import { EventQueue } from './event-queue';

describe('hints that there are events', () => {
    beforeEach(() => {
        jest.useFakeTimers();
    });
    afterEach(() => {
        jest.useRealTimers();
    });

    async function queueOf(add: () => Promise<unknown>): Promise<EventQueue> {
        const queue = new EventQueue({ createQueue: () => Promise.resolve({ add }) } as unknown as JobQueueService);
        await queue.onModuleInit();
        return queue;
    }

    it('are given at once, and then ten a second at most, however many events there are', async () => {
        const add = jest.fn().mockResolvedValue(undefined);
        const queue = await queueOf(add);
        queue.hint();
        expect(add.mock.calls).toEqual([[{}, { retries: 0 }]]);
        for (let i = 0; i < 50; i++) queue.hint();
        await jest.advanceTimersByTimeAsync(99);
        expect(add).toHaveBeenCalledTimes(1);
        await jest.advanceTimersByTimeAsync(1);
        expect(add).toHaveBeenCalledTimes(2);
        await jest.advanceTimersByTimeAsync(1_000);
        expect(add).toHaveBeenCalledTimes(2);
        queue.hint();
        expect(add).toHaveBeenCalledTimes(3);
    });

    it('continue after the queue has rejected one', async () => {
        const add = jest.fn().mockRejectedValueOnce(new Error('away')).mockResolvedValue(undefined);
        const queue = await queueOf(add);
        queue.hint();
        await jest.advanceTimersByTimeAsync(100);
        queue.hint();
        expect(add).toHaveBeenCalledTimes(2);
    });
});
