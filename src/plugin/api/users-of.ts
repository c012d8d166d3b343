import type { ID, RequestContext, RequestContextCacheService } from '@vendure/core';
import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { ResourceUsage } from '../references/usage';

/** What the resolver of the field `usedBy` needs. */
interface UsageOfField {
    readonly usage: Pick<ResourceUsage, 'users'>;
    readonly cache: RequestContextCacheService;
    readonly info: Pick<GraphQLResolveInfo, 'operation'>;
}

/**
 * The pipelines and connections that use a resource, by its code. A query reads all definitions of the channel once, however many aliases
 * request them. A mutation reads them again for each list, because the mutation before it may have changed something.
 */
export function usersOf(
    ctx: RequestContext,
    { to, code }: { readonly to: 'connection' | 'secret' | 'file'; readonly code: ID },
    { usage, cache, info }: UsageOfField,
): Promise<readonly string[]> {
    const find = (): Promise<ReadonlyMap<string, readonly string[]>> => usage.users(ctx.channelId, to);
    if (info.operation.operation === 'query')
        return cache.get(ctx, `flow-users-of-${to}`, find).then(users => users.get(String(code)) ?? []);
    const load = async (codes: readonly string[]): Promise<ReadonlyArray<readonly string[]>> => {
        const users = await find();
        return codes.map(one => users.get(one) ?? []);
    };
    return cache
        .get(ctx, `flow-users-of-${to}-in-mutation`, () => new DataLoader(load, { cache: false }))
        .load(String(code));
}
