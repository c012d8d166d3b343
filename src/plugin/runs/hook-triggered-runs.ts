import { Inject, Injectable } from '@nestjs/common';
import { type ID, type RequestContext, TransactionalConnection } from '@vendure/core';
import type { PipelineStart, PipelineStarted, PipelineStarts } from '../../core/hooks/pipeline-starts';
import { flowError } from '../../core/errors/flow-error';
import { withDatabaseErrors } from '../../database/database-errors';
import { FlowPipeline } from '../entities/pipeline';
import { FlowPipelineRun, type RunCause } from '../entities/run';
import { PublishingRights } from '../pipelines/publishing-rights';
import { requirement } from '../pipelines/requirements';
import type { FlowSetup } from '../setup';
import { FLOW_SETUP } from '../tokens';
import { RunPrincipals } from './run-principals';
import { extendCauseChain } from './causation-chains';
import { RunStarter } from './run-starter';

/** What of a run the runs depend on that its hooks start. */
interface StartingRun extends Pick<FlowPipelineRun, 'channelId'> {
    /** With the rights of its user. */
    readonly ctx: RequestContext;
    /** All causes of the runs that it starts, itself last. */
    readonly chain: readonly RunCause[];
}

/**
 * Starts pipelines for the hooks of runs: in the run's channel, with the runs that led to it as causes. The started run acts for the publisher of
 * its revision. The starting run's user must also have the permissions of that revision, because the hook chooses its records.
 */
@Injectable()
export class HookTriggeredRuns {
    constructor(
        private readonly connection: TransactionalConnection,
        private readonly runPrincipals: RunPrincipals,
        private readonly starter: RunStarter,
        private readonly rights: PublishingRights,
        @Inject(FLOW_SETUP) private readonly setup: FlowSetup,
    ) {}

    /** For the hooks of one run. Its dependencies are read once, when the first hook starts a run. */
    of(runId: ID): PipelineStarts {
        let known: Promise<StartingRun> | undefined;
        return {
            start: async order => {
                known ??= this.startingRun(runId);
                // What could not be read may be there the next time.
                return this.start(
                    await known.catch((error: unknown) => ((known = undefined), Promise.reject(error as Error))),
                    order,
                );
            },
        };
    }

    private start(run: StartingRun, order: PipelineStart): Promise<PipelineStarted> {
        return withDatabaseErrors(() => this.startNow(run, order));
    }

    private async startNow({ channelId, ctx, chain }: StartingRun, order: PipelineStart): Promise<PipelineStarted> {
        const { pipelineCode: code, records, occurrence } = order;
        // A → B → A ends.
        if (chain.some(({ pipelineCode }) => pipelineCode === code)) return { ledHereBy: shown(chain) };
        // Where many pipelines start each other, each way through them is a run: their number grows with each further one.
        const { maxChain: max } = this.setup.options.hooks;
        if (chain.length >= max)
            throw flowError('HOOK_CHAIN_TOO_LONG', { code, max, count: chain.length, chain: shown(chain) });
        const pipelines = this.connection.rawConnection.getRepository(FlowPipeline);
        const pipeline = await pipelines.findOne({
            where: { code, channelId },
            select: { id: true, selectedRevisionId: true },
        });
        if (!pipeline)
            throw flowError('PIPELINE_NOT_RUNNABLE', { code, problem: 'no pipeline of the channel has this code' });
        const { selectedRevisionId } = pipeline;
        await this.rights.assertForRevision(ctx, selectedRevisionId);
        const { isNew } = await this.starter.startOnce({
            pipelineId: pipeline.id,
            channelId,
            ...(selectedRevisionId !== null && { revisionId: selectedRevisionId }),
            dryRun: false,
            seed: records,
            causes: chain,
            occurrenceKey: occurrence,
        });
        return isNew ? 'started' : 'known';
    }

    /** Throws ACTOR_GONE, and FORBIDDEN where its user must not run pipelines. */
    private startingRun(runId: ID): Promise<StartingRun> {
        return withDatabaseErrors(() => this.readStartingRun(runId));
    }

    private async readStartingRun(runId: ID): Promise<StartingRun> {
        const run = await this.connection.rawConnection
            .getRepository(FlowPipelineRun)
            .findOneOrFail({ where: { id: runId } });
        const { pipelineId, channelId, startedByUserId, causes } = run;
        const ctx = await this.runPrincipals.restore({ userId: startedByUserId ?? undefined, channelId }, [
            requirement('RunFlowPipeline', 'starting a pipeline by a hook'),
        ]);
        const pipeline = await this.connection.rawConnection
            .getRepository(FlowPipeline)
            .findOne({ where: { id: pipelineId } });
        return {
            channelId,
            ctx,
            chain: extendCauseChain(causes ?? [], { pipelineCode: pipeline?.code ?? '', runId }),
        };
    }
}

function shown(chain: readonly RunCause[]): string {
    return chain.map(({ pipelineCode }) => pipelineCode).join(' → ');
}
