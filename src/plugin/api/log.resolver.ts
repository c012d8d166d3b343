import { UseFilters } from '@nestjs/common';
import { Args, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, type ID, type ListQueryOptions, type PaginatedList, RequestContext } from '@vendure/core';
import type { JsonObject } from '../../core/value/json';
import { REDACTED } from '../../core/errors/redacted-text';
import { FlowDifference } from '../entities/difference';
import type { FlowLog } from '../entities/log';
import { readFlowRunPermission } from '../permissions';
import { redactedLine, type RedactedLine } from '../runs/redacted-lines';
import { type DifferenceListing, Runs } from '../runs/runs';
import { LazyBlobs } from '../responses/lazy-blobs';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { assertMaySearch, mayReadRecords } from './record-values';

const BEFORE = { entity: FlowDifference, property: 'before', as: 'FlowDryRunDifference.before' } as const;
const AFTER = { entity: FlowDifference, property: 'after', as: 'FlowDryRunDifference.after' } as const;

/** Queries for the output of runs: log lines and the differences of dry runs. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class LogResolver {
    constructor(private readonly runs: Runs) {}

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowLogs(
        @Ctx() ctx: RequestContext,
        @Args() args: { options?: ListQueryOptions<FlowLog>; runId?: ID | null },
    ): Promise<PaginatedList<FlowLog>> {
        assertMaySearch(ctx, args.options, 'message');
        return this.runs.logs(ctx, args.options, args.runId);
    }

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowDryRunDifferences(
        @Ctx() ctx: RequestContext,
        @Args() args: DifferenceListing,
    ): Promise<PaginatedList<FlowDifference>> {
        assertMaySearch(ctx, args.options, 'key');
        return this.runs.differences(ctx, args);
    }

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowDryRunDifferenceGroups(
        @Ctx() ctx: RequestContext,
        @Args() { runId }: { readonly runId: ID },
    ): ReturnType<Runs['differenceGroups']> {
        return this.runs.differenceGroups(ctx, runId);
    }
}

/** Hides the values in log lines from users who may not read records. */
@Resolver('FlowLog')
export class LogFieldResolver {
    @ResolveField()
    message(@Ctx() ctx: RequestContext, @Parent() line: FlowLog): string {
        return shown(ctx, line).message;
    }

    @ResolveField()
    facts(@Ctx() ctx: RequestContext, @Parent() line: FlowLog): JsonObject | null {
        return shown(ctx, line).facts;
    }
}

function shown(ctx: RequestContext, line: FlowLog): RedactedLine {
    return mayReadRecords(ctx) ? line : redactedLine(line);
}

/** Hides the values in the differences of a dry run from users who may not read records. */
@Resolver('FlowDryRunDifference')
export class DifferenceFieldResolver {
    constructor(private readonly large: LazyBlobs) {}

    @ResolveField()
    key(@Ctx() ctx: RequestContext, @Parent() { key }: FlowDifference): string {
        return mayReadRecords(ctx) ? key : REDACTED;
    }

    @ResolveField()
    async before(@Ctx() ctx: RequestContext, @Parent() { id }: FlowDifference): Promise<JsonObject | null> {
        return mayReadRecords(ctx) ? withApiErrors(() => this.large.of(ctx, BEFORE, id)) : null;
    }

    @ResolveField()
    async after(@Ctx() ctx: RequestContext, @Parent() { id }: FlowDifference): Promise<JsonObject | null> {
        return mayReadRecords(ctx) ? withApiErrors(() => this.large.of(ctx, AFTER, id)) : null;
    }
}
