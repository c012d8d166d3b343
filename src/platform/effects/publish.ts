import { EventBus } from '@vendure/core';
import type { Effect } from '../../core/adapter/loader';
import type { VendurePlatform } from '../context';
import { applyCollectionFilters } from './collection-filters';
import { type EntityChange, entitiesChanged, entityChangeOf } from './effect';
import { FlowEntitiesChanged } from './events';
import { searchIndexOf } from './search-index';
import { changedProducts, changedVariants } from './changed-variants';
import { publishVendureEvents } from './vendure-events';

/**
 * Makes the changes of one run known, once they are committed: events, collections, search index (spec 4, "side effects of a
 * load step"). May happen again for effects of which nobody knows whether they were: everything here can be repeated.
 */
export class RunPublication {
    private readonly batched: EntityChange[] = [];

    constructor(private readonly platform: VendurePlatform) {}

    /** The events of some of the run's effects. */
    async announce(effects: readonly Effect[]): Promise<void> {
        const changes = effects.map(entityChangeOf);
        await publishVendureEvents(
            changes.filter(({ sideEffects }) => sideEffects === 'EACH'),
            this.platform,
        );
        const batched = changes.filter(({ sideEffects }) => sideEffects === 'BATCHED');
        await announce(batched, this.platform);
        for (const change of batched) this.batched.push(change);
    }

    /** Collections and search index, once for all that was announced. Holds the run's ids, nothing else of it. */
    async finish(): Promise<void> {
        if (this.batched.length > 0) await bringUpToDate(this.batched, this.platform);
    }
}

async function announce(changes: readonly EntityChange[], { ctx, injector }: VendurePlatform): Promise<void> {
    const bus = injector.get(EventBus);
    for (const { entity, operation, ids } of changes)
        await bus.publish(new FlowEntitiesChanged(ctx, entity, operation, ids));
}

/** Collections come before the index, since an index entry holds the collections of its variant. */
async function bringUpToDate(changes: readonly EntityChange[], platform: VendurePlatform): Promise<void> {
    const touchesCollections = changes.some(({ entity }) => entity === 'Product' || entity === 'ProductVariant');
    const { collectionIds, variantIds } = touchesCollections
        ? await applyCollectionFilters(platform)
        : { collectionIds: [], variantIds: [] };
    const collections = entitiesChanged({
        entity: 'Collection',
        operation: 'UPDATE',
        ids: collectionIds,
        sideEffects: 'BATCHED',
    });
    await announce(collections.map(entityChangeOf), platform);
    const index = searchIndexOf(platform);
    if (!index) return;
    const inIndex = changes.filter(({ entity }) => entity !== 'StockMovement' || index.showsStock);
    const variants = new Set([...(await changedVariants(inIndex, platform)), ...variantIds]);
    await index.update({ variantIds: [...variants], productIds: changedProducts(inIndex) });
}
