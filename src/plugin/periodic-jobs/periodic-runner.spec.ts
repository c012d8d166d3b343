import { Logger, type VendureLogger } from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import { ProcessLeases } from '../leases/leases';
import type { PollCycle } from './periodic-runner';
import { periodicsOf } from '../../../test/fixtures/periodic-jobs';

const lines: string[] = [];
const logger = new Proxy({} as VendureLogger, {
    get: (_, level) => (message: string) => void lines.push(`${String(level)}: ${message}`),
});

describe('periodic work', () => {
    beforeEach(() => {
        jest.useFakeTimers();
        Logger.useLogger(logger);
        lines.length = 0;
    });
    afterEach(() => jest.useRealTimers());

    /** One process that runs this job each second. */
    function processOf(
        work: (pollCycle: PollCycle) => Promise<unknown>,
        given: Parameters<typeof periodicsOf>[0] = {},
    ) {
        const periodics = periodicsOf(given);
        periodics.add({ name: 'Work', everyMs: 1_000, jitter: 0, ...(given.leases && { leader: 'work' }), work });
        periodics.start();
        return periodics;
    }

    it('is done again and again, one time after the other, and its waits begin at its end', async () => {
        let done: () => void = () => undefined;
        const work = jest.fn(() => new Promise<void>(resolve => (done = resolve)));
        const periodics = processOf(work);
        await jest.advanceTimersByTimeAsync(10_000);
        expect(work).toHaveBeenCalledTimes(1);
        done();
        await jest.advanceTimersByTimeAsync(999);
        expect(work).toHaveBeenCalledTimes(1);
        await jest.advanceTimersByTimeAsync(1);
        expect(work).toHaveBeenCalledTimes(2);
        done();
        await periodics.onModuleDestroy();
    });

    it('waits a little more or less than it says, so that processes do not come together', async () => {
        const waits = new Set<number>();
        const at = Date.now();
        for (let i = 0; i < 20; i++) {
            const periodics = periodicsOf();
            periodics.add({ name: 'Work', everyMs: 1_000, jitter: 0.5, work: async () => waits.add(Date.now() - at) });
            periodics.start();
        }
        await jest.advanceTimersByTimeAsync(749);
        expect(waits.size).toBe(0);
        await jest.advanceTimersByTimeAsync(502);
        expect(waits.size).toBeGreaterThan(10);
    });

    it('continues after an error, which is logged', async () => {
        const work = jest
            .fn()
            .mockRejectedValueOnce(new Error('broken'))
            .mockRejectedValueOnce(flowError('DATABASE_LOST', { problem: 'gone' }))
            .mockResolvedValue(undefined);
        const periodics = processOf(work);
        await jest.advanceTimersByTimeAsync(3_000);
        expect(work).toHaveBeenCalledTimes(3);
        expect(lines).toEqual(['error: Work: Error: broken', expect.stringMatching(/^debug: Work: .*gone/)]);
        await periodics.onModuleDestroy();
    });

    it('does not start after the shut-down, which aborts the running work and waits for it', async () => {
        const heard: boolean[] = [];
        const work = jest.fn(
            ({ signal }: PollCycle) =>
                new Promise<void>(resolve => {
                    signal.addEventListener('abort', () => {
                        heard.push(true);
                        resolve();
                    });
                }),
        );
        const periodics = processOf(work);
        await jest.advanceTimersByTimeAsync(1_000);
        await periodics.onModuleDestroy();
        expect(heard).toEqual([true]);
        periodics.start();
        await jest.advanceTimersByTimeAsync(5_000);
        expect(work).toHaveBeenCalledTimes(1);
    });

    it('is not done where the queue is not worked', async () => {
        const work = jest.fn();
        const periodics = processOf(work, { isWorkedHere: false });
        await jest.advanceTimersByTimeAsync(5_000);
        await periodics.onModuleDestroy();
        expect(work).not.toHaveBeenCalled();
    });

    it('is done there as well where it is to be done everywhere', async () => {
        const work = jest.fn().mockResolvedValue(undefined);
        const periodics = periodicsOf({ isWorkedHere: false });
        periodics.add({ name: 'Work', everyMs: 1_000, jitter: 0, everywhere: true, work });
        periodics.start();
        await jest.advanceTimersByTimeAsync(2_000);
        await periodics.onModuleDestroy();
        expect(work).toHaveBeenCalledTimes(2);
    });

    describe('of a leader', () => {
        it('is done by one process, also between its times, and by the next one as soon as that shuts down', async () => {
            const leases = new ProcessLeases();
            const terms: Array<[string, number | undefined]> = [];
            const work =
                (who: string) =>
                async ({ term }: PollCycle) =>
                    void terms.push([who, term]);
            const first = processOf(work('first'), { leases, leaseMs: 300 });
            await jest.advanceTimersByTimeAsync(500);
            const second = processOf(work('second'), { leases, leaseMs: 300 });
            await jest.advanceTimersByTimeAsync(2_600);
            expect(terms).toEqual([1, 2, 3].map(() => ['first', 1]));
            await first.onModuleDestroy();
            await jest.advanceTimersByTimeAsync(1_000);
            expect(terms.slice(3)).toEqual([['second', 2]]);
            await second.onModuleDestroy();
        });

        it('ends when the lease cannot be renewed in time, before another process can have it', async () => {
            const leases = new ProcessLeases();
            const take = jest.spyOn(leases, 'take');
            let isAborted = false;
            const work = ({ signal }: PollCycle) =>
                new Promise<void>(resolve => {
                    signal.addEventListener('abort', () => {
                        isAborted = true;
                        resolve();
                    });
                });
            const periodics = processOf(work, { leases, leaseMs: 600 });
            await jest.advanceTimersByTimeAsync(1_000);
            take.mockRejectedValue(flowError('LEASES_UNREACHABLE', { problem: 'ECONNREFUSED' }));
            await jest.advanceTimersByTimeAsync(600);
            expect(isAborted).toBe(true);
            await jest.advanceTimersByTimeAsync(1_100);
            expect(lines).toContainEqual(expect.stringMatching(/^warn: Work: .*ECONNREFUSED/));
            take.mockRestore();
            await periodics.onModuleDestroy();
        });
    });
});
