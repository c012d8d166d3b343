import type { FlowPluginOptions } from '../../src';
import { itInTier as it } from '../config/matrix';
import { type BenchOptions, CrashBench } from './crash-bench';
import { CONCURRENCY, LOADS } from './crash-shop';
import { PAGE } from './delivery';
import type { Foretold, Verdict } from './import';
import { type CheckAnswer, CheckedImport } from './killed-during-a-check';
import { foretold, foretoldBesideAnother, foretoldByAnother, killed, pagesFor, toldToStop } from './scenarios';

/** The death of a worker is noticed quickly, and so is a schedule that another process has published. */
const SHORT: FlowPluginOptions['runtime'] = {
    leaseMs: 2500,
    sweepMs: 500,
    scheduler: { checkIntervalMs: 1_000, refreshIntervalMs: 1_000 },
};

/** Expects the result of an undisturbed import. */
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

/** Opens a bench with short leases for the tests of a file. */
export function benchOfTheDead(keysetPosition: Place): () => CrashBench {
    let bench: CrashBench;

    beforeAll(async () => {
        bench = await CrashBench.open({ ...keysetPosition, runtime: SHORT });
    });
    afterAll(() => bench?.close());
    return () => bench;
}

/**
 * The rows of the catalogue of disturbances that apply to each job queue, with few kills and short leases. `npm run
 * test:kills` executes many.
 */
export function workersThatDie({ kills, ...place }: Few): () => CrashBench {
    const bench = benchOfTheDead(place);

    it(`C2: a run whose worker is killed ${kills} times completes by itself, and the shop is equal to an undisturbed one`, async () => {
        const outcome = await killed(bench(), kills);
        expectUntouched(outcome, kills + 1);
        expect(outcome.reworked).toBeLessThanOrEqual(kills * CONCURRENCY);
    });

    it('C6: a worker that is stopped gives its run back, and the next one continues without a takeover', async () => {
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

/** Dry runs that give their slot back repeatedly and lose their workers. Their plan is only in a worker's memory. */
export function dryRunsOfManySlices(options: Pick<BenchOptions, 'queue' | 'redisUrl'>): void {
    let bench: CrashBench;
    let leftAlone: Foretold;

    beforeAll(async () => {
        // The lease is long enough for a busy machine: only a dead worker loses a run.
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

    it('an undisturbed one predicts every record once', () => {
        const records = PAGE * PAGES;
        expectTheSame(leftAlone, 1);
        expect(leftAlone.run).toMatchObject({ recordsRead: records, recordsLoaded: LOADS * records });
    });

    it('one whose worker is killed starts again, and predicts the same', async () => {
        const outcome = await foretoldByAnother(bench, { pages: PAGES, signal: 'SIGKILL' });
        expectTheSame(outcome, 2);
        expect(outcome.log).toContain('DRY_RUN_LOST');
    });

    it('one whose worker is stopped starts again without a takeover, and predicts the same', async () => {
        const outcome = await foretoldByAnother(bench, { pages: PAGES, signal: 'SIGTERM' });
        expect(outcome.left).toMatchObject({ status: 'RUNNING', token: null, takeovers: 0 });
        expectTheSame(outcome, 1);
        expect(outcome.log).toContain('DRY_RUN_RELEASED');
    });

    it('one whose jobs also reach another worker continues on its own worker', async () => {
        const outcome = await foretoldBesideAnother(bench, PAGES);
        // BullMQ stores the results of its jobs elsewhere.
        if (options.queue === 'sql') expect(outcome.handedOn).toBeGreaterThan(0);
        expectTheSame(outcome, 1);
    });

    describe('the check of an import', () => {
        const ROWS = 6_000;
        let checked: CheckedImport;

        beforeAll(async () => {
            checked = await CheckedImport.open(bench, ROWS);
        });

        const expectWhole = (check: CheckAnswer, attempt: number): void =>
            expect(check).toMatchObject({
                isCurrent: true,
                rows: ROWS + 5,
                totalRows: ROWS + 5,
                created: ROWS,
                rejected: 5,
                run: { status: 'COMPLETED', attempt, error: null },
            });

        it('whose worker is killed starts again, and finds the same', async () => {
            await checked.begin();
            await checked.killWorker(1);
            const check = await checked.ended();
            expectWhole(check, 2);
            expect(check.causes.reduce((sum, { rows }) => sum + rows, 0)).toBe(5);
        });

        it('fails if three workers die, without a part of the result, and can be started again', async () => {
            const { runId } = await checked.begin();
            for (const attempt of [1, 2, 3]) await checked.killWorker(attempt);
            const failed = await checked.ended();
            expect(failed).toMatchObject({ runId, run: { status: 'FAILED', error: { code: 'NO_PROGRESS' } } });
            const again = await checked.begin();
            expect(again.runId).not.toBe(runId);
            expectWhole(await checked.ended(), 1);
        });
    });
}
