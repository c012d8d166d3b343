import { FacetValue, type ID, ProductVariant, StockMovement } from '@vendure/core';
import { type EntityManager, type EntityTarget, type FindOptionsRelations, type FindOptionsWhere, In } from 'typeorm';
import type { PlatformEventName } from '../../core/triggers/event';
import { inChunks } from '../effects/changed-variants';
import type { ChangedEntity } from '../effects/effect';
import type { FlowEntitiesChanged } from '../effects/events';
import { ofMovement, pricesWithVariants } from './catalogue';
import type { SeedFields } from './event-source';

/** The number of ids in one statement. */
const AT_ONCE = 1_000;

/**
 * The class of platform events for a change of a load with side effects BATCHED. Loads change what a collection
 * contains.
 */
const CLASSES: Readonly<Partial<Record<ChangedEntity, PlatformEventName>>> = {
    Product: 'ProductEvent',
    ProductVariant: 'ProductVariantEvent',
    ProductVariantPrice: 'ProductVariantPriceEvent',
    StockMovement: 'StockMovementEvent',
    Facet: 'FacetEvent',
    FacetValue: 'FacetValueEvent',
    CustomerGroup: 'CustomerGroupEvent',
    Customer: 'CustomerEvent',
    Address: 'CustomerAddressEvent',
    Collection: 'CollectionModificationEvent',
    Asset: 'AssetEvent',
};

/** The class of events that a batch of changes stands for; undefined where no trigger can name one. */
export function classOfChange({ entity }: Pick<FlowEntitiesChanged, 'entity'>): PlatformEventName | undefined {
    return CLASSES[entity];
}

/** A record for each entity, as its separate event would contain it. */
export async function seedOfChange(
    { entity, operation, ids }: FlowEntitiesChanged,
    shop: EntityManager,
): Promise<readonly SeedFields[]> {
    const facts = new Map<string, SeedFields>();
    for (const part of inChunks(ids, AT_ONCE)) {
        for (const told of (await FACTS[entity]?.(part, shop)) ?? []) facts.set(String(told['id']), told);
    }
    const told = entity === 'Collection' ? {} : { __operation: operation };
    return ids.map(id => ({ id, ...OWN_ID[entity]?.(id), ...facts.get(String(id)), ...told }));
}

const OWN_ID: Readonly<Partial<Record<ChangedEntity, (id: ID) => SeedFields>>> = {
    Product: id => ({ productId: id }),
    ProductVariant: id => ({ productVariantId: id }),
    Customer: id => ({ customerId: id }),
};

/** Reads the further facts of such a record; of deleted entities, only the ids remain. */
const FACTS: Readonly<
    Partial<Record<ChangedEntity, (ids: readonly ID[], shop: EntityManager) => Promise<readonly SeedFields[]>>>
> = {
    ProductVariant: async (ids, shop) =>
        (await read(shop, ProductVariant, { ids })).map(({ id, productId }) => ({ id, productId })),
    ProductVariantPrice: async (ids, shop) =>
        (await pricesWithVariants(shop, ids)).map(({ id, variant, currencyCode }) => ({
            id,
            productVariantId: variant?.id,
            currencyCode,
        })),
    StockMovement: async (ids, shop) =>
        (await read(shop, StockMovement, { ids, relations: { productVariant: true } })).map(ofMovement),
    FacetValue: async (ids, shop) =>
        (await read(shop, FacetValue, { ids })).map(({ id, facetId }) => ({ id, facetId })),
};

async function read<E extends { id: ID }>(
    shop: EntityManager,
    entity: EntityTarget<E>,
    { ids, relations = {} }: { readonly ids: readonly ID[]; readonly relations?: FindOptionsRelations<E> },
): Promise<E[]> {
    const where = { id: In([...ids]) } as FindOptionsWhere<E>;
    return shop.getRepository(entity).find({ where, relations, loadEagerRelations: false });
}
