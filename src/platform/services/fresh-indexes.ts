import type { RequestContext } from '@vendure/core';

interface Cache {
    refresh(ctx: RequestContext): Promise<unknown>;
}

/** Reloads a cache that one of Vendure's services keeps in this process without a public way to refresh it. */
export async function withFreshIndexes(service: object, cache: string, ctx: RequestContext): Promise<void> {
    await (service as Readonly<Record<string, Cache | undefined>>)[cache]?.refresh(ctx);
}
