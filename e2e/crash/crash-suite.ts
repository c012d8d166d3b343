import type { FlowPluginOptions } from '../../src';
import type { RunAnswer } from '../config/flow-server';
import { type BenchOptions, CrashBench } from './crash-bench';
import { CONCURRENCY } from './crash-shop';
import { PAGE } from './delivery';
import type { Verdict } from './import';
import { killed, pagesFor, toldToStop } from './scenarios';

/** A worker that died is noticed soon. */
export const SHORT: FlowPluginOptions['runtime'] = { leaseMs: 1500, sweepMs: 500 };

const KILLS = 3;
/** One size for all, so that one undisturbed import serves them all. */
export const PAGES = pagesFor(KILLS);

/** What every import has to come to, whatever happened to it. */
export const COMPLETE: Partial<RunAnswer> = {
    status: 'COMPLETED',
    outcome: 'SUCCESS',
    error: null,
    recordsRead: PAGES * PAGE,
    recordsLoaded: 2 * PAGES * PAGE,
    recordsRejected: 0,
};

/** That the import came to what it would have come to without the disturbance. */
export function expectUntouched({ run, differences }: Verdict, attempt: number): void {
    expect(differences).toEqual([]);
    expect(run).toMatchObject({ ...COMPLETE, attempt });
}

/** The rows of the fault catalogue that hold for each job queue, with few kills and short leases; `npm run test:kills` has the many. */
export function workersThatDie(options: Pick<BenchOptions, 'queue' | 'redisUrl' | 'database'>): () => CrashBench {
    let bench: CrashBench;

    beforeAll(async () => {
        bench = await CrashBench.open({ ...options, runtime: SHORT });
    });
    afterAll(() => bench?.close());

    it(`C2: a run whose worker is killed ${KILLS} times completes by itself, and the shop is what it would have been without`, async () => {
        const verdict = await killed(bench, KILLS);
        expectUntouched(verdict, KILLS + 1);
        expect(verdict.reworked).toBeLessThanOrEqual(KILLS * CONCURRENCY);
    });

    it('C6: a worker that is told to stop gives its run back, and the next one goes on without a takeover', async () => {
        const verdict = await toldToStop(bench, PAGES);
        expect(verdict.left).toMatchObject({ status: 'RUNNING', token: null, takeovers: 0 });
        expectUntouched(verdict, 1);
        expect(verdict.reworked).toBe(0);
    });

    return () => bench;
}
