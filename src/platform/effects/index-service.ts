import type { Product, ProductVariant, RequestContext, Type } from '@vendure/core';
import type { VendurePlatform } from '../context';
import type { Id } from '../../database/write';
import type { ChannelChange } from './effect';

/** The changes of a run that affect the index. */
export interface IndexChanges {
    readonly variantIds: readonly Id[];
    readonly productIds: readonly Id[];
    /** What was removed from a channel; it may have been added again. */
    readonly left: ReadonlyArray<Pick<ChannelChange, 'channelId' | 'productIds' | 'variantIds'>>;
}

/** The shop's search, whichever plugin it is. */
export interface SearchIndex {
    /** Whether an entry contains the availability of its variant. */
    readonly showsStock: boolean;
    /**
     * Makes the entries of these variants, in all their channels and languages, equal to the stored state, or queues
     * that.
     */
    update(changes: IndexChanges): Promise<void>;
}

/**
 * What DefaultSearchPlugin's and ElasticsearchPlugin's own services for the index have in common. Neither is exported; they
 * are found among their plugins' providers by these methods.
 */
export interface IndexService {
    updateProduct(ctx: RequestContext, product: Product): Promise<unknown>;
    updateVariants(ctx: RequestContext, variants: readonly ProductVariant[]): Promise<unknown>;
    deleteVariant(ctx: RequestContext, variants: readonly ProductVariant[]): Promise<unknown>;
    /** Both known services have it; another plugin that has the methods above may not. */
    removeVariantFromChannel?(ctx: RequestContext, variantId: Id, channelId: Id): Promise<unknown>;
}

/** The service of a search plugin that puts jobs into its index's queue; undefined where there is none. */
export function indexServiceOf(plugin: Type<unknown>, { injector }: VendurePlatform): IndexService | undefined {
    const providers = (Reflect.getMetadata('providers', plugin) ?? []) as readonly unknown[];
    const provider = providers.find(isIndexService);
    return provider && injector.get(provider);
}

/**
 * The worker's service has methods with the same names, but they take the data of one job where this service takes a
 * context and entities.
 */
function isIndexService(provider: unknown): provider is Type<IndexService> {
    if (typeof provider !== 'function') return false;
    const methods = provider.prototype as Record<string, unknown>;
    return ['updateProduct', 'updateVariants', 'deleteVariant'].every(name => {
        const method = methods[name];
        return typeof method === 'function' && method.length === 2;
    });
}
