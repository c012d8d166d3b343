import type { StatementProgram } from '../../core/adapter/loader';
import { isFlowError } from '../../core/errors/flow-error';
import { RUN_STATUSES, type RunStatus, isTerminal } from '../../core/progress/state';
import { EMPTY, type Sql, join, name, select, send, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { daysAgo } from './database-clock';
import { deleteStatistics } from './run-statistics';
import type { StoreEnv } from './store-env';

/** The reports of runs: each kind has a separate retention period. */
const TOLD = ['logs', 'errors', 'differences', 'histories'] as const;
/** What runs need to finish and to publish their effects; deleted soon after. */
const NEEDED = ['effects', 'markers', 'held', 'fences', 'checkpoints'] as const;
/** Data that is shown with a run and deleted with its row. */
const SHOWN = ['decisions'] as const;
/** What outlives its run until it is done. */
const LEFT = ['remoteActions', 'watchedFiles', 'fileWatches'] as const;

/** Data that is deleted at a certain age. */
export type Expirable = (typeof TOLD)[number] | 'runs';

/** The maximum number of rows that one statement reads. */
export const CLEANUP_BATCH = 1_000;

const ENDED = RUN_STATUSES.filter(isTerminal);
const OPEN = RUN_STATUSES.filter(status => !isTerminal(status));

/** A row's place in the order of age. */
interface Place {
    readonly id: Id;
    /** As the database writes it, since a Date would lose its microseconds and with them the place. */
    readonly createdAt: string;
}

/**
 * Deletes rows older than a number of days that belong to no run in progress. Each statement reads a bounded number of rows and commits alone. So a
 * purge may stop after any of them, and several processes may purge at once.
 */
export class CleanupQueries {
    constructor(private readonly env: StoreEnv) {}

    /** Yields after each batch how many rows went. */
    async *olderThan(what: Expirable, days: number): AsyncGenerator<number> {
        const { database } = this.env;
        for (let last: Place | undefined; ;) {
            const page = await database.run(() => this.next(what, { days, last }));
            last = page.at(-1);
            if (!last) return;
            yield await this.remove(what, { days, ids: page.map(({ id }) => id) });
        }
    }

    /** What analytics are answered from. Yields after each statement how many rows went. */
    statistics(days: number): AsyncGenerator<number> {
        return deleteStatistics(this.env, days);
    }

    private async remove(
        what: Expirable,
        rows: { readonly days: number; readonly ids: readonly Id[] },
    ): Promise<number> {
        try {
            // In a transaction, where MySQL reads the runs without locking them: no heartbeat waits for a purge.
            return await this.env.database.transaction(() => this.removal(what, rows));
        } catch (error) {
            // Another process has locked these rows, most likely another purge; the next purge removes the rest.
            if (isFlowError(error) && error.code === 'DATABASE_BUSY') return 0;
            throw error;
        }
    }

    /** The oldest rows after the last place: rows of runs in progress are skipped and not read repeatedly. */
    private *next(
        what: Expirable,
        { days, last }: { readonly days: number; readonly last: Place | undefined },
    ): StatementProgram<readonly Place[]> {
        const { database, tables } = this.env;
        const table = tables[what];
        const [id, createdAt] = [table.column('id'), table.column('createdAt')];
        const after = last
            ? sql` AND ${createdAt} >= ${last.createdAt} AND (${createdAt} > ${last.createdAt} OR ${id} > ${last.id})`
            : EMPTY;
        return yield* select<Place>(sql`
            SELECT ${id} AS ${name('id')}, CAST(${createdAt} AS CHAR(32)) AS ${name('createdAt')} FROM ${table.name}
            WHERE ${createdAt} < ${daysAgo(database.dialect, days)}${after}
            ORDER BY ${table.name}.${createdAt}, ${table.name}.${id} LIMIT ${CLEANUP_BATCH}`);
    }

    private *removal(
        what: Expirable,
        { days, ids }: { readonly days: number; readonly ids: readonly Id[] },
    ): StatementProgram<number> {
        const { database, tables } = this.env;
        const table = tables[what];
        const mayGo = what === 'runs' ? this.hasLongEnded(days) : this.hasNoOpenRun(what);
        const { affected } = yield* send(
            sql`DELETE FROM ${table.name} WHERE ${database.dialect.oneOf(table.column('id'), ids)} AND ${mayGo}`,
        );
        if (what === 'runs') yield* this.removeDecisions(ids);
        return affected;
    }

    /** Removes the decisions of deleted runs. */
    private *removeDecisions(runIds: readonly Id[]): StatementProgram<void> {
        const { database, tables } = this.env;
        const { decisions, runs } = tables;
        yield* send(sql`
            DELETE FROM ${decisions.name} WHERE ${database.dialect.oneOf(decisions.column('runId'), runIds)}
            AND NOT EXISTS (SELECT 1 FROM ${runs.name} WHERE ${runs.name}.${runs.column('id')} = ${decisions.name}.${decisions.column('runId')})`);
    }

    private hasNoOpenRun(what: Exclude<Expirable, 'runs'>): Sql {
        const { [what]: table, runs } = this.env.tables;
        return sql`NOT EXISTS (
            SELECT 1 FROM ${runs.name} WHERE ${runs.name}.${runs.column('id')} = ${table.name}.${table.column('runId')}
            AND ${runs.name}.${runs.column('status')} IN (${join(OPEN)}))`;
    }

    /** The age of a run counts from its end, because it may have waited for an approval for months. A run with unpublished effects is kept. */
    private hasLongEnded(days: number): Sql {
        const { runs, effects } = this.env.tables;
        return sql`${runs.column('status')} IN (${join(ENDED)}) AND ${runs.column('finishedAt')} < ${daysAgo(this.env.database.dialect, days)}
            AND NOT EXISTS (SELECT 1 FROM ${effects.name} WHERE ${effects.name}.${effects.column('runId')} = ${runs.name}.${runs.column('id')})`;
    }
}

/** The state of a run of a pipeline that has not ended; undefined when all have. */
export function* openRunOf({ tables: { runs } }: StoreEnv, pipelineId: Id): StatementProgram<RunStatus | undefined> {
    const [row] = yield* select<{ status: RunStatus }>(sql`
        SELECT ${runs.column('status')} AS ${name('status')} FROM ${runs.name}
        WHERE ${runs.column('pipelineId')} = ${pipelineId} AND ${runs.column('status')} IN (${join(OPEN)}) LIMIT 1`);
    return row?.status;
}

/** Deletes the runs of a pipeline that is about to go, all of which have ended, and whatever they have left. */
export function* removeRunsOf({ tables }: StoreEnv, pipelineId: Id): StatementProgram<void> {
    const { runs } = tables;
    const ofPipeline = sql`${runs.column('pipelineId')} = ${pipelineId}`;
    for (const what of [...TOLD, ...NEEDED, ...SHOWN, ...LEFT]) {
        const table = tables[what];
        // Record errors outlive their runs, so they are found by the pipeline where a table has that.
        const mayGo = table.has('pipelineId')
            ? sql`${table.column('pipelineId')} = ${pipelineId}`
            : sql`${table.column('runId')} IN (SELECT ${runs.column('id')} FROM ${runs.name} WHERE ${ofPipeline})`;
        yield* send(sql`DELETE FROM ${table.name} WHERE ${mayGo}`);
    }
    yield* send(sql`DELETE FROM ${runs.name} WHERE ${ofPipeline}`);
}
