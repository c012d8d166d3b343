import type { FlowPluginOptions } from '../../src';
import { type BenchOptions, CrashBench } from './crash-bench';
import { CONCURRENCY } from './crash-shop';
import type { Verdict } from './import';
import { killed, pagesFor, toldToStop } from './scenarios';

/** A worker that died is noticed soon. */
const SHORT: FlowPluginOptions['runtime'] = { leaseMs: 2500, sweepMs: 500 };

/** That the import came to what it would have come to without the disturbance, whatever happened to it. */
export function expectUntouched({ records, run, differences }: Verdict, attempt: number): void {
    expect(differences).toEqual([]);
    expect(run).toMatchObject({
        status: 'COMPLETED',
        outcome: 'SUCCESS',
        error: null,
        recordsRead: records,
        recordsLoaded: 2 * records,
        recordsRejected: 0,
        attempt,
    });
}

interface Few extends Pick<BenchOptions, 'queue' | 'redisUrl' | 'database'> {
    readonly kills: number;
}

/** The rows of the fault catalogue that hold for each job queue, with few kills and short leases; `npm run test:kills` has the many. */
export function workersThatDie({ kills, ...options }: Few): () => CrashBench {
    let bench: CrashBench;

    beforeAll(async () => {
        bench = await CrashBench.open({ ...options, runtime: SHORT });
    });
    afterAll(() => bench?.close());

    it(`C2: a run whose worker is killed ${kills} times completes by itself, and the shop is what it would have been without`, async () => {
        const verdict = await killed(bench, kills);
        expectUntouched(verdict, kills + 1);
        expect(verdict.reworked).toBeLessThanOrEqual(kills * CONCURRENCY);
    });

    it('C6: a worker that is told to stop gives its run back, and the next one goes on without a takeover', async () => {
        // As many pages as above, so that one undisturbed import serves both.
        const verdict = await toldToStop(bench, pagesFor(kills));
        expect(verdict.left).toMatchObject({ status: 'RUNNING', token: null, takeovers: 0 });
        expectUntouched(verdict, 1);
        expect(verdict.reworked).toBe(0);
    });

    return () => bench;
}
