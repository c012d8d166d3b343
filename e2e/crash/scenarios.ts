import { setTimeout as sleep } from 'node:timers/promises';
import type { RunAnswer } from '../config/flow-server';
import type { CrashBench } from './crash-bench';
import { BENCH_NAME, type Foretold, type Moment, type RunRow, type Verdict } from './import';

/** Pages of an import to which so many things happen: three for each, one to get on with behind it, and some before and after. */
export function pagesFor(disturbances: number): number {
    return disturbances * 4 + 2;
}

/** Workers die by SIGKILL, each anywhere in its work and after a batch of its own; the next one finds the run by its lease. */
export async function killed(bench: CrashBench, kills: number): Promise<Verdict> {
    await bench.crew.working();
    bench.crew.bootAhead();
    await bench.withoutDisturbance(pagesFor(kills));
    const disturbed = await bench.begin(pagesFor(kills));
    for (let kill = 0; kill < kills; kill++) {
        await bench.crew.ready();
        await disturbed.reach('anytime');
        const worker = await bench.crew.working();
        await disturbed.disturbed();
        await worker.kill('SIGKILL');
        await bench.crew.relieve();
        // The next one boots while the lease runs out.
        if (kill + 1 < kills) bench.crew.bootAhead();
        await disturbed.gotOn();
    }
    return disturbed.verdict();
}

/** A worker is told to stop by SIGTERM, in the middle of its work. Also answers what it left in the run's row. */
export async function toldToStop(bench: CrashBench, pages: number): Promise<Verdict & { readonly left: RunRow }> {
    await bench.withoutDisturbance(pages);
    const disturbed = await bench.begin(pages);
    await bench.crew.ready();
    await disturbed.reach('anytime');
    const worker = await bench.crew.working();
    await disturbed.disturbed();
    await worker.kill('SIGTERM');
    const left = await disturbed.row();
    await bench.crew.relieve();
    await disturbed.gotOn();
    return { ...(await disturbed.verdict()), left };
}

/** A dry run that is left alone. */
export async function foretold(bench: CrashBench, pages: number): Promise<Foretold> {
    return (await bench.begin(pages, 'dryRunFlowPipeline')).foretold();
}

/** The worker of a dry run goes, and with it what it knew of the run. Also answers what it left in the run's row. */
export async function foretoldByAnother(
    bench: CrashBench,
    { pages, signal }: { readonly pages: number; readonly signal: 'SIGKILL' | 'SIGTERM' },
): Promise<Foretold & { readonly left: RunRow }> {
    const disturbed = await bench.begin(pages, 'dryRunFlowPipeline');
    await bench.crew.ready();
    await disturbed.reach('anytime');
    const worker = await bench.crew.working();
    await worker.kill(signal);
    const left = await disturbed.row();
    await bench.crew.relieve();
    return { ...(await disturbed.foretold()), left };
}

/** Two workers share a queue, and a dry run is given back to it again and again. Also answers how often the wrong one got it. */
export async function foretoldBesideAnother(
    bench: CrashBench,
    pages: number,
): Promise<Foretold & { readonly handedOn: number }> {
    await bench.crew.working();
    await bench.crew.relieve();
    const disturbed = await bench.begin(pages, 'dryRunFlowPipeline');
    // A slice ends while the source waits, so that there are many however quick the machine is.
    for (let left = pages; left > 0; left -= 3) await disturbed.reach('atRest');
    const result = await disturbed.foretold();
    const { rows } = await bench.pool.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM job_record WHERE result::text LIKE '%handed on%'`,
    );
    return { ...result, handedOn: rows[0]!.n };
}

/** Two workers stand still in turn, each until the other has taken the run over, and not one batch is committed, since the source delivers nothing. */
export async function takenOverInVain(bench: CrashBench): Promise<RunAnswer> {
    let [worker, other] = [await bench.crew.working(), await bench.crew.asleep()];
    const disturbed = await bench.begin(1);
    for (const attempt of [1, 2, 3]) {
        await disturbed.until(row => row.attempt === attempt && row.token !== null);
        worker.freeze();
        other.thaw();
        [worker, other] = [other, worker];
    }
    const run = await disturbed.ended();
    // Who slept last stays, as one worker is enough.
    other.thaw();
    await worker.kill('SIGKILL');
    return run;
}

/** A worker stands still (SIGSTOP) for longer than its lease while another one takes its run over, and wakes up again. */
export async function frozen(
    bench: CrashBench,
    { pages, moment }: { readonly pages: number; readonly moment: Moment },
): Promise<Verdict & { readonly isTakenOver: boolean }> {
    await bench.withoutDisturbance(pages);
    const disturbed = await bench.begin(pages);
    await bench.crew.ready();
    const goOn = await disturbed.reach(moment);
    const sleeper = await bench.crew.working();
    const before = await disturbed.row();
    await disturbed.disturbed();
    sleeper.freeze();
    await bench.crew.relieve();
    const { leaseMs = 30_000 } = bench.order.runtime ?? {};
    const isTakenOver = await disturbed
        .until(row => row.token !== null && row.token !== before.token, 300_000 + 2 * leaseMs)
        .then(
            () => true,
            () => false, // Told by the answer.
        );
    // Both want the next page at the same time; only one of them may have it.
    sleeper.thaw();
    await goOn();
    await disturbed.gotOn();
    const verdict = await disturbed.verdict();
    await bench.isQuiet();
    await bench.crew.putToSleep(sleeper);
    return { ...verdict, isTakenOver };
}

/** All connections are cut, as by a proxy or an administrator; the database itself stays. */
export async function cutOff(
    bench: CrashBench,
    { pages, moments }: { readonly pages: number; readonly moments: readonly Moment[] },
): Promise<Verdict> {
    await bench.withoutDisturbance(pages);
    const disturbed = await bench.begin(pages);
    for (const moment of moments) {
        const goOn = await disturbed.reach(moment);
        await disturbed.disturbed();
        await bench.pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name <> '${BENCH_NAME}'`);
        await goOn();
        await disturbed.gotOn();
    }
    return disturbed.verdict();
}

/** PostgreSQL itself is stopped, and comes back after a while. */
export async function withoutDatabase(
    bench: CrashBench,
    { pages, moment, awayMs }: { readonly pages: number; readonly moment: Moment; readonly awayMs: number },
): Promise<Verdict> {
    const { server } = bench;
    if (!server) throw new Error('Only a PostgreSQL of its own may be stopped');
    await bench.withoutDisturbance(pages);
    const disturbed = await bench.begin(pages);
    const goOn = await disturbed.reach(moment);
    await disturbed.disturbed();
    await server.interrupt();
    await sleep(awayMs); // The fault itself, not a wait for anything.
    await server.resume();
    await goOn();
    await disturbed.gotOn();
    return disturbed.verdict();
}
