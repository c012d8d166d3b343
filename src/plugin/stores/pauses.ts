import type { Script } from '../../core/adapter/loader';
import type { Pause } from '../../core/run/held-batches';
import { flowError } from '../../core/errors/flow-error';
import { name, select, send, sql } from '../../database/statement';
import { inSeconds } from './database-clock';
import { GATE_NOTICE, RUN_PAUSED } from './effects';
import { recordDecision } from './gates';
import { insertFlowRows } from './insert';
import { keptSources } from './positions';
import { changeRun } from './run-changes';
import { gateEvent, pauseEvent, runEventRow } from './run-events';
import { type RunProgress, progressOf } from './run-progress';
import { hasWaitingMemos, releaseHeld } from './spool';
import { type RunIdentity, type StoreEnv, targetOf } from './store-env';

/** Where a run waits, and what it has done until then. */
export interface RunPause extends Pick<Pause, 'stepKey' | 'opening'> {
    readonly progress?: RunProgress;
    /** Somebody is to be told that records wait. */
    readonly notifies?: boolean;
}

/** Pauses runs whose steps hold records (ADR 30). A paused run needs no worker and no slot of the queue. */
export class RunPauses {
    constructor(private readonly env: StoreEnv) {}

    /** Throws LEASE_LOST when the run is another worker's, RUN_CANCELLED when it is to be cancelled instead. */
    async pause(identity: RunIdentity, pause: RunPause): Promise<void> {
        await this.env.database.transaction(() => this.pausing(identity, pause), { brief: true });
    }

    /**
     * What the step holds goes on by itself: the run stays RUNNING, and any worker may go on with it at once. Throws as `pause` does.
     */
    async passOn(identity: RunIdentity, pause: Omit<RunPause, 'opening' | 'notifies'>): Promise<void> {
        await this.env.database.transaction(() => this.passing(identity, pause), { brief: true });
    }

    private *pausing(identity: RunIdentity, { stepKey, progress, opening, notifies }: RunPause): Script<void> {
        const { tables, database } = this.env;
        const { fences } = tables;
        const { runId } = identity;
        const holdsBack =
            (yield* keptSources(this.env, identity)).length > 0 || (yield* hasWaitingMemos(this.env, runId));
        const set = {
            ...(progress && progressOf(progress)),
            gateStepKey: stepKey,
            holdsBack,
            ...(opening?.by === 'TIMEOUT' && { gateTimeoutAt: inSeconds(database.dialect, opening.seconds) }),
        };
        yield* this.leave(identity, 'PAUSED', set);
        const kinds = notifies ? [RUN_PAUSED, GATE_NOTICE] : [RUN_PAUSED];
        yield* insertFlowRows(targetOf(this.env, 'effects'), [
            runEventRow(this.env, runId, pauseEvent(stepKey)),
            ...kinds.map(kind => ({ runId, stepKey, kind, payload: {}, nextTryAt: null })),
        ]);
        yield* send(sql`DELETE FROM ${fences.name} WHERE ${fences.column('runId')} = ${runId}`);
    }

    private *passing(identity: RunIdentity, { stepKey, progress }: RunPause): Script<void> {
        const { runId } = identity;
        yield* this.leave(identity, 'RUNNING', { ...(progress && progressOf(progress)) });
        yield* recordDecision(this.env, { runId, stepKey, decider: 'THRESHOLD', verdict: 'APPROVED' });
        const event = runEventRow(this.env, runId, gateEvent('APPROVED', { stepKey }));
        yield* insertFlowRows(targetOf(this.env, 'effects'), [event]);
        yield* releaseHeld(this.env, runId, stepKey);
    }

    /** The worker lets the run go, unless that is to be cancelled. */
    private *leave(
        identity: RunIdentity,
        to: 'PAUSED' | 'RUNNING',
        values: Readonly<Record<string, unknown>>,
    ): Script<void> {
        const { runId, token } = identity;
        const set = { ...values, leaseToken: null, leaseExpiresAt: null };
        const and = sql`${this.env.tables.runs.column('cancelRequestedAt')} IS NULL`;
        if (!(yield* changeRun(this.env, { runId, token, from: 'RUNNING', to, set, and })))
            throw yield* this.refusal(identity);
    }

    private *refusal({ runId, token }: RunIdentity): Script<Error> {
        const { runs } = this.env.tables;
        const [row] = yield* select<{ token: string | null }>(
            sql`SELECT ${runs.column('leaseToken')} AS ${name('token')} FROM ${runs.name} WHERE ${runs.column('id')} = ${runId}`,
        );
        return flowError(row?.token === token ? 'RUN_CANCELLED' : 'LEASE_LOST', {});
    }
}
