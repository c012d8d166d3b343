import type { ProcessContext } from '@vendure/core';
import type { StickyRuns } from './sticky-runs';
import { RELEASED } from './run-release';
import { RunProcessor } from './run.processor';
import type { RunJob, RunQueue } from './run-queue';
import type { RunFinalizer } from './run-finalizer';
import { CausationChains } from './causation-chains';
import type { RunPreparation } from './run-preparation';
import type { RunStores } from './run-stores';
import type { FlowSetup } from '../setup';
import { OrphanedRunPoller } from './orphaned-run-poller';

const setup = { options: { runtime: { leaseMs: 3_000 } } } as unknown as FlowSetup;
const parked = { runIds: [], hintOf: () => undefined } as unknown as StickyRuns;

interface Worked {
    readonly waiting: readonly number[];
    readonly isWorker?: boolean;
    work?(runId: number): string | Promise<string>;
}

/** The poller of a process where these runs wait forever. Its worker reports at once that they have ended. */
function undeliveredOf({ waiting, isWorker = true, work = () => 'COMPLETED' }: Worked) {
    const worked: number[] = [];
    const processor = {
        isBusy: false,
        deliveries: 0,
        processOrphaned: async (runId: number) => {
            worked.push(runId);
            return work(runId);
        },
    };
    const stores = { leases: { due: () => Promise.resolve(waiting) } };
    const runs = new OrphanedRunPoller(
        { isWorker } as ProcessContext,
        processor as unknown as RunProcessor,
        parked,
        stores as unknown as RunStores,
        setup,
    );
    return { runs, worked, processor };
}

describe('runs that the queue does not deliver', () => {
    beforeEach(() => {
        jest.useFakeTimers();
    });
    afterEach(() => {
        jest.useRealTimers();
    });

    it('are worked without it when they have waited for a third of the lease', async () => {
        const { runs, worked } = undeliveredOf({ waiting: [1] });
        runs.found([1]);
        await jest.advanceTimersByTimeAsync(900);
        expect(worked).toEqual([]);
        await jest.advanceTimersByTimeAsync(200);
        expect(worked).toEqual([1]);
        await runs.onModuleDestroy();
    });

    it('are left to the queue by a server, whatever it works', async () => {
        const { runs, worked } = undeliveredOf({ waiting: [1], isWorker: false });
        runs.found([1]);
        await jest.advanceTimersByTimeAsync(10_000);
        expect(worked).toEqual([]);
    });

    it('are left alone once they wait no longer, and where they have not waited for so long', async () => {
        const { runs, worked } = undeliveredOf({ waiting: [2, 3] });
        runs.found([1, 2]);
        await jest.advanceTimersByTimeAsync(500);
        runs.found([1, 2, 3]);
        await jest.advanceTimersByTimeAsync(600);
        expect(worked).toEqual([2]);
        await runs.onModuleDestroy();
    });

    it('are left to a worker that has none: one that is busy takes no further', async () => {
        const { runs, worked, processor } = undeliveredOf({ waiting: [1] });
        processor.isBusy = true;
        runs.found([1]);
        await jest.advanceTimersByTimeAsync(2_000);
        expect(worked).toEqual([]);
        processor.isBusy = false;
        runs.found([1]);
        await jest.advanceTimersByTimeAsync(100);
        expect(worked).toEqual([1]);
        await runs.onModuleDestroy();
    });

    it('take turns, a slice each, until the queue delivers again', async () => {
        const { runs, worked, processor } = undeliveredOf({
            waiting: [1, 2],
            work: () => {
                if (worked.length === 5) processor.deliveries++;
                return RELEASED;
            },
        });
        runs.found([1, 2]);
        await jest.advanceTimersByTimeAsync(1_100);
        expect(worked).toEqual([1, 2, 1, 2, 1]);
        await runs.onModuleDestroy();
    });
});

/** A processor without waiting runs, and the queue that delivers to it. */
function processorOf(claim: (runId: number) => Promise<unknown>) {
    let deliver: (job: RunJob) => Promise<unknown> = () => Promise.reject(new Error('no worker'));
    const processor = new RunProcessor(
        { workedBy: (work: typeof deliver) => void (deliver = work) } as unknown as RunQueue,
        { leases: { claim } } as unknown as RunStores,
        {} as RunFinalizer,
        { ...parked, take: () => undefined } as unknown as StickyRuns<never>,
        {} as RunPreparation,
        new CausationChains(),
        setup,
    );
    return { processor, deliver: (runId: number) => deliver({ runId }) };
}

describe('a run that is worked without the queue', () => {
    it('keeps what the queue delivers meanwhile waiting, so that no more are at work than it allows', async () => {
        const claimed: number[] = [];
        let end: () => void = () => undefined;
        const ended = new Promise<void>(resolve => (end = resolve));
        const { processor, deliver } = processorOf(async runId => {
            claimed.push(runId);
            if (claimed.length === 1) await ended;
            return { run: undefined, because: 'taken' };
        });
        const own = processor.processOrphaned(1);
        const delivered = [deliver(1), deliver(2)];
        expect(processor.deliveries).toBe(2);
        await new Promise(setImmediate);
        expect(claimed).toEqual([1]);
        end();
        expect([await own, ...(await Promise.all(delivered))]).toEqual(['taken', 'taken', 'taken']);
        expect(claimed).toEqual([1, 1, 2]);
    });

    it('is not processed while this process works on one that the queue has delivered', async () => {
        let end: () => void = () => undefined;
        const ended = new Promise<void>(resolve => (end = resolve));
        const { processor, deliver } = processorOf(async () => {
            await ended;
            return { run: undefined, because: 'taken' };
        });
        const delivered = deliver(1);
        expect(processor.isBusy).toBe(true);
        expect(await processor.processOrphaned(2)).toBeUndefined();
        end();
        await delivered;
        expect(await processor.processOrphaned(2)).toBe('taken');
    });
});
