import { UseFilters } from '@nestjs/common';
import { Args, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, type ID, type ListQueryOptions, type PaginatedList, RequestContext } from '@vendure/core';
import { redactedText } from '../../core/errors/redacted-text';
import type { FlowEventTriggerOutbox } from '../entities/event-trigger-outbox';
import type { FlowPipeline } from '../entities/pipeline';
import { readFlowRunPermission } from '../permissions';
import { DataLoaders } from '../runs/data-loaders';
import { Runs } from '../runs/runs';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { assertMaySearch, mayReadRecords } from './record-values';

/** Shows the events of the shop for which no run could be started. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class EventResolver {
    constructor(private readonly runs: Runs) {}

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowGivenUpEvents(
        @Ctx() ctx: RequestContext,
        @Args() args: { options?: ListQueryOptions<FlowEventTriggerOutbox>; pipelineId?: ID | null },
    ): Promise<PaginatedList<FlowEventTriggerOutbox>> {
        assertMaySearch(ctx, args.options, 'lastError');
        return this.runs.givenUpEvents(ctx, args.options, args.pipelineId);
    }
}

/** The fields of such an event that are not columns. Hides values from users who may not read records. */
@Resolver('FlowGivenUpEvent')
export class GivenUpEventFieldResolver {
    constructor(private readonly dataLoaders: DataLoaders) {}

    @ResolveField()
    pipeline(@Ctx() ctx: RequestContext, @Parent() event: FlowEventTriggerOutbox): Promise<FlowPipeline | null> {
        return this.dataLoaders.pipeline(ctx, event.pipelineId);
    }

    @ResolveField()
    lastError(@Ctx() ctx: RequestContext, @Parent() { lastError }: FlowEventTriggerOutbox): string | null {
        return lastError === null || mayReadRecords(ctx) ? lastError : redactedText(lastError);
    }
}
