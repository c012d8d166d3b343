import { Logger } from '@vendure/core';
import type { Claim, ClaimedRun } from '../stores/leases';
import type { FinishedRun } from './run-finalizer';
import { PendingRunDrain } from './pending-run-drain';

interface Stage {
    /** The ids of the waiting runs. */
    readonly waiting: number[];
    readonly sliceMs?: number;
    /** Whether a run ends. If not, something else happens to it. */
    readonly ends?: boolean;
    /** How long the work on a run lasts. */
    lasts?(runId: unknown): Promise<void>;
    /** Called when the changes of some runs are published. */
    known?(runIds: readonly unknown[]): Promise<void>;
}

function stage({
    waiting,
    sliceMs = 60_000,
    ends = true,
    lasts = () => Promise.resolve(),
    known = () => Promise.resolve(),
}: Stage) {
    const stopped = new AbortController();
    const worked: unknown[] = [];
    const given: unknown[] = [];
    const gone: unknown[] = [];
    const leases = {
        claimNext: (): Promise<Claim> => {
            const runId = waiting.shift();
            const nobody = { run: undefined, because: 'waits' } as const;
            return Promise.resolve(runId === undefined ? nobody : { run: { runId, pipelineId: 7 } as ClaimedRun });
        },
    };
    const closer = {
        wakeNextRunOf: ({ pipelineId }: { readonly pipelineId: unknown }) => {
            given.push(pipelineId);
            return Promise.resolve();
        },
        markPublished: (ended: readonly FinishedRun[]) => {
            gone.push(...ended.map(({ runId }) => runId));
            return Promise.resolve();
        },
        publishRemaining: (ended: readonly FinishedRun[]) => known(ended.map(({ runId }) => runId)),
    };
    const pendingRunDrain = new PendingRunDrain(leases, closer, {
        options: { runtime: { sliceMs } },
        stopped: stopped.signal,
    });
    const perform = (during: () => void = () => undefined): Promise<string> =>
        pendingRunDrain.drainSequentially({ runId: 1, pipelineId: 7 } as ClaimedRun, run => {
            const attempt = { run };
            const work = async (): Promise<string> => {
                worked.push(run.runId);
                await lasts(run.runId);
                if (ends && pendingRunDrain.areTaken(attempt))
                    pendingRunDrain.due(attempt, { runId: run.runId, prepared: undefined, isTold: true });
                during();
                return `answer ${run.runId}`;
            };
            return { attempt, answer: work() };
        });
    return { leases, worked, given, gone, waiting, perform, stopped, successors: pendingRunDrain };
}

describe('the runs that wait after one', () => {
    it('are processed one after another by the same worker, without jobs', async () => {
        const { perform, worked, given } = stage({ waiting: [2, 3] });
        expect(await perform()).toBe('answer 3');
        expect([worked, given]).toEqual([[1, 2, 3], []]);
    });

    it('are left alone where the first has not ended', async () => {
        const { perform, worked, given } = stage({ waiting: [2], ends: false });
        expect(await perform()).toBe('answer 1');
        expect([worked, given]).toEqual([[1], []]);
    });

    it('get a job when the slice is over, as they do from code that ends a run without a worker', async () => {
        const { perform, worked, given } = stage({ waiting: [2], sliceMs: 0 });
        await perform();
        expect([worked, given]).toEqual([[1], []]);
    });

    it('are left after some seconds, long before a slice is over, so that runs of other pipelines get their turn', async () => {
        jest.useFakeTimers();
        const { perform, worked, given } = stage({
            waiting: Array.from({ length: 59 }, (_, i) => i + 2),
            lasts: () => new Promise(resolve => setTimeout(resolve, 1_000)),
        });
        const answer = perform();
        await jest.advanceTimersByTimeAsync(60_000);
        jest.useRealTimers();
        await answer;
        // The last run is not followed here, so the process that ended it gives the next one its job.
        expect(given).toEqual([]);
        expect(worked.length).toBeGreaterThan(1);
        expect(worked.length).toBeLessThan(10);
    });

    it('get a job when the worker shuts down after it has said that it takes them', async () => {
        const { perform, worked, given, stopped } = stage({ waiting: [2] });
        await perform(() => stopped.abort());
        expect([worked, given]).toEqual([[1], [7]]);
    });

    const turns = async (): Promise<void> => {
        for (let turn = 0; turn < 400; turn++) await Promise.resolve();
    };

    const tellings = () => {
        const told: Array<{ readonly runIds: readonly unknown[]; done(): void }> = [];
        const known = (runIds: readonly unknown[]): Promise<void> => new Promise(done => told.push({ runIds, done }));
        return { told, known };
    };

    it('continue, and the changes of all of them are published together after the last one', async () => {
        const { told, known } = tellings();
        const { perform, worked, successors } = stage({ waiting: [2, 3, 4], known });
        const answer = perform();
        let isAtRest = false;
        void successors.rest().then(() => (isAtRest = true));
        await turns();
        expect(worked).toEqual([1, 2, 3, 4]);
        expect(told.map(({ runIds }) => runIds)).toEqual([[1, 2, 3, 4]]);
        expect(isAtRest).toBe(false);
        told[0]!.done();
        expect(await answer).toBe('answer 4');
        await turns();
        expect(isAtRest).toBe(true);
    });

    it('wait if the changes of too many runs are not published', async () => {
        const { told, known } = tellings();
        const { perform, worked, waiting } = stage({ waiting: Array.from({ length: 99 }, (_, i) => i + 2), known });
        const answer = perform();
        await turns();
        expect([worked.length, waiting.length]).toEqual([30, 70]);
        for (let sum = 0, i = 0; sum < 100; i++) {
            sum += told[i]!.runIds.length;
            told[i]!.done();
            await turns();
        }
        await answer;
        expect(worked).toHaveLength(100);
        const together = told.map(({ runIds }) => runIds.length);
        expect(Math.max(...together)).toBe(20);
        expect(Math.min(...together)).toBe(10);
    });

    it('do not keep for long what one before them has changed', async () => {
        jest.useFakeTimers();
        const { told, known } = tellings();
        const { perform } = stage({
            waiting: [2],
            known,
            lasts: runId => (runId === 2 ? new Promise(() => undefined) : Promise.resolve()),
        });
        void perform();
        await turns();
        expect(told).toEqual([]);
        await jest.runAllTimersAsync();
        jest.useRealTimers();
        expect(told.map(({ runIds }) => runIds)).toEqual([[1]]);
    });

    it('are not published again while subscribers process earlier changes, and are published as soon as that is over', async () => {
        jest.useFakeTimers();
        const { told, known } = tellings();
        const { perform, gone } = stage({
            waiting: [2, 3],
            known,
            lasts: async runId => {
                // The notices of the earlier runs are in progress by then.
                if (runId === 2) await new Promise(resolve => setTimeout(resolve, 1_000));
                if (runId === 3) await new Promise(() => undefined);
            },
        });
        void perform();
        await jest.runAllTimersAsync();
        jest.useRealTimers();
        expect(told.map(({ runIds }) => runIds)).toEqual([[1]]);
        expect(gone).toEqual([1, 2]);
        told[0]!.done();
        await turns();
        expect(told.map(({ runIds }) => runIds)).toEqual([[1], [2]]);
    });

    it('are left to a sweep where the database does not answer', async () => {
        const told = jest.spyOn(Logger, 'warn').mockReturnValue(undefined);
        const { perform, leases, worked } = stage({ waiting: [2] });
        leases.claimNext = () => Promise.reject(new Error('gone'));
        expect(await perform()).toBe('answer 1');
        expect(worked).toEqual([1]);
        expect(told).toHaveBeenCalledTimes(1);
        told.mockRestore();
    });
});
