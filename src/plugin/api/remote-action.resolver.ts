import { UseFilters } from '@nestjs/common';
import { Args, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Ctx, type ID, type ListQueryOptions, type PaginatedList, RequestContext } from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import { redactedText } from '../../core/errors/redacted-text';
import type { FlowPipeline } from '../entities/pipeline';
import type { FlowRemoteAction } from '../entities/remote-action';
import { readFlowRunPermission, runFlowPipelinePermission } from '../permissions';
import { RemoteActions, shownAction } from '../remote-actions/remote-actions';
import { DataLoaders } from '../runs/data-loaders';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { assertMaySearch, mayReadRecords } from './record-values';

/** Shows pending actions on remote files, and gives them up. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class RemoteActionResolver {
    constructor(private readonly actions: RemoteActions) {}

    @Query()
    @Allow(readFlowRunPermission.Permission)
    flowRemoteActions(
        @Ctx() ctx: RequestContext,
        @Args() args: { options?: ListQueryOptions<FlowRemoteAction>; pipelineId?: ID | null },
    ): Promise<PaginatedList<FlowRemoteAction>> {
        assertMaySearch(ctx, args.options, 'lastError');
        return this.actions.list(ctx, args.options, args.pipelineId);
    }

    @Mutation()
    @Allow(runFlowPipelinePermission.Permission)
    giveUpFlowRemoteAction(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<FlowRemoteAction> {
        return withApiErrors(async () => {
            const given = await this.actions.giveUp(ctx, id);
            if (!given) throw flowError('REMOTE_ACTION_NOT_FOUND', {});
            return given;
        });
    }
}

/** The fields of an action that are not columns. Hides values from users who may not read records. */
@Resolver('FlowRemoteAction')
export class RemoteActionFieldResolver {
    constructor(private readonly dataLoaders: DataLoaders) {}

    @ResolveField()
    pipeline(@Ctx() ctx: RequestContext, @Parent() { pipelineId }: FlowRemoteAction): Promise<FlowPipeline | null> {
        return this.dataLoaders.pipeline(ctx, pipelineId);
    }

    @ResolveField()
    kind(@Parent() action: FlowRemoteAction): string {
        return shownAction(action).kind;
    }

    @ResolveField()
    path(@Parent() action: FlowRemoteAction): string {
        return shownAction(action).path;
    }

    @ResolveField()
    to(@Parent() action: FlowRemoteAction): string | null {
        return shownAction(action).to;
    }

    /** Messages of servers may quote any value. */
    @ResolveField()
    lastError(@Ctx() ctx: RequestContext, @Parent() { lastError }: FlowRemoteAction): string | null {
        return lastError === null || mayReadRecords(ctx) ? lastError : redactedText(lastError);
    }

    @ResolveField()
    nextTryAt(@Parent() { dueAt }: FlowRemoteAction): Date {
        return new Date(dueAt);
    }
}
