import type { Effect } from '../../core/adapter/loader';
import type { Id } from '../../database/write';

export const SIDE_EFFECTS = ['BATCHED', 'EACH', 'NONE'] as const;
/** How a load publishes its changes. */
export type EffectPublishers = (typeof SIDE_EFFECTS)[number];

export const CHANGED_ENTITIES = [
    'Product',
    'ProductVariant',
    'ProductVariantPrice',
    'ProductOptionGroup',
    'ProductOption',
    'StockMovement',
    'Facet',
    'FacetValue',
    'StockLocation',
    'CustomerGroup',
    'Customer',
    'Address',
    'Country',
    'Collection',
    'Asset',
] as const;
export type ChangedEntity = (typeof CHANGED_ENTITIES)[number];
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** Entities of one kind that a batch changed in one way. Committed with the batch, and published after it. */
export interface EntityChange {
    readonly entity: ChangedEntity;
    readonly operation: Operation;
    readonly ids: readonly Id[];
    readonly sideEffects: EffectPublishers;
    /** The variants that these belong to, if no change of the variants themselves reports them. */
    readonly variantIds?: readonly Id[];
}

export const ENTITIES_CHANGED = 'entities.changed';
/** Variants whose entries in the search index must be rebuilt, although they were not changed themselves. */
const INDEX_STALE = 'index.stale';

/** Collections that may contain other variants because they were changed themselves. */
const COLLECTION_FILTERS_STALE = 'collections.filters';

/** Files of assets that are deleted. */
const ASSET_FILES_TO_REMOVE = 'assets.files';

/** Customers that have joined a group, or left it. */
const GROUP_CHANGED = 'groups.changed';

/** Products that were added to a channel, or removed from it. */
const CHANNEL_CHANGED = 'channels.changed';

/** Products that have got an option group, or lost it. */
const OPTION_GROUPS_MOVED = 'options.moved';

/** The kinds of effects that are published; a load may leave no others. */
export const EFFECT_KINDS: readonly string[] = [
    ENTITIES_CHANGED,
    INDEX_STALE,
    COLLECTION_FILTERS_STALE,
    ASSET_FILES_TO_REMOVE,
    GROUP_CHANGED,
    CHANNEL_CHANGED,
    OPTION_GROUPS_MOVED,
];

/** The maximum number of ids in one effect. */
const STALE_AT_ONCE = 5_000;
const FILES_AT_ONCE = 50;

/** The pending-effect row of a change; nothing for an empty one. */
export function entitiesChanged(change: EntityChange): readonly Effect[] {
    const { entity, operation, ids, sideEffects, variantIds } = change;
    return ids.length === 0
        ? []
        : [
              {
                  kind: ENTITIES_CHANGED,
                  payload: {
                      ...{ entity, operation, ids: [...ids], sideEffects },
                      ...(variantIds && { variantIds: [...variantIds] }),
                  },
              },
          ];
}

/** The effects of a collection whose variants have changed. */
export function collectionChanged(collectionId: Id, variantIds: readonly Id[]): readonly Effect[] {
    return [
        ...entitiesChanged({ entity: 'Collection', operation: 'UPDATE', ids: [collectionId], sideEffects: 'BATCHED' }),
        ...variantsStale(variantIds),
    ];
}

/** The effect that updates the index entries of some variants. */
export function variantsStale(variantIds: readonly Id[]): readonly Effect[] {
    const effects: Effect[] = [];
    for (let from = 0; from < variantIds.length; from += STALE_AT_ONCE)
        effects.push({
            kind: INDEX_STALE,
            payload: { variantIds: variantIds.slice(from, from + STALE_AT_ONCE) },
        });
    return effects;
}

/** What has the filters of some collections applied. */
export function collectionsStale(collectionIds: readonly Id[]): readonly Effect[] {
    return collectionIds.length === 0
        ? []
        : [{ kind: COLLECTION_FILTERS_STALE, payload: { collectionIds: [...collectionIds] } }];
}

/** A customer has joined a group, or left it. */
export interface GroupMove {
    readonly customerId: Id;
    readonly groupId: Id;
    readonly isJoined: boolean;
}

/** Those of one group that a batch has moved in the same direction. */
export interface GroupChange {
    readonly groupId: Id;
    readonly customerIds: readonly Id[];
    readonly isJoined: boolean;
}

/** The effects of moves between groups if changes are published individually; otherwise the customers, or the groups, are published as changed. */
export function groupsChanged(moves: readonly GroupMove[], effectPublishers: EffectPublishers): readonly Effect[] {
    if (effectPublishers !== 'EACH') return [];
    const byGroup = new Map<string, GroupMove[]>();
    for (const move of moves) {
        const key = `${move.groupId} ${move.isJoined}`;
        byGroup.set(key, [...(byGroup.get(key) ?? []), move]);
    }
    return [...byGroup.values()].map(([first, ...others]) => ({
        kind: GROUP_CHANGED,
        payload: {
            groupId: first!.groupId,
            isJoined: first!.isJoined,
            customerIds: [first!, ...others].map(({ customerId }) => customerId),
        },
    }));
}

/** Reads those back. */
export function groupChangesOf(effects: readonly Effect[]): readonly GroupChange[] {
    return effects.flatMap(({ kind, payload }) => (kind === GROUP_CHANGED ? [payload as unknown as GroupChange] : []));
}

/** Products that a batch has added to a channel, or removed from it, with their variants. */
export interface ChannelChange {
    readonly channelId: Id;
    readonly productIds: readonly Id[];
    readonly variantIds: readonly Id[];
    readonly isAssigned: boolean;
    readonly sideEffects: EffectPublishers;
}

/** A new assignment is visible in the change of a product. A removal must also reach the search index if changes are not published individually. */
export function channelsChanged(changes: readonly ChannelChange[]): readonly Effect[] {
    return changes.flatMap(({ productIds, variantIds, ...rest }) => {
        const { sideEffects, isAssigned } = rest;
        const isTold = sideEffects === 'EACH' || (sideEffects === 'BATCHED' && !isAssigned);
        if (!isTold || productIds.length + variantIds.length === 0) return [];
        return [
            { kind: CHANNEL_CHANGED, payload: { ...rest, productIds: [...productIds], variantIds: [...variantIds] } },
        ];
    });
}

/** Reads those back. */
export function channelChangesOf(effects: readonly Effect[]): readonly ChannelChange[] {
    return effects.flatMap(({ kind, payload }) =>
        kind === CHANNEL_CHANGED ? [payload as unknown as ChannelChange] : [],
    );
}

/** Option groups that were added to products, or removed from them. */
export interface OptionGroupMoves {
    readonly pairs: ReadonlyArray<readonly [productId: Id, groupId: Id]>;
    readonly isAssigned: boolean;
}

/** Their effects if changes are published individually; otherwise the products are published as changed. */
export function optionGroupsMoved(
    { pairs, isAssigned }: OptionGroupMoves,
    effectPublishers: EffectPublishers,
): readonly Effect[] {
    if (effectPublishers !== 'EACH' || pairs.length === 0) return [];
    return [{ kind: OPTION_GROUPS_MOVED, payload: { pairs: pairs.map(pair => [...pair]), isAssigned } }];
}

/** Reads those back. */
export function optionGroupMovesOf(effects: readonly Effect[]): readonly OptionGroupMoves[] {
    return effects.flatMap(({ kind, payload }) =>
        kind === OPTION_GROUPS_MOVED ? [payload as unknown as OptionGroupMoves] : [],
    );
}

/** The effects that delete files of removed assets from the storage; a few files each, because a failed effect is repeated. */
export function assetFilesToRemove(files: readonly string[]): readonly Effect[] {
    const effects: Effect[] = [];
    for (let from = 0; from < files.length; from += FILES_AT_ONCE)
        effects.push({ kind: ASSET_FILES_TO_REMOVE, payload: { files: files.slice(from, from + FILES_AT_ONCE) } });
    return effects;
}

/** The files of effects that are about these alone. */
export function filesToRemove(effects: readonly Effect[]): readonly string[] {
    return effects.flatMap(({ kind, payload }) =>
        kind === ASSET_FILES_TO_REMOVE ? (payload as { readonly files: readonly string[] }).files : [],
    );
}

/** The collections of effects that are about their filters alone. */
export function staleCollections(effects: readonly Effect[]): readonly Id[] {
    return effects.flatMap(({ kind, payload }) =>
        kind === COLLECTION_FILTERS_STALE ? (payload as { readonly collectionIds: readonly Id[] }).collectionIds : [],
    );
}

/** The variants of effects that are about the index alone. */
export function staleVariants(effects: readonly Effect[]): readonly Id[] {
    return effects.flatMap(({ kind, payload }) =>
        kind === INDEX_STALE ? (payload as { readonly variantIds: readonly Id[] }).variantIds : [],
    );
}

/** Reads the changes back from the rows that `entitiesChanged` made. */
export function entityChangesOf(effects: readonly Effect[]): readonly EntityChange[] {
    return effects.flatMap(({ kind, payload }) =>
        kind === ENTITIES_CHANGED ? [payload as unknown as EntityChange] : [],
    );
}
