import { CrashBench } from './crash-bench';
import { CUT_TIMES, cutAtSample } from './statement-cuts';

/**
 * The tests of runs whose connection is cut at a sample of their statements. `npm run test:faults -- --only statements`
 * cuts at each.
 */
export function runsWithCutStatements(type: 'postgres' | 'mariadb'): void {
    let bench: CrashBench;

    beforeAll(async () => {
        bench = await CrashBench.open({ queue: 'sql', database: 'shared', type, runtime: CUT_TIMES });
    });
    afterAll(() => bench?.close());

    it('K8: end as undisturbed ones, with the same counters, deliveries and shop, and spend no retry and no takeover', async () => {
        const { learned, cut, unsent, differences, runs } = await cutAtSample(bench);
        process.stdout.write(
            `${type}: ${learned} statements learned, ${cut} cut in ${runs} runs, ${unsent.length} not sent again\n`,
        );
        expect(differences).toEqual([]);
        expect(bench.crew.deaths).toEqual([]);
        // A cache may replace a few statements.
        expect(cut).toBeGreaterThan(4 * unsent.length);
        expect(cut).toBeGreaterThan(10);
    });
}
