import type { StickyRuns } from './sticky-runs';
import type { RunQueue } from './run-queue';
import type { EffectPublisher } from './effect-publisher';
import { periodicsOf } from '../../../test/fixtures/periodic-jobs';
import type { RunStores } from './run-stores';
import type { FlowSetup } from '../setup';
import { AbandonedRunSweeper } from './abandoned-run-sweeper';
import type { OrphanedRunPoller } from './orphaned-run-poller';

/** A sweeper of a shop where these ended runs wait forever, because they cannot be published. */
function sweeperOf(waiting: readonly number[], publish: (runId: number) => Promise<void>) {
    const queued: number[] = [];
    const sweeps = { count: 0 };
    const stores = {
        leases: { due: () => Promise.resolve([1_000 + sweeps.count++]) },
        effects: {
            waiting: (limit: number, after = 0) =>
                Promise.resolve(waiting.filter(runId => runId > after).slice(0, limit)),
        },
    };
    const queue = { add: (runId: number) => Promise.resolve(void queued.push(runId)) };
    const periodics = periodicsOf();
    const abandonedRunSweeper = new AbandonedRunSweeper(
        stores as unknown as RunStores,
        queue as unknown as RunQueue,
        { runIds: [], hintOf: () => undefined } as unknown as StickyRuns,
        { publish } as unknown as EffectPublisher,
        { found: () => undefined } as unknown as OrphanedRunPoller,
        periodics,
        { options: { runtime: { sweepMs: 1_000 } } } as unknown as FlowSetup,
    );
    return { sweeper: abandonedRunSweeper, periodics, queued };
}

describe('the sweeper', () => {
    beforeEach(() => {
        jest.useFakeTimers();
    });
    afterEach(() => {
        jest.useRealTimers();
    });

    it('keeps recovering the runs of dead workers while hooks of ended runs are slow', async () => {
        let letGo: () => void = () => undefined;
        const slow = new Promise<void>(resolve => {
            letGo = resolve;
        });
        const begun: number[] = [];
        const { sweeper, periodics, queued } = sweeperOf([1], async runId => {
            begun.push(runId);
            await slow;
        });
        periodics.start();
        await jest.advanceTimersByTimeAsync(5_000);
        expect(begun).toEqual([1]);
        expect(queued.length).toBeGreaterThan(2);
        letGo();
        await sweeper.onModuleDestroy();
    });

    it('reaches every run that is to be published, however many cannot be published', async () => {
        const waiting = Array.from({ length: 250 }, (_, i) => i + 1);
        const tried = new Set<number>();
        const { sweeper, periodics } = sweeperOf(waiting, async runId => void tried.add(runId));
        periodics.start();
        await jest.advanceTimersByTimeAsync(1_500);
        expect(tried.size).toBe(waiting.length);
        await sweeper.onModuleDestroy();
    });
});
