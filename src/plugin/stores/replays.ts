import type { StatementProgram } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
import type { RunStatus } from '../../core/progress/state';
import { EMPTY, join, name, send, Sql, sql } from '../../database/statement';
import { type Id, updateRows } from '../../database/write';
import type { RecordErrorState } from '../entities/record-error';
import { nowTimestamp } from './database-clock';
import { offsetsOfRun } from './offsets';
import { spooledStartOf } from './spool';
import { type RunIdentity, type StoreEnv, targetOf } from './store-env';

/** A rejected record that a run is given. */
export interface ReplayedErrors {
    readonly id: Id;
    readonly replaySourceKey: string;
    readonly replaySeq: number;
    /** The record that the run receives, if a user has corrected it. */
    readonly correction: unknown;
}

/** Who gives them to which run. */
interface ReplayRequest {
    readonly runId: Id;
    readonly actor: Id | null;
}

/**
 * Assigns open records to a run, in the transaction that stores it. Throws RECORD_ERROR_NOT_OPEN if one of them is not open because another request
 * was faster.
 */
export function* reserveForReplay(
    env: StoreEnv,
    { runId, actor }: ReplayRequest,
    records: readonly ReplayedErrors[],
): StatementProgram<void> {
    const { database, tables } = env;
    const { errors } = tables;
    const { affected } = yield* send(sql`
        UPDATE ${errors.name} SET ${join(
            assigned(env, {
                state: 'REPLAYED',
                replayRunId: runId,
                decidedBy: actor,
                decidedAt: nowTimestamp(database.dialect),
            }),
        )}
        WHERE ${database.dialect.oneOf(
            errors.column('id'),
            records.map(({ id }) => id),
        )} AND ${errors.column('state')} = ${'OPEN'}`);
    if (affected !== records.length) throw flowError('RECORD_ERROR_NOT_OPEN', { count: records.length });
    yield* updateRows(targetOf(env, 'errors'), records as unknown as ReadonlyArray<Readonly<Record<string, unknown>>>);
}

/**
 * Updates the records of a replay when its run has ended. Records that were rejected again are open with their new errors. Of the others, those
 * that the run has settled are closed, and the rest are open again. Must be called before the run's positions are deleted, in the transaction that
 * ends it.
 */
export function* completeReplay(
    env: StoreEnv,
    run: Pick<RunIdentity, 'runId' | 'pipelineId'>,
    status: RunStatus,
): StatementProgram<void> {
    const { errors } = env.tables;
    const { runId } = run;
    const [source, seq] = [name('again_source'), name('again_seq')];
    // DISTINCT materialises the subquery, because MySQL does not update a table that the statement also reads.
    const refusedAgain = sql`EXISTS (
        SELECT 1 FROM (
            SELECT DISTINCT ${errors.column('sourceKey')} AS ${source}, ${errors.column('seq')} AS ${seq} FROM ${errors.name}
            WHERE ${errors.column('runId')} = ${runId} AND ${errors.column('severity')} = ${'ERROR'}
        ) ${name('again')}
        WHERE ${name('again')}.${source} = ${errors.name}.${errors.column('replaySourceKey')}
        AND ${name('again')}.${seq} = ${errors.name}.${errors.column('replaySeq')})`;
    yield* move(env, runId, { to: 'REJECTED', and: sql` AND ${refusedAgain}` });
    if (status === 'COMPLETED') return yield* move(env, runId, { to: 'LOADED', and: EMPTY });
    for (const { sourceKey, position } of yield* offsetsOfRun(env, run)) {
        // What a gate held has not come to its end.
        const { seq: settled } = (yield* spooledStartOf(env, runId, sourceKey)) ?? position;
        const and = sql` AND ${errors.column('replaySourceKey')} = ${sourceKey} AND ${errors.column('replaySeq')} < ${settled}`;
        yield* move(env, runId, { to: 'LOADED', and });
    }
    yield* move(env, runId, { to: 'OPEN', and: EMPTY });
}

function* move(
    env: StoreEnv,
    runId: Id,
    { to, and }: { readonly to: RecordErrorState; readonly and: Sql },
): StatementProgram<void> {
    const { errors } = env.tables;
    yield* send(sql`
        UPDATE ${errors.name} SET ${join(assigned(env, { state: to }))}
        WHERE ${errors.column('replayRunId')} = ${runId} AND ${errors.column('state')} = ${'REPLAYED'}${and}`);
}

/** The assignments of an UPDATE; SQL values are inserted unchanged. */
function assigned(
    { database, tables: { errors } }: StoreEnv,
    values: Readonly<Record<string, unknown>>,
): readonly Sql[] {
    const set = Object.entries(values).map(
        ([property, value]) =>
            sql`${errors.column(property)} = ${value instanceof Sql ? value : errors.toColumn(property, value)}`,
    );
    return [...set, sql`${errors.column('updatedAt')} = ${database.dialect.now}`];
}
