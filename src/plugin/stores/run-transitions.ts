import type { StatementProgram } from '../../core/adapter/loader';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { withStored } from '../../core/progress/counters';
import { totalsOf } from '../../core/progress/outcome';
import type { RunOutcome, RunStatus } from '../../core/progress/state';
import { isLockTimeout } from '../../database/database-errors';
import { name, post, select, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { nowTimestamp, nowMs } from './database-clock';
import type { DryRunReport } from './dry-run-report';
import { RUN_ENDED } from './effects';
import { lowerFence } from './fence';
import { insertFlowRows, storable, storableFacts } from './insert';
import { completeResumeState, saveResumeState } from './resume-states';
import { resumableSources } from './offsets';
import { passOnActions } from './source-actions';
import { logMovedCheckpoint } from './checkpoints';
import { endEvent, type RunEvent, runEventRow } from './run-events';
import { type RunProgress, progressOf } from './run-progress';
import { storedProgress } from './stored-progress';
import { completeReplay } from './replays';
import { completeWatchedFile } from './watched-files';
import { prefetchEnded, countEnded } from './run-statistics';
import { AT_NO_GATE, type RunChange, changeRun } from './run-changes';
import { deleteSpooled, spooledStartOf } from './spool';
import { type RunIdentity, type StoreEnv, runScope, targetOf } from './store-env';

/** How a run ends. */
export type RunTransition = { readonly progress?: RunProgress; readonly report?: DryRunReport } & (
    | { readonly status: 'COMPLETED'; readonly outcome: RunOutcome }
    | { readonly status: 'FAILED'; readonly error: FlowError; readonly stepKey?: string | undefined }
    | { readonly status: 'CANCELLED' }
);

/** Ends runs: writes their final state, and deletes data that only running runs need. */
export class RunTransitions {
    constructor(private readonly env: StoreEnv) {}

    /** Returns the progress of the run. Throws LEASE_LOST if another worker has the run. */
    async finish(identity: RunIdentity, transition: RunTransition): Promise<RunProgress | undefined> {
        const closed = await this.env.database.transaction(() => endRun(this.env, identity, transition), {
            brief: true,
            goesAhead: true,
        });
        if (!closed) throw flowError('LEASE_LOST', {});
        return closed.progress;
    }

    /**
     * Cancels a run. A run without a worker is CANCELLED at once. A running one receives a request to stop, and so does one whose fence is still
     * held by a stalled worker. A second request changes nothing. Throws RUN_NOT_FOUND, and RUN_STATE_CONFLICT for a run that has ended;
     * DATABASE_BUSY within 5 seconds if the run's row is locked for longer than any worker can.
     */
    async cancel(runId: Id): Promise<'CANCELLED' | 'REQUESTED'> {
        const { database } = this.env;
        try {
            return await database.transaction(() => this.cancelling(runId), { brief: true });
        } catch (error) {
            if (!isLockTimeout(error)) throw error;
            // The worker that takes over the run finds the request.
            return database.transaction(() => this.requesting(runId), { brief: true });
        }
    }

    private *cancelling(runId: Id): StatementProgram<'CANCELLED' | 'REQUESTED'> {
        const { database, tables } = this.env;
        const { runs } = tables;
        const { pipelineId } = yield* this.found(runId);
        for (const from of ['PENDING', 'PAUSED'] as const) {
            if (yield* closeRun(this.env, { runId, pipelineId, change: { from, to: 'CANCELLED', set: {} } }))
                return 'CANCELLED';
        }
        const isAbandoned = sql`(${runs.column('leaseToken')} IS NULL OR ${runs.column('leaseExpiresAt')} < ${nowMs(database.dialect)})`;
        if (
            yield* closeRun(this.env, {
                runId,
                pipelineId,
                change: { from: 'RUNNING', to: 'CANCELLED', set: {}, and: isAbandoned },
            })
        )
            return 'CANCELLED';
        return yield* this.requesting(runId);
    }

    private *requesting(runId: Id): StatementProgram<'REQUESTED'> {
        const { runs } = this.env.tables;
        const requested = sql`COALESCE(${runs.column('cancelRequestedAt')}, ${nowTimestamp(this.env.database.dialect)})`;
        if (
            yield* changeRun(this.env, { runId, from: 'RUNNING', to: 'RUNNING', set: { cancelRequestedAt: requested } })
        )
            return 'REQUESTED';
        const { status } = yield* this.found(runId);
        throw flowError('RUN_STATE_CONFLICT', { status, allowed: 'PENDING, RUNNING and PAUSED', action: 'cancelled' });
    }

    private *found(runId: Id): StatementProgram<{ readonly status: RunStatus; readonly pipelineId: Id }> {
        const { runs } = this.env.tables;
        const [row] = yield* select<{ status: RunStatus; pipelineId: Id }>(sql`
            SELECT ${runs.column('status')} AS ${name('status')}, ${runs.column('pipelineId')} AS ${name('pipelineId')}
            FROM ${runs.name} WHERE ${runs.column('id')} = ${runId}`);
        if (!row) throw flowError('RUN_NOT_FOUND', {});
        return row;
    }
}

/** The result of closing a run. */
interface ClosedRun {
    readonly progress: RunProgress | undefined;
}

/** Ends a run whose lease has this token. Undefined if it does not have the token. */
export function* endRun(
    env: StoreEnv,
    { runId, pipelineId, token }: Omit<RunIdentity, 'takeovers'>,
    transition: RunTransition,
): StatementProgram<ClosedRun | undefined> {
    const { status, progress, report } = transition;
    const set = {
        ...(report && { report }),
        ...(transition.status === 'COMPLETED' && { outcome: transition.outcome }),
        ...(transition.status === 'FAILED' && {
            errorCode: transition.error.code,
            errorMessage: storable(transition.error.message),
            errorFacts: storableFacts(transition.error.facts ?? null),
            errorStepKey: transition.stepKey ?? null,
        }),
    };
    return yield* closeRun(env, { runId, pipelineId, change: { token, from: 'RUNNING', to: status, set }, progress });
}

interface Closing {
    readonly runId: Id;
    readonly pipelineId: Id;
    readonly change: Omit<RunChange, 'runId'>;
    /** The counts of its worker. */
    readonly progress?: RunProgress | undefined;
    /** An event that is published before its end. */
    readonly event?: RunEvent;
}

/**
 * The last change of a run, together with the notices for subscribers and hooks. Deletes its fence, so no worker can write for it any more. Also
 * deletes its markers and positions, except what the next run needs if this one has not completed.
 */
export function* closeRun(
    env: StoreEnv,
    { runId, pipelineId, change, event, progress: counted }: Closing,
): StatementProgram<ClosedRun | undefined> {
    const { tables, database } = env;
    const { markers, checkpoints } = tables;
    const set = {
        ...(counted && progressOf(counted)),
        ...change.set,
        finishedAt: nowTimestamp(database.dialect),
        leaseToken: null,
        leaseExpiresAt: null,
        ...AT_NO_GATE,
        seed: null,
    };
    if (!(yield* changeRun(env, { ...change, runId, set }))) return undefined;
    const events = [event, endEvent(change.to)].filter(told => told !== undefined);
    yield* insertFlowRows(targetOf(env, 'effects'), [
        ...events.map(told => runEventRow(env, runId, told)),
        { runId, stepKey: '', kind: RUN_ENDED, payload: {}, nextTryAt: null },
    ]);
    yield* lowerFence(env, runId);
    const progress =
        change.to === 'COMPLETED'
            ? counted
            : yield* completedProgress(env, { runId, pipelineId, to: change.to, counted });
    const answer = yield* prefetchEnded(env, runId);
    for (const source of yield* resumableSources(env, { runId, pipelineId })) {
        // Held records are not committed, so the next run reads them again.
        const position = (yield* spooledStartOf(env, runId, source.stepKey)) ?? source.position;
        const ended = { ...source, position };
        const by =
            change.to === 'COMPLETED'
                ? yield* completeResumeState(env, { runId, pipelineId }, ended)
                : yield* saveResumeState(env, { runId, pipelineId }, ended);
        if (by !== undefined) yield* logMovedCheckpoint(env, { runId, stepKey: source.stepKey }, by);
    }
    const ended = yield* answer();
    if (ended.replays !== null) yield* completeReplay(env, { runId, pipelineId }, change.to);
    yield* completeWatchedFile(env, runId, ended);
    if (change.to === 'COMPLETED') yield* passOnActions(env, { runId, pipelineId });
    yield* deleteSpooled(env, runId);
    yield* post(sql`DELETE FROM ${markers.name} WHERE ${markers.column('runId')} = ${runId}`);
    yield* post(sql`
        DELETE FROM ${checkpoints.name}
        WHERE ${checkpoints.column('pipelineId')} = ${pipelineId} AND ${checkpoints.column('scope')} = ${runScope(runId)}`);
    yield* countEnded(env, ended);
    return { progress };
}

interface StoppedRun extends Pick<RunIdentity, 'runId' | 'pipelineId'> {
    readonly to: RunStatus;
    readonly counted: RunProgress | undefined;
}

/**
 * The progress of a run that did not complete. Its worker does not know of loads that were confirmed after it had stopped, or that an earlier worker committed
 * before it died. Called when no worker can write for the run any more.
 */
function* completedProgress(
    env: StoreEnv,
    { to, counted, ...run }: StoppedRun,
): StatementProgram<RunProgress | undefined> {
    const stored = yield* storedProgress(env, run);
    if (!stored || Object.keys(stored.counters).length === 0) return counted;
    const counters = counted ? withStored(counted.counters, stored.counters) : stored.counters;
    if (counters === counted?.counters) return counted;
    const totals = counted?.shape ? totalsOf(counters, counted.shape) : stored.totals;
    const progress = { ...counted, counters, totals };
    yield* changeRun(env, { runId: run.runId, from: to, to, set: progressOf(progress) });
    return progress;
}
