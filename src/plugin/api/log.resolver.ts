import { Args, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, type ID, type ListQueryOptions, type PaginatedList, RequestContext } from '@vendure/core';
import type { JsonObject } from '../../core/data/json';
import type { FlowLog } from '../entities/log';
import type { FlowRecordError } from '../entities/record-error';
import { readFlowRecordPermission, readFlowRunPermission } from '../permissions';
import { Runs } from '../services/runs';

/** Queries for what runs have left behind: log lines and rejected records. */
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
}

/** Hides the content of records from those who may not read it. */
@Resolver('FlowRecordError')
export class RecordErrorFieldResolver {
    @ResolveField()
    payload(@Ctx() ctx: RequestContext, @Parent() error: FlowRecordError): JsonObject | null {
        return ctx.userHasPermissions([readFlowRecordPermission.Permission]) ? error.payload : null;
    }
}
