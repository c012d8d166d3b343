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
import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { FlowSecret } from '../entities/secret';
import { flowPipelinePermission, manageFlowSecretsPermission } from '../permissions';
import { mayManageSecrets } from '../secrets/secret-destinations';
import type { EffectiveHost } from '../secrets/secret-hosts';
import type { SecretInput } from '../options/secret-input';
import type { RotationReport } from '../secrets/secret-rotation';
import { type SecretChange, Secrets } from '../secrets/secrets';
import { ResourceUsage } from '../references/usage';
import { withApiErrors } from './api-error';
import { ExpectedErrorsFilter } from './expected-errors.filter';
import { usersOf } from './users-of';

/** Manages secrets. No response contains a value. */
@Resolver()
@UseFilters(ExpectedErrorsFilter)
export class SecretResolver {
    constructor(private readonly secrets: Secrets) {}

    @Query()
    @Allow(flowPipelinePermission.Read, manageFlowSecretsPermission.Permission)
    flowSecrets(
        @Ctx() ctx: RequestContext,
        @Args() args: { options?: ListQueryOptions<FlowSecret> },
    ): Promise<PaginatedList<FlowSecret>> {
        return this.secrets.list(ctx, args.options);
    }

    @Query()
    @Allow(flowPipelinePermission.Read, manageFlowSecretsPermission.Permission)
    async flowSecret(
        @Ctx() ctx: RequestContext,
        @Args() { id, code }: { id?: ID | null; code?: string | null },
    ): Promise<FlowSecret | null> {
        if (id != null) return this.secrets.find(ctx, { id, ...(code != null && { code }) });
        return code == null ? null : this.secrets.find(ctx, { code });
    }

    @Mutation()
    @Allow(manageFlowSecretsPermission.Permission)
    createFlowSecret(@Ctx() ctx: RequestContext, @Args() { input }: { input: SecretInput }): Promise<FlowSecret> {
        return withApiErrors(() => this.secrets.create(ctx, input));
    }

    @Mutation()
    @Allow(manageFlowSecretsPermission.Permission)
    updateFlowSecret(@Ctx() ctx: RequestContext, @Args() { input }: { input: SecretChange }): Promise<FlowSecret> {
        return withApiErrors(() => this.secrets.update(ctx, input));
    }

    @Mutation()
    @Allow(manageFlowSecretsPermission.Permission)
    deleteFlowSecret(@Ctx() ctx: RequestContext, @Args() { id }: { id: ID }): Promise<{ result: 'DELETED' }> {
        return withApiErrors(async () => {
            await this.secrets.delete(ctx, id);
            return { result: 'DELETED' };
        });
    }

    @Mutation()
    @Allow(manageFlowSecretsPermission.Permission)
    rotateFlowSecrets(@Ctx() ctx: RequestContext): Promise<RotationReport> {
        return withApiErrors(() => this.secrets.rotate(ctx));
    }
}

/** The fields of a secret that are not columns. */
@Resolver('FlowSecret')
export class SecretFieldResolver {
    constructor(
        private readonly secrets: Secrets,
        private readonly usage: ResourceUsage,
        private readonly cache: RequestContextCacheService,
    ) {}

    @ResolveField()
    environmentVariable(@Ctx() ctx: RequestContext, @Parent() { provider, value }: FlowSecret): string | null {
        return provider === 'ENV' && mayManageSecrets(ctx) ? value : null;
    }

    @ResolveField()
    allowedHosts(@Parent() { allowedHosts }: FlowSecret): readonly string[] {
        return allowedHosts ?? [];
    }

    @ResolveField()
    effectiveHosts(
        @Ctx() ctx: RequestContext,
        @Parent() { code }: FlowSecret,
    ): Promise<readonly EffectiveHost[]> | null {
        if (!mayManageSecrets(ctx)) return null;
        const load = async (codes: readonly string[]): Promise<ReadonlyArray<readonly EffectiveHost[]>> => {
            const hosts = await this.secrets.hostsOf(ctx, [...new Set(codes)]);
            return codes.map(one => hosts.get(one) ?? []);
        };
        // A mutation before this one may have changed something.
        return this.cache.get(ctx, 'flow-effective-hosts', () => new DataLoader(load, { cache: false })).load(code);
    }

    @ResolveField()
    isReadable(@Ctx() ctx: RequestContext, @Parent() secret: FlowSecret): boolean {
        return this.secrets.problemOf(secret, ctx.channel) === undefined;
    }

    @ResolveField()
    problem(@Ctx() ctx: RequestContext, @Parent() secret: FlowSecret): string | null {
        return mayManageSecrets(ctx) ? (this.secrets.problemOf(secret, ctx.channel) ?? null) : null;
    }

    @ResolveField()
    usedBy(
        @Ctx() ctx: RequestContext,
        @Parent() { code }: FlowSecret,
        @Info() info: GraphQLResolveInfo,
    ): Promise<readonly string[]> {
        return usersOf(ctx, { to: 'secret', code }, { usage: this.usage, cache: this.cache, info });
    }
}
