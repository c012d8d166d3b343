import { Injectable } from '@nestjs/common';
import { type ID, Logger, type RequestContext } from '@vendure/core';
import type { Id } from '../../database/write';
import type { FlowPipelineRun } from '../entities/run';
import type { ClaimedRun } from '../stores/leases';
import type { RunPause } from '../stores/pauses';
import type { RunEnding } from '../stores/run-endings';
import { gateEvent, pauseEvent, type RunEvent } from '../stores/run-events';
import type { RunIdentity } from '../stores/store-env';
import { LOG_CONTEXT } from '../tokens';
import { EffectPublisher } from './effect-publisher';
import { type KnownOfRun, RunEvents } from './run-events';
import { RunQueue } from './run-queue';
import { RunStores } from './run-stores';

interface Closing {
    /** Undefined where it has ended before it could begin. */
    readonly prepared: KnownOfRun | undefined;
    readonly takesNext: boolean;
}

/** What follows when a run ends or pauses: its state first, then the event and the pipeline's next run, its hooks, and what it has changed. */
@Injectable()
export class RunCloser {
    constructor(
        private readonly stores: RunStores,
        private readonly queue: RunQueue,
        private readonly effects: EffectPublisher,
        private readonly events: RunEvents,
    ) {}

    /**
     * Ends the run; what it has changed is still to be made known. Throws LEASE_LOST when it is another worker's, and when the database does not answer;
     * nothing has ended then. Whoever `takesNext` works the pipeline's next run himself, which needs no job then.
     */
    async close(run: RunIdentity, ending: RunEnding, { prepared, takesNext }: Closing): Promise<void> {
        await this.stores.endings.finish(run, ending);
        await this.behind(run.runId, () => this.events.ended(run.runId, prepared), takesNext);
    }

    /**
     * Answers whether the run waits now, and does not go on by itself at once. Throws LEASE_LOST when the run is another worker's, RUN_CANCELLED when it is to be
     * cancelled, and when the database does not answer.
     */
    async pause(run: RunIdentity, pause: RunPause, ctx?: RequestContext): Promise<boolean> {
        if (pause.opening?.by === 'THRESHOLD') return this.passOn(run, pause, ctx);
        await this.stores.pauses.pause(run, pause);
        const { runId } = run;
        await this.behind(runId, () => this.events.now(runId, pauseEvent(pause.stepKey), knownBy(ctx)));
        await this.makeKnown(runId, ctx);
        return true;
    }

    /** For a run that has ended already: the event, the pipeline's next run, its hooks, and what it has changed. */
    async follow(runId: ID, given?: RequestContext): Promise<void> {
        await this.announceEnd(runId, given);
        await this.makeKnown(runId, given);
    }

    /** Its hooks, and what it has changed: also of a failed or cancelled run, since what it has loaded is in the shop. */
    async makeKnown(runId: ID, given?: RequestContext): Promise<void> {
        await this.effects.publish(runId, given);
    }

    /** The event, and the pipeline's next run. What goes wrong here changes nothing about the end: the sweeper does the rest. */
    async announceEnd(runId: ID, given?: RequestContext): Promise<void> {
        await this.behind(runId, () => this.events.ended(runId, knownBy(given)));
    }

    /** The event of what was decided about a gate, which stands by now: what goes wrong here changes nothing about it. */
    async announceDecision(runId: ID, event: RunEvent, given?: RequestContext): Promise<void> {
        await this.behind(runId, () => this.events.now(runId, event, knownBy(given)), true);
    }

    private async behind(runId: ID, tell: () => Promise<FlowPipelineRun>, isNextTaken = false): Promise<void> {
        try {
            const { pipelineId } = await tell();
            if (!isNextTaken) await this.startNext(pipelineId as Id);
        } catch (error) {
            Logger.warn(`What has become of run ${runId} is told later: ${String(error)}`, LOG_CONTEXT);
        }
    }

    private async passOn(run: RunIdentity, pause: RunPause, ctx: RequestContext | undefined): Promise<false> {
        await this.stores.pauses.passOn(run, pause);
        await this.announceDecision(run.runId, gateEvent('APPROVED', pause), ctx);
        await this.queue.add(run.runId);
        await this.makeKnown(run.runId, ctx);
        return false;
    }

    /** For a run that is about to be executed here. */
    async begun({ runId, isResumed, isFirstStart, dryRun }: ClaimedRun, known: KnownOfRun): Promise<void> {
        // What it had changed before it paused is known before it changes more.
        if (isResumed) await this.makeKnown(runId, known.ctx);
        if (isFirstStart) await this.events.started({ runId, dryRun }, known);
    }

    async startNext(pipelineId: Id): Promise<void> {
        const next = await this.stores.leases.next(pipelineId);
        if (next !== undefined) await this.queue.add(next);
    }
}

function knownBy(ctx: RequestContext | undefined): Partial<KnownOfRun> {
    return ctx ? { ctx } : {};
}
