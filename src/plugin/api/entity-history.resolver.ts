import { UseFilters } from '@nestjs/common';
import { Args, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, RequestContext } from '@vendure/core';
import type { FlowPipeline } from '../entities/pipeline';
import type { FlowPipelineRun } from '../entities/run';
import {
    EntityHistories,
    type EntityWrite,
    type EntityWrites,
    type HistoryRequest,
} from '../overview/entity-histories';
import { readFlowRunPermission } from '../permissions';
import { DataLoaders } from '../runs/data-loaders';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';

/** Returns the runs that have written an entity of the shop. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class EntityHistoryResolver {
    constructor(private readonly histories: EntityHistories) {}

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowEntityHistory(@Ctx() ctx: RequestContext, @Args() args: HistoryRequest): Promise<EntityWrites> {
        return withApiErrors(() => this.histories.of(ctx, args));
    }
}

/** The run and the pipeline of an entry in an entity's history. */
@Resolver('FlowEntityWrite')
export class EntityWriteFieldResolver {
    constructor(private readonly dataLoaders: DataLoaders) {}

    @ResolveField()
    run(@Ctx() ctx: RequestContext, @Parent() { runId }: EntityWrite): Promise<FlowPipelineRun | null> {
        return this.dataLoaders.run(ctx, runId);
    }

    @ResolveField()
    pipeline(@Ctx() ctx: RequestContext, @Parent() { pipelineId }: EntityWrite): Promise<FlowPipeline | null> {
        return this.dataLoaders.pipeline(ctx, pipelineId);
    }
}
