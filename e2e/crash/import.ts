import gql from 'graphql-tag';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogCode } from '../../src/core/log/log-events';
import { type FlowServer, type RunAnswer, until } from '../config/flow-server';
import type { BenchDatabase } from './bench-database';
import { BATCH, CONCURRENCY, type CrashOrder } from './crash-shop';
import type { Crew } from './crew';
import { deliver, PAGE } from './delivery';
import { changesOf, differences, type ShopDump } from './shop-dump';

/** Ends a test that hangs. It measures nothing. */
export const PATIENCE_MS = 240_000;
/** Additional time for each page of an import. */
const A_PAGE_MS = 500;

/** The result of an undisturbed import. */
export interface Undisturbed {
    readonly counters: RunAnswer['counters'];
    readonly changes: ShopDump;
}

/** What an import needs from the bench. */
export interface Surroundings {
    readonly shop: FlowServer;
    readonly order: CrashOrder;
    readonly crew: Crew;
    readonly database: BenchDatabase;
    /** How many batches have been started so far, including repeated ones. */
    worked(): number;
    /** Resolves when none of Vendure's own jobs is running or waiting. */
    isQuiet(): Promise<void>;
    /** Returns all rows of the shop once the workers have finished with this delivery. */
    dump(name: string): Promise<ShopDump>;
    withoutDisturbance(pages: number): Promise<Undisturbed>;
}

/**
 * When a disturbance of an import happens. `atRest`: everything delivered is committed, and the source waits for the
 * next page. `inLoad`: every batch in progress waits for the response to a statement in the middle of a load's
 * transaction. `anytime`: at a random time.
 */
export type Moment = 'atRest' | 'inLoad' | 'anytime';

/** The run's row, and how many of its batches are committed. */
export interface RunRow {
    readonly status: string;
    readonly attempt: number;
    readonly takeovers: number;
    readonly token: string | null;
    readonly batches: number;
}

/** The result of a disturbed import, compared with an undisturbed one. */
export interface Verdict {
    /** How many records were delivered. */
    readonly records: number;
    readonly run: RunAnswer;
    /** Differences in counters or catalogue from an undisturbed import, or in statistics from the runs. */
    readonly differences: readonly string[];
    /** How many batches were started more than once. */
    readonly reworked: number;
    /** How long after each disturbance the next batch was committed. Only printed, never checked. */
    readonly standstillsMs: readonly number[];
}

/** The event of a log line for each retry. */
export const RETRY: LogCode = 'RETRYING';

/** The result of a dry run. */
export interface Foretold {
    readonly run: RunAnswer;
    /** Its counters, its report and all of its differences. */
    readonly told: unknown;
    /** The events of its log. */
    readonly log: ReadonlyArray<string | null>;
}

/** The states of a run that may still continue. */
const IS_OPEN: readonly string[] = ['PENDING', 'RUNNING'];
const AT_A_TIME = 3;
/** Longer than a batch takes. */
const ANYTIME_MS = 60;

/** An import that workers execute, whose source delivers on request. */
export class Import {
    private readonly records: number;
    private ready = 0;
    private readonly workedBefore: number;
    private readonly standstills: number[] = [];
    private disturbedAt = 0;
    private batchesThen = 0;

    constructor(
        private readonly bench: Surroundings,
        private readonly facts: {
            readonly id: string;
            readonly name: string;
            readonly pages: number;
            readonly before: ShopDump;
        },
    ) {
        this.records = facts.pages * PAGE;
        this.workedBefore = bench.worked();
    }

    /** Its run. */
    get runId(): string {
        return this.facts.id;
    }

    /** The name of its delivery. */
    get name(): string {
        return this.facts.name;
    }

    /** Starts another run of the same delivery, once this one has ended. */
    async again(): Promise<Import> {
        const { id } = await this.bench.shop.start('crash');
        const next = new Import(this.bench, { ...this.facts, id });
        next.ready = this.ready;
        return next;
    }

    /**
     * Delivers this number of pages beyond those that are committed. Never delivers the last one, so that the run
     * cannot end.
     */
    async open(pages: number): Promise<void> {
        const { batches } = await this.row();
        this.deliver(Math.max(this.ready, Math.min(Math.ceil(batches / batchesOf(1)) + pages, this.facts.pages - 1)));
    }

    openAll(): void {
        this.deliver(this.facts.pages);
    }

    async row(): Promise<RunRow> {
        const [row] = await this.bench.database.rows<Omit<RunRow, 'batches'> & { value: string | null }>(`
            SELECT r.status, r.attempt, r.takeovers, r.lease_token AS token, c.value
            FROM flow_pipeline_run r LEFT JOIN flow_checkpoint c ON c.scope = 'run:' || r.id AND c.step_key = 'in'
            ORDER BY r.id DESC LIMIT 1`);
        const { value, ...run } = row!;
        const stored = JSON.parse(value ?? '{}') as { position?: { batchNo: number } };
        return { ...run, batches: stored.position?.batchNo ?? 0 };
    }

    /** Waits until the run's row is as wanted. If the database is away, it queries again. */
    async until(
        isWanted: (row: RunRow) => boolean,
        withinMs = PATIENCE_MS + this.facts.pages * A_PAGE_MS,
    ): Promise<RunRow> {
        const row = await until(
            async () => {
                await this.bench.crew.working();
                return this.row().catch(() => undefined);
            },
            now => now !== undefined && isWanted(now),
            withinMs,
        );
        return row!;
    }

    /** Waits until this number of further pages is committed. */
    async getOn(pages: number): Promise<void> {
        await this.open(pages);
        await this.until(({ batches, status }) => batches >= batchesOf(this.ready) || !IS_OPEN.includes(status));
    }

    /** Brings the import to this moment. The returned function lets it continue. */
    async reach(timestamp: Moment): Promise<() => Promise<void>> {
        if (timestamp === 'inLoad') return this.heldInLoad();
        await this.open(AT_A_TIME);
        if (timestamp === 'atRest') {
            await this.until(({ batches }) => batches === batchesOf(this.ready));
            await this.bench.isQuiet();
        } else await this.anywhere();
        return () => Promise.resolve();
    }

    /** From now on no batch is expected until it continues. */
    async disturbed(): Promise<void> {
        const row = await this.row();
        [this.disturbedAt, this.batchesThen] = [Date.now(), row.batches];
    }

    /** Waits for the first batch that is committed after the disturbance. */
    async gotOn(): Promise<void> {
        await this.open(1);
        await this.until(({ batches, status }) => batches > this.batchesThen || !IS_OPEN.includes(status));
        this.standstills.push(this.standstill());
    }

    /** Waits for its end, and notes the longest time without a committed batch. */
    async endedInTime(): Promise<RunAnswer> {
        this.disturbedAt = Date.now();
        let [batches, longest] = [0, 0];
        await this.until(row => {
            longest = Math.max(longest, this.standstill());
            if (row.batches !== batches) this.disturbedAt = Date.now();
            batches = row.batches;
            return !IS_OPEN.includes(row.status);
        });
        this.standstills.push(longest);
        return this.ended();
    }

    /** Cancels it as a user would. Returns how long the response took, which is only printed, never checked. */
    async cancelled(): Promise<number> {
        const askedAt = Date.now();
        await this.bench.shop.adminClient.query(
            gql`mutation Cancel($id: ID!) { cancelFlowPipelineRun(id: $id) { id } }`,
            { id: this.facts.id },
        );
        return Date.now() - askedAt;
    }

    /** Once workers have finished with it, its effects cannot be confused with those of the next one. */
    async isMadeKnown(): Promise<void> {
        await this.bench.dump(this.facts.name);
        await this.bench.isQuiet();
    }

    async ended(): Promise<RunAnswer> {
        await this.until(({ status }) => !IS_OPEN.includes(status));
        // The server's own connections may have been cut, which it notices at its next query.
        const run = await until(
            () => this.bench.shop.run(this.facts.id).catch(() => undefined),
            answer => answer !== undefined,
        );
        return run!;
    }

    /** Returns the predictions of a dry run, without the name of its delivery. */
    async foretold(): Promise<Foretold> {
        this.openAll();
        const run = await this.ended();
        const rows = await this.bench.database.rows(
            `SELECT step_key, source_key, seq, action, "key" FROM flow_difference
            WHERE run_id = (SELECT max(id) FROM flow_pipeline_run) ORDER BY step_key, source_key, seq`,
        );
        const { counters, report } = run;
        const told = JSON.stringify({ counters, report, rows }).replaceAll(this.facts.name, 'delivery');
        const log = await this.bench.database.rows<{ code: string | null }>(
            'SELECT code FROM flow_log WHERE run_id = (SELECT max(id) FROM flow_pipeline_run) ORDER BY id',
        );
        return { run, told: JSON.parse(told) as unknown, log: log.map(({ code }) => code) };
    }

    async changes(): Promise<ShopDump> {
        const { name, before } = this.facts;
        return changesOf(name, before, await this.bench.dump(name));
    }

    /** Lets it end, and compares it with an undisturbed import. */
    async verdict(): Promise<Verdict> {
        this.openAll();
        const run = await this.ended();
        const { counters, changes } = await this.bench.withoutDisturbance(this.facts.pages);
        const told = JSON.stringify(run.counters) === JSON.stringify(counters) ? [] : ['its counters'];
        // Also for a failed one: its unpublished effects must not show in the next one's.
        const differing = differences(changes, await this.changes());
        const uncounted = (await this.isCounted()) ? [] : ['the statistics of the ended runs'];
        return {
            records: this.records,
            run,
            differences: [...told, ...differing, ...uncounted],
            reworked: this.bench.worked() - this.workedBefore - this.records / BATCH,
            standstillsMs: this.standstills,
        };
    }

    /**
     * Whether analytics count all runs that have ended, with their figures, whichever worker was killed at the end of
     * one.
     */
    private async isCounted(): Promise<boolean> {
        const same = await this.bench.database.rows(`
            SELECT 1 AS same FROM
                (SELECT count(*) AS runs, sum(records_read) AS got, sum(records_loaded) AS loaded FROM flow_pipeline_run
                    WHERE status IN ('COMPLETED', 'FAILED', 'CANCELLED') AND NOT dry_run) ended,
                (SELECT sum(runs) AS runs, sum(records_read) AS got, sum(records_loaded) AS loaded FROM flow_run_statistics) counted
            WHERE ended.runs = counted.runs AND ended.got = counted.got AND ended.loaded = counted.loaded`);
        return same.length === 1;
    }

    private standstill(): number {
        return Date.now() - this.disturbedAt;
    }

    private deliver(ready: number): void {
        const { name, pages } = this.facts;
        this.ready = ready;
        deliver(this.bench.order.delivery, { name, pages, ready });
    }

    /** Waits until some batch is in progress. */
    private async anywhere(): Promise<void> {
        const { batches } = await this.row();
        const from = this.bench.worked();
        await this.until(row => row.batches > batches);
        const batch = from + Math.floor(Math.random() * (batchesOf(AT_A_TIME) - 1));
        const isSettled = async (): Promise<boolean> => (await this.row()).batches >= batchesOf(this.ready);
        while (this.bench.worked() <= batch && !(await isSettled())) await sleep(5);
        await sleep(Math.random() * ANYTIME_MS);
    }

    private async heldInLoad(): Promise<() => Promise<void>> {
        const { database } = this.bench;
        const release = await database.holdLoads();
        await this.open(1);
        // After a takeover, a worker processes one batch at a time (ADR 19).
        const { attempt } = await this.row();
        const due = attempt > 1 ? 1 : CONCURRENCY;
        await until(
            () => database.waiting(),
            waiting => waiting >= due,
            PATIENCE_MS,
        );
        return release;
    }
}

/** The number of batches in these pages. */
function batchesOf(pages: number): number {
    return (pages * PAGE) / BATCH;
}
