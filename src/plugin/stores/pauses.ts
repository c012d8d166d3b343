import type { Script } from '../../core/adapter/loader';
import type { Pause } from '../../core/run/held-batches';
import { flowError } from '../../core/errors/flow-error';
import { name, select, send, sql } from '../../database/statement';
import type { Id } from '../../database/write';
import { RUN_PAUSED } from './effects';
import { insertFlowRows } from './insert';
import { keptSources } from './positions';
import { changeRun } from './run-changes';
import { type RunProgress, progressOf } from './run-progress';
import { hasWaitingMemos, releaseHeld } from './spool';
import { type RunIdentity, type StoreEnv, targetOf } from './store-env';

/** Where a run waits, and what it has done until then. */
export interface RunPause extends Pick<Pause, 'stepKey'> {
    readonly progress?: RunProgress;
}

/** Pauses runs whose steps hold records, and lets them go on (ADR 30). A paused run needs no worker and no slot of the queue. */
export class RunPauses {
    constructor(private readonly env: StoreEnv) {}

    /** Throws LEASE_LOST when the run is another worker's, RUN_CANCELLED when it is to be cancelled instead. */
    async pause(identity: RunIdentity, pause: RunPause): Promise<void> {
        await this.env.database.transaction(() => this.pausing(identity, pause), { brief: true });
    }

    /**
     * Lets what a step holds go on: the run waits for a worker again, PENDING. Answers whether it did; not where the run waits for nobody's
     * word about this step (any more).
     */
    release(runId: Id, stepKey: string): Promise<boolean> {
        return this.env.database.transaction(() => this.releasing(runId, stepKey), { brief: true });
    }

    private *pausing(identity: RunIdentity, { stepKey, progress }: RunPause): Script<void> {
        const { runs, fences } = this.env.tables;
        const { runId, token } = identity;
        const holdsBack =
            (yield* keptSources(this.env, identity)).length > 0 || (yield* hasWaitingMemos(this.env, runId));
        const set = {
            ...(progress && progressOf(progress)),
            gateStepKey: stepKey,
            holdsBack,
            leaseToken: null,
            leaseExpiresAt: null,
        };
        const and = sql`${runs.column('cancelRequestedAt')} IS NULL`;
        if (!(yield* changeRun(this.env, { runId, token, from: 'RUNNING', to: 'PAUSED', set, and })))
            throw yield* this.refusal(identity);
        yield* insertFlowRows(targetOf(this.env, 'effects'), [{ runId, stepKey, kind: RUN_PAUSED, payload: {} }]);
        yield* send(sql`DELETE FROM ${fences.name} WHERE ${fences.column('runId')} = ${runId}`);
    }

    private *refusal({ runId, token }: RunIdentity): Script<Error> {
        const { runs } = this.env.tables;
        const [row] = yield* select<{ token: string | null }>(
            sql`SELECT ${runs.column('leaseToken')} AS ${name('token')} FROM ${runs.name} WHERE ${runs.column('id')} = ${runId}`,
        );
        return flowError(row?.token === token ? 'RUN_CANCELLED' : 'LEASE_LOST', {});
    }

    private *releasing(runId: Id, stepKey: string): Script<boolean> {
        const { runs } = this.env.tables;
        const set = { gateStepKey: null, holdsBack: false };
        const and = sql`${runs.column('gateStepKey')} = ${stepKey}`;
        if (!(yield* changeRun(this.env, { runId, from: 'PAUSED', to: 'PENDING', set, and }))) return false;
        yield* releaseHeld(this.env, runId, stepKey);
        return true;
    }
}
