import type { StatementProgram } from '../../core/adapter/loader';
import type { Pause } from '../../core/run/spooled-batches';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import { name, select, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { inSeconds } from './database-clock';
import { GATE_NOTIFICATION, RUN_PAUSED } from './effects';
import { lowerFence } from './fence';
import { recordDecision } from './gates';
import { insertFlowRows, storable, storableFacts } from './insert';
import { resumableSources } from './offsets';
import { AT_NO_GATE, changeRun } from './run-changes';
import { gateEvent, pauseEvent, runEventRow } from './run-events';
import { type RunProgress, progressOf } from './run-progress';
import { storedProgress } from './stored-progress';
import { hasSpooledState, releaseSpooled } from './spool';
import { type RunIdentity, type StoreEnv, targetOf } from './store-env';

/** Where a run waits, and its progress until then. */
export interface RunPause extends Pick<Pause, 'stepKey' | 'opening'> {
    readonly progress?: RunProgress;
    /** A notice about the waiting records is to be sent. */
    readonly notifies?: boolean;
}

/** Pauses runs, and lets them continue. A run pauses at a step that holds records (ADR 8), or after its workers died without progress. A paused run needs no worker and no slot of the queue. */
export class RunPauses {
    constructor(private readonly env: StoreEnv) {}

    /** Throws LEASE_LOST when the run is another worker's, RUN_CANCELLED when it is to be cancelled instead. */
    async pause(identity: RunIdentity, pause: RunPause): Promise<void> {
        await this.env.database.transaction(() => this.pausing(identity, pause), { brief: true });
    }

    /** Releases the records of the step automatically: the run stays RUNNING, and any worker may continue it at once. Throws like `pause`. */
    async passOn(identity: RunIdentity, pause: Omit<RunPause, 'opening' | 'notifies'>): Promise<void> {
        await this.env.database.transaction(() => this.passing(identity, pause), { brief: true });
    }

    /** Resumes a run that had paused because its workers died: it waits for a worker again. Returns whether it was paused for that reason. */
    resume(runId: Id): Promise<boolean> {
        const { runs } = this.env.tables;
        const set = {
            ...AT_NO_GATE,
            errorCode: null,
            errorMessage: null,
            errorFacts: null,
            errorStepKey: null,
            takeovers: 0,
        };
        const and = sql`${runs.column('gateStepKey')} IS NULL`;
        return this.env.database.run(() => changeRun(this.env, { runId, from: 'PAUSED', to: 'PENDING', set, and }));
    }

    private *pausing(
        identity: RunIdentity,
        { stepKey, progress, opening, notifies }: RunPause,
    ): StatementProgram<void> {
        const { database } = this.env;
        const { runId } = identity;
        const holdsBack = yield* keepsPositions(this.env, identity);
        const set = {
            ...(progress && progressOf(progress)),
            gateStepKey: stepKey,
            holdsBack,
            ...(opening?.by === 'TIMEOUT' && { gateTimeoutAt: inSeconds(database.dialect, opening.seconds) }),
        };
        yield* this.leave(identity, 'PAUSED', set);
        const kinds = notifies ? [RUN_PAUSED, GATE_NOTIFICATION] : [RUN_PAUSED];
        yield* insertFlowRows(targetOf(this.env, 'effects'), [
            runEventRow(this.env, runId, pauseEvent(stepKey)),
            ...kinds.map(kind => ({ runId, stepKey, kind, payload: {}, nextTryAt: null })),
        ]);
        yield* lowerFence(this.env, runId);
    }

    private *passing(identity: RunIdentity, { stepKey, progress }: RunPause): StatementProgram<void> {
        const { runId } = identity;
        yield* this.leave(identity, 'RUNNING', { ...(progress && progressOf(progress)) });
        yield* recordDecision(this.env, { runId, stepKey, decider: 'THRESHOLD', verdict: 'APPROVED' });
        const event = runEventRow(this.env, runId, gateEvent('APPROVED', { stepKey }));
        yield* insertFlowRows(targetOf(this.env, 'effects'), [event]);
        yield* releaseSpooled(this.env, runId, stepKey);
    }

    /** The worker lets the run go, unless that is to be cancelled. */
    private *leave(
        identity: RunIdentity,
        to: 'PAUSED' | 'RUNNING',
        values: Readonly<Record<string, unknown>>,
    ): StatementProgram<void> {
        const { runId, token } = identity;
        const set = { ...values, leaseToken: null, leaseExpiresAt: null };
        const and = sql`${this.env.tables.runs.column('cancelRequestedAt')} IS NULL`;
        if (!(yield* changeRun(this.env, { runId, token, from: 'RUNNING', to, set, and })))
            throw yield* this.rejection(identity);
    }

    private *rejection({ runId, token }: RunIdentity): StatementProgram<Error> {
        const { runs } = this.env.tables;
        const [row] = yield* select<{ token: string | null }>(
            sql`SELECT ${runs.column('leaseToken')} AS ${name('token')} FROM ${runs.name} WHERE ${runs.column('id')} = ${runId}`,
        );
        return flowError(row?.token === token ? 'RUN_CANCELLED' : 'LEASE_LOST', {});
    }
}

/**
 * Pauses a run without a worker until a user resumes or cancels it. Its positions, markers and held records stay. Called in the transaction of a
 * worker that has found the lease of the last one expired.
 */
export function* pauseForPerson(env: StoreEnv, identity: RunIdentity, error: FlowError): StatementProgram<void> {
    const { runId, token } = identity;
    const progress = yield* storedProgress(env, identity);
    const set = {
        ...(progress && progressOf(progress)),
        holdsBack: yield* keepsPositions(env, identity),
        errorCode: error.code,
        errorMessage: storable(error.message),
        errorFacts: storableFacts(error.facts ?? null),
        leaseToken: null,
        leaseExpiresAt: null,
    };
    if (!(yield* changeRun(env, { runId, token, from: 'RUNNING', to: 'PAUSED', set }))) return;
    yield* insertFlowRows(targetOf(env, 'effects'), [
        runEventRow(env, runId, pauseEvent('')),
        { runId, stepKey: '', kind: RUN_PAUSED, payload: {}, nextTryAt: null },
    ]);
    yield* lowerFence(env, runId);
}

/** Whether later runs of the pipeline would read again what this one has read and not settled. */
function* keepsPositions(env: StoreEnv, identity: RunIdentity): StatementProgram<boolean> {
    return (yield* resumableSources(env, identity)).length > 0 || (yield* hasSpooledState(env, identity.runId));
}
