import { Logger } from '@vendure/core';
import type { Claim, ClaimedRun } from '../stores/leases';
import { Successors } from './successors';

interface Stage {
    /** The ids of the runs that wait. */
    readonly waiting: number[];
    readonly sliceMs?: number;
    /** What becomes of a run: it ends, or something else does. */
    readonly ends?: boolean;
    /** When what a run has changed is known. */
    known?(runId: unknown): Promise<void>;
}

function stage({ waiting, sliceMs = 60_000, ends = true, known = () => Promise.resolve() }: Stage) {
    const stopped = new AbortController();
    const worked: unknown[] = [];
    const given: unknown[] = [];
    const leases = {
        claimNext: (): Promise<Claim> => {
            const runId = waiting.shift();
            const nobody = { run: undefined, because: 'waits' } as const;
            return Promise.resolve(runId === undefined ? nobody : { run: { runId, pipelineId: 7 } as ClaimedRun });
        },
    };
    const closer = {
        startNext: (pipelineId: unknown) => {
            given.push(pipelineId);
            return Promise.resolve();
        },
    };
    const successors = new Successors(leases, closer, {
        options: { runtime: { sliceMs } },
        stopped: stopped.signal,
    });
    const perform = (during: () => void = () => undefined): Promise<string> =>
        successors.oneByOne({ runId: 1, pipelineId: 7 } as ClaimedRun, run => {
            const attempt = { run };
            const work = async (): Promise<string> => {
                await Promise.resolve();
                worked.push(run.runId);
                if (ends && successors.areTaken(attempt)) successors.due(attempt, known(run.runId));
                during();
                return `answer ${run.runId}`;
            };
            return { attempt, answer: work() };
        });
    return { leases, worked, given, perform, stopped, successors };
}

describe('the runs that wait behind one', () => {
    it('are worked one behind the other by the same worker, without jobs', async () => {
        const { perform, worked, given } = stage({ waiting: [2, 3] });
        expect(await perform()).toBe('answer 3');
        expect([worked, given]).toEqual([[1, 2, 3], []]);
    });

    it('are left alone where the first has not ended', async () => {
        const { perform, worked, given } = stage({ waiting: [2], ends: false });
        expect(await perform()).toBe('answer 1');
        expect([worked, given]).toEqual([[1], []]);
    });

    it('get a job when the slice is over, as whoever ends a run outside of one sees to', async () => {
        const { perform, worked, given } = stage({ waiting: [2], sliceMs: 0 });
        await perform();
        expect([worked, given]).toEqual([[1], []]);
    });

    it('get a job when the worker shuts down after it has said that it takes them', async () => {
        const { perform, worked, given, stopped } = stage({ waiting: [2] });
        await perform(() => stopped.abort());
        expect([worked, given]).toEqual([[1], [7]]);
    });

    it('begin while what the run before has changed is made known, and no more than one of them', async () => {
        const known = new Map<unknown, () => void>();
        const waiting = [2, 3];
        const { perform, worked, successors } = stage({
            waiting,
            known: runId => new Promise(resolve => known.set(runId, resolve)),
        });
        const answer = perform();
        let isAtRest = false;
        void successors.rest().then(() => (isAtRest = true));
        const turns = async (): Promise<void> => {
            for (let turn = 0; turn < 20; turn++) await Promise.resolve();
        };
        await turns();
        expect([worked, waiting]).toEqual([[1, 2], [3]]);
        known.get(1)!();
        await turns();
        expect([worked, waiting]).toEqual([[1, 2, 3], []]);
        known.get(2)!();
        await turns();
        expect(isAtRest).toBe(false);
        known.get(3)!();
        expect(await answer).toBe('answer 3');
        await turns();
        expect(isAtRest).toBe(true);
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
