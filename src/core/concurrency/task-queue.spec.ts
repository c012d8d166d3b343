import { WorkBetweenTurns } from '../../../test/kit/work-between-turns';
import { TaskQueue } from './task-queue';
import { runAtOnce, type YieldingTask } from './yielding-task';

describe('a lane', () => {
    const counted = (work: WorkBetweenTurns, bits: number) =>
        function* (): YieldingTask<number> {
            for (let bit = 0; bit < bits; bit++) {
                work.did();
                yield;
            }
            return bits;
        };

    it('lets the event loop turn while it works', async () => {
        const work = new WorkBetweenTurns(3);
        const { value, most, total } = await work.during(() => new TaskQueue().done(counted(work, 100)()));
        expect({ value, most, total }).toEqual({ value: 100, most: 3, total: 100 });
    });

    it('does no more between two turns for many callers than for one', async () => {
        const work = new WorkBetweenTurns(3);
        const taskQueue = new TaskQueue();
        const { most, total } = await work.during(() =>
            Promise.all(Array.from({ length: 20 }, () => taskQueue.done(counted(work, 30)()))),
        );
        expect({ most, total }).toEqual({ most: 3, total: 600 });
    });

    it('lets a short work pass a long one', async () => {
        const work = new WorkBetweenTurns(3);
        const taskQueue = new TaskQueue();
        const ended: string[] = [];
        await work.during(() =>
            Promise.all([
                taskQueue.done(counted(work, 1000)()).then(() => ended.push('long')),
                taskQueue.done(counted(work, 1)()).then(() => ended.push('short')),
            ]),
        );
        expect(ended).toEqual(['short', 'long']);
    });

    it('throws what the work throws, and continues with the others', async () => {
        const taskQueue = new TaskQueue();
        // eslint-disable-next-line require-yield
        const failing = function* (): YieldingTask<never> {
            throw new Error('no');
        };
        const [first, second] = await Promise.allSettled([
            taskQueue.done(failing()),
            taskQueue.done(counted(new WorkBetweenTurns(1), 3)()),
        ]);
        expect(first).toMatchObject({ reason: { message: 'no' } });
        expect(second).toEqual({ status: 'fulfilled', value: 3 });
    });
});

describe('work at once', () => {
    it('is done in one stretch', () => {
        let bits = 0;
        const work = function* (): YieldingTask<string> {
            for (; bits < 5; bits++) yield;
            return 'done';
        };
        expect(runAtOnce(work())).toBe('done');
        expect(bits).toBe(5);
    });
});
