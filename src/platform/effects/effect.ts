import type { Effect } from '../../core/adapter/loader';
import { flowError } from '../../core/errors/flow-error';
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

/** The pending-effect row of a change; nothing for an empty one. */
export function entitiesChanged(change: EntityChange): readonly Effect[] {
    const { entity, operation, ids, sideEffects } = change;
    return ids.length === 0
        ? []
        : [{ kind: ENTITIES_CHANGED, payload: { entity, operation, ids: [...ids], sideEffects } }];
}

/** Reads the change back from the row that `entitiesChanged` made. */
export function entityChangeOf({ kind, payload }: Effect): EntityChange {
    if (kind !== ENTITIES_CHANGED)
        throw flowError('BUG', { problem: `nobody makes effects of the kind "${kind}" known` });
    return payload as unknown as EntityChange;
}
