import { randomUUID } from 'node:crypto';
import { eventLine } from '../../core/adapter/log-event';
import { logText, type LogText } from '../../core/log/log-text';
import type { StatementProgram } from '../../core/adapter/loader';
import type { NextRun } from '../../core/adapter/extractor';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { name, select, send, type Sql, sql } from '../../database/statement';
import { type Id, insertRows } from '../../database/write';
import { insertFlowRows, ifNotExists } from './insert';
import { PIPELINE } from './state-entries';
import { type StoreEnv, targetOf } from './store-env';

/** The identity of a checkpoint, which outlives its run: its pipeline and the source. */
interface CheckpointIdentity {
    readonly pipelineId: Id;
    readonly stepKey: string;
    readonly key: string;
}

/** The last writer of a checkpoint; null if there is none. A run writes it once, when it ends. */
export type Writer = string | null;

/** The value of a checkpoint, locked until this transaction has ended: concurrent readers wait. */
export function* checkpointAt(env: StoreEnv, identity: CheckpointIdentity): StatementProgram<JsonValue | undefined> {
    const { database, tables } = env;
    const { checkpoints } = tables;
    const [row] = yield* select<{ value: string }>(sql`
        SELECT ${checkpoints.column('value')} AS ${name('value')} FROM ${checkpoints.name} WHERE ${isPlace(env, identity)}${database.dialect.forUpdate}`);
    return row && (JSON.parse(row.value) as JsonValue);
}

/** The writer of the value. Values of earlier versions do not contain it. */
export function writerOf(saved: JsonValue | undefined): Writer {
    if (saved === undefined) return null;
    const run = isJsonObject(saved) ? saved['run'] : undefined;
    return typeof run === 'string' || typeof run === 'number' ? String(run) : '';
}

/** A change that a run makes to a checkpoint, with the writer that it has seen. */
export interface Move {
    readonly runId: Id;
    /** Undefined for a run that an earlier version has started: it overwrites any value. */
    readonly seen: Writer | undefined;
    /** Without the run. Undefined deletes the checkpoint. */
    readonly value: JsonObject | undefined;
}

/**
 * Moves a checkpoint if it has not changed since this run has read it (compare and set), so that it never returns to a state before another run. Returns the
 * other writer if there is one; the checkpoint is then unchanged.
 */
export function* moveCheckpoint(
    env: StoreEnv,
    identity: CheckpointIdentity,
    { runId, seen, value }: Move,
): StatementProgram<Writer | undefined> {
    const { pipelineId, stepKey, key } = identity;
    const target = targetOf(env, 'checkpoints');
    const saved = value && { ...value, run: runId };
    // This comes first, because a lock on a missing row does not prevent its insertion.
    if (saved && seen === null) {
        const suffix = ifNotExists(target, ['pipelineId', 'scope', 'stepKey', 'key']);
        yield* insertRows(target, [{ pipelineId, scope: PIPELINE, stepKey, key, value: saved }], suffix);
    }
    const writer = writerOf(yield* checkpointAt(env, identity));
    if (writer === String(runId)) return undefined;
    if (seen !== undefined && writer !== seen) return writer;
    const { checkpoints } = env.tables;
    if (!saved) yield* send(sql`DELETE FROM ${checkpoints.name} WHERE ${isPlace(env, identity)}`);
    else if (writer === null) yield* insertRows(target, [{ pipelineId, scope: PIPELINE, stepKey, key, value: saved }]);
    else
        yield* send(sql`
            UPDATE ${checkpoints.name} SET ${checkpoints.column('value')} = ${checkpoints.toColumn('value', saved)},
            ${checkpoints.column('updatedAt')} = ${env.database.dialect.now} WHERE ${isPlace(env, identity)}`);
    return undefined;
}

/** The position of a source after completed runs. */
export function completedCheckpoint(nextRun: NextRun): JsonObject {
    return nextRun === 'beginning' ? {} : { from: nextRun.from };
}

/** Where the next run starts. Undefined for the beginning. */
export function completedStartOf(saved: JsonValue | undefined): JsonValue | undefined {
    return isJsonObject(saved) ? saved['from'] : undefined;
}

/** The pattern of the keys of all checkpoints of completed runs. */
const OF_COMPLETED = 'completed%';
/** Stored in place of the run. A run that has seen another value does not overwrite this one. */
const BY_HAND = 'by hand';

/** A checkpoint as it is stored. */
export interface StoredCheckpoint {
    readonly stepKey: string;
    /** Where the next run starts. Undefined for the beginning. */
    readonly from: JsonValue | undefined;
    /** Null if a user has set it. */
    readonly runId: string | null;
    readonly movedAt: Date;
}

/** The checkpoints of a pipeline's sources after completed runs, the newest checkpoint of a step first. */
export function* completedCheckpoints(
    { tables: { checkpoints } }: StoreEnv,
    pipelineId: Id,
): StatementProgram<readonly StoredCheckpoint[]> {
    const rows = yield* select<{ stepKey: string; value: string; movedAt: unknown }>(sql`
        SELECT ${checkpoints.column('stepKey')} AS ${name('stepKey')}, ${checkpoints.column('value')} AS ${name('value')},
        ${checkpoints.column('updatedAt')} AS ${name('movedAt')} FROM ${checkpoints.name}
        WHERE ${checkpoints.column('pipelineId')} = ${pipelineId} AND ${checkpoints.column('scope')} = ${PIPELINE}
        AND ${checkpoints.column('key')} LIKE ${OF_COMPLETED}
        ORDER BY ${checkpoints.column('stepKey')}, ${checkpoints.column('updatedAt')} DESC`);
    return rows.map(({ stepKey, value, movedAt }) => {
        const saved = JSON.parse(value) as JsonValue;
        const writer = writerOf(saved);
        const isByHand = writer === null || writer === '' || writer.startsWith(BY_HAND);
        return {
            stepKey,
            from: completedStartOf(saved),
            runId: isByHand ? null : writer,
            movedAt: checkpoints.fromColumn('updatedAt', movedAt) as Date,
        };
    });
}

/** Deletes the checkpoints of a source after completed runs, so that the next run starts at its beginning. Returns whether there was one. */
export function* deleteCheckpoints(
    { tables: { checkpoints } }: StoreEnv,
    { pipelineId, stepKey }: Pick<CheckpointIdentity, 'pipelineId' | 'stepKey'>,
): StatementProgram<boolean> {
    const { affected } = yield* send(sql`
        DELETE FROM ${checkpoints.name} WHERE ${checkpoints.column('pipelineId')} = ${pipelineId} AND ${checkpoints.column('scope')} = ${PIPELINE}
        AND ${checkpoints.column('stepKey')} = ${stepKey} AND ${checkpoints.column('key')} LIKE ${OF_COMPLETED}`);
    return affected > 0;
}

/** Sets where the next run starts, whichever run has saved another position. A run in progress does not change it. */
export function* setCheckpoint(env: StoreEnv, identity: CheckpointIdentity, from: JsonValue): StatementProgram<void> {
    const { pipelineId, stepKey } = identity;
    yield* deleteCheckpoints(env, { pipelineId, stepKey });
    const value = { from, run: `${BY_HAND} ${randomUUID()}` };
    yield* insertRows(targetOf(env, 'checkpoints'), [{ ...identity, scope: PIPELINE, value }]);
}

/** Logs in an ended run that another run has moved the checkpoint first. */
export function* logMovedCheckpoint(
    env: StoreEnv,
    { runId, stepKey }: { readonly runId: Id; readonly stepKey: string },
    by: Writer,
): StatementProgram<void> {
    const { runs } = env.tables;
    const [run] = yield* select<{ channelId: Id }>(sql`
        SELECT ${runs.column('channelId')} AS ${name('channelId')} FROM ${runs.name} WHERE ${runs.column('id')} = ${runId}`);
    if (!run) return;
    const line = { ...eventLine(logText('POSITION_MOVED', { who: moverOf(by) })), stepKey };
    const row = { runId, channelId: run.channelId, ...line, createdAt: new Date() };
    yield* insertFlowRows(targetOf(env, 'logs'), [row]);
}

function moverOf(by: Writer): LogText {
    if (by === null || by === '') return logText('ANOTHER_RUN', {});
    return by.startsWith(BY_HAND) ? logText('USER', {}) : logText('RUN', { run: by });
}

function isPlace({ tables: { checkpoints } }: StoreEnv, { pipelineId, stepKey, key }: CheckpointIdentity): Sql {
    return sql`${checkpoints.column('pipelineId')} = ${pipelineId} AND ${checkpoints.column('scope')} = ${PIPELINE}
        AND ${checkpoints.column('stepKey')} = ${stepKey} AND ${checkpoints.column('key')} = ${key}`;
}
