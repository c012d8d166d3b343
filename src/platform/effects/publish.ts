import {
    CollectionService,
    ConfigService,
    DefaultSearchPlugin,
    EventBus,
    SearchService,
    type Type,
} from '@vendure/core';
import type { Effect, StatementProgram } from '../../core/adapter/loader';
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
    filesToRemove,
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

/**
 * Up to this number of variants, one publication builds the entries of ended runs only once; beyond it, the publication forgets which were built.
 */
const REMEMBERED_AT_MOST = 200_000;

/**
 * Publishes the committed changes of runs: events, search index. It may run again for effects whose publication is unknown, so everything here can
 * be repeated.
 */
export class EventPublication {
    private readonly indexed = new Set<Id>();

    /** `isOver`: the run has ended. A running one may change again what is already in the index. */
    constructor(
        readonly platform: VendurePlatform,
        private readonly isOver = false,
    ) {}

    /** The published effects are processed once more, because data has changed, or the content of collections. */
    again(): void {
        this.indexed.clear();
    }

    /** The events of some effects that `publishedTogether` has put together. */
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
        await removeAssetFiles(filesToRemove(effects), this.platform);
        const [first, ...others] = batched(changes);
        if (!first) return;
        const { entity, operation } = first;
        const ids = [first, ...others].flatMap(change => change.ids);
        const { ctx, injector } = this.platform;
        await injector.get(EventBus).publish(new FlowEntitiesChanged(ctx, entity, operation, ids));
    }

    /** If a shop does not apply all filters automatically, Vendure's own job applies those of these collections. */
    private async applyFilters(collectionIds: readonly Id[]): Promise<void> {
        if (collectionIds.length === 0 || appliesAllFilters(this.platform)) return;
        const { ctx, injector } = this.platform;
        await injector
            .get(CollectionService)
            .triggerApplyFiltersJob(ctx, { collectionIds: [...collectionIds], applyToChangedVariantsOnly: false });
    }

    /**
     * Updates the search index with effects of loads whose side effects are BATCHED; with EACH, Vendure does so
     * itself.
     */
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

/** Groups what one event publishes: one change, or updates of collections without another change between them. */
export function publishedTogether<E extends Effect>(effects: readonly E[]): ReadonlyArray<readonly E[]> {
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

/** Whether collections may contain other variants because of the effects. */
export function changesCollections(effects: readonly Effect[]): boolean {
    return (
        staleCollections(effects).length > 0 ||
        batched(entityChangesOf(effects)).some(({ entity }) => entity === 'Product' || entity === 'ProductVariant')
    );
}

/**
 * Applies the filters of all collections. `keep` stores the effects of a changed collection, in the transaction that changes it: a second
 * application would find no change.
 */
export async function refreshCollections(
    platform: VendurePlatform,
    keep: (effects: readonly Effect[]) => StatementProgram<void>,
): Promise<void> {
    await applyCollectionFilters(platform, (collectionId, variantIds) =>
        keep(collectionChanged(collectionId, variantIds)),
    );
}

/** Channels from which some products and variants were removed. */
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
    // A search plugin registers with SearchService, which keeps it private.
    const adopted = platform.injector.get(SearchService) as unknown as { readonly override?: unknown };
    return adopted.override === undefined ? undefined : new IndexByEvents(platform);
}
