import type { FlowPluginOptions } from '../../src';
import { provision } from '../../test/servers/provision';
import { SERVER_FACTS, type ServerName } from '../../test/servers/server';
import { CrashBench } from './crash-bench';
import { filesAcknowledged } from './acknowledged-files';
import type { Cut, Cuts } from '../config/fault-proxy';
import { CONCURRENCY, LOADS } from './crash-shop';
import { PAGE } from './delivery';
import type { RunAnswer } from '../config/flow-server';
import type { Moment, Verdict } from './import';
import { killedInAnApi, OWN_APIS, PLAYED_APIS } from './killed-in-an-api';
import { killedWhileDelivering } from './killed-while-delivering';
import { killedWhileRowsChange } from './killed-while-rows-change';
import { messagesOfAll } from './mortal-brokers';
import { ordersPlaced } from './orders';
import {
    cutOff,
    cutOneByOne,
    frozen,
    frozenAndCancelled,
    frozenInQueue,
    killed,
    pagesFor,
    withoutDatabase,
} from './scenarios';
import { CUT_TIMES, cutAtEvery } from './statement-cuts';
import { PimOfTheDead } from './pim-of-the-dead';
import { withoutRedis } from './without-redis';

/**
 * One row of the table that `scripts/faults.mjs` prints. Each has a separate process, since a process boots only one
 * set of plugins.
 */
export interface RowOrder {
    readonly fault:
        | 'kills'
        | 'apis'
        | 'own-apis'
        | 'changes'
        | 'cuts'
        | 'commits'
        | 'drops'
        | 'statements'
        | 'outages'
        | 'freezes'
        | 'held'
        | 'cancels'
        | 'orders'
        | 'messages'
        | 'files'
        | 'pim'
        | 'deliveries'
        | 'redis';
    readonly type: 'postgres' | 'mariadb';
    readonly count: number;
    /** The smallest number of records of an import in which workers are killed. */
    readonly records: number;
    readonly queue: 'sql' | 'bullmq';
    readonly times: 'short' | 'default';
    readonly moment: Moment;
    readonly awayMs: number;
    /** The network of a frozen worker is silent as well. */
    readonly isSilent: boolean;
}

/** A row of the table. */
export interface Row {
    readonly times: number;
    readonly equal: number;
    readonly failed: number;
    readonly rejected: number;
    readonly standstillsMs: readonly number[];
    /** The response times of cancelling a run. */
    readonly answersMs: readonly number[];
    readonly notes: readonly string[];
    readonly isGood: boolean;
}

const SHORT: FlowPluginOptions['runtime'] = { leaseMs: 3000, sweepMs: 500 };
const ONE = pagesFor(1);
/** Enough pages for a few cut transactions. */
const MANY = 30;

/**
 * A run whose worker has died continues within a minute (design: "exactly-once loading"), including the disturbance
 * itself.
 */
const LONGEST_MS = 60_000;
/** The longest response time of cancelling a run, whatever its worker does. */
const LONGEST_ANSWER_MS = 5_000;
/** The number of rows that are written while they are polled. */
const CHANGES = 100_000;
/** The size of the PIM, and its changes in a day. */
const PIM = { products: 5_000, variantsEvery: 10, categories: 500, depth: 6, assets: 2_000, prefix: 'dead' };
const PIM_DAY = { changed: 100, deleted: 20, unpublished: 50 };
/** The number of servers and of workers that are killed while orders are placed. */
const KILLS_BESIDE_ORDERS = 10;
/** The number of workers that are killed while the messages of a broker arrive. */
const KILLS_BESIDE_MESSAGES = 10;
/** The share of COMMITs that do not arrive, and of those whose response does not. */
const [BEFORE, AFTER] = [0.01, 0.03];
/** The share of transactions that lose their connection between their beginning and their COMMIT. */
const DROPPED = 0.03;

function byChance(): Cut | undefined {
    const chance = Math.random();
    if (chance < BEFORE) return 'before';
    return chance < BEFORE + AFTER ? 'after' : undefined;
}

/** The result of one run, or the total of several. */
type Seen = Omit<Verdict, 'run'> & {
    readonly run: Pick<RunAnswer, 'status' | 'attempt' | 'recordsLoaded' | 'recordsRejected' | 'error'>;
} & { readonly isTakenOver?: boolean; readonly answeredMs?: number; readonly cuts?: Cuts };

/** Represents many runs that have ended as expected. */
const SETTLED = { status: 'COMPLETED', attempt: 1, recordsLoaded: 0, recordsRejected: 0, error: null } as const;

async function once(
    bench: CrashBench,
    { fault: issue, count, records, moment, awayMs, isSilent }: RowOrder,
): Promise<Seen> {
    switch (issue) {
        case 'kills':
            return killed(bench, count, Math.max(pagesFor(count), Math.ceil(records / PAGE)));
        case 'cuts':
            return cutOff(bench, { pages: ONE, moments: [moment] });
        case 'outages':
            return withoutDatabase(bench, { pages: ONE, moment, awayMs });
        case 'commits':
            return cutOneByOne(bench, { pages: MANY, atCommit: byChance });
        case 'drops':
            return cutOneByOne(bench, { pages: MANY, inTransaction: () => Math.random() < DROPPED });
        case 'statements': {
            const { learned, cut, unsent, differences } = await cutAtEvery(bench, { most: count, tell });
            tell(`${learned} statements learned, ${cut} cut, ${unsent.length} not sent again: ${unsent.join('; ')}`);
            return { run: SETTLED, records: 0, differences, reworked: 0, standstillsMs: [] };
        }
        case 'freezes':
            return frozen(bench, { pages: ONE, moment, isSilent });
        case 'held':
            return frozenInQueue(bench, ONE);
        case 'orders': {
            const { differences, orders } = await ordersPlaced(bench, { orders: count, kills: KILLS_BESIDE_ORDERS });
            const runs = await bench.database.rows<{ n: unknown }>(
                `SELECT count(*) AS n FROM flow_pipeline_run WHERE trigger_type = 'EVENT' AND status = 'COMPLETED'`,
            );
            const settled = Number(runs[0]?.n) === orders ? [] : [`${String(runs[0]?.n)} runs of ${orders} orders`];
            return {
                run: SETTLED,
                records: 0,
                differences: [...differences, ...settled],
                reworked: 0,
                standstillsMs: [],
            };
        }
        case 'messages': {
            const differences = await messagesOfAll(bench, { messages: count, kills: KILLS_BESIDE_MESSAGES, tell });
            return { run: SETTLED, records: 0, differences, reworked: 0, standstillsMs: [] };
        }
        case 'files': {
            const { differences } = await filesAcknowledged(bench, { kills: count, tell });
            return { run: SETTLED, records: 0, differences, reworked: 0, standstillsMs: [] };
        }
        case 'apis':
        case 'own-apis': {
            const seen: Array<Awaited<ReturnType<typeof killedInAnApi>>> = [];
            const apis = issue === 'apis' ? PLAYED_APIS : OWN_APIS;
            for (const name of Object.keys(apis) as Array<keyof typeof PLAYED_APIS | keyof typeof OWN_APIS>)
                seen.push(await killedInAnApi(bench, { name, kills: count }));
            const ended = seen
                .filter(({ run, records }) => run.status !== 'COMPLETED' || run.recordsLoaded !== records)
                .map(({ run, records }) => `a run is ${run.status} with ${run.recordsLoaded} of ${records} loaded`);
            return {
                run: { ...SETTLED, attempt: Math.max(...seen.map(({ run }) => run.attempt)) },
                records: 0,
                differences: [...seen.flatMap(({ differences }) => differences), ...ended],
                reworked: 0,
                standstillsMs: seen.flatMap(({ standstillsMs }) => standstillsMs),
            };
        }
        case 'deliveries': {
            const { runs, differences, pauses, kills } = await killedWhileDelivering(bench, count);
            const attempts = runs.map(({ attempt }) => attempt).join(' and ');
            tell(`${kills} kills, ${attempts} attempts, ${pauses} times a run paused and was resumed`);
            const attempt = Math.max(...runs.map(run => run.attempt));
            return { run: { ...SETTLED, attempt }, records: 0, differences, reworked: 0, standstillsMs: [] };
        }
        case 'changes': {
            const seen = await killedWhileRowsChange(bench, { changes: CHANGES, kills: count, batchSize: 5_000 });
            const failed = seen.runs.filter(({ status }) => status !== 'COMPLETED');
            // A worker may also die between two polls.
            const again = seen.runs.reduce((sum, { attempt }) => sum + attempt - 1, 0);
            process.stdout.write(`ONE ${seen.runs.length} polls, begun again ${again} times\n`);
            return {
                run: { ...SETTLED, attempt: Math.max(...seen.runs.map(({ attempt }) => attempt)) },
                records: 0,
                differences: [
                    ...seen.differences,
                    ...failed.map(({ status, error }) => `a run is ${status}: ${error?.message ?? ''}`),
                    ...(seen.longestMs < 5_000 ? [] : [`a transaction was open for ${seen.longestMs} ms`]),
                ],
                reworked: 0,
                standstillsMs: [],
            };
        }
        case 'pim': {
            const pim = await PimOfTheDead.open(bench, { size: PIM, batchSize: 100, tell });
            try {
                await pim.firstSync();
                await pim.day(PIM_DAY);
                await pim.toldDay(PIM_DAY);
                await pim.faults();
                await pim.kills(count);
                await pim.freeze();
            } finally {
                await pim.close();
            }
            const { attempt, differences, standstillsMs } = pim;
            return { run: { ...SETTLED, attempt }, records: 0, differences, reworked: 0, standstillsMs };
        }
        case 'redis': {
            const { statuses, differences } = await withoutRedis(bench, { pages: ONE, awayMs });
            const ended = statuses.filter(status => status !== 'COMPLETED').map(status => `a run is ${status}`);
            return {
                run: SETTLED,
                records: 0,
                differences: [...differences, ...ended],
                reworked: 0,
                standstillsMs: [],
            };
        }
        case 'cancels': {
            const cancelled = await frozenAndCancelled(bench, { pages: ONE, moment, isSilent });
            return { ...cancelled, records: 0, differences: [], reworked: 0, standstillsMs: [] };
        }
    }
}

/**
 * The problems in a few words. How often the run was started is printed, but not checked: even an undisturbed worker
 * may lose a short lease on a busy machine.
 */
function faultsOf({ fault: issue, awayMs }: RowOrder, seenSet: Seen): readonly string[] {
    const { run, differences, isTakenOver, records, reworked, standstillsMs, answeredMs = 0 } = seenSet;
    const due = issue === 'cancels' ? 'CANCELLED' : 'COMPLETED';
    // While its database is away, a run cannot continue.
    const longestMs = Math.max(0, ...standstillsMs) - (issue === 'outages' ? awayMs : 0);
    return [
        ...(issue === 'kills' && reworked > (run.attempt - 1) * CONCURRENCY
            ? [`${reworked} batches were repeated`]
            : []),
        ...(run.status === 'COMPLETED' && run.recordsLoaded !== LOADS * records
            ? [`${run.recordsLoaded} of ${LOADS * records} loaded`]
            : []),
        ...(longestMs > LONGEST_MS ? [`made no progress for ${Math.round(longestMs / 1000)} s`] : []),
        ...(run.status === due ? [] : [`${run.status}: ${run.error?.code ?? ''} ${run.error?.message ?? ''}`]),
        ...(answeredMs > LONGEST_ANSWER_MS ? [`a cancellation took ${answeredMs} ms`] : []),
        ...(run.status === 'COMPLETED' && differences.length > 0 ? [`different: ${differences.join('; ')}`] : []),
        ...(run.recordsRejected > 0 ? [`${run.recordsRejected} records rejected`] : []),
        ...(isTakenOver === false ? ['no other worker could take it over while its worker was frozen'] : []),
    ];
}

/** Prints a line of progress at once, and the lines that belong to it. */
function tell(text: string): void {
    const [line, ...more] = text.split('\n');
    process.stdout.write([`ONE ${line}\n`, ...more.map(one => `MORE ${one}\n`)].join(''));
}

/** Prints the result of one run at once, since a row may take hours. */
function told(order: RowOrder, seenSet: Seen): void {
    const issues = faultsOf(order, seenSet);
    const stood = seenSet.standstillsMs.map(ms => `${(ms / 1000).toFixed(1)} s`).join(', ');
    const cut = seenSet.cuts ? `${seenSet.cuts.all} cut (${seenSet.cuts.atCommits} at a COMMIT), ` : '';
    const words = issues.length > 0 ? issues.join('; ') : 'as expected';
    tell(`${cut}attempt ${seenSet.run.attempt}, stops: ${stood || 'none'}; ${words}`);
}

const AT_ONCE: ReadonlySet<RowOrder['fault']> = new Set([
    ...([
        'kills',
        'apis',
        'own-apis',
        'changes',
        'orders',
        'messages',
        'files',
        'pim',
        'deliveries',
        'statements',
    ] as const),
]);

async function perform(bench: CrashBench, order: RowOrder): Promise<Row> {
    const seenSet: Seen[] = [];
    const notes: string[] = [];
    // All kills happen in one run and all orders at one time. Other disturbances have one run each.
    const isAtOnce = AT_ONCE.has(order.fault);
    const runs = isAtOnce ? 1 : order.count;
    try {
        while (seenSet.length < runs) {
            const one = await once(bench, order);
            seenSet.push(one);
            told(order, one);
        }
    } catch (error) {
        notes.push(`stopped after ${seenSet.length} of ${runs}: ${String(error)}`);
    }
    const issues = seenSet.flatMap(one => faultsOf(order, one));
    const { deaths, cuts } = bench.crew;
    const reasons = new Set(
        deaths.map(death => /^\s*(?:\w*[eE]rror: ).*$/m.exec(death)?.[0].trim() ?? death.slice(0, 200)),
    );
    return {
        times: isAtOnce ? order.count : seenSet.length,
        equal: seenSet.filter(({ differences }) => differences.length === 0).length,
        failed: seenSet.filter(({ run }) => run.status === 'FAILED').length,
        rejected: seenSet.reduce((sum, { run }) => sum + run.recordsRejected, 0),
        standstillsMs: seenSet.flatMap(({ standstillsMs }) => standstillsMs),
        answersMs: seenSet.flatMap(({ answeredMs = [] }) => answeredMs),
        notes: [
            ...new Set([...notes, ...issues]),
            ...(cuts.all > 0 ? [`${cuts.all} connections were cut, ${cuts.atCommits} of them at a COMMIT`] : []),
            ...(deaths.length > 0
                ? [`${deaths.length} workers ended by themselves and were replaced: ${[...reasons].join('; ')}`]
                : []),
        ],
        isGood: seenSet.length === runs && issues.length === 0,
    };
}

async function ready(name: ServerName): Promise<{ readonly url: string; stop(): Promise<void> }> {
    const server = await provision(name);
    if ('reason' in server) throw new Error(`${SERVER_FACTS[name].title} is missing: ${server.reason}`);
    return { url: server.url, stop: () => server.started?.stop() ?? Promise.resolve() };
}

async function main(order: RowOrder): Promise<void> {
    const { queue, times, type } = order;
    // A Redis that is stopped must be the bench's own.
    const redis = queue === 'bullmq' && order.fault !== 'redis' ? await ready('redis') : undefined;
    try {
        const bench = await CrashBench.open({
            queue,
            database: 'own',
            type,
            runtime: order.fault === 'statements' ? CUT_TIMES : times === 'short' ? SHORT : undefined,
            ...(order.fault === 'deliveries' && { runsAtOnce: 2 }),
            // Only Flow itself may end the idle transaction.
            ...(order.fault === 'held' && { idleTransactionSec: 0 }),
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
