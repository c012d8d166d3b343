import { UseFilters } from '@nestjs/common';
import { Args, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import {
    Allow,
    Ctx,
    type ID,
    type ListQueryOptions,
    type PaginatedList,
    type Permission,
    RequestContext,
    type User,
} from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import type { JsonObject } from '../../core/value/json';
import type { FlowPipeline, WorkingCopyStatus } from '../entities/pipeline';
import type { FlowPipelineEvent } from '../entities/pipeline-event';
import type { FlowPipelineRevision } from '../entities/revision';
import type { FlowPipelineRun } from '../entities/run';
import { flowPipelinePermission, readFlowRunPermission } from '../permissions';
import { CodeFirstStart } from '../code-first/start';
import { type EditedWorkingCopy, DataLoaders } from '../runs/data-loaders';
import { type PipelineSelection, PipelineSelections } from '../overview/pipeline-selection';
import { Pipelines } from '../pipelines/pipelines';
import { type TriggerOfRevision, triggersOf } from '../triggers/triggers';
import { withApiErrors, apiError } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { type IssueView, issueView } from './issue-view';

interface PartsArgs<E extends FlowPipelineRevision | FlowPipelineEvent> {
    readonly pipelineId: ID;
    readonly options?: ListQueryOptions<E>;
}

/** A working copy, and the pipeline whose row has its status. */
interface WorkingCopyView {
    readonly pipeline: FlowPipeline;
    readonly copy: EditedWorkingCopy;
}

/** Queries for pipelines. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class PipelineResolver {
    constructor(
        private readonly pipelines: Pipelines,
        private readonly selections: PipelineSelections,
    ) {}

    @Query()
    @Allow(flowPipelinePermission.Read)
    flowPipelines(
        @Ctx() ctx: RequestContext,
        @Args()
        { options, selection }: { options?: ListQueryOptions<FlowPipeline>; selection?: PipelineSelection | null },
    ): Promise<PaginatedList<FlowPipeline>> {
        // Filters by runs are only allowed for users who may read runs.
        if (selection && tellsOfRuns(selection)) assertMayReadRuns(ctx);
        return this.pipelines.list(ctx, options, query => selection && this.selections.apply(ctx, query, selection));
    }

    @Query()
    @Allow(flowPipelinePermission.Read)
    async flowPipeline(
        @Ctx() ctx: RequestContext,
        @Args() { id, code }: { id?: ID | null; code?: string | null },
    ): Promise<FlowPipeline | null> {
        if (id != null) return this.pipelines.find(ctx, { id, ...(code != null && { code }) });
        return code == null ? null : this.pipelines.find(ctx, { code });
    }

    @Query()
    @Allow(flowPipelinePermission.Read)
    flowPipelineRevisions(
        @Ctx() ctx: RequestContext,
        @Args() args: PartsArgs<FlowPipelineRevision>,
    ): Promise<PaginatedList<FlowPipelineRevision>> {
        return withApiErrors(() => this.pipelines.revisions(ctx, args.pipelineId, args.options));
    }

    @Query()
    @Allow(flowPipelinePermission.Read)
    flowPipelineRevision(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<FlowPipelineRevision | null> {
        return this.pipelines.ownRevision(ctx, id);
    }

    @Query()
    @Allow(flowPipelinePermission.Read)
    flowPipelineHistory(
        @Ctx() ctx: RequestContext,
        @Args() args: PartsArgs<FlowPipelineEvent>,
    ): Promise<PaginatedList<FlowPipelineEvent>> {
        return withApiErrors(() => this.pipelines.history(ctx, args.pipelineId, args.options));
    }
}

/** The fields of a pipeline that are not columns. */
@Resolver('FlowPipeline')
export class PipelineFieldResolver {
    constructor(
        private readonly dataLoaders: DataLoaders,
        private readonly codeFirst: CodeFirstStart,
    ) {}

    @ResolveField()
    description(@Parent() pipeline: FlowPipeline): string {
        return pipeline.description ?? '';
    }

    @ResolveField()
    async workingCopy(@Ctx() ctx: RequestContext, @Parent() pipeline: FlowPipeline): Promise<WorkingCopyView | null> {
        if (pipeline.codeFirst || !mayRead(ctx)) return null;
        const copy = await this.dataLoaders.workingCopy(ctx, pipeline.id);
        return copy && { pipeline, copy };
    }

    @ResolveField()
    publicationIssues(
        @Ctx() ctx: RequestContext,
        @Parent() { codeFirst, code }: FlowPipeline,
    ): readonly IssueView[] | null {
        if (!mayRead(ctx)) return null;
        return codeFirst ? this.codeFirst.issuesOf(code).map(issueView) : [];
    }

    @ResolveField()
    async revision(
        @Ctx() ctx: RequestContext,
        @Parent() { selectedRevisionId: id }: FlowPipeline,
    ): Promise<FlowPipelineRevision | null> {
        return id === null ? null : this.dataLoaders.revision(ctx, id);
    }

    @ResolveField()
    async lastRun(@Ctx() ctx: RequestContext, @Parent() { id }: FlowPipeline): Promise<FlowPipelineRun | null> {
        return ctx.userHasPermissions([readFlowRunPermission.Permission]) ? this.dataLoaders.newestRun(ctx, id) : null;
    }
}

/** A working copy as the API shows it: its row, and its status in the pipeline's row. */
@Resolver('FlowWorkingCopy')
export class WorkingCopyFieldResolver {
    constructor(private readonly dataLoaders: DataLoaders) {}

    @ResolveField()
    status(@Parent() { pipeline }: WorkingCopyView): WorkingCopyStatus {
        return pipeline.status;
    }

    @ResolveField()
    definition(@Ctx() ctx: RequestContext, @Parent() { pipeline }: WorkingCopyView): Promise<JsonObject | null> {
        return withApiErrors(() => this.dataLoaders.draft(ctx, pipeline.id));
    }

    @ResolveField()
    async issues(@Ctx() ctx: RequestContext, @Parent() { pipeline }: WorkingCopyView): Promise<readonly IssueView[]> {
        return ((await this.dataLoaders.issues(ctx, pipeline.id)) ?? []).map(issueView);
    }

    @ResolveField()
    updatedAt(@Parent() { copy }: WorkingCopyView): Date {
        return copy.updatedAt;
    }

    @ResolveField()
    updatedBy(@Ctx() ctx: RequestContext, @Parent() { copy }: WorkingCopyView): Promise<User | null> {
        return this.dataLoaders.user(ctx, copy.updatedBy);
    }

    @ResolveField()
    submittedAt(@Parent() { pipeline }: WorkingCopyView): Date | null {
        return pipeline.submittedAt;
    }

    @ResolveField()
    submittedBy(@Ctx() ctx: RequestContext, @Parent() { pipeline }: WorkingCopyView): Promise<User | null> {
        return this.dataLoaders.user(ctx, pipeline.submittedBy);
    }

    @ResolveField()
    reviewComment(@Parent() { pipeline }: WorkingCopyView): string | null {
        return pipeline.reviewComment;
    }

    @ResolveField()
    reviewedBy(@Ctx() ctx: RequestContext, @Parent() { pipeline }: WorkingCopyView): Promise<User | null> {
        return this.dataLoaders.user(ctx, pipeline.reviewedBy);
    }
}

/** The fields of a history entry that are not columns. */
@Resolver('FlowPipelineEvent')
export class PipelineEventFieldResolver {
    constructor(private readonly dataLoaders: DataLoaders) {}

    @ResolveField()
    actor(@Ctx() ctx: RequestContext, @Parent() { actorId }: FlowPipelineEvent): Promise<User | null> {
        return this.dataLoaders.user(ctx, actorId);
    }

    @ResolveField()
    async revision(
        @Ctx() ctx: RequestContext,
        @Parent() { revisionId }: FlowPipelineEvent,
    ): Promise<FlowPipelineRevision | null> {
        return revisionId === null ? null : this.dataLoaders.revision(ctx, revisionId);
    }
}

/** The fields of a revision that are not columns. */
@Resolver('FlowPipelineRevision')
export class RevisionFieldResolver {
    constructor(private readonly dataLoaders: DataLoaders) {}

    @ResolveField()
    publishedBy(@Ctx() ctx: RequestContext, @Parent() { publishedBy }: FlowPipelineRevision): Promise<User | null> {
        return this.dataLoaders.user(ctx, publishedBy);
    }

    @ResolveField()
    submittedBy(@Ctx() ctx: RequestContext, @Parent() { submittedBy }: FlowPipelineRevision): Promise<User | null> {
        return this.dataLoaders.user(ctx, submittedBy);
    }

    @ResolveField()
    async definition(
        @Ctx() ctx: RequestContext,
        @Parent() { id }: FlowPipelineRevision,
    ): Promise<FlowPipelineRevision['definition'] | null> {
        return mayRead(ctx) ? withApiErrors(() => this.dataLoaders.definition(ctx, id)) : null;
    }

    @ResolveField()
    async triggers(
        @Ctx() ctx: RequestContext,
        @Parent() { id: revisionId, pipelineId }: FlowPipelineRevision,
    ): Promise<readonly TriggerOfRevision[] | null> {
        const stored = await withApiErrors(() => this.dataLoaders.definition(ctx, revisionId));
        if (!stored) return null;
        const definition = stored as unknown as PipelineDefinition;
        const configs = new Map(definition.steps.map(({ key, config }) => [key, config]));
        return triggersOf(definition).map(trigger => ({
            ...trigger,
            ...{ pipelineId, revisionId, config: configs.get(trigger.key)! },
        }));
    }
}

function tellsOfRuns({ lastRunStatus, hasOpenErrors, orderBy }: PipelineSelection): boolean {
    return lastRunStatus != null || hasOpenErrors != null || orderBy != null;
}

function assertMayReadRuns(ctx: RequestContext): void {
    const permission = readFlowRunPermission.Permission;
    if (ctx.userHasPermissions([permission])) return;
    const who = ctx.session?.user?.identifier ?? 'The caller';
    throw apiError(flowError('FORBIDDEN', { who, permission, what: 'a list of pipelines by what their runs are' }));
}

function mayRead(ctx: RequestContext): boolean {
    return ctx.userHasPermissions([flowPipelinePermission.Read as Permission]);
}
