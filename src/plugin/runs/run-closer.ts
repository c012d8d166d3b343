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
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRun } from '../entities/run';
import {
    FlowRunCancelled,
    FlowRunCompleted,
    FlowRunFailed,
    type FlowRunFacts,
    FlowRunPaused,
    FlowRunStarted,
} from '../events';
import type { RunPause } from '../stores/pauses';
import type { RunEnding } from '../stores/run-endings';
import type { RunIdentity } from '../stores/store-env';
import { LOG_CONTEXT } from '../tokens';
import { EffectPublisher } from './effect-publisher';
import { RunPlatform } from './run-platform';
import { RunQueue } from './run-queue';
import { RunStores } from './run-stores';
import { storedTotals } from './run-totals';

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
    ) {}

    /** Throws LEASE_LOST when the run is another worker's, and when the database does not answer; nothing has ended then. */
    async close(run: RunIdentity, ending: RunEnding, ctx?: RequestContext): Promise<void> {
        await this.stores.endings.finish(run, ending);
        await this.follow(run.runId, ctx);
    }

    /** Throws LEASE_LOST when the run is another worker's, RUN_CANCELLED when it is to be cancelled, and when the database does not answer. */
    async pause(run: RunIdentity, pause: RunPause, ctx?: RequestContext): Promise<void> {
        await this.stores.pauses.pause(run, pause);
        await this.follow(run.runId, ctx);
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
        try {
            const run = await this.connection.rawConnection
                .getRepository(FlowPipelineRun)
                .findOneOrFail({ where: { id: runId } });
            const ctx = given ?? (await this.platform.withoutUser(run.channelId));
            await this.publish(run, async () => endOf(ctx, run, await this.factsOf(run)));
            await this.startNext(run.pipelineId as Id);
        } catch (error) {
            Logger.warn(`After the end of run ${runId}: ${String(error)}`, LOG_CONTEXT);
        }
    }

    async started(runId: ID, ctx: RequestContext): Promise<void> {
        const run = await this.connection.rawConnection
            .getRepository(FlowPipelineRun)
            .findOneOrFail({ where: { id: runId } });
        await this.publish(run, async () => new FlowRunStarted(ctx, await this.factsOf(run)));
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
    private async publish({ dryRun }: FlowPipelineRun, make: () => Promise<VendureEvent | undefined>): Promise<void> {
        if (dryRun) return;
        const event = await make();
        try {
            if (event) await this.events.publish(event);
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
