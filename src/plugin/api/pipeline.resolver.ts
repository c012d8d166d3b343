import { Args, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, type ID, type ListQueryOptions, type PaginatedList, type Permission, RequestContext } from '@vendure/core';
import type { PipelineDefinition } from '../../core/pipeline/definition';
import type { FlowPipeline } from '../entities/pipeline';
import type { FlowPipelineRevision } from '../entities/revision';
import type { FlowPipelineRun } from '../entities/run';
import { flowPipelinePermission, readFlowRunPermission } from '../permissions';
import { Pipelines } from '../services/pipelines';
import { Runs } from '../services/runs';
import { type Trigger, triggersOf } from '../services/triggers';

/** Queries for pipelines. */
@Resolver()
export class PipelineResolver {
    constructor(private readonly pipelines: Pipelines) {}

    @Query()
    @Allow(flowPipelinePermission.Read)
    flowPipelines(@Ctx() ctx: RequestContext, @Args() args: { options?: ListQueryOptions<FlowPipeline> }): Promise<PaginatedList<FlowPipeline>> {
        return this.pipelines.list(ctx, args.options);
    }

    @Query()
    @Allow(flowPipelinePermission.Read)
    async flowPipeline(@Ctx() ctx: RequestContext, @Args() { id, code }: { id?: ID | null; code?: string | null }): Promise<FlowPipeline | null> {
        if (id != null) return this.pipelines.find(ctx, { id, ...(code != null && { code }) });
        return code == null ? null : this.pipelines.find(ctx, { code });
    }
}

/** What a pipeline shows beside its own columns. */
@Resolver('FlowPipeline')
export class PipelineFieldResolver {
    constructor(
        private readonly pipelines: Pipelines,
        private readonly runs: Runs,
    ) {}

    @ResolveField()
    description(@Parent() pipeline: FlowPipeline): string {
        return pipeline.description ?? '';
    }

    @ResolveField()
    async revision(@Ctx() ctx: RequestContext, @Parent() { publishedRevisionId: id }: FlowPipeline): Promise<FlowPipelineRevision | null> {
        return id === null ? null : this.pipelines.revision(ctx, id);
    }

    @ResolveField()
    async lastRun(@Ctx() ctx: RequestContext, @Parent() { id }: FlowPipeline): Promise<FlowPipelineRun | null> {
        return ctx.userHasPermissions([readFlowRunPermission.Permission]) ? this.runs.newestOf(ctx, id) : null;
    }
}

/** What a revision shows beside its own columns. */
@Resolver('FlowPipelineRevision')
export class RevisionFieldResolver {
    @ResolveField()
    definition(@Ctx() ctx: RequestContext, @Parent() revision: FlowPipelineRevision): FlowPipelineRevision['definition'] | null {
        return ctx.userHasPermissions([flowPipelinePermission.Read as Permission]) ? revision.definition : null;
    }

    @ResolveField()
    triggers(@Parent() revision: FlowPipelineRevision): readonly Trigger[] {
        return triggersOf(revision.definition as unknown as PipelineDefinition);
    }
}
