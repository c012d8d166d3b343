import {
    AccountRegistrationEvent,
    AssetEvent,
    ChannelEvent,
    CollectionEvent,
    CollectionModificationEvent,
    CouponCodeEvent,
    CustomerAddressEvent,
    CustomerEvent,
    CustomerGroupEvent,
    FacetEvent,
    FacetValueEvent,
    FulfillmentStateTransitionEvent,
    type ID,
    Order,
    OrderEvent,
    OrderPlacedEvent,
    OrderStateTransitionEvent,
    PaymentMethodEvent,
    PaymentStateTransitionEvent,
    ProductChannelEvent,
    ProductEvent,
    type ProductVariant,
    ProductVariantChannelEvent,
    ProductVariantEvent,
    ProductVariantPrice,
    ProductVariantPriceEvent,
    PromotionEvent,
    RefundStateTransitionEvent,
    ShippingMethodEvent,
    type StockMovement,
    StockMovementEvent,
    TaxRateEvent,
    type VendureEvent,
} from '@vendure/core';
import { type EntityManager, In } from 'typeorm';
import type { PlatformEventName } from '../../core/triggers/event';
import type { EventScope, EventSource, SeedFields } from './event-source';

/** The `__operation` of a record, by what Vendure calls it. */
const OPERATIONS = { created: 'CREATE', updated: 'UPDATE', deleted: 'DELETE' } as const;

interface EntityEvent<E> extends VendureEvent {
    readonly entity: E;
    readonly type: keyof typeof OPERATIONS;
}

/** An entity was made, changed or deleted. */
function ofEntity<E extends { readonly id: ID }>(more: (entity: E) => SeedFields = () => ({})) {
    return ({ entity, type }: EntityEvent<E>): SeedFields => ({
        id: entity.id,
        __operation: OPERATIONS[type],
        ...more(entity),
    });
}

/** An assignment to a channel, or a removal: in that channel the entity is created or deleted; in another one it is updated. */
function ofAssignment(
    { channelId, type }: ProductChannelEvent | ProductVariantChannelEvent,
    at: EventScope,
): SeedFields {
    const isHere = String(channelId) === String(at.channelId);
    const here = type === 'assigned' ? 'CREATE' : 'DELETE';
    return { __operation: isHere ? here : 'UPDATE', assignedChannelId: channelId, assignment: type };
}

const ofVariant = ({ id, productId }: ProductVariant): SeedFields => ({ id, productVariantId: id, productId });

export const ofMovement = (movement: StockMovement): SeedFields => ({
    id: movement.id,
    // A movement is never changed afterwards.
    __operation: 'CREATE',
    productVariantId: movement.productVariant?.id,
    stockLocationId: movement.stockLocationId ?? movement.stockLocation?.id,
    movementType: movement.type,
});

/** Vendure mostly says of which price it is, but not of which variant. */
async function ofPrices(
    { entity, type }: ProductVariantPriceEvent,
    { shop }: EventScope,
): Promise<readonly SeedFields[]> {
    const unknown = entity.filter(({ variant, id }) => variant === undefined && id !== undefined);
    const read =
        type === 'deleted'
            ? []
            : await pricesWithVariants(
                  shop,
                  unknown.map(({ id }) => id),
              );
    const variantOf = new Map(read.map(price => [price.id, price.variant?.id]));
    return entity.map(({ id, variant, currencyCode }) => ({
        id,
        __operation: OPERATIONS[type],
        productVariantId: variant?.id ?? variantOf.get(id),
        currencyCode,
    }));
}

export async function pricesWithVariants(shop: EntityManager, ids: readonly ID[]): Promise<ProductVariantPrice[]> {
    if (ids.length === 0) return [];
    return shop.getRepository(ProductVariantPrice).find({
        where: { id: In([...ids]) },
        relations: { variant: true },
        loadEagerRelations: false,
    });
}

/** One parcel may belong to several orders. */
async function ofFulfillment(
    { fulfillment: { id }, fromState, toState }: FulfillmentStateTransitionEvent,
    { shop }: EventScope,
): Promise<SeedFields> {
    const orders = await shop.getRepository(Order).find({
        where: { fulfillments: { id } },
        select: { id: true },
        order: { id: 'ASC' },
        loadEagerRelations: false,
    });
    const orderIds = orders.map(order => order.id);
    return { id, ...(orderIds.length === 1 && { orderId: orderIds[0] }), orderIds, fromState, toState };
}

const ofOrder = ({ order, fromState, toState }: OrderPlacedEvent | OrderStateTransitionEvent): SeedFields => ({
    id: order.id,
    orderId: order.id,
    fromState,
    toState,
});

/** Says of which class the events of a source are. */
function source<E extends VendureEvent>(given: EventSource<E>): EventSource {
    return given;
}

/** The seed records of each class of platform events. */
export const eventCatalogue: Readonly<Record<PlatformEventName, EventSource>> = {
    ProductEvent: source({ event: ProductEvent, seed: ofEntity(({ id }) => ({ productId: id })) }),
    ProductVariantEvent: source({
        event: ProductVariantEvent,
        seed: ({ entity, type }) => entity.map(variant => ({ ...ofVariant(variant), __operation: OPERATIONS[type] })),
    }),
    ProductVariantPriceEvent: source({ event: ProductVariantPriceEvent, seed: ofPrices }),
    ProductChannelEvent: source({
        event: ProductChannelEvent,
        seed: (event, at) => ({ id: event.product.id, productId: event.product.id, ...ofAssignment(event, at) }),
        concerns: ({ channelId }) => channelId,
    }),
    ProductVariantChannelEvent: source({
        event: ProductVariantChannelEvent,
        seed: (event, at) => ({ ...ofVariant(event.productVariant), ...ofAssignment(event, at) }),
        concerns: ({ channelId }) => channelId,
    }),
    CollectionEvent: source({ event: CollectionEvent, seed: ofEntity() }),
    CollectionModificationEvent: source({
        event: CollectionModificationEvent,
        seed: ({ collection, productVariantIds }) => ({ id: collection.id, productVariantIds }),
    }),
    FacetEvent: source({ event: FacetEvent, seed: ofEntity() }),
    FacetValueEvent: source({
        event: FacetValueEvent,
        seed: ofEntity(({ facetId, facet }) => ({ facetId: facetId ?? facet?.id })),
    }),
    AssetEvent: source({ event: AssetEvent, seed: ofEntity() }),
    StockMovementEvent: source({
        event: StockMovementEvent,
        seed: ({ stockMovements }) => stockMovements.map(ofMovement),
    }),
    OrderEvent: source({ event: OrderEvent, seed: ofEntity(({ id }) => ({ orderId: id })) }),
    OrderPlacedEvent: source({ event: OrderPlacedEvent, seed: ofOrder }),
    OrderStateTransitionEvent: source({ event: OrderStateTransitionEvent, seed: ofOrder }),
    PaymentStateTransitionEvent: source({
        event: PaymentStateTransitionEvent,
        seed: ({ payment, order, fromState, toState }) => ({
            id: payment.id,
            paymentId: payment.id,
            orderId: order.id,
            fromState,
            toState,
        }),
    }),
    RefundStateTransitionEvent: source({
        event: RefundStateTransitionEvent,
        seed: ({ refund, order, fromState, toState }) => ({
            id: refund.id,
            paymentId: refund.paymentId ?? refund.payment?.id,
            orderId: order.id,
            fromState,
            toState,
        }),
    }),
    FulfillmentStateTransitionEvent: source({ event: FulfillmentStateTransitionEvent, seed: ofFulfillment }),
    CustomerEvent: source({ event: CustomerEvent, seed: ofEntity(({ id }) => ({ customerId: id })) }),
    CustomerAddressEvent: source({
        event: CustomerAddressEvent,
        seed: ofEntity(({ customer }) => ({ customerId: customer?.id })),
    }),
    CustomerGroupEvent: source({ event: CustomerGroupEvent, seed: ofEntity() }),
    AccountRegistrationEvent: source({
        event: AccountRegistrationEvent,
        seed: ({ user }) => ({ id: user.id, userId: user.id, __operation: 'CREATE' }),
    }),
    PromotionEvent: source({ event: PromotionEvent, seed: ofEntity() }),
    CouponCodeEvent: source({
        event: CouponCodeEvent,
        seed: ({ orderId, couponCode, type }) => ({ id: orderId, orderId, couponCode, assignment: type }),
    }),
    TaxRateEvent: source({ event: TaxRateEvent, seed: ofEntity() }),
    ShippingMethodEvent: source({ event: ShippingMethodEvent, seed: ofEntity() }),
    PaymentMethodEvent: source({ event: PaymentMethodEvent, seed: ofEntity() }),
    ChannelEvent: source({ event: ChannelEvent, seed: ofEntity() }),
};
