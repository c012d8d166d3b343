import { UseFilters } from '@nestjs/common';
import { Args, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import {
    Allow,
    Ctx,
    type ID,
    type ListQueryOptions,
    type PaginatedList,
    RequestContext,
    type User,
} from '@vendure/core';
import type { FlowManagedFile } from '../entities/managed-file';
import { Files } from '../files/files';
import { manageFlowFilesPermission, readFlowFilesPermission } from '../permissions';
import { Lookups } from '../runs/lookups';
import { ExpectedErrorsFilter } from './expected-errors.filter';

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

/** What a file shows beside its own columns. */
@Resolver('FlowFile')
export class FileFieldResolver {
    constructor(private readonly lookups: Lookups) {}

    @ResolveField()
    uploadedBy(@Ctx() ctx: RequestContext, @Parent() { uploadedBy }: FlowManagedFile): Promise<User | null> {
        return this.lookups.user(ctx, uploadedBy);
    }
}
