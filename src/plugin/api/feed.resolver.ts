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
import type { FlowFeed } from '../entities/feed';
import type { FlowManagedFile } from '../entities/managed-file';
import { type CreatedFeed, type FeedInput, Feeds } from '../exports/feeds';
import { manageFlowFeedsPermission } from '../permissions';
import { DataLoaders } from '../runs/data-loaders';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';

/** Creates, lists and revokes the addresses at which exports are served. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class FeedResolver {
    constructor(private readonly feeds: Feeds) {}

    @Query()
    @Allow(manageFlowFeedsPermission.Permission)
    flowFeeds(
        @Ctx() ctx: RequestContext,
        @Args() args: { options?: ListQueryOptions<FlowFeed> },
    ): Promise<PaginatedList<FlowFeed>> {
        return this.feeds.list(ctx, args.options);
    }

    @Query()
    @Allow(manageFlowFeedsPermission.Permission)
    async flowExports(@Ctx() ctx: RequestContext): Promise<ReadonlyArray<{ readonly exportCode: string }>> {
        return (await this.feeds.exportCodes(ctx)).map(exportCode => ({ exportCode }));
    }

    @Mutation()
    @Allow(manageFlowFeedsPermission.Permission)
    createFlowFeed(@Ctx() ctx: RequestContext, @Args() { input }: { input: FeedInput }): Promise<CreatedFeed> {
        return withApiErrors(() => this.feeds.create(ctx, input));
    }

    @Mutation()
    @Allow(manageFlowFeedsPermission.Permission)
    revokeFlowFeed(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<FlowFeed> {
        return withApiErrors(() => this.feeds.revoke(ctx, id));
    }
}

/** The fields of a feed that are not columns. */
@Resolver('FlowFeed')
export class FeedFieldResolver {
    constructor(
        private readonly feeds: Feeds,
        private readonly dataLoaders: DataLoaders,
    ) {}

    @ResolveField()
    createdBy(@Ctx() ctx: RequestContext, @Parent() { createdBy }: FlowFeed): Promise<User | null> {
        return this.dataLoaders.user(ctx, createdBy);
    }

    @ResolveField()
    revokedBy(@Ctx() ctx: RequestContext, @Parent() { revokedBy }: FlowFeed): Promise<User | null> {
        return this.dataLoaders.user(ctx, revokedBy);
    }

    @ResolveField()
    file(@Ctx() ctx: RequestContext, @Parent() { exportCode }: FlowFeed): Promise<FlowManagedFile | null> {
        return this.feeds.newestOf(ctx, exportCode);
    }
}

/** The fields of an export that are not its code. */
@Resolver('FlowExport')
export class ExportFieldResolver {
    constructor(private readonly feeds: Feeds) {}

    @ResolveField()
    file(
        @Ctx() ctx: RequestContext,
        @Parent() { exportCode }: { readonly exportCode: string },
    ): Promise<FlowManagedFile | null> {
        return this.feeds.newestOf(ctx, exportCode);
    }
}
