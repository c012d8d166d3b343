import { Injectable } from '@nestjs/common';
import { logOf } from '../../core/run/execution-context';
import { logEvent } from '../../core/adapter/log-event';
import { type ID, Logger, type RequestContext, TransactionalConnection, User } from '@vendure/core';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import type { Id } from '../../database/write';
import type { GateVerdict } from '../entities/gate-decision';
import type { FlowPipelineRun } from '../entities/run';
import { RunFinalizer } from '../runs/run-finalizer';
import { RunQueue } from '../runs/run-queue';
import { RunStores } from '../runs/run-stores';
import { RunNotifications } from '../runs/run-notifications';
import { readTextInput } from '../pipelines/text-input';
import type { GateState, TimedOutGate } from '../stores/gates';
import { gateEvent, type RunEvent } from '../stores/run-events';
import { LOG_CONTEXT } from '../tokens';

/** The input of a user's decision about a gate. */
export interface GateInput {
    readonly stepKey: string;
    readonly comment?: string | null;
}

const WHAT = { APPROVED: 'approved', REJECTED: 'rejected' } as const;

/** Executes the decisions of users and timeouts about gates: first the decision, then its event and its effects. */
@Injectable()
export class GateDecisions {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly stores: RunStores,
        private readonly finalizer: RunFinalizer,
        private readonly queue: RunQueue,
        private readonly notifications: RunNotifications,
    ) {}

    /**
     * Releases the held records. Throws INPUT_INVALID for the comment, and RUN_STATE_CONFLICT if the run does not wait at this gate, which names
     * the earlier decision.
     */
    async approve(ctx: RequestContext, run: FlowPipelineRun, input: GateInput): Promise<void> {
        const { id } = run;
        const answer = answerOf(ctx, id, input);
        if (!(await this.stores.gates.approve(answer))) throw await this.conflict(id, input.stepKey, 'approved');
        await this.log(run, answer, 'APPROVED');
        await this.continueFrom(id, gateEvent('APPROVED', answer), ctx);
    }

    /** Drops the held records; the run becomes CANCELLED. Throws as `approve` does. */
    async reject(ctx: RequestContext, run: FlowPipelineRun, input: GateInput): Promise<void> {
        const { id } = run;
        const answer = answerOf(ctx, id, input);
        if (!(await this.stores.gates.reject(answer))) throw await this.conflict(id, input.stepKey, 'rejected');
        await this.log(run, answer, 'REJECTED');
        await this.finalizer.announceDecision(id, gateEvent('REJECTED', answer), ctx);
        await this.finalizer.announceEnd(id, ctx);
        // A worker calls its hooks and publishes what it has loaded, because that may take minutes, and this is a request.
        await this.queue.add(id);
    }

    /** Approves a gate whose time is over. Returns whether this process released its records. */
    async approveByTime({ runId, stepKey, leaseToken }: TimedOutGate): Promise<boolean> {
        const isMine = await this.stores.gates.approve({ runId, stepKey, leaseToken, decider: 'TIMEOUT' });
        if (isMine) await this.continueFrom(runId, gateEvent('APPROVED', { stepKey }));
        return isMine;
    }

    /** If anything fails from here on, the run waits for a worker, and the sweeper finds it. */
    private async continueFrom(runId: ID, event: RunEvent, ctx?: RequestContext): Promise<void> {
        await this.finalizer.announceDecision(runId, event, ctx);
        await this.queue.add(runId);
    }

    /** Logs who decided, in the server's log and in the run's log. The decision is already stored, so an error here does not change it. */
    private async log(
        run: FlowPipelineRun,
        { stepKey, actorId }: { readonly stepKey: string; readonly actorId: Id | null },
        outcome: GateVerdict,
    ): Promise<void> {
        const what = `was ${WHAT[outcome]} by user ${actorId}`;
        Logger.info(`Gate "${stepKey}" of run ${run.id} ${what}`, LOG_CONTEXT);
        try {
            const journal = this.notifications.journalOf(run);
            logEvent(logOf(journal, stepKey), `GATE_${outcome}`, { step: stepKey, userId: actorId });
            await journal.close();
        } catch (error) {
            Logger.warn(`The log of run ${run.id} does not show who decided: ${String(error)}`, LOG_CONTEXT);
        }
    }

    private async conflict(runId: ID, stepKey: string, action: string): Promise<FlowError> {
        const state = await this.stores.gates.state({ runId: runId as Id, stepKey });
        if (!state) return flowError('RUN_NOT_FOUND', {});
        const who = await this.whoDecided(state);
        const { status, gateStepKey, decision } = state;
        const at = gateStepKey === null ? '' : ` at step "${gateStepKey}"`;
        const since = decision && who ? `; its gate "${stepKey}" was ${WHAT[decision.verdict]} by ${who}` : '';
        const facts = { status: `${status}${at}${since}`, allowed: 'PAUSED', action: `${action} at step "${stepKey}"` };
        const details = { status, gateStepKey, verdict: decision?.verdict ?? null, decidedBy: who ?? null };
        return flowError('RUN_STATE_CONFLICT', facts, { details });
    }

    private async whoDecided({ decision }: GateState): Promise<string | undefined> {
        if (!decision) return undefined;
        if (decision.decider !== 'PERSON') return decision.decider === 'TIMEOUT' ? 'its timeout' : 'itself';
        const { actorId } = decision;
        const user =
            actorId === null
                ? null
                : await this.connection.rawConnection.getRepository(User).findOne({ where: { id: actorId } });
        return user?.identifier ?? `user ${String(actorId)}`;
    }
}

function answerOf({ activeUserId }: RequestContext, runId: ID, { stepKey, comment }: GateInput) {
    return {
        runId: runId as Id,
        stepKey,
        decider: 'PERSON',
        actorId: (activeUserId ?? null) as Id | null,
        comment: readTextInput('comment', comment),
    } as const;
}
