import { UseFilters } from '@nestjs/common';
import { Args, Info, Mutation, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import {
    Allow,
    Ctx,
    type ID,
    type ListQueryOptions,
    type PaginatedList,
    RequestContext,
    RequestContextCacheService,
} from '@vendure/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { JsonObject } from '../../core/value/json';
import type { FlowConnection } from '../entities/connection';
import { flowPipelinePermission, manageFlowConnectionsPermission } from '../permissions';
import type { ConnectionChange, ConnectionInput } from '../connections/connection-input';
import { type ConnectionTest, ConnectionTests } from '../connections/connection-test';
import { Connections } from '../connections/connections';
import { ResourceUsage } from '../references/usage';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { DecodedArgs } from './decoded-args';
import { usersOf } from './users-of';

/** Manages connections. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class ConnectionResolver {
    constructor(
        private readonly connections: Connections,
        private readonly tests: ConnectionTests,
    ) {}

    @Query()
    @Allow(flowPipelinePermission.Read, manageFlowConnectionsPermission.Permission)
    flowConnections(
        @Ctx() ctx: RequestContext,
        @Args() args: { options?: ListQueryOptions<FlowConnection> },
    ): Promise<PaginatedList<FlowConnection>> {
        return this.connections.list(ctx, args.options);
    }

    @Query()
    @Allow(flowPipelinePermission.Read, manageFlowConnectionsPermission.Permission)
    async flowConnection(
        @Ctx() ctx: RequestContext,
        @Args() { id, code }: { id?: ID | null; code?: string | null },
    ): Promise<FlowConnection | null> {
        if (id != null) return this.connections.find(ctx, { id, ...(code != null && { code }) });
        return code == null ? null : this.connections.find(ctx, { code });
    }

    @Mutation()
    @Allow(manageFlowConnectionsPermission.Permission)
    createFlowConnection(
        @Ctx() ctx: RequestContext,
        @DecodedArgs() { input }: { input: ConnectionInput },
    ): Promise<FlowConnection> {
        return withApiErrors(() => this.connections.create(ctx, input));
    }

    @Mutation()
    @Allow(manageFlowConnectionsPermission.Permission)
    updateFlowConnection(
        @Ctx() ctx: RequestContext,
        @DecodedArgs() { input: { id, ...change } }: { input: ConnectionChange & { readonly id: ID } },
    ): Promise<FlowConnection> {
        return withApiErrors(() => this.connections.update(ctx, id, change));
    }

    @Mutation()
    @Allow(manageFlowConnectionsPermission.Permission)
    deleteFlowConnection(
        @Ctx() ctx: RequestContext,
        @Args() { id }: { id: ID },
    ): Promise<{ readonly result: 'DELETED' }> {
        return withApiErrors(async () => {
            await this.connections.delete(ctx, id);
            return { result: 'DELETED' };
        });
    }

    @Mutation()
    @Allow(manageFlowConnectionsPermission.Permission)
    testFlowConnection(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<ConnectionTest> {
        return withApiErrors(() => this.tests.test(ctx, id));
    }
}

/** The fields of a connection that are not columns. */
@Resolver('FlowConnection')
export class ConnectionFieldResolver {
    constructor(
        private readonly usage: ResourceUsage,
        private readonly cache: RequestContextCacheService,
    ) {}

    @ResolveField()
    settings(@Ctx() ctx: RequestContext, @Parent() connection: FlowConnection): JsonObject | null {
        return ctx.userHasPermissions([manageFlowConnectionsPermission.Permission]) ? connection.settings : null;
    }

    @ResolveField()
    usedBy(
        @Ctx() ctx: RequestContext,
        @Parent() { code }: FlowConnection,
        @Info() info: GraphQLResolveInfo,
    ): Promise<readonly string[]> {
        return usersOf(ctx, { to: 'connection', code }, { usage: this.usage, cache: this.cache, info });
    }
}
