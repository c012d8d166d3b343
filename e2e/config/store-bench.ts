import { RequestContext } from '@vendure/core';
import type { DataSource } from 'typeorm';
import type { StatementProgram } from '../../src/core/adapter/loader';
import { NO_COUNTS } from '../../src/core/progress/counters';
import type { Commit, JournalEvent, LoadResult, LoadTransaction, LoadUnit, Reject } from '../../src/core/ports/ports';
import { databaseOf } from '../../src/database/open-database';
import { raw, select, sql } from '../../src/database/statement';
import { type Id, insertNumbered, type Row } from '../../src/database/write';
import { FlowPipeline } from '../../src/plugin/entities/pipeline';
import { FlowPipelineRevision } from '../../src/plugin/entities/revision';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { insertFlowRows } from '../../src/plugin/stores/insert';
import { type ClaimedRun, RunLeases } from '../../src/plugin/stores/leases';
import { type StoreEnv, storeEnv, targetOf } from '../../src/plugin/stores/store-env';
import { ENTITIES_CHANGED } from '../../src/platform/effects/effect';
import { type BareDatabase, type Ids, bareDatabase } from './bare-database';
import type { Database } from './databases';

/** Flow's tables in a separate database, and what a test needs to create runs there. */
export class StoreBench {
    readonly events: JournalEvent[] = [];
    readonly journal = { emit: (event: JournalEvent) => void this.events.push(event), flush: () => Promise.resolve() };
    /** Never aborted: none of these runs is to stop. */
    readonly signal: AbortSignal = new AbortController().signal;
    readonly ctx = RequestContext.empty();
    private count = 0;

    private constructor(
        private readonly place: { readonly scratch: BareDatabase; readonly ids: Ids },
        readonly dataSource: DataSource,
        readonly env: StoreEnv,
    ) {}

    static async open(database: Database, ids: Ids): Promise<StoreBench> {
        const scratch = await bareDatabase(database, ids);
        const dataSource = await scratch.connect('flow');
        await dataSource.runMigrations({ transaction: 'each' });
        return new StoreBench({ scratch, ids }, dataSource, storeEnv(dataSource, databaseOf(dataSource)));
    }

    async close(): Promise<void> {
        await this.dataSource.destroy();
        await this.place.scratch.drop();
    }

    /** Deletes all rows and events. */
    async empty(): Promise<void> {
        this.events.length = 0;
        for (const { tablePath } of this.dataSource.entityMetadatas)
            await this.dataSource.query(`DELETE FROM ${tablePath}`);
    }

    /** An id of the kind that the shop uses. */
    id(number: number): Id {
        return this.place.ids === 'uuids' ? `018c7d6e-0000-7000-8000-${String(number).padStart(12, '0')}` : number;
    }

    /** A pipeline with some waiting runs, oldest first. */
    async waitingRuns(count: number): Promise<{ readonly pipelineId: Id; readonly runs: readonly Id[] }> {
        const code = `p${++this.count}`;
        const [pipelineId] = await this.env.database.transaction(() =>
            insertNumbered(targetOf(this.env, 'pipelines'), [{ code, name: code, channelId: this.id(1) }]),
        );
        const runs: Id[] = [];
        for (let place = 0; place < count; place++) runs.push(await this.addRun(pipelineId!, -60_000 + place));
        return { pipelineId: pipelineId!, runs };
    }

    /** Adds more waiting runs after the existing ones, in the order in which they are returned. */
    async addRuns(pipelineId: Id, count: number): Promise<readonly Id[]> {
        const rows = Array.from({ length: count }, (_, i) => ({
            ...this.waiting(pipelineId),
            createdAt: new Date(Date.now() + i),
        }));
        return this.env.database.transaction(() => insertNumbered(targetOf(this.env, 'runs'), rows));
    }

    /** A waiting run that was started this number of milliseconds from now. */
    async addRun(pipelineId: Id, startedMs: number): Promise<Id> {
        const row = { ...this.waiting(pipelineId), createdAt: new Date(Date.now() + startedMs) };
        const [id] = await this.env.database.transaction(() => insertNumbered(targetOf(this.env, 'runs'), [row]));
        return id!;
    }

    private waiting(pipelineId: Id): Row {
        const [revisionId, channelId] = [this.id(1), this.id(1)];
        return { pipelineId, revisionId, channelId, triggerKey: 'start', triggerType: 'MANUAL' };
    }

    /** A run that a worker has just claimed. */
    async claimed(leaseMs = 30_000): Promise<ClaimedRun> {
        const { runs } = await this.waitingRuns(1);
        return this.claim(runs[0]!, leaseMs);
    }

    async claim(runId: Id, leaseMs = 30_000): Promise<ClaimedRun> {
        const claim = await new RunLeases(this.env, leaseMs).claim(runId);
        if (!claim.run) throw new Error(`not claimed: ${claim.because}`);
        return claim.run;
    }

    /**
     * The same tables with slow commits: on PostgreSQL and MariaDB each transaction waits for half a second before it commits, and calls
     * `done` when it begins to wait.
     */
    slowEnv(done: () => void): StoreEnv {
        const { database, tables } = this.env;
        const nap = database.dialect.kind === 'postgres' ? raw('pg_sleep(0.5)') : raw('SLEEP(0.5)');
        const slow = function* <T>(statementProgram: StatementProgram<T>): StatementProgram<T> {
            const result = yield* statementProgram;
            done();
            yield* select(sql`SELECT ${nap}`);
            return result;
        };
        return {
            tables,
            database: {
                dialect: database.dialect,
                run: script => database.run(script),
                within: (manager, script) => database.within(manager, script),
                managed: (work, options) => database.managed(work, options),
                transaction: (script, options) => database.transaction(() => slow(script()), options),
            },
        };
    }

    /** A waiting run of a revision that extracts at "extract" and loads at "load". */
    async runThatLoads(): Promise<Id> {
        const {
            pipelineId,
            runs: [runId],
        } = await this.waitingRuns(1);
        const revision = new FlowPipelineRevision({ pipelineId, number: 1, digest: 'd' });
        revision.definition = {
            steps: ['start', 'extract', 'load'].map((key, i) => ({
                key,
                kind: ['TRIGGER', 'EXTRACT', 'LOAD'][i]!,
                config: {},
            })),
            edges: [
                { from: 'start', to: 'extract' },
                { from: 'extract', to: 'load' },
            ],
        };
        const { id: revisionId } = await this.dataSource.getRepository(FlowPipelineRevision).save(revision);
        await this.dataSource.getRepository(FlowPipelineRun).update({ id: runId! }, { revisionId });
        return runId!;
    }

    run(id: Id): Promise<FlowPipelineRun> {
        return this.dataSource.getRepository(FlowPipelineRun).findOneByOrFail({ id });
    }

    rowsOf(entity: new () => { runId: unknown }, runId: Id): Promise<number> {
        return this.dataSource.getRepository(entity).count({ where: { runId } as object });
    }

    /** The statements that are sent to the database meanwhile; not for SQLite. */
    async statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
        const { logger } = this.dataSource;
        const statements: string[] = [];
        this.dataSource.logger = Object.assign(Object.create(logger) as typeof logger, {
            logQuery: (text: string) => void statements.push(text),
        });
        await work().finally(() => {
            this.dataSource.logger = logger;
        });
        return statements;
    }

    /** The codes that loads have written. Pipelines represent a shop's products, since their code is unique. */
    async loaded(prefix: string): Promise<string[]> {
        const all = await this.dataSource.getRepository(FlowPipeline).find({ order: { code: 'ASC' } });
        return all.map(({ code }) => code).filter(code => code.startsWith(prefix));
    }

    /** A batch of records, each of which becomes a pipeline. */
    unit(
        codes: readonly string[],
        over: Partial<LoadUnit['key']> & { readonly digest?: string; readonly effects?: number } = {},
    ): LoadUnit {
        const { digest = 'd1', effects = 1, ...key } = over;
        const insert = (some: readonly string[]): StatementProgram<void> =>
            insertFlowRows(
                targetOf(this.env, 'pipelines'),
                some.map(code => ({ code, name: code, channelId: this.id(1) })),
            );
        const result = (outcomes: string, rejects: readonly Reject[]): LoadResult => ({
            verdicts: outcomes,
            rejects,
            effects: Array.from({ length: effects }, (_, i) => ({
                kind: ENTITIES_CHANGED,
                payload: { batch: key.batchNo ?? 0, i },
            })),
        });
        return {
            key: { stepKey: 'load', sourceKey: 'extract', batchNo: 0, visit: 0, ...key },
            digest: () => digest,
            locks: codes,
            *work(tx: LoadTransaction) {
                if (!tx.isolate) {
                    yield* insert(codes);
                    return result('C'.repeat(codes.length), []);
                }
                let outcomes = '';
                const rejects: Reject[] = [];
                for (const [seq, code] of codes.entries()) {
                    const done = yield* tx.savepoint(() => insert([code]));
                    outcomes += done.ok ? 'C' : 'X';
                    if (!done.ok) rejects.push(reject(seq));
                }
                return result(outcomes, rejects);
            },
        };
    }
}

/** Opens empty tables for a suite. */
export type OpenStores = () => Promise<StoreBench>;

/** One database for the suites of a describe block: creating the tables takes longer than the tests of any of them. */
export function sharedStores(database: Database, ids: Ids): OpenStores {
    let bench: StoreBench | undefined;
    afterAll(() => bench?.close());
    return async () => {
        if (bench) await bench.empty();
        else bench = await StoreBench.open(database, ids);
        return bench;
    };
}

export const LOST = expect.objectContaining({ code: 'LEASE_LOST' }) as unknown;

/** The commit of one batch of ten records. */
export function commit(batchNo: number, read: number): Commit {
    return {
        sourceKey: 'extract',
        batches: 1,
        memos: [],
        held: [],
        position: { token: { row: batchNo * 10 }, skip: 1, batchNo, seq: batchNo * 10, done: false },
        counters: { extract: { ...NO_COUNTS, in: read, out: read } },
    };
}

export function reject(seq: number, over: Partial<Reject> = {}): Reject {
    return {
        stepKey: 'load',
        sourceKey: 'extract',
        seq,
        ordinal: 0,
        code: 'RECORD_INVALID',
        message: `Field "sku": record ${seq} has none.`,
        path: 'sku',
        payload: { name: `record ${seq}` },
        ...over,
    };
}
