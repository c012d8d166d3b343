import { UseFilters } from '@nestjs/common';
import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, type ID, RequestContext } from '@vendure/core';
import { flowPipelinePermission, runFlowPipelinePermission } from '../permissions';
import {
    type PositionRequest,
    type PositionValues,
    type SavedPosition,
    SourcePositions,
} from '../pipelines/source-positions';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { mayReadRecords } from './record-values';

/** Shows and changes the positions up to which completed runs have read their sources. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class SavedPositionResolver {
    constructor(private readonly positions: SourcePositions) {}

    @Query()
    @Allow(flowPipelinePermission.Read)
    flowSavedPositions(
        @Ctx() ctx: RequestContext,
        @Args() { pipelineId }: { pipelineId: ID },
    ): Promise<readonly SavedPosition[]> {
        return withApiErrors(() => this.list(ctx, pipelineId));
    }

    @Query()
    @Allow(flowPipelinePermission.Read)
    flowReseedableSteps(
        @Ctx() ctx: RequestContext,
        @Args() { pipelineId }: { pipelineId: ID },
    ): Promise<readonly string[]> {
        return withApiErrors(() => this.positions.settable(ctx, pipelineId));
    }

    @Mutation()
    @Allow(runFlowPipelinePermission.Permission)
    resetFlowSavedPosition(
        @Ctx() ctx: RequestContext,
        @Args() args: PositionRequest,
    ): Promise<readonly SavedPosition[]> {
        return withApiErrors(async () => {
            await this.positions.reset(ctx, args);
            return this.list(ctx, args.pipelineId);
        });
    }

    @Mutation()
    @Allow(runFlowPipelinePermission.Permission)
    reseedFlowSavedPosition(
        @Ctx() ctx: RequestContext,
        @Args() args: PositionRequest & PositionValues,
    ): Promise<readonly SavedPosition[]> {
        return withApiErrors(async () => {
            await this.positions.reseed(ctx, args);
            return this.list(ctx, args.pipelineId);
        });
    }

    /** Hides the values from users who may not read records, because they are values of a row. */
    private async list(ctx: RequestContext, pipelineId: ID): Promise<readonly SavedPosition[]> {
        const positions = await this.positions.list(ctx, pipelineId);
        if (mayReadRecords(ctx)) return positions;
        return positions.map(position => ({ ...position, trackingValue: null, primaryKey: null }));
    }
}
