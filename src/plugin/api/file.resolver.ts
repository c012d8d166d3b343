import { UseFilters } from '@nestjs/common';
import { Args, Info, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import {
    Allow,
    Ctx,
    type ID,
    type ListQueryOptions,
    type PaginatedList,
    RequestContext,
    RequestContextCacheService,
    type User,
} from '@vendure/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { FlowManagedFile } from '../entities/managed-file';
import { Files } from '../files/files';
import { manageFlowFilesPermission, readFlowFilesPermission } from '../permissions';
import { ResourceUsage } from '../references/usage';
import { DataLoaders } from '../runs/data-loaders';
import { PublicIds } from '../../platform/public-ids';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { usersOf } from './users-of';

/** Lists uploaded files. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class FileResolver {
    constructor(private readonly files: Files) {}

    @Query()
    @Allow(readFlowFilesPermission.Permission, manageFlowFilesPermission.Permission)
    flowFiles(
        @Ctx() ctx: RequestContext,
        @Args() args: { options?: ListQueryOptions<FlowManagedFile> },
    ): Promise<PaginatedList<FlowManagedFile>> {
        return this.files.list(ctx, args.options);
    }

    @Query()
    @Allow(readFlowFilesPermission.Permission, manageFlowFilesPermission.Permission)
    flowFile(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<FlowManagedFile | null> {
        return this.files.find(ctx, id);
    }
}

/** The fields of a file that are not columns. */
@Resolver('FlowFile')
export class FileFieldResolver {
    constructor(
        private readonly dataLoaders: DataLoaders,
        private readonly usage: ResourceUsage,
        private readonly cache: RequestContextCacheService,
        private readonly ids: PublicIds,
    ) {}

    @ResolveField()
    usedBy(
        @Ctx() ctx: RequestContext,
        @Parent() { id }: FlowManagedFile,
        @Info() info: GraphQLResolveInfo,
    ): Promise<readonly string[]> {
        return usersOf(ctx, { to: 'file', code: this.ids.encode(id) }, { usage: this.usage, cache: this.cache, info });
    }

    @ResolveField()
    uploadedBy(@Ctx() ctx: RequestContext, @Parent() { uploadedBy }: FlowManagedFile): Promise<User | null> {
        return this.dataLoaders.user(ctx, uploadedBy);
    }

    @ResolveField()
    path(@Parent() { id }: FlowManagedFile): string {
        return `/flow/files/${encodeURIComponent(this.ids.encode(id))}`;
    }
}
