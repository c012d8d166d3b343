import type { Effect } from '../../core/adapter/loader';
import type { Id } from '../../database/write';

export const SIDE_EFFECTS = ['BATCHED', 'EACH', 'NONE'] as const;
/** How a load makes its changes known (spec 4, "side effects of a load step"). */
export type SideEffects = (typeof SIDE_EFFECTS)[number];

export const CHANGED_ENTITIES = [
    'Product',
    'ProductVariant',
    'ProductVariantPrice',
    'StockMovement',
    'Facet',
    'FacetValue',
    'StockLocation',
    'CustomerGroup',
    'Collection',
] as const;
export type ChangedEntity = (typeof CHANGED_ENTITIES)[number];
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** Entities of one kind that a batch changed in one way. Committed with the batch, made known after it (architecture 10a). */
export interface EntityChange {
    readonly entity: ChangedEntity;
    readonly operation: Operation;
    readonly ids: readonly Id[];
    readonly sideEffects: SideEffects;
}

export const ENTITIES_CHANGED = 'entities.changed';
/** Variants whose entries in the search index are to be made anew, although they were not changed themselves. */
export const INDEX_STALE = 'index.stale';

/** The kinds of effects that are made known; a load may leave no others. */
export const EFFECT_KINDS: readonly string[] = [ENTITIES_CHANGED, INDEX_STALE];

/** So many ids are told of by one effect. */
const STALE_AT_ONCE = 5_000;

/** The pending-effect row of a change; nothing for an empty one. */
export function entitiesChanged(change: EntityChange): readonly Effect[] {
    const { entity, operation, ids, sideEffects } = change;
    return ids.length === 0
        ? []
        : [{ kind: ENTITIES_CHANGED, payload: { entity, operation, ids: [...ids], sideEffects } }];
}

/** What is to be made known of a collection that has other variants now. */
export function collectionChanged(collectionId: Id, variantIds: readonly Id[]): readonly Effect[] {
    const effects = [
        ...entitiesChanged({ entity: 'Collection', operation: 'UPDATE', ids: [collectionId], sideEffects: 'BATCHED' }),
    ];
    for (let from = 0; from < variantIds.length; from += STALE_AT_ONCE)
        effects.push({
            kind: INDEX_STALE,
            payload: { variantIds: variantIds.slice(from, from + STALE_AT_ONCE) },
        });
    return effects;
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
