import type { RequestContext } from '@vendure/core';

interface Cache {
    refresh(ctx: RequestContext): Promise<unknown>;
}

/** Reads anew a cache that one of Vendure's services keeps in this process, and has no public way to refresh. */
export async function refreshed(service: object, cache: string, ctx: RequestContext): Promise<void> {
    await (service as Readonly<Record<string, Cache | undefined>>)[cache]?.refresh(ctx);
}
