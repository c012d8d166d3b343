import type { FlowPluginOptions } from '../../src';
import { provision } from '../../test/servers/provision';
import { SERVER_FACTS, type ServerName } from '../../test/servers/server';
import { CrashBench } from './crash-bench';
import { CONCURRENCY } from './crash-shop';
import type { Moment, Verdict } from './import';
import { cutOff, frozen, killed, pagesFor, withoutDatabase } from './scenarios';

/** One row of a table, as `scripts/faults.mjs` orders it; each has a process of its own, since a process boots one set of plugins. */
export interface RowOrder {
    readonly fault: 'kills' | 'cuts' | 'outages' | 'freezes';
    readonly count: number;
    readonly queue: 'sql' | 'bullmq';
    readonly times: 'short' | 'default';
    readonly moment: Moment;
    readonly awayMs: number;
}

/** What the table tells of it. */
export interface Row {
    readonly times: number;
    readonly equal: number;
    readonly failed: number;
    readonly rejected: number;
    readonly standstillsMs: readonly number[];
    readonly notes: readonly string[];
    readonly isGood: boolean;
}

const SHORT: FlowPluginOptions['runtime'] = { leaseMs: 3000, sweepMs: 500 };
const ONE = pagesFor(1);

/** A run whose worker has died goes on within a minute (design: "exactly-once loading"); what the fault itself lasts is in it. */
const LONGEST_MS = 60_000;

type Seen = Verdict & { readonly isTakenOver?: boolean };

function once(bench: CrashBench, { fault, count, moment, awayMs }: RowOrder): Promise<Seen> {
    switch (fault) {
        case 'kills':
            return killed(bench, count);
        case 'cuts':
            return cutOff(bench, { pages: ONE, moments: [moment] });
        case 'outages':
            return withoutDatabase(bench, { pages: ONE, moment, awayMs });
        case 'freezes':
            return frozen(bench, { pages: ONE, moment });
    }
}

/** What is wrong with it, in few words. */
function faultsOf({ fault, count }: RowOrder, seen: Seen): readonly string[] {
    const { run, differences, isTakenOver, records, reworked, standstillsMs } = seen;
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
        ...(run.status === 'COMPLETED' ? [] : [`${run.status}: ${run.error?.code ?? ''} ${run.error?.message ?? ''}`]),
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
        failed: seen.filter(({ run }) => run.status !== 'COMPLETED').length,
        rejected: seen.reduce((sum, { run }) => sum + run.recordsRejected, 0),
        standstillsMs: seen.flatMap(({ standstillsMs }) => standstillsMs),
        notes: [
            ...new Set([...notes, ...faults]),
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
    const { queue, times } = order;
    const redis = queue === 'bullmq' ? await ready('redis') : undefined;
    try {
        const bench = await CrashBench.open({
            queue,
            database: 'own',
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
