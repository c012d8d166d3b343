import {
    Asset,
    AssetEvent,
    Collection,
    CollectionEvent,
    Address,
    Country,
    CountryEvent,
    Customer,
    CustomerAddressEvent,
    CustomerEvent,
    CustomerGroup,
    CustomerGroupChangeEvent,
    CustomerGroupEvent,
    EventBus,
    Facet,
    FacetEvent,
    FacetValue,
    FacetValueEvent,
    Product,
    ProductChannelEvent,
    ProductEvent,
    ProductOption,
    ProductOptionEvent,
    ProductOptionGroup,
    ProductOptionGroupChangeEvent,
    ProductOptionGroupEvent,
    ProductService,
    ProductVariant,
    ProductVariantChannelEvent,
    ProductVariantEvent,
    ProductVariantPrice,
    ProductVariantPriceEvent,
    ProductVariantService,
    StockLocation,
    StockLocationEvent,
    StockMovement,
    StockMovementEvent,
    type VendureEvent,
} from '@vendure/core';
import { type EntityTarget, type FindOptionsRelations, type FindOptionsWhere, In } from 'typeorm';
import type { VendurePlatform } from '../context';
import type { Id } from '../../database/write';
import { inChunks } from './changed-variants';
import type { ChangedEntity, ChannelChange, EntityChange, GroupChange, Operation, OptionGroupMoves } from './effect';

/** Lists in one event are never longer: DefaultSearchPlugin indexes no more of them. */
const AT_ONCE = 50;
const TYPES = { CREATE: 'created', UPDATE: 'updated', DELETE: 'deleted' } as const satisfies Record<Operation, string>;
type EventType = (typeof TYPES)[Operation];

/** Builds the events of some entities of one kind, which are read again. */
type EventsOf = (ids: readonly Id[], type: EventType, platform: VendurePlatform) => Promise<readonly VendureEvent[]>;

/** Publishes Vendure's own events as its services would have, one by one: side effects EACH. */
export async function publishVendureEvents(changes: readonly EntityChange[], platform: VendurePlatform): Promise<void> {
    const bus = platform.injector.get(EventBus);
    for (const { entity, operation, ids } of changes) {
        for (const part of inChunks(ids, AT_ONCE)) {
            for (const event of await EVENTS[entity](part, TYPES[operation], platform)) await bus.publish(event);
        }
    }
}

/** Publishes Vendure's own event of each group whose members have changed. */
export async function publishGroupChanges(changes: readonly GroupChange[], platform: VendurePlatform): Promise<void> {
    const { ctx, injector } = platform;
    for (const { groupId, customerIds, isJoined } of changes) {
        const [group = new CustomerGroup({ id: groupId })] = await read(platform, CustomerGroup, { ids: [groupId] });
        const customers = await read(platform, Customer, { ids: customerIds });
        const event = new CustomerGroupChangeEvent(ctx, customers, group, isJoined ? 'assigned' : 'removed');
        await injector.get(EventBus).publish(event);
    }
}

/**
 * Publishes the events of ProductService for each product that is added to a channel or removed from it, first those
 * of its variants.
 */
export async function publishChannelChanges(
    changes: ReadonlyArray<Omit<ChannelChange, 'sideEffects'>>,
    platform: VendurePlatform,
): Promise<void> {
    const { ctx, injector } = platform;
    const bus = injector.get(EventBus);
    for (const { channelId, productIds, variantIds, isAssigned } of changes) {
        const type = isAssigned ? 'assigned' : 'removed';
        for (const ids of inChunks(variantIds, AT_ONCE))
            for (const variant of await read(platform, ProductVariant, { ids }))
                await bus.publish(new ProductVariantChannelEvent(ctx, variant, channelId, type));
        for (const ids of inChunks(productIds, AT_ONCE))
            for (const product of await read(platform, Product, { ids }))
                await bus.publish(new ProductChannelEvent(ctx, product, channelId, type));
    }
}

/** Publishes the events of ProductService for each option group that is added to a product, or removed from it. */
export async function publishOptionGroupMoves(
    moves: readonly OptionGroupMoves[],
    platform: VendurePlatform,
): Promise<void> {
    const bus = platform.injector.get(EventBus);
    const relations = { optionGroups: true, variants: { options: true } };
    for (const { pairs, isAssigned } of moves) {
        const type = isAssigned ? 'assigned' : 'removed';
        for (const part of inChunks(pairs, AT_ONCE)) {
            const ids = [...new Set(part.map(([productId]) => productId))];
            const products = new Map((await read(platform, Product, { ids, relations })).map(one => [one.id, one]));
            for (const [productId, groupId] of part) {
                const product = products.get(productId);
                if (product) await bus.publish(new ProductOptionGroupChangeEvent(platform.ctx, product, groupId, type));
            }
        }
    }
}

const EVENTS: Readonly<Record<ChangedEntity, EventsOf>> = {
    Product: async (ids, type, platform) => {
        const { ctx, injector } = platform;
        const products =
            type === 'deleted'
                ? await read(platform, Product, { ids })
                : inOrder(ids, await injector.get(ProductService).findByIds(ctx, [...ids]));
        return products.map(product => new ProductEvent(ctx, product, type));
    },
    ProductVariant: async (ids, type, platform) => {
        const { ctx, injector } = platform;
        const variants =
            type === 'deleted'
                ? await read(platform, ProductVariant, { ids })
                : inOrder(ids, await injector.get(ProductVariantService).findByIds(ctx, [...ids]));
        return variants.length === 0 ? [] : [new ProductVariantEvent(ctx, variants, type)];
    },
    ProductVariantPrice: async (ids, type, platform) => {
        const prices = await readOrGone(platform, ProductVariantPrice, { ids, type, relations: { variant: true } });
        return prices.map(price => new ProductVariantPriceEvent(platform.ctx, [price], type));
    },
    ProductOptionGroup: async (ids, type, platform) =>
        (await readOrGone(platform, ProductOptionGroup, { ids, type, relations: { options: true } })).map(
            group => new ProductOptionGroupEvent(platform.ctx, group, type),
        ),
    ProductOption: async (ids, type, platform) =>
        (await readOrGone(platform, ProductOption, { ids, type, relations: { group: true } })).map(
            option => new ProductOptionEvent(platform.ctx, option, type),
        ),
    StockMovement: async (ids, _, platform) => {
        const movements = await read(platform, StockMovement, {
            ids,
            relations: { productVariant: true, stockLocation: true },
        });
        // The repository of the base class answers instances of each movement's own class.
        return movements.map(
            movement =>
                new StockMovementEvent(platform.ctx, [movement as StockMovementEvent['stockMovements'][number]]),
        );
    },
    Facet: async (ids, type, platform) =>
        (await readOrGone(platform, Facet, { ids, type })).map(facet => new FacetEvent(platform.ctx, facet, type)),
    FacetValue: async (ids, type, platform) =>
        (await readOrGone(platform, FacetValue, { ids, type, relations: { facet: true } })).map(
            value => new FacetValueEvent(platform.ctx, value, type),
        ),
    StockLocation: async (ids, type, platform) =>
        (await readOrGone(platform, StockLocation, { ids, type })).map(
            location => new StockLocationEvent(platform.ctx, location, type),
        ),
    CustomerGroup: async (ids, type, platform) =>
        (await readOrGone(platform, CustomerGroup, { ids, type })).map(
            group => new CustomerGroupEvent(platform.ctx, group, type),
        ),
    Asset: async (ids, type, platform) =>
        (await readOrGone(platform, Asset, { ids, type })).map(asset => new AssetEvent(platform.ctx, asset, type)),
    Collection: async (ids, type, platform) =>
        (await readOrGone(platform, Collection, { ids, type })).map(
            collection => new CollectionEvent(platform.ctx, collection, type),
        ),
    Customer: async (ids, type, platform) =>
        (await read(platform, Customer, { ids, relations: { user: true } })).map(
            customer => new CustomerEvent(platform.ctx, customer, type),
        ),
    Address: async (ids, type, platform) =>
        (await readOrGone(platform, Address, { ids, type, relations: { customer: true, country: true } })).map(
            address => new CustomerAddressEvent(platform.ctx, address, type),
        ),
    Country: async (ids, type, platform) =>
        (await readOrGone(platform, Country, { ids, type })).map(
            country => new CountryEvent(platform.ctx, country, type),
        ),
};

/** Which entities are read, and what with them. */
interface Reading<E> {
    readonly ids: readonly Id[];
    readonly relations?: FindOptionsRelations<E>;
}

/** Entities in the order of their ids; deleted ones too, since Vendure only marks them. */
async function read<E extends { id: Id }>(
    { dataSource }: VendurePlatform,
    entity: EntityTarget<E>,
    { ids, relations = {} }: Reading<E>,
): Promise<E[]> {
    const where = { id: In([...ids]) } as FindOptionsWhere<E>;
    const found = await dataSource.getRepository(entity).find({ where, relations });
    return inOrder(ids, found);
}

/** Entities of a kind that Vendure deletes permanently: of deleted ones, only their ids remain. */
async function readOrGone<E extends { id: Id }>(
    platform: VendurePlatform,
    entity: new (input: { id: Id }) => E,
    { ids, type, relations }: Reading<E> & { readonly type: EventType },
): Promise<E[]> {
    if (type === 'deleted') return ids.map(id => new entity({ id }));
    return read(platform, entity, { ids, ...(relations && { relations }) });
}

/** Restores the order, because a database returns rows in any order. */
function inOrder<E extends { id: Id }>(ids: readonly Id[], entities: readonly E[]): E[] {
    const byId = new Map(entities.map(one => [one.id, one]));
    return ids.flatMap(id => byId.get(id) ?? []);
}
