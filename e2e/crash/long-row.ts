import type { FlowPluginOptions } from '../../src';
import { provision } from '../../test/servers/provision';
import { SERVER_FACTS, type ServerName } from '../../test/servers/server';
import { CrashBench } from './crash-bench';
import type { Cut } from '../config/fault-proxy';
import { CONCURRENCY } from './crash-shop';
import type { Moment, Verdict } from './import';
import { cutAtCommits, cutOff, frozen, frozenAndCancelled, killed, pagesFor, withoutDatabase } from './scenarios';

/** One row of a table, as `scripts/faults.mjs` orders it; each has a process of its own, since a process boots one set of plugins. */
export interface RowOrder {
    readonly fault: 'kills' | 'cuts' | 'commits' | 'outages' | 'freezes' | 'cancels';
    readonly type: 'postgres' | 'mariadb';
    readonly count: number;
    readonly queue: 'sql' | 'bullmq';
    readonly times: 'short' | 'default';
    readonly moment: Moment;
    readonly awayMs: number;
    /** The network of a worker that stands still is silent. */
    readonly isSilent: boolean;
}

/** What the table tells of it. */
export interface Row {
    readonly times: number;
    readonly equal: number;
    readonly failed: number;
    readonly rejected: number;
    readonly standstillsMs: readonly number[];
    /** After how long those who cancelled a run were answered. */
    readonly answersMs: readonly number[];
    readonly notes: readonly string[];
    readonly isGood: boolean;
}

const SHORT: FlowPluginOptions['runtime'] = { leaseMs: 3000, sweepMs: 500 };
const ONE = pagesFor(1);
/** So many that a few of their COMMITs are cut. */
const MANY = 30;

/** A run whose worker has died goes on within a minute (design: "exactly-once loading"); what the fault itself lasts is in it. */
const LONGEST_MS = 60_000;
/** Whoever cancels a run is answered within this, whatever its worker does. */
const LONGEST_ANSWER_MS = 5_000;
/** Of a hundred COMMITs, one does not arrive, and of three the answer does not. */
const [BEFORE, AFTER] = [0.01, 0.03];

function byChance(): Cut | undefined {
    const chance = Math.random();
    if (chance < BEFORE) return 'beforeCommit';
    return chance < BEFORE + AFTER ? 'afterCommit' : undefined;
}

type Seen = Verdict & { readonly isTakenOver?: boolean; readonly answeredMs?: number };

async function once(bench: CrashBench, { fault, count, moment, awayMs, isSilent }: RowOrder): Promise<Seen> {
    switch (fault) {
        case 'kills':
            return killed(bench, count);
        case 'cuts':
            return cutOff(bench, { pages: ONE, moments: [moment] });
        case 'outages':
            return withoutDatabase(bench, { pages: ONE, moment, awayMs });
        case 'commits':
            return cutAtCommits(bench, { pages: MANY, decide: byChance });
        case 'freezes':
            return frozen(bench, { pages: ONE, moment, isSilent });
        case 'cancels': {
            const cancelled = await frozenAndCancelled(bench, { pages: ONE, moment, isSilent });
            return { ...cancelled, records: 0, differences: [], reworked: 0, standstillsMs: [] };
        }
    }
}

/** What is wrong with it, in few words. */
function faultsOf({ fault, count }: RowOrder, seen: Seen): readonly string[] {
    const { run, differences, isTakenOver, records, reworked, standstillsMs, answeredMs = 0 } = seen;
    const due = fault === 'cancels' ? 'CANCELLED' : 'COMPLETED';
    // Cut connections spend no takeover, each kill one. How often the others come to one depends on their moment.
    const attempts = { kills: count + 1, cuts: 1 }[fault as string];
    const longestMs = Math.max(0, ...standstillsMs);
    return [
        ...(attempts !== undefined && run.attempt !== attempts
            ? [`${run.attempt} attempts where ${attempts} were due`]
            : []),
        ...(fault === 'kills' && reworked > count * CONCURRENCY ? [`${reworked} batches were worked on again`] : []),
        ...(run.status === 'COMPLETED' && run.recordsLoaded !== 2 * records
            ? [`${run.recordsLoaded} of ${2 * records} loaded`]
            : []),
        ...(longestMs > LONGEST_MS ? [`stood still for ${Math.round(longestMs / 1000)} s`] : []),
        ...(run.status === due ? [] : [`${run.status}: ${run.error?.code ?? ''} ${run.error?.message ?? ''}`]),
        ...(answeredMs > LONGEST_ANSWER_MS ? [`a cancel was answered after ${answeredMs} ms`] : []),
        ...(run.status === 'COMPLETED' && differences.length > 0 ? [`different: ${differences.join('; ')}`] : []),
        ...(run.recordsRejected > 0 ? [`${run.recordsRejected} records rejected`] : []),
        ...(isTakenOver === false ? ['nobody could take it over while its worker stood still'] : []),
    ];
}

async function perform(bench: CrashBench, order: RowOrder): Promise<Row> {
    const seen: Seen[] = [];
    const notes: string[] = [];
    // Kills all come in one run, the others in one each.
    const runs = order.fault === 'kills' ? 1 : order.count;
    try {
        while (seen.length < runs) seen.push(await once(bench, order));
    } catch (error) {
        notes.push(`stopped after ${seen.length} of ${runs}: ${String(error)}`);
    }
    const faults = seen.flatMap(one => faultsOf(order, one));
    const { deaths } = bench.crew;
    const reasons = new Set(
        deaths.map(death => /^\s*(?:\w*[eE]rror: ).*$/m.exec(death)?.[0].trim() ?? death.slice(0, 200)),
    );
    return {
        times: order.fault === 'kills' ? order.count : seen.length,
        equal: seen.filter(({ differences }) => differences.length === 0).length,
        failed: seen.filter(({ run }) => run.status === 'FAILED').length,
        rejected: seen.reduce((sum, { run }) => sum + run.recordsRejected, 0),
        standstillsMs: seen.flatMap(({ standstillsMs }) => standstillsMs),
        answersMs: seen.flatMap(({ answeredMs = [] }) => answeredMs),
        notes: [
            ...new Set([...notes, ...faults]),
            ...(order.fault === 'commits' ? [`${bench.proxy.cuts} connections were cut at a COMMIT`] : []),
            ...(deaths.length > 0
                ? [`${deaths.length} workers ended by themselves and were replaced: ${[...reasons].join('; ')}`]
                : []),
        ],
        isGood: seen.length === runs && faults.length === 0,
    };
}

async function ready(name: ServerName): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const server = await provision(name);
    if ('reason' in server) throw new Error(`${SERVER_FACTS[name].title} is missing: ${server.reason}`);
    return { url: server.url, stop: () => server.started?.stop() ?? Promise.resolve() };
}

async function main(order: RowOrder): Promise<void> {
    const { queue, times, type } = order;
    const redis = queue === 'bullmq' ? await ready('redis') : undefined;
    try {
        const bench = await CrashBench.open({
            queue,
            database: 'own',
            type,
            runtime: times === 'short' ? SHORT : undefined,
            ...(redis && { redisUrl: redis.url }),
        });
        for (const signal of ['SIGINT', 'SIGTERM'] as const)
            process.once(signal, () => void bench.close().finally(() => process.exit(130)));
        process.stdout.write(`ROW ${JSON.stringify(await perform(bench, order).finally(() => bench.close()))}\n`);
    } finally {
        await redis?.stop();
    }
}

process.env['VENDURE_DISABLE_TELEMETRY'] = 'true';
main(JSON.parse(process.argv[2] ?? '{}') as RowOrder).then(
    () => process.exit(0),
    error => {
        console.error(error);
        process.exit(1);
    },
);
