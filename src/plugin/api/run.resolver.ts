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
import { AllowOperation } from '../operation-rights';
import { flowError } from '../../core/errors/flow-error';
import type { FlowGateDecision } from '../entities/gate-decision';
import type { FileOfStep } from '../../core/pipeline/input-source';
import type { JsonObject } from '../../core/value/json';
import type { FlowPipeline } from '../entities/pipeline';
import type { FlowPipelineRevision } from '../entities/revision';
import type { FlowPipelineRun, RunCause } from '../entities/run';
import { Files } from '../files/files';
import { manageFlowFilesPermission, readFlowFilesPermission, readFlowRunPermission } from '../permissions';
import { PublicIds } from '../../platform/public-ids';
import { DataLoaders } from '../runs/data-loaders';
import { RunCanceller } from '../runs/run-canceller';
import { RunResumer } from '../runs/run-resumer';
import { RunRevisions } from '../runs/run-revisions';
import { RunStarter } from '../runs/run-starter';
import { type RunStep, RunSteps, type RunWait } from '../runs/run-steps';
import { Runs } from '../runs/runs';
import { counterList, errorOf, spooledCounts, throughputOf, reportOf, type ReportView } from '../runs/run-view';
import { MAX_FILES } from '../runs/run-input';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { DecodedArgs } from './decoded-args';
import { mayReadRecords } from './record-values';

interface StartArgs {
    readonly pipelineId: ID;
    readonly triggerKey?: string | null;
    readonly workingCopy?: boolean | null;
    readonly records?: readonly JsonObject[] | null;
    readonly files?: ReadonlyArray<{ readonly stepKey: string; readonly fileId: ID }> | null;
}

/** Starts, cancels and shows runs. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class RunResolver {
    constructor(
        private readonly runs: Runs,
        private readonly starter: RunStarter,
        private readonly canceller: RunCanceller,
        private readonly resumer: RunResumer,
        private readonly files: Files,
        private readonly ids: PublicIds,
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
    @AllowOperation('startFlowPipelineRun')
    startFlowPipelineRun(@Ctx() ctx: RequestContext, @DecodedArgs() args: StartArgs): Promise<FlowPipelineRun> {
        return withApiErrors(() => this.start(ctx, args, false));
    }

    @Mutation()
    @AllowOperation('dryRunFlowPipeline')
    dryRunFlowPipeline(@Ctx() ctx: RequestContext, @DecodedArgs() args: StartArgs): Promise<FlowPipelineRun> {
        return withApiErrors(() => this.start(ctx, args, true));
    }

    @Mutation()
    @AllowOperation('cancelFlowPipelineRun')
    cancelFlowPipelineRun(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<FlowPipelineRun> {
        return withApiErrors(async () => {
            const run = await this.runs.find(ctx, id);
            if (!run) throw flowError('RUN_NOT_FOUND', {});
            await this.canceller.cancel(ctx, run);
            return this.stored(ctx, id);
        });
    }

    @Mutation()
    @AllowOperation('resumeFlowPipelineRun')
    resumeFlowPipelineRun(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<FlowPipelineRun> {
        return withApiErrors(async () => {
            const run = await this.runs.find(ctx, id);
            if (!run) throw flowError('RUN_NOT_FOUND', {});
            await this.resumer.resume(ctx, run);
            return this.stored(ctx, id);
        });
    }

    private async start(
        ctx: RequestContext,
        { pipelineId, triggerKey, workingCopy, records, files }: StartArgs,
        dryRun: boolean,
    ): Promise<FlowPipelineRun> {
        const actor = ctx.activeUserId ?? null;
        const source = files ? { files: await this.usable(ctx, files) } : undefined;
        return this.stored(
            ctx,
            await this.starter.start({
                pipelineId,
                channelId: ctx.channelId,
                actor,
                dryRun,
                triggerKey,
                workingCopy: workingCopy === true,
                ...(records && { seed: records }),
                ...(source && { source }),
            }),
        );
    }

    /** The files, where the caller may read them. Throws FORBIDDEN, FILE_NOT_FOUND and FILE_EXPIRED. */
    private async usable(ctx: RequestContext, files: NonNullable<StartArgs['files']>): Promise<readonly FileOfStep[]> {
        const permissions = [readFlowFilesPermission.Permission, manageFlowFilesPermission.Permission];
        if (!ctx.userHasPermissions(permissions))
            throw flowError('FORBIDDEN', {
                who: ctx.session?.user?.identifier ?? 'The caller',
                permission: permissions.join(' or '),
                what: 'starting a run with a file',
            });
        const found: FileOfStep[] = [];
        // How many files are allowed is checked where the run is started.
        for (const { stepKey, fileId } of files.slice(0, MAX_FILES + 1)) {
            await this.files.existing(ctx, fileId);
            found.push({ stepKey, fileId: this.ids.encode(fileId) });
        }
        return found;
    }

    private async stored(ctx: RequestContext, id: ID): Promise<FlowPipelineRun> {
        const run = await this.runs.find(ctx, id);
        if (!run) throw flowError('RUN_NOT_FOUND', {});
        return run;
    }
}

/** The fields of a run that are not columns. */
@Resolver('FlowPipelineRun')
export class RunFieldResolver {
    constructor(
        private readonly dataLoaders: DataLoaders,
        private readonly revisions: RunRevisions,
        private readonly runSteps: RunSteps,
    ) {}

    @ResolveField()
    pipeline(@Ctx() ctx: RequestContext, @Parent() run: FlowPipelineRun): Promise<FlowPipeline | null> {
        return this.dataLoaders.pipeline(ctx, run.pipelineId);
    }

    @ResolveField()
    async revision(@Ctx() ctx: RequestContext, @Parent() run: FlowPipelineRun): Promise<FlowPipelineRevision | null> {
        return run.revisionId === null ? null : this.dataLoaders.revision(ctx, run.revisionId);
    }

    @ResolveField()
    async revisionNumber(
        @Ctx() ctx: RequestContext,
        @Parent() { revisionId }: FlowPipelineRun,
    ): Promise<number | null> {
        if (revisionId === null) return null;
        const revision = this.revisions.inMemory(revisionId) ?? (await this.dataLoaders.revision(ctx, revisionId));
        return revision?.number ?? null;
    }

    @ResolveField()
    startedBy(@Ctx() ctx: RequestContext, @Parent() { startedByUserId }: FlowPipelineRun): Promise<User | null> {
        return this.dataLoaders.user(ctx, startedByUserId);
    }

    @ResolveField()
    warnings(@Ctx() ctx: RequestContext, @Parent() { id }: FlowPipelineRun): Promise<number> {
        return this.dataLoaders.warnings(ctx, id);
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
    steps(@Ctx() ctx: RequestContext, @Parent() run: FlowPipelineRun): Promise<readonly RunStep[]> {
        return withApiErrors(() => this.runSteps.of(ctx, run));
    }

    @ResolveField()
    waitsFor(@Ctx() ctx: RequestContext, @Parent() run: FlowPipelineRun): Promise<RunWait | null> {
        return this.runSteps.waitOf(ctx, run);
    }

    @ResolveField()
    held(@Parent() { counters }: FlowPipelineRun): ReturnType<typeof spooledCounts> {
        return spooledCounts(counters);
    }

    @ResolveField()
    async gateDecisions(
        @Ctx() ctx: RequestContext,
        @Parent() { id }: FlowPipelineRun,
    ): Promise<readonly FlowGateDecision[]> {
        return (await this.dataLoaders.gateDecisions(ctx, id)) ?? [];
    }

    @ResolveField()
    progress(@Parent() run: FlowPipelineRun): ReturnType<typeof throughputOf> {
        return throughputOf(run, Date.now());
    }

    @ResolveField()
    error(@Ctx() ctx: RequestContext, @Parent() run: FlowPipelineRun): ReturnType<typeof errorOf> {
        return errorOf(run, mayReadRecords(ctx));
    }

    @ResolveField()
    async report(@Ctx() ctx: RequestContext, @Parent() { id, dryRun }: FlowPipelineRun): Promise<ReportView | null> {
        const report = dryRun ? await withApiErrors(() => this.dataLoaders.report(ctx, id)) : null;
        return reportOf({ dryRun, report }, mayReadRecords(ctx));
    }
}
