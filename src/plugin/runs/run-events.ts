import { Injectable } from '@nestjs/common';
import {
    EventBus,
    type ID,
    Logger,
    type RequestContext,
    TransactionalConnection,
    type VendureEvent,
} from '@vendure/core';
import type { RunTotals } from '../../core/progress/outcome';
import type { Id } from '../../database/write';
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
import { RunPlatform } from '../run-platform';
import { endEvent, ENDS, pauseEvent, type RunEvent, type RunEventKind } from '../stores/run-events';
import { LOG_CONTEXT } from '../tokens';
import { CausationChains } from './causation-chains';
import { RunStores } from './run-stores';
import { storedTotals } from './run-totals';

/** The facts about a run that the publisher already knows. */
export interface RunEventFacts {
    readonly ctx: RequestContext;
    readonly facts: FlowRunFacts;
}

/** The facts about a run in the event of its end. */
export type RunEndFacts = Pick<
    FlowPipelineRun,
    'id' | 'dryRun' | 'status' | 'outcome' | 'errorCode' | 'errorMessage' | 'errorStepKey' | keyof RunTotals
>;

/** An event with the run that it is about. */
interface Told extends RunEventFacts {
    readonly run: RunEndFacts & Partial<Pick<FlowPipelineRun, 'gateStepKey' | 'gateTimeoutAt'>>;
    readonly event: Omit<RunEvent, 'kind'>;
}

/**
 * Publishes the events of runs (ADR 11). The event of an end, a pause or a decision is stored with it. The committing process publishes it at once
 * and deletes it; an event that a dead process left is published by another one later. So each is published at least once.
 */
@Injectable()
export class RunEvents {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly platform: RunPlatform,
        private readonly events: EventBus,
        private readonly chains: CausationChains,
        private readonly stores: RunStores,
    ) {}

    /** A worker has started the run. Published at most once, because the event is not stored. */
    async started(
        { runId, dryRun }: { readonly runId: ID; readonly dryRun: boolean },
        known: RunEventFacts,
    ): Promise<void> {
        await this.publish({ id: runId, dryRun }, new FlowRunStarted(known.ctx, known.facts));
    }

    /** Publishes how the run has ended, or that it paused because its workers died. Publishes nothing in other cases. Returns the run. */
    async ended(runId: ID, known?: Partial<RunEventFacts>): Promise<FlowPipelineRun> {
        const run = await this.runOf(runId);
        const event = endEvent(run.status) ?? (run.status === 'PAUSED' ? pauseEvent('') : undefined);
        if (event) await this.tell(run, event, known);
        return run;
    }

    /** Publishes the end of a run from the process that ended it. `markPublished` then removes the stored event. */
    async endedHere(facts: RunEndFacts, known: RunEventFacts): Promise<void> {
        const event = endEvent(facts.status);
        if (event) await this.publish(facts, MADE[event.kind]({ run: facts, event, ...known }));
    }

    /** Removes the events of these ends, which are published. */
    async markPublished(runIds: readonly ID[]): Promise<void> {
        await this.stores.effects.told(runIds as readonly Id[], { kinds: ENDS, stepKey: '' });
    }

    /** Publishes what was just committed. Returns the run. */
    async now(runId: ID, event: RunEvent, known?: Partial<RunEventFacts>): Promise<FlowPipelineRun> {
        const run = await this.runOf(runId);
        await this.tell(run, event, known);
        return run;
    }

    /** Publishes an event that was not published in time. Its subscribers receive the pipeline's channel, and no user. */
    async late(runId: ID, event: RunEvent): Promise<void> {
        await this.published(await this.runOf(runId), event);
    }

    private async tell(run: FlowPipelineRun, event: RunEvent, known?: Partial<RunEventFacts>): Promise<void> {
        await this.published(run, event, known);
        await this.stores.effects.told([run.id as Id], { kinds: [event.kind], stepKey: event.stepKey });
    }

    private async published(run: FlowPipelineRun, event: RunEvent, known?: Partial<RunEventFacts>): Promise<void> {
        if (run.dryRun) return;
        const ctx = known?.ctx ?? (await this.platform.withoutUser(run.channelId));
        const facts = known?.facts ?? (await this.factsOf(run));
        await this.publish(run, MADE[event.kind]({ run, event, ctx, facts }));
    }

    private runOf(runId: ID): Promise<FlowPipelineRun> {
        return this.connection.rawConnection.getRepository(FlowPipelineRun).findOneOrFail({ where: { id: runId } });
    }

    private async factsOf({ id, pipelineId, dryRun }: FlowPipelineRun): Promise<FlowRunFacts> {
        const pipeline = await this.connection.rawConnection
            .getRepository(FlowPipeline)
            .findOne({ where: { id: pipelineId } });
        return { runId: id, pipelineId, pipelineCode: pipeline?.code ?? '', dryRun };
    }

    /** A subscriber that throws must not end the run. A dry run publishes nothing: subscribers would take it for one that has written. */
    private async publish({ id, dryRun }: Pick<FlowPipelineRun, 'id' | 'dryRun'>, event: VendureEvent): Promise<void> {
        if (dryRun) return;
        try {
            await this.chains.during(id, () => this.events.publish(event));
        } catch (error) {
            Logger.error(`A subscriber of ${event.constructor.name} failed: ${String(error)}`, LOG_CONTEXT);
        }
    }
}

const MADE: Readonly<Record<RunEventKind, (eventRecords: Told) => VendureEvent>> = {
    FlowRunCompleted: ({ ctx, facts, run }) =>
        new FlowRunCompleted(ctx, facts, { outcome: run.outcome ?? 'SUCCESS', totals: storedTotals(run) }),
    FlowRunFailed: ({ ctx, facts, run }) =>
        new FlowRunFailed(ctx, facts, {
            code: run.errorCode ?? '',
            message: run.errorMessage ?? '',
            stepKey: run.errorStepKey ?? undefined,
        }),
    FlowRunCancelled: ({ ctx, facts }) => new FlowRunCancelled(ctx, facts),
    FlowRunPaused: ({ ctx, facts, run, event: { stepKey } }) => {
        if (stepKey === '') {
            const error = { code: run.errorCode ?? '', message: run.errorMessage ?? '' };
            return new FlowRunPaused(ctx, facts, undefined, error);
        }
        const waits = run.status === 'PAUSED' && run.gateStepKey === stepKey;
        return new FlowRunPaused(ctx, facts, { stepKey, timeoutAt: (waits && run.gateTimeoutAt) || undefined });
    },
    FlowGateApproved: ({ ctx, facts, event }) => new FlowGateApproved(ctx, facts, gateOf(event)),
    FlowGateRejected: ({ ctx, facts, event }) => new FlowGateRejected(ctx, facts, gateOf(event)),
};

function gateOf({ stepKey, payload }: Told['event']) {
    return { stepKey, decidedBy: payload.decidedBy };
}
