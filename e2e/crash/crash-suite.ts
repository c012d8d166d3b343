import type { FlowPluginOptions } from '../../src';
import { said } from '../../test/kit/said';
import { itInTier as it } from '../config/matrix';
import { type BenchOptions, CrashBench } from './crash-bench';
import { CONCURRENCY, LOADS } from './crash-shop';
import { PAGE } from './delivery';
import type { Foretold, Verdict } from './import';
import { foretold, foretoldBesideAnother, foretoldByAnother, killed, pagesFor, toldToStop } from './scenarios';

/** A worker that died is noticed soon, and so is a schedule that another process has published. */
const SHORT: FlowPluginOptions['runtime'] = {
    leaseMs: 2500,
    sweepMs: 500,
    scheduler: { checkIntervalMs: 1_000, refreshIntervalMs: 1_000 },
};

/** That the import came to what it would have come to without the disturbance, whatever happened to it. */
export function expectUntouched({ records, run, differences }: Verdict, attempt: number): void {
    expect(differences).toEqual([]);
    expect(run).toMatchObject({
        status: 'COMPLETED',
        outcome: 'SUCCESS',
        error: null,
        recordsRead: records,
        recordsLoaded: LOADS * records,
        recordsRejected: 0,
        attempt,
    });
}

type Place = Pick<BenchOptions, 'queue' | 'redisUrl' | 'database' | 'type'>;

interface Few extends Place {
    readonly kills: number;
}

/** A bench whose leases are short, for the tests of a file. */
export function benchOfTheDead(keysetPosition: Place): () => CrashBench {
    let bench: CrashBench;

    beforeAll(async () => {
        bench = await CrashBench.open({ ...keysetPosition, runtime: SHORT });
    });
    afterAll(() => bench?.close());
    return () => bench;
}

/** The rows of the fault catalogue that hold for each job queue, with few kills and short leases; `npm run test:kills` has the many. */
export function workersThatDie({ kills, ...place }: Few): () => CrashBench {
    const bench = benchOfTheDead(place);

    it(`C2: a run whose worker is killed ${kills} times completes by itself, and the shop is what it would have been without`, async () => {
        const outcome = await killed(bench(), kills);
        expectUntouched(outcome, kills + 1);
        expect(outcome.reworked).toBeLessThanOrEqual(kills * CONCURRENCY);
    });

    it('C6: a worker that is told to stop gives its run back, and the next one goes on without a takeover', async () => {
        // As many pages as above, so that one undisturbed import serves both.
        const outcome = await toldToStop(bench(), pagesFor(kills));
        expect(outcome.left).toMatchObject({ status: 'RUNNING', token: null, takeovers: 0 });
        expectUntouched(outcome, 1);
        expect(outcome.reworked).toBe(0);
    });

    return bench;
}

/** Enough for many slices. */
const PAGES = 16;

/** Dry runs that give their slot back again and again, and whose workers go; what they planned is in a worker's memory alone. */
export function dryRunsOfManySlices(options: Pick<BenchOptions, 'queue' | 'redisUrl'>): void {
    let bench: CrashBench;
    let leftAlone: Foretold;

    beforeAll(async () => {
        // The lease is long enough for a machine that is busy: nobody but the dead loses a run.
        const runtime = { leaseMs: 6000, sweepMs: 500, sliceMs: 100 };
        bench = await CrashBench.open({ ...options, database: 'shared', runtime });
        leftAlone = await foretold(bench, PAGES);
        bench.crew.bootAhead();
    });
    afterAll(() => bench?.close());

    const expectTheSame = ({ run, told }: Foretold, attempt: number): void => {
        expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS', error: null, dryRun: true, attempt });
        expect(told).toEqual(leftAlone.told);
    };

    it('one that is left alone foretells every record once', () => {
        const records = PAGE * PAGES;
        expectTheSame(leftAlone, 1);
        expect(leftAlone.run).toMatchObject({ recordsRead: records, recordsLoaded: LOADS * records });
    });

    it('one whose worker is killed begins anew, and foretells the same', async () => {
        const outcome = await foretoldByAnother(bench, { pages: PAGES, signal: 'SIGKILL' });
        expectTheSame(outcome, 2);
        expect(outcome.log).toContain(said('dry-run-begins-anew-worker-died', { attempt: 2 }));
    });

    it('one whose worker is told to stop begins anew without a takeover, and foretells the same', async () => {
        const outcome = await foretoldByAnother(bench, { pages: PAGES, signal: 'SIGTERM' });
        expect(outcome.left).toMatchObject({ status: 'RUNNING', token: null, takeovers: 0 });
        expectTheSame(outcome, 1);
        expect(outcome.log).toContain(said('dry-run-begins-anew-given-back', {}));
    });

    it('one whose jobs come to another worker as well goes on with its own', async () => {
        const outcome = await foretoldBesideAnother(bench, PAGES);
        // BullMQ keeps what its jobs answer elsewhere.
        if (options.queue === 'sql') expect(outcome.handedOn).toBeGreaterThan(0);
        expectTheSame(outcome, 1);
    });
}
