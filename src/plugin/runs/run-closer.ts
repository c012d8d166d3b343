import { Injectable } from '@nestjs/common';
import {
    EventBus,
    type ID,
    Logger,
    type RequestContext,
    TransactionalConnection,
    type VendureEvent,
} from '@vendure/core';
import type { Id } from '../../database/write';
import type { GateVerdict } from '../entities/gate-decision';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRun } from '../entities/run';
import {
    FlowGateApproved,
    FlowGateRejected,
    FlowRunCancelled,
    FlowRunCompleted,
    FlowRunFailed,
    type FlowRunFacts,
    FlowRunPaused,
    FlowRunStarted,
} from '../events';
import type { ClaimedRun } from '../stores/leases';
import type { RunPause } from '../stores/pauses';
import type { RunEnding } from '../stores/run-endings';
import type { RunIdentity } from '../stores/store-env';
import { LOG_CONTEXT } from '../tokens';
import { EffectPublisher } from './effect-publisher';
import { RunCauses } from './run-causes';
import { RunPlatform } from '../run-platform';
import type { PreparedRun } from './run-preparation';
import { RunQueue } from './run-queue';
import { RunStores } from './run-stores';
import { storedTotals } from './run-totals';

/** What was decided about a gate, and by whom; undefined where no person has. */
export interface DecidedGate {
    readonly verdict: GateVerdict;
    readonly stepKey: string;
    readonly decidedBy: ID | undefined;
}

/** What its worker knows of a run. */
type Known = Pick<PreparedRun, 'ctx' | 'facts'>;

interface Closing {
    /** Undefined where it has ended before it could begin. */
    readonly prepared: Known | undefined;
    readonly takesNext: boolean;
}

/** What follows when a run ends or pauses: its state first, then the event and the pipeline's next run, its hooks, and what it has changed. */
@Injectable()
export class RunCloser {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly stores: RunStores,
        private readonly queue: RunQueue,
        private readonly effects: EffectPublisher,
        private readonly platform: RunPlatform,
        private readonly events: EventBus,
        private readonly causes: RunCauses,
    ) {}

    /**
     * Ends the run; what it has changed is still to be made known. Throws LEASE_LOST when it is another worker's, and when the database does not answer;
     * nothing has ended then. Whoever `takesNext` works the pipeline's next run himself, which needs no job then.
     */
    async close(run: RunIdentity, ending: RunEnding, { prepared, takesNext }: Closing): Promise<void> {
        await this.stores.endings.finish(run, ending);
        await this.announced(run.runId, prepared, takesNext);
    }

    /**
     * Answers whether the run waits now, and does not go on by itself at once. Throws LEASE_LOST when the run is another worker's, RUN_CANCELLED when it is to be
     * cancelled, and when the database does not answer.
     */
    async pause(run: RunIdentity, pause: RunPause, ctx?: RequestContext): Promise<boolean> {
        if (pause.opening?.by === 'THRESHOLD') return this.passOn(run, pause, ctx);
        await this.stores.pauses.pause(run, pause);
        await this.follow(run.runId, ctx);
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
        await this.announced(runId, given && { ctx: given });
    }

    private async announced(runId: ID, known?: Partial<Known>, isNextTaken = false): Promise<void> {
        try {
            const run = await this.connection.rawConnection
                .getRepository(FlowPipelineRun)
                .findOneOrFail({ where: { id: runId } });
            const ctx = known?.ctx ?? (await this.platform.withoutUser(run.channelId));
            await this.publish(run, async () => endOf(ctx, run, known?.facts ?? (await this.factsOf(run))));
            if (!isNextTaken) await this.startNext(run.pipelineId as Id);
        } catch (error) {
            Logger.warn(`After the end of run ${runId}: ${String(error)}`, LOG_CONTEXT);
        }
    }

    /** The event of what was decided about a gate, which stands by now: what goes wrong here changes nothing about it. */
    async announceDecision(runId: ID, decided: DecidedGate, given?: RequestContext): Promise<void> {
        try {
            const run = await this.connection.rawConnection
                .getRepository(FlowPipelineRun)
                .findOneOrFail({ where: { id: runId } });
            const ctx = given ?? (await this.platform.withoutUser(run.channelId));
            const { verdict, stepKey, decidedBy } = decided;
            const Event = verdict === 'APPROVED' ? FlowGateApproved : FlowGateRejected;
            await this.publish(run, async () => new Event(ctx, await this.factsOf(run), { stepKey, decidedBy }));
        } catch (error) {
            Logger.warn(`After the decision about a gate of run ${runId}: ${String(error)}`, LOG_CONTEXT);
        }
    }

    private async passOn(run: RunIdentity, pause: RunPause, ctx: RequestContext | undefined): Promise<false> {
        await this.stores.pauses.passOn(run, pause);
        const decided = { verdict: 'APPROVED', stepKey: pause.stepKey, decidedBy: undefined } as const;
        await this.announceDecision(run.runId, decided, ctx);
        await this.queue.add(run.runId);
        await this.makeKnown(run.runId, ctx);
        return false;
    }

    /** For a run that is about to be executed here. */
    async begun({ runId, isResumed, isFirstStart, dryRun }: ClaimedRun, { ctx, facts }: Known): Promise<void> {
        // What it had changed before it paused is known before it changes more.
        if (isResumed) await this.makeKnown(runId, ctx);
        if (isFirstStart) await this.publish({ id: runId, dryRun }, async () => new FlowRunStarted(ctx, facts));
    }

    async startNext(pipelineId: Id): Promise<void> {
        const next = await this.stores.leases.next(pipelineId);
        if (next !== undefined) await this.queue.add(next);
    }

    private async factsOf({ id, pipelineId, dryRun }: FlowPipelineRun): Promise<FlowRunFacts> {
        const pipeline = await this.connection.rawConnection
            .getRepository(FlowPipeline)
            .findOne({ where: { id: pipelineId } });
        return { runId: id, pipelineId, pipelineCode: pipeline?.code ?? '', dryRun };
    }

    /** A subscriber that throws must not end the run. A dry run publishes nothing: subscribers would take it for one that has written. */
    private async publish(
        { id, dryRun }: Pick<FlowPipelineRun, 'id' | 'dryRun'>,
        make: () => Promise<VendureEvent | undefined>,
    ): Promise<void> {
        if (dryRun) return;
        const event = await make();
        try {
            if (event) await this.causes.during(id, () => this.events.publish(event));
        } catch (error) {
            Logger.error(`A subscriber of ${event?.constructor.name} failed: ${String(error)}`, LOG_CONTEXT);
        }
    }
}

function endOf(ctx: RequestContext, run: FlowPipelineRun, facts: FlowRunFacts): VendureEvent | undefined {
    switch (run.status) {
        case 'COMPLETED':
            return new FlowRunCompleted(ctx, facts, { outcome: run.outcome ?? 'SUCCESS', totals: storedTotals(run) });
        case 'FAILED':
            return new FlowRunFailed(ctx, facts, {
                code: run.errorCode ?? '',
                message: run.errorMessage ?? '',
                stepKey: run.errorStepKey ?? undefined,
            });
        case 'CANCELLED':
            return new FlowRunCancelled(ctx, facts);
        case 'PAUSED':
            return new FlowRunPaused(ctx, facts, {
                stepKey: run.gateStepKey ?? '',
                timeoutAt: run.gateTimeoutAt ?? undefined,
            });
        default:
            return undefined;
    }
}
