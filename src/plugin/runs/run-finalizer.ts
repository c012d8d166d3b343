import { Injectable } from '@nestjs/common';
import { type ID, Logger, type RequestContext } from '@vendure/core';
import type { Id } from '../../database/write';
import { storable } from '../stores/insert';
import type { ClaimedRun } from '../stores/leases';
import type { RunPause } from '../stores/pauses';
import type { RunTransition } from '../stores/run-transitions';
import { gateEvent, pauseEvent, type RunEvent } from '../stores/run-events';
import type { RunIdentity } from '../stores/store-env';
import { LOG_CONTEXT } from '../tokens';
import { EffectPublisher } from './effect-publisher';
import { type RunEndFacts, type RunEventFacts, RunEvents } from './run-events';
import { RunQueue } from './run-queue';
import { RunStores } from './run-stores';

/** A run that has ended in this process, with its known facts. */
export interface FinishedRun {
    readonly runId: ID;
    /** Undefined if it ended before it could start. */
    readonly prepared: (RunEventFacts & { readonly hasEndHooks: boolean }) | undefined;
    /** True if its event was published and is still stored. */
    readonly isTold: boolean;
}

/** What follows when a run ends or pauses: its state first, then the event and the pipeline's next run, its hooks, and what it has changed. */
@Injectable()
export class RunFinalizer {
    constructor(
        private readonly stores: RunStores,
        private readonly queue: RunQueue,
        private readonly effects: EffectPublisher,
        private readonly events: RunEvents,
    ) {}

    /**
     * Ends the run and publishes its end; its changes, and its hooks, follow with `publishRemaining`. Throws LEASE_LOST if another worker has the run, and
     * when the database does not answer; the run has not ended then. Returns whether its stored event must be removed with others (`markPublished`): not
     * if it could not be published, nor if it was published separately.
     */
    async close(
        run: RunIdentity & { readonly dryRun: boolean },
        transition: RunTransition,
        known?: RunEventFacts,
    ): Promise<boolean> {
        const progress = await this.stores.endings.finish(run, transition);
        const { runId } = run;
        const end = endOf(run, transition.progress ? { ...transition, ...(progress && { progress }) } : transition);
        if (!known || !end) {
            await this.after(runId, () => this.events.ended(runId, known));
            return false;
        }
        await this.events.endedHere(end, known);
        return true;
    }

    /** Everything after the end of a run whose worker does not continue with the next one. Never throws. */
    async followAlone(run: RunIdentity, ended: FinishedRun): Promise<void> {
        await this.wakeNextRunOf(run);
        await this.markPublished([ended]);
        await this.publishRemaining([ended]);
    }

    /** Removes the stored events of runs that were ended here, because they are published. Never throws. */
    async markPublished(ended: readonly FinishedRun[]): Promise<void> {
        const runIds = ended.filter(({ isTold }) => isTold).map(({ runId }) => runId);
        if (runIds.length > 0) await this.after(runIds.join(', '), () => this.events.markPublished(runIds));
    }

    /** Publishes the rest about runs of one pipeline that were ended here. Never throws: what is not published now is published by the sweeper. */
    async publishRemaining(ended: readonly FinishedRun[]): Promise<void> {
        await this.effects.publishAll(
            ended.map(({ runId, prepared }) => ({
                runId,
                ctx: prepared?.ctx,
                hasEndHooks: prepared?.hasEndHooks,
                isOver: true,
            })),
        );
    }

    /**
     * Returns whether the run waits now, and does not resume automatically at once. Throws LEASE_LOST if another worker has the run, RUN_CANCELLED
     * if it is to be cancelled, and when the database does not answer.
     */
    async pause(run: RunIdentity, pause: RunPause, ctx?: RequestContext): Promise<boolean> {
        if (pause.opening?.by === 'THRESHOLD') return this.passOn(run, pause, ctx);
        await this.stores.pauses.pause(run, pause);
        const { runId } = run;
        await this.after(runId, async () => {
            const { pipelineId } = await this.events.now(runId, pauseEvent(pause.stepKey), knownBy(ctx));
            await this.wakeNextRun(pipelineId as Id);
        });
        await this.publishEffects(runId, ctx);
        return true;
    }

    /** For a run that has ended already: the event, the pipeline's next run, its hooks, and its changes. */
    async follow(runId: ID, given?: RequestContext): Promise<void> {
        await this.announceEnd(runId, given);
        await this.publishEffects(runId, given);
    }

    /** Its hooks and its changes, also for a failed or cancelled run, since the entities that it has loaded are in the shop. */
    async publishEffects(runId: ID, given?: RequestContext): Promise<void> {
        await this.effects.publish(runId, given);
    }

    /** The event, and the pipeline's next run. What goes wrong here changes nothing about the end: the sweeper does the rest. */
    async announceEnd(runId: ID, given?: RequestContext): Promise<void> {
        await this.after(runId, async () => {
            const { pipelineId } = await this.events.ended(runId, knownBy(given));
            await this.wakeNextRun(pipelineId as Id);
        });
    }

    /** Publishes the event of a decision about a gate. The decision is already stored, and an error here does not change it. */
    async announceDecision(runId: ID, event: RunEvent, given?: RequestContext): Promise<void> {
        await this.after(runId, () => this.events.now(runId, event, knownBy(given)));
    }

    private async after(runs: ID, tell: () => Promise<unknown>): Promise<void> {
        try {
            await tell();
        } catch (error) {
            Logger.warn(`The end of run ${runs} is published later: ${String(error)}`, LOG_CONTEXT);
        }
    }

    private async passOn(run: RunIdentity, pause: RunPause, ctx: RequestContext | undefined): Promise<false> {
        await this.stores.pauses.passOn(run, pause);
        await this.announceDecision(run.runId, gateEvent('APPROVED', pause), ctx);
        await this.queue.add(run.runId);
        await this.publishEffects(run.runId, ctx);
        return false;
    }

    /** For a run that is about to be executed here. */
    async begun({ runId, isResumed, isFirstStart, dryRun }: ClaimedRun, known: RunEventFacts): Promise<void> {
        // What it had changed before it paused is known before it changes more.
        if (isResumed) await this.publishEffects(runId, known.ctx);
        if (isFirstStart) await this.events.started({ runId, dryRun }, known);
    }

    /** Like `wakeNextRun`, after a run; errors are left to a sweep. */
    async wakeNextRunOf({ runId, pipelineId }: RunIdentity): Promise<void> {
        try {
            await this.wakeNextRun(pipelineId);
        } catch (error) {
            Logger.warn(`The run that waits for run ${runId} is left to a sweep: ${String(error)}`, LOG_CONTEXT);
        }
    }

    private async wakeNextRun(pipelineId: Id): Promise<void> {
        const next = await this.stores.leases.next(pipelineId);
        if (next !== undefined) await this.queue.add(next);
    }
}

function knownBy(ctx: RequestContext | undefined): Partial<RunEventFacts> {
    return ctx ? { ctx } : {};
}

/** The facts of an ending; undefined if the progress of the run is not known here. */
function endOf(
    { runId: id, dryRun }: RunIdentity & { readonly dryRun: boolean },
    transition: RunTransition,
): RunEndFacts | undefined {
    if (!transition.progress) return undefined;
    const isFailed = transition.status === 'FAILED';
    return {
        id,
        dryRun,
        status: transition.status,
        outcome: transition.status === 'COMPLETED' ? transition.outcome : null,
        errorCode: isFailed ? transition.error.code : null,
        errorMessage: isFailed ? storable(transition.error.message) : null,
        errorStepKey: (isFailed && transition.stepKey) || null,
        ...transition.progress.totals,
    };
}
