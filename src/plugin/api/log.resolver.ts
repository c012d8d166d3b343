import { Args, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, type ID, type ListQueryOptions, type PaginatedList, RequestContext } from '@vendure/core';
import type { JsonObject } from '../../core/data/json';
import type { FlowDifference } from '../entities/difference';
import type { FlowLog } from '../entities/log';
import type { FlowRecordError } from '../entities/record-error';
import { readFlowRecordPermission, readFlowRunPermission } from '../permissions';
import { Runs } from '../services/runs';

/** Queries for what runs have left behind: log lines, rejected records, the differences of dry runs. */
@Resolver()
export class LogResolver {
    constructor(private readonly runs: Runs) {}

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowLogs(
        @Ctx() ctx: RequestContext,
        @Args() args: { options?: ListQueryOptions<FlowLog>; runId?: ID | null },
    ): Promise<PaginatedList<FlowLog>> {
        return this.runs.logs(ctx, args.options, args.runId);
    }

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowRecordErrors(
        @Ctx() ctx: RequestContext,
        @Args() args: { options?: ListQueryOptions<FlowRecordError>; runId?: ID | null },
    ): Promise<PaginatedList<FlowRecordError>> {
        return this.runs.recordErrors(ctx, args.options, args.runId);
    }

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowDryRunDifferences(
        @Ctx() ctx: RequestContext,
        @Args() args: { options?: ListQueryOptions<FlowDifference>; runId: ID },
    ): Promise<PaginatedList<FlowDifference>> {
        return this.runs.differences(ctx, args.runId, args.options);
    }
}

/** Hides the values in a dry run's differences from those who may not read records. */
@Resolver('FlowDryRunDifference')
export class DifferenceFieldResolver {
    @ResolveField()
    before(@Ctx() ctx: RequestContext, @Parent() { before }: FlowDifference): JsonObject | null {
        return ctx.userHasPermissions([readFlowRecordPermission.Permission]) ? before : null;
    }

    @ResolveField()
    after(@Ctx() ctx: RequestContext, @Parent() { after }: FlowDifference): JsonObject | null {
        return ctx.userHasPermissions([readFlowRecordPermission.Permission]) ? after : null;
    }
}

/** Hides the content of records from those who may not read it. */
@Resolver('FlowRecordError')
export class RecordErrorFieldResolver {
    @ResolveField()
    payload(@Ctx() ctx: RequestContext, @Parent() error: FlowRecordError): JsonObject | null {
        return ctx.userHasPermissions([readFlowRecordPermission.Permission]) ? error.payload : null;
    }
}
