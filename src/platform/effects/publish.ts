import {
    CollectionService,
    ConfigService,
    DefaultSearchPlugin,
    EventBus,
    SearchService,
    type Type,
} from '@vendure/core';
import type { Effect, Script } from '../../core/adapter/loader';
import type { Id } from '../../database/write';
import type { VendurePlatform } from '../context';
import { removeAssetFiles } from './asset-files';
import { changedProducts, changedVariants } from './changed-variants';
import { appliesAllFilters, applyCollectionFilters } from './collection-filters';
import { canIndexDirectly, DirectIndex } from './direct-index';
import {
    type ChannelChange,
    channelChangesOf,
    collectionChanged,
    type EntityChange,
    entityChangesOf,
    groupChangesOf,
    leftFiles,
    optionGroupMovesOf,
    staleCollections,
    staleVariants,
} from './effect';
import { FlowEntitiesChanged } from './events';
import { IndexByEvents } from './index-by-events';
import { indexServiceOf, type SearchIndex } from './index-service';
import { QueuedIndex } from './queued-index';
import {
    publishChannelChanges,
    publishGroupChanges,
    publishOptionGroupMoves,
    publishVendureEvents,
} from './vendure-events';

/** Of runs that have ended, the entries of so many variants are not made twice by one publication; of more, it forgets which they were. */
const REMEMBERED_AT_MOST = 200_000;

/**
 * Makes changes of runs known, once they are committed: events, search index. May happen again for effects
 * of which nobody knows whether they were: everything here can be repeated.
 */
export class EffectPublication {
    private readonly indexed = new Set<Id>();

    /** `isOver`: of a run that has ended. One that is at work may change once more what is in the index already. */
    constructor(
        readonly platform: VendurePlatform,
        private readonly isOver = false,
    ) {}

    /** What was made known is gone through once more: somebody has changed more, or what is in collections. */
    again(): void {
        this.indexed.clear();
    }

    /** The events of some effects that `announcedTogether` has put together. */
    async announce(effects: readonly Effect[]): Promise<void> {
        const changes = entityChangesOf(effects);
        await publishVendureEvents(
            changes.filter(({ sideEffects }) => sideEffects === 'EACH'),
            this.platform,
        );
        await publishGroupChanges(groupChangesOf(effects), this.platform);
        const moves = channelChangesOf(effects).filter(({ sideEffects }) => sideEffects === 'EACH');
        await publishChannelChanges(moves, this.platform);
        await publishOptionGroupMoves(optionGroupMovesOf(effects), this.platform);
        await this.applyFilters(staleCollections(effects));
        await removeAssetFiles(leftFiles(effects), this.platform);
        const [first, ...others] = batched(changes);
        if (!first) return;
        const { entity, operation } = first;
        const ids = [first, ...others].flatMap(change => change.ids);
        const { ctx, injector } = this.platform;
        await injector.get(EventBus).publish(new FlowEntitiesChanged(ctx, entity, operation, ids));
    }

    /** Where a shop does not have all filters applied by itself, Vendure's own job applies those of these collections. */
    private async applyFilters(collectionIds: readonly Id[]): Promise<void> {
        if (collectionIds.length === 0 || appliesAllFilters(this.platform)) return;
        const { ctx, injector } = this.platform;
        await injector
            .get(CollectionService)
            .triggerApplyFiltersJob(ctx, { collectionIds: [...collectionIds], applyToChangedVariantsOnly: false });
    }

    /** Brings the search index up to date with effects of loads whose side effects are BATCHED; Vendure does so for EACH by itself. */
    async index(effects: readonly Effect[]): Promise<void> {
        const index = searchIndexOf(this.platform);
        if (!index) return;
        const changes = batched(entityChangesOf(effects)).filter(
            ({ entity }) => entity !== 'StockMovement' || index.showsStock,
        );
        const productIds = changedProducts(changes);
        const found = new Set([...(await changedVariants(changes, this.platform)), ...staleVariants(effects)]);
        const variantIds = [...found].filter(id => !this.indexed.has(id));
        const left = leftChannels(effects);
        if (variantIds.length + productIds.length + left.length === 0) return;
        await index.update({ variantIds, productIds, left });
        if (!this.isOver) return;
        if (this.indexed.size + variantIds.length > REMEMBERED_AT_MOST) this.indexed.clear();
        else for (const id of variantIds) this.indexed.add(id);
    }
}

/** What is made known by one event: one change, or updates of collections with no other change between them. */
export function announcedTogether<E extends Effect>(effects: readonly E[]): ReadonlyArray<readonly E[]> {
    const groups: E[][] = [];
    let collections: E[] | undefined;
    for (const effect of effects) {
        const [change] = entityChangesOf([effect]);
        const isUpdate =
            change?.entity === 'Collection' && change.operation === 'UPDATE' && change.sideEffects === 'BATCHED';
        if (isUpdate && collections) {
            collections.push(effect);
            continue;
        }
        const group = [effect];
        groups.push(group);
        if (change) collections = isUpdate ? group : undefined;
    }
    return groups;
}

/** Whether collections may hold other variants because of them. */
export function changesCollections(effects: readonly Effect[]): boolean {
    return (
        staleCollections(effects).length > 0 ||
        batched(entityChangesOf(effects)).some(({ entity }) => entity === 'Product' || entity === 'ProductVariant')
    );
}

/**
 * Applies the filters of all collections. `keep` stores what is to be made known of one that has changed, in the transaction that changes it:
 * applied again it would be found to be up to date.
 */
export async function bringCollectionsUpToDate(
    platform: VendurePlatform,
    keep: (effects: readonly Effect[]) => Script<void>,
): Promise<void> {
    await applyCollectionFilters(platform, (collectionId, variantIds) =>
        keep(collectionChanged(collectionId, variantIds)),
    );
}

/** Channels of which some products and variants are no part any more. */
function leftChannels(effects: readonly Effect[]): readonly ChannelChange[] {
    return channelChangesOf(effects).filter(({ sideEffects, isAssigned }) => sideEffects === 'BATCHED' && !isAssigned);
}

function batched(changes: readonly EntityChange[]): readonly EntityChange[] {
    return changes.filter(({ sideEffects }) => sideEffects === 'BATCHED');
}

/** The search of the shop; undefined when it has none. */
function searchIndexOf(platform: VendurePlatform): SearchIndex | undefined {
    const plugins = platform.injector
        .get(ConfigService)
        .plugins.map(plugin => ('module' in plugin ? plugin.module : plugin) as Type<unknown>);
    for (const plugin of plugins) {
        const service = indexServiceOf(plugin, platform);
        if (!service) continue;
        const isDefault = plugin === DefaultSearchPlugin;
        return isDefault && canIndexDirectly(platform)
            ? new DirectIndex(service, platform)
            : new QueuedIndex(service, { platform, isDefault });
    }
    // A search plugin makes itself known to SearchService, which keeps it to itself.
    const adopted = platform.injector.get(SearchService) as unknown as { readonly override?: unknown };
    return adopted.override === undefined ? undefined : new IndexByEvents(platform);
}
