import { UseFilters } from '@nestjs/common';
import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import {
    Allow,
    Ctx,
    type ID,
    type ListQueryOptions,
    type PaginatedList,
    RequestContext,
    type User,
} from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import type { FlowPipeline } from '../entities/pipeline';
import type { FlowPipelineRevision } from '../entities/revision';
import type { FlowPipelineRun, RunCause } from '../entities/run';
import { readFlowRunPermission, runFlowPipelinePermission } from '../permissions';
import { Lookups } from '../runs/lookups';
import { RunCanceller } from '../runs/run-canceller';
import { RunStarter } from '../runs/run-starter';
import { Runs } from '../runs/runs';
import { counterList, errorOf, paceOf, reportOf, type ReportView } from '../runs/run-view';
import { answering } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { mayReadRecords } from './record-values';

interface StartArgs {
    readonly pipelineId: ID;
    readonly triggerKey?: string | null;
    readonly workingCopy?: boolean | null;
}

/** Starts, ends and shows runs. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class RunResolver {
    constructor(
        private readonly runs: Runs,
        private readonly starter: RunStarter,
        private readonly canceller: RunCanceller,
    ) {}

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowPipelineRuns(
        @Ctx() ctx: RequestContext,
        @Args() args: { options?: ListQueryOptions<FlowPipelineRun>; pipelineId?: ID | null },
    ): Promise<PaginatedList<FlowPipelineRun>> {
        return this.runs.list(ctx, args.options, args.pipelineId);
    }

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowPipelineRun(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<FlowPipelineRun | null> {
        return this.runs.find(ctx, id);
    }

    @Mutation()
    @Allow(runFlowPipelinePermission.Permission)
    startFlowPipelineRun(@Ctx() ctx: RequestContext, @Args() args: StartArgs): Promise<FlowPipelineRun> {
        return answering(() => this.start(ctx, args, false));
    }

    @Mutation()
    @Allow(runFlowPipelinePermission.Permission)
    dryRunFlowPipeline(@Ctx() ctx: RequestContext, @Args() args: StartArgs): Promise<FlowPipelineRun> {
        return answering(() => this.start(ctx, args, true));
    }

    @Mutation()
    @Allow(runFlowPipelinePermission.Permission)
    cancelFlowPipelineRun(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<FlowPipelineRun> {
        return answering(async () => {
            const run = await this.runs.find(ctx, id);
            if (!run) throw flowError('RUN_NOT_FOUND', { id });
            await this.canceller.cancel(ctx, run);
            return this.stored(ctx, id);
        });
    }

    private async start(
        ctx: RequestContext,
        { pipelineId, triggerKey, workingCopy }: StartArgs,
        dryRun: boolean,
    ): Promise<FlowPipelineRun> {
        const actor = ctx.activeUserId ?? null;
        return this.stored(
            ctx,
            await this.starter.start({
                pipelineId,
                channelId: ctx.channelId,
                actor,
                dryRun,
                triggerKey,
                workingCopy: workingCopy === true,
            }),
        );
    }

    private async stored(ctx: RequestContext, id: ID): Promise<FlowPipelineRun> {
        const run = await this.runs.find(ctx, id);
        if (!run) throw flowError('RUN_NOT_FOUND', { id });
        return run;
    }
}

/** What a run shows beside its own columns. */
@Resolver('FlowPipelineRun')
export class RunFieldResolver {
    constructor(private readonly lookups: Lookups) {}

    @ResolveField()
    pipeline(@Ctx() ctx: RequestContext, @Parent() run: FlowPipelineRun): Promise<FlowPipeline | null> {
        return this.lookups.pipeline(ctx, run.pipelineId);
    }

    @ResolveField()
    async revision(@Ctx() ctx: RequestContext, @Parent() run: FlowPipelineRun): Promise<FlowPipelineRevision | null> {
        return run.revisionId === null ? null : this.lookups.revision(ctx, run.revisionId);
    }

    @ResolveField()
    startedBy(@Ctx() ctx: RequestContext, @Parent() { startedByUserId }: FlowPipelineRun): Promise<User | null> {
        return this.lookups.user(ctx, startedByUserId);
    }

    @ResolveField()
    causes(@Parent() { causes }: FlowPipelineRun): readonly RunCause[] {
        return causes ?? [];
    }

    @ResolveField()
    counters(@Parent() run: FlowPipelineRun): ReturnType<typeof counterList> {
        return counterList(run.counters);
    }

    @ResolveField()
    progress(@Parent() run: FlowPipelineRun): ReturnType<typeof paceOf> {
        return paceOf(run, Date.now());
    }

    @ResolveField()
    error(@Ctx() ctx: RequestContext, @Parent() run: FlowPipelineRun): ReturnType<typeof errorOf> {
        return errorOf(run, mayReadRecords(ctx));
    }

    @ResolveField()
    async report(@Ctx() ctx: RequestContext, @Parent() { id, dryRun }: FlowPipelineRun): Promise<ReportView | null> {
        const report = dryRun ? await answering(() => this.lookups.report(ctx, id)) : null;
        return reportOf({ dryRun, report }, mayReadRecords(ctx));
    }
}
