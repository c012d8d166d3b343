import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import {
    carriedOver,
    type ResumeState,
    resumeStateOf,
    type LoadedBatch,
    readResumeState,
    storedResumeState,
} from '../../core/run/resume-state';
import type { SourceOffset } from '../../core/ports/ports';
import type { ResumableSource, UnfinishedRun } from '../../core/ports/resumable-source';
import { join, name, select, send, type Sql, sql } from '../../database/statement';
import { type Id, insertRows } from '../../database/write';
import { PIPELINE } from './state-entries';
import { countRejects, carryOverRejects } from './rejects';
import { completedCheckpoint, moveCheckpoint, type Writer } from './checkpoints';
import { pendingActionsOf } from './source-actions';
import { type RunIdentity, type StoreEnv, targetOf } from './store-env';

/** Who had written the saved places of a source when a run began it. */
export interface CheckpointWriters {
    readonly left: Writer;
    readonly completed: Writer;
}

/** A source of a run that ends. */
export interface EndingSource extends ResumableSource {
    readonly position: SourceOffset;
    readonly completedAs: string | undefined;
    /** The next run takes up what this one leaves if it does not complete. */
    readonly isResumed: boolean;
    readonly seen: CheckpointWriters | undefined;
}

/**
 * Stores how far the run has read a source, for the next run: the position, and the batches after it that are loaded, step by step. Must be called
 * when no worker writes for the run any more, and while its markers still exist. Returns the run that has moved the position meanwhile, if any.
 */
export function* saveResumeState(
    env: StoreEnv,
    { runId, pipelineId }: Pick<RunIdentity, 'runId' | 'pipelineId'>,
    { stepKey, key, position, of, seen, isResumed }: EndingSource,
): StatementProgram<Writer | undefined> {
    const { markers } = env.tables;
    const properties = ['stepKey', 'batchNo', 'visit', 'digest', 'verdicts'] as const;
    const loads = yield* select<LoadedBatch>(sql`
        SELECT ${join(properties.map(property => sql`${markers.column(property)} AS ${name(property)}`))} FROM ${markers.name}
        WHERE ${markers.column('runId')} = ${runId} AND ${markers.column('sourceKey')} = ${stepKey} AND ${markers.column('batchNo')} >= ${position.batchNo}`);
    const rejected = yield* countRejects(env, { runId, sourceKey: stepKey, seq: position.seq });
    // If only completed runs move the position, no run resumes there: the next run reads the same pages again, and they request the actions again.
    const actions = isResumed ? yield* pendingActionsOf(env, { runId, pipelineId }, stepKey) : [];
    const left = resumeStateOf({ runId, position, loads, rejected, of, actions });
    if (!left) return undefined;
    return yield* moveCheckpoint(
        env,
        { pipelineId, stepKey, key },
        { runId, seen: seen?.left, value: storedResumeState(left) },
    );
}

/**
 * Completes a source: removes what earlier runs have left of it, and saves the start of the next run if the source reports one. Returns the run
 * that has moved the position meanwhile, if any.
 */
export function* completeResumeState(
    env: StoreEnv,
    { runId, pipelineId }: Pick<RunIdentity, 'runId' | 'pipelineId'>,
    { stepKey, key, position: { nextRun }, seen, completedAs }: EndingSource,
): StatementProgram<Writer | undefined> {
    yield* moveCheckpoint(env, { pipelineId, stepKey, key }, { runId, seen: seen?.left, value: undefined });
    if (completedAs === undefined || nextRun === undefined) return undefined;
    const move = { runId, seen: seen?.completed, value: completedCheckpoint(nextRun) };
    return yield* moveCheckpoint(env, { pipelineId, stepKey, key: completedAs }, move);
}

/** What an earlier run has left of a source, taken away: from here on it is this run's business to leave it. */
export function* takeResumeState(
    env: StoreEnv,
    { pipelineId }: RunIdentity,
    source: ResumableSource,
): StatementProgram<ResumeState | undefined> {
    const { checkpoints } = env.tables;
    const [row] = yield* select<{ value: string }>(sql`
        SELECT ${checkpoints.column('value')} AS ${name('value')} FROM ${checkpoints.name} WHERE ${placeOf(env, pipelineId, source)}`);
    if (!row) return undefined;
    yield* send(sql`DELETE FROM ${checkpoints.name} WHERE ${placeOf(env, pipelineId, source)}`);
    return readResumeState(JSON.parse(row.value) as JsonValue);
}

/** Whether there is something to be taken up. */
export function* hasResumeState(
    env: StoreEnv,
    { pipelineId }: Pick<RunIdentity, 'pipelineId'>,
    source: Pick<ResumableSource, 'stepKey' | 'key'>,
): StatementProgram<boolean> {
    const { checkpoints } = env.tables;
    const rows = yield* select(
        sql`SELECT ${checkpoints.column('key')} AS ${name('key')} FROM ${checkpoints.name} WHERE ${placeOf(env, pipelineId, source)}`,
    );
    return rows.length > 0;
}

/** The run that has left something of a source last, where none of the pipeline has completed since. */
export function* incompleteRunOf(
    { tables: { checkpoints, runs } }: StoreEnv,
    { pipelineId }: Pick<RunIdentity, 'pipelineId'>,
    { stepKey }: ResumableSource,
): StatementProgram<UnfinishedRun | undefined> {
    const [row] = yield* select<{ value: string }>(sql`
        SELECT ${checkpoints.column('value')} AS ${name('value')} FROM ${checkpoints.name}
        WHERE ${checkpoints.column('pipelineId')} = ${pipelineId} AND ${checkpoints.column('scope')} = ${PIPELINE} AND ${checkpoints.column('stepKey')} = ${stepKey}
        AND ${checkpoints.column('key')} LIKE ${'position%'}
        ORDER BY ${checkpoints.column('updatedAt')} DESC LIMIT 1`);
    if (!row) return undefined;
    const { runId, of } = readResumeState(JSON.parse(row.value) as JsonValue);
    if (runId === undefined) return undefined;
    const [earlier, later] = [name('earlier'), name('later')];
    const found = yield* select(sql`
        SELECT ${earlier}.${runs.column('id')} AS ${name('id')} FROM ${runs.name} ${earlier} WHERE ${earlier}.${runs.column('id')} = ${runId}
        AND NOT EXISTS (SELECT 1 FROM ${runs.name} ${later} WHERE ${later}.${runs.column('pipelineId')} = ${pipelineId}
            AND ${later}.${runs.column('status')} = ${'COMPLETED'} AND NOT ${later}.${runs.column('dryRun')}
            AND ${later}.${runs.column('createdAt')} > ${earlier}.${runs.column('createdAt')})`);
    return found.length === 0 ? undefined : { runId, of };
}

function placeOf(
    { tables: { checkpoints } }: StoreEnv,
    pipelineId: Id,
    { stepKey, key }: Pick<ResumableSource, 'stepKey' | 'key'>,
): Sql {
    return sql`${checkpoints.column('pipelineId')} = ${pipelineId} AND ${checkpoints.column('scope')} = ${PIPELINE}
        AND ${checkpoints.column('stepKey')} = ${stepKey} AND ${checkpoints.column('key')} = ${key}`;
}

/** Makes the loads that an earlier run has left this run's, and with them the records that they have rejected. Must be called under the fence. */
export function* carryOverLoads(
    env: StoreEnv,
    identity: RunIdentity,
    { sourceKey, left }: { readonly sourceKey: string; readonly left: ResumeState },
): StatementProgram<void> {
    const { runId } = identity;
    const rows = left.loads.map(load => ({ runId, sourceKey, ...carriedOver(load) }));
    yield* insertRows(targetOf(env, 'markers'), rows);
    if (left.runId === undefined) return;
    const refusing = left.loads
        .filter(({ verdicts: outcomes }) => outcomes.includes('X'))
        .map(({ stepKey }) => stepKey);
    const from = { runId: left.runId as Id, sourceKey, seq: left.position.seq };
    for (const stepKey of new Set(refusing)) yield* carryOverRejects(env, identity, { ...from, stepKey });
}
