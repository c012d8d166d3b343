import { setTimeout as sleep } from 'node:timers/promises';
import type { Cut, Cuts } from '../config/fault-proxy';
import { type RunAnswer, until } from '../config/flow-server';
import { RUN_QUEUE } from '../../src/plugin/tokens';
import type { CrashBench } from './crash-bench';
import { closeEars, openEars } from './deaf-queue';
import { type Foretold, type Moment, RETRY, type RunRow, type Verdict } from './import';

/**
 * Pages of an import with this number of disturbances: three for each, one to continue with after it, and some before
 * and after.
 */
export function pagesFor(disturbances: number): number {
    return disturbances * 4 + 2;
}

/**
 * Kills workers by SIGKILL, each at a random time after its first batch. The next worker finds the run by its lease. In
 * an import with additional pages, these are distributed before the kills.
 */
export async function killed(bench: CrashBench, kills: number, pages = pagesFor(kills)): Promise<Verdict> {
    await bench.crew.working();
    bench.crew.bootAhead();
    await bench.withoutDisturbance(pages);
    const disturbed = await bench.begin(pages);
    const between = Math.floor((pages - pagesFor(kills)) / Math.max(1, kills));
    for (let kill = 0; kill < kills; kill++) {
        await bench.crew.ready();
        if (between > 0) await disturbed.getOn(between);
        await disturbed.reach('anytime');
        const worker = await bench.crew.working();
        await disturbed.disturbed();
        await worker.kill('SIGKILL');
        await bench.crew.relieve();
        // The next one boots while the lease expires.
        if (kill + 1 < kills) bench.crew.bootAhead();
        await disturbed.gotOn();
    }
    const outcome = await disturbed.verdict();
    await bench.isKnown();
    return outcome;
}

/** Stops a worker by SIGTERM in the middle of its work. Also returns the run's row afterwards. */
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

/** An undisturbed dry run. */
export async function foretold(bench: CrashBench, pages: number): Promise<Foretold> {
    return (await bench.begin(pages, 'dryRunFlowPipeline')).foretold();
}

/** Ends the worker of a dry run, and with it what it knew of the run. Also returns the run's row afterwards. */
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

/**
 * Two workers share a queue, and a dry run is given back to it repeatedly. Also returns how often the wrong worker got
 * it.
 */
export async function foretoldBesideAnother(
    bench: CrashBench,
    pages: number,
): Promise<Foretold & { readonly handedOn: number }> {
    await bench.crew.working();
    await bench.crew.relieve();
    const disturbed = await bench.begin(pages, 'dryRunFlowPipeline');
    // A slice ends while the source waits, so that even a fast machine has many.
    for (let left = pages; left > 0; left -= 3) await disturbed.reach('atRest');
    const result = await disturbed.foretold();
    const [found] = await bench.database.rows<{ n: unknown }>(
        `SELECT count(*) AS n FROM job_record WHERE CAST(result AS char(200)) LIKE '%forwarded%'`,
    );
    return { ...result, handedOn: Number(found?.n) };
}

/**
 * Freezes two workers in turn, each until the other has taken over the run. No batch is committed, since the source
 * delivers nothing.
 */
export async function takenOverInVain(bench: CrashBench): Promise<RunAnswer> {
    let [worker, other] = [await bench.crew.working(), await bench.crew.asleep()];
    const disturbed = await bench.begin(1);
    for (const attempt of [1, 2, 3]) {
        await disturbed.until(row => row.attempt === attempt && row.token !== null);
        worker.freeze();
        await bench.endLeases();
        other.thaw();
        [worker, other] = [other, worker];
    }
    const run = await disturbed.ended();
    // Later imports of the pipeline wait for a paused one.
    await disturbed.cancelled();
    // The worker that slept last stays, as one worker is enough.
    other.thaw();
    await worker.kill('SIGKILL');
    await disturbed.isMadeKnown();
    return run;
}

/** What a frozen worker does to the run that it had. */
export interface Frozen extends Verdict {
    readonly isTakenOver: boolean;
}

interface Freeze {
    readonly pages: number;
    readonly moment: Moment;
    /** Its network is silent as well, without an error. */
    readonly isSilent?: boolean;
}

/** Freezes a worker (SIGSTOP) for longer than its lease while another one takes over its run, and wakes it up again. */
export async function frozen(bench: CrashBench, { pages, moment, isSilent = false }: Freeze): Promise<Frozen> {
    await bench.withoutDisturbance(pages);
    const still = await standingStill(bench, { pages, moment, isSilent });
    const { disturbed } = still;
    await bench.crew.relieve();
    const isTakenOver = await disturbed
        .until(row => row.token !== null && row.token !== still.before.token, patienceOf(bench))
        .then(
            () => true,
            () => false, // The result shows it.
        );
    // Both want the next page at the same time; only one of them may have it.
    still.end();
    await disturbed.gotOn();
    const outcome = await disturbed.verdict();
    await bench.isQuiet();
    await bench.crew.putToSleep(still.sleeper);
    return { ...outcome, isTakenOver };
}

/**
 * Cancels a run while its worker is frozen. The next worker finds it. Also returns the response time of the
 * cancellation.
 */
export async function frozenAndCancelled(
    bench: CrashBench,
    freeze: Freeze,
): Promise<{ readonly run: RunAnswer; readonly answeredMs: number }> {
    const still = await standingStill(bench, freeze);
    const answeredMs = await still.disturbed.cancelled();
    await bench.crew.relieve();
    const run = await still.disturbed.ended();
    still.end();
    await still.disturbed.isMadeKnown();
    await bench.crew.putToSleep(still.sleeper);
    return { run, answeredMs };
}

async function standingStill(bench: CrashBench, { pages, moment, isSilent = false }: Freeze) {
    const { crew } = bench;
    const proxy = isSilent ? (await crew.proxied()).proxy : undefined;
    const disturbed = await bench.begin(pages);
    await crew.ready();
    const goOn = await disturbed.reach(moment);
    const sleeper = await crew.working();
    const before = await disturbed.row();
    await disturbed.disturbed();
    sleeper.freeze();
    proxy?.silence();
    // The server executes its last statement now. The transaction in progress stays open with all its locks.
    await goOn();
    const end = (): void => {
        proxy?.heal();
        sleeper.thaw();
    };
    return { disturbed, sleeper, before, end };
}

/**
 * Freezes a worker while it looks for its next job and thereby locks the jobs of the runs. Another worker executes the
 * run without a job. The first one continues when the run has ended.
 */
export async function frozenInQueue(bench: CrashBench, pages: number): Promise<Verdict> {
    const { crew, database } = bench;
    await bench.withoutDisturbance(pages);
    const disturbed = await bench.beginUnworked(pages);
    await crew.ready();
    const release = await database.holdJobs();
    const sleeper = await crew.relieve();
    await until(
        () => database.waiting(),
        waiting => waiting > 0,
    );
    crew.bootAhead();
    sleeper.freeze();
    await release();
    await until(
        () => database.areJobsHeld(),
        areHeld => areHeld,
    );
    await crew.ready();
    await disturbed.disturbed();
    await crew.relieve();
    await disturbed.gotOn();
    disturbed.openAll();
    await disturbed.ended();
    if (!(await database.areJobsHeld())) throw new Error('The frozen worker has released the jobs');
    sleeper.thaw();
    const outcome = await disturbed.verdict();
    await sleeper.kill('SIGKILL');
    return outcome;
}

/** The result of jobs that are not delivered, or delivered late. */
export interface Undelivered extends Verdict {
    /** How many of its jobs reached a worker when the run was already in progress without them. */
    readonly late: number;
}

/**
 * The queue first delivers no run, and then all jobs of one that is already in progress, to its worker and to another
 * one.
 */
export async function undelivered(bench: CrashBench, pages: number): Promise<Undelivered> {
    const { crew, database, order } = bench;
    await bench.withoutDisturbance(pages);
    closeEars(order.delivery);
    const disturbed = await bench.begin(pages);
    await disturbed.reach('atRest');
    const first = await crew.working();
    openEars(order.delivery);
    await crew.relieve();
    const late = async (): Promise<number> => {
        const [found] = await database.rows<{ n: unknown }>(
            `SELECT count(*) AS n FROM job_record WHERE "queueName" = '${RUN_QUEUE}' AND CAST(result AS char(200)) LIKE '%taken%'`,
        );
        return Number(found?.n);
    };
    await until(late, jobs => jobs > 0);
    const outcome = await disturbed.verdict();
    // One worker is enough for the next scenario.
    await first.kill('SIGKILL');
    return { ...outcome, late: await late() };
}

/** Long enough for a worker to be considered dead. Ends a test that hangs. */
const patienceOf = ({ order }: CrashBench): number => 300_000 + 2 * (order.runtime?.leaseMs ?? 30_000);

/** Which connections are cut: at a COMMIT, or at any message of a transaction. */
interface CutWhere {
    readonly pages: number;
    atCommit?(): Cut | undefined;
    inTransaction?(): boolean;
}

/**
 * Cuts connections one by one while everything is delivered, at random or as planned. Also returns the number of cuts.
 */
export async function cutOneByOne(
    bench: CrashBench,
    { pages, atCommit = () => undefined, inTransaction = () => false }: CutWhere,
): Promise<Verdict & { readonly cuts: Cuts }> {
    const { crew } = bench;
    await crew.proxied();
    await bench.withoutDisturbance(pages);
    const disturbed = await bench.begin(pages);
    const before = crew.cuts;
    crew.armProxies(proxy => {
        proxy.onCommit(atCommit);
        proxy.onBegin(inTransaction);
    });
    disturbed.openAll();
    await disturbed.endedInTime();
    crew.armProxies(proxy => {
        proxy.onCommit(() => undefined);
        proxy.onBegin(() => false);
    });
    const { all, atCommits } = crew.cuts;
    const outcome = await disturbed.verdict();
    return { ...outcome, cuts: { all: all - before.all, atCommits: atCommits - before.atCommits } };
}

/** Cuts all connections, as a proxy or an administrator would. The database itself keeps running. */
export async function cutOff(
    bench: CrashBench,
    { pages, moments }: { readonly pages: number; readonly moments: readonly Moment[] },
): Promise<Verdict> {
    await bench.withoutDisturbance(pages);
    const disturbed = await bench.begin(pages);
    for (const moment of moments) {
        const goOn = await disturbed.reach(moment);
        await disturbed.disturbed();
        await bench.database.cutOthers();
        await goOn();
        await disturbed.gotOn();
    }
    return disturbed.verdict();
}

/** Stops the database itself, and starts it again after a while. A retry that was spent meanwhile is a difference. */
export async function withoutDatabase(
    bench: CrashBench,
    { pages, moment, awayMs }: { readonly pages: number; readonly moment: Moment; readonly awayMs: number },
): Promise<Verdict> {
    const { server } = bench;
    if (!server) throw new Error("Only the bench's own server may be stopped");
    await bench.withoutDisturbance(pages);
    const disturbed = await bench.begin(pages);
    const goOn = await disturbed.reach(moment);
    await disturbed.disturbed();
    await server.interrupt();
    await sleep(awayMs); // The length of the outage; it does not wait for an event.
    await server.resume();
    await goOn();
    await disturbed.gotOn();
    const outcome = await disturbed.verdict();
    const [spent] = await bench.database.rows<{ n: unknown }>(
        `SELECT count(*) AS n FROM flow_log WHERE run_id = ${outcome.run.id.replace(/\D/g, '')} AND code = '${RETRY}'`,
    );
    const retries = Number(spent?.n);
    return retries === 0 ? outcome : { ...outcome, differences: [...outcome.differences, `${retries} retries`] };
}
