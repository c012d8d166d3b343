import {
    AccountRegistrationEvent,
    Address,
    Asset,
    AssetEvent,
    Channel,
    ChannelEvent,
    Collection,
    CollectionEvent,
    CollectionModificationEvent,
    CouponCodeEvent,
    CurrencyCode,
    Customer,
    CustomerAddressEvent,
    CustomerEvent,
    CustomerGroup,
    CustomerGroupEvent,
    Facet,
    FacetEvent,
    FacetValue,
    FacetValueEvent,
    Fulfillment,
    FulfillmentStateTransitionEvent,
    Order,
    OrderEvent,
    OrderPlacedEvent,
    OrderStateTransitionEvent,
    Payment,
    PaymentMethod,
    PaymentMethodEvent,
    PaymentStateTransitionEvent,
    Product,
    ProductChannelEvent,
    ProductEvent,
    ProductVariant,
    ProductVariantChannelEvent,
    ProductVariantEvent,
    ProductVariantPrice,
    ProductVariantPriceEvent,
    Promotion,
    PromotionEvent,
    Refund,
    RefundStateTransitionEvent,
    RequestContext,
    ShippingMethod,
    ShippingMethodEvent,
    StockAdjustment,
    StockLocation,
    StockMovementEvent,
    TaxRate,
    TaxRateEvent,
    User,
    type VendureEvent,
} from '@vendure/core';
import type { EntityManager } from 'typeorm';
import { PLATFORM_EVENTS, type PlatformEventName } from '../../core/triggers/event';
import { CHANGED_ENTITIES } from '../effects/effect';
import { FlowEntitiesChanged } from '../effects/events';
import { eventCatalogue } from './catalogue';
import { classOfChange, seedOfChange } from './changed-entities';
import { contextOf, seedRecords } from './event-source';

const SECRET = 'erika@example.com';
const ctx = new RequestContext({
    apiType: 'admin',
    channel: new Channel({ id: 7 }),
    isAuthorized: true,
    authorizedAsOwnerOnly: false,
});
const querySort = new Order({ id: 12, code: SECRET, customer: new Customer({ emailAddress: SECRET }) });
const variants = [41, 42].map(id => new ProductVariant({ id, productId: 4, sku: SECRET }));
const orderOf = { id: 12, orderId: 12, fromState: 'ArrangingPayment', toState: 'PaymentSettled' };

/** Answers the queries as the shop's tables would. */
function shopWith(rows: ReadonlyMap<unknown, readonly unknown[]> = new Map()) {
    const requested: string[] = [];
    const shop = {
        getRepository: (entity: { name: string }) => ({
            find: () => {
                requested.push(entity.name);
                return Promise.resolve(rows.get(entity) ?? []);
            },
        }),
    } as unknown as EntityManager;
    return { shop, asked: requested };
}

const { shop } = shopWith(
    new Map<unknown, readonly unknown[]>([
        [
            ProductVariantPrice,
            [new ProductVariantPrice({ id: 62, variant: variants[1]!, currencyCode: CurrencyCode.EUR })],
        ],
        [Order, [querySort]],
    ]),
);

/** For each class, an event as Vendure publishes it, and the seed of its run in addition to `event`, `occurredAt` and `channelId`. */
const TOLD: Readonly<Record<PlatformEventName, readonly [VendureEvent, ...object[]]>> = {
    ProductEvent: [
        new ProductEvent(ctx, new Product({ id: 4, name: SECRET }), 'created'),
        { id: 4, productId: 4, __operation: 'CREATE' },
    ],
    ProductVariantEvent: [
        new ProductVariantEvent(ctx, variants, 'updated'),
        { id: 41, productVariantId: 41, productId: 4, __operation: 'UPDATE' },
        { id: 42, productVariantId: 42, productId: 4, __operation: 'UPDATE' },
    ],
    ProductVariantPriceEvent: [
        new ProductVariantPriceEvent(
            ctx,
            [
                new ProductVariantPrice({ id: 61, price: 999, variant: variants[0]!, currencyCode: CurrencyCode.USD }),
                new ProductVariantPrice({ id: 62, price: 999, currencyCode: CurrencyCode.EUR }),
            ],
            'updated',
        ),
        { id: 61, __operation: 'UPDATE', productVariantId: 41, currencyCode: 'USD' },
        { id: 62, __operation: 'UPDATE', productVariantId: 42, currencyCode: 'EUR' },
    ],
    ProductChannelEvent: [
        new ProductChannelEvent(ctx, new Product({ id: 4 }), 9, 'assigned'),
        { id: 4, productId: 4, __operation: 'UPDATE', assignedChannelId: 9, assignment: 'assigned' },
    ],
    ProductVariantChannelEvent: [
        new ProductVariantChannelEvent(ctx, variants[0]!, 7, 'removed'),
        {
            id: 41,
            productVariantId: 41,
            productId: 4,
            __operation: 'DELETE',
            assignedChannelId: 7,
            assignment: 'removed',
        },
    ],
    CollectionEvent: [new CollectionEvent(ctx, new Collection({ id: 5 }), 'deleted'), { id: 5, __operation: 'DELETE' }],
    CollectionModificationEvent: [
        new CollectionModificationEvent(ctx, new Collection({ id: 5 }), [41, 42]),
        { id: 5, productVariantIds: [41, 42] },
    ],
    FacetEvent: [new FacetEvent(ctx, new Facet({ id: 8 }), 'created'), { id: 8, __operation: 'CREATE' }],
    FacetValueEvent: [
        new FacetValueEvent(ctx, new FacetValue({ id: 81, facet: new Facet({ id: 8 }) }), 'created'),
        { id: 81, __operation: 'CREATE', facetId: 8 },
    ],
    AssetEvent: [
        new AssetEvent(ctx, new Asset({ id: 3, source: SECRET }), 'deleted'),
        { id: 3, __operation: 'DELETE' },
    ],
    StockMovementEvent: [
        new StockMovementEvent(ctx, [
            new StockAdjustment({
                id: 91,
                quantity: 5,
                productVariant: variants[0]!,
                stockLocation: new StockLocation({ id: 2 }),
            }),
        ]),
        { id: 91, __operation: 'CREATE', productVariantId: 41, stockLocationId: 2, movementType: 'ADJUSTMENT' },
    ],
    OrderEvent: [new OrderEvent(ctx, querySort, 'created'), { id: 12, __operation: 'CREATE', orderId: 12 }],
    OrderPlacedEvent: [new OrderPlacedEvent('ArrangingPayment', 'PaymentSettled', ctx, querySort), orderOf],
    OrderStateTransitionEvent: [
        new OrderStateTransitionEvent('ArrangingPayment', 'PaymentSettled', ctx, querySort),
        orderOf,
    ],
    PaymentStateTransitionEvent: [
        new PaymentStateTransitionEvent(
            'Created',
            'Settled',
            ctx,
            new Payment({ id: 21, transactionId: SECRET, errorMessage: SECRET }),
            querySort,
        ),
        { id: 21, paymentId: 21, orderId: 12, fromState: 'Created', toState: 'Settled' },
    ],
    RefundStateTransitionEvent: [
        new RefundStateTransitionEvent('Pending', 'Settled', ctx, new Refund({ id: 31, paymentId: 21 }), querySort),
        { id: 31, paymentId: 21, orderId: 12, fromState: 'Pending', toState: 'Settled' },
    ],
    FulfillmentStateTransitionEvent: [
        new FulfillmentStateTransitionEvent(
            'Pending',
            'Shipped',
            ctx,
            new Fulfillment({ id: 51, trackingCode: SECRET }),
        ),
        { id: 51, orderId: 12, orderIds: [12], fromState: 'Pending', toState: 'Shipped' },
    ],
    CustomerEvent: [
        new CustomerEvent(ctx, new Customer({ id: 6, emailAddress: SECRET }), 'created', {
            emailAddress: SECRET,
            firstName: 'E',
            lastName: 'M',
        }),
        { id: 6, __operation: 'CREATE', customerId: 6 },
    ],
    CustomerAddressEvent: [
        new CustomerAddressEvent(
            ctx,
            new Address({ id: 65, streetLine1: SECRET, customer: new Customer({ id: 6 }) }),
            'updated',
            { id: 65, streetLine1: SECRET },
        ),
        { id: 65, __operation: 'UPDATE', customerId: 6 },
    ],
    CustomerGroupEvent: [
        new CustomerGroupEvent(ctx, new CustomerGroup({ id: 66 }), 'created'),
        { id: 66, __operation: 'CREATE' },
    ],
    AccountRegistrationEvent: [
        new AccountRegistrationEvent(ctx, new User({ id: 67, identifier: SECRET })),
        { id: 67, userId: 67, __operation: 'CREATE' },
    ],
    PromotionEvent: [new PromotionEvent(ctx, new Promotion({ id: 71 }), 'updated'), { id: 71, __operation: 'UPDATE' }],
    CouponCodeEvent: [
        new CouponCodeEvent(ctx, 'TEN', 12, 'assigned'),
        { id: 12, orderId: 12, couponCode: 'TEN', assignment: 'assigned' },
    ],
    TaxRateEvent: [new TaxRateEvent(ctx, new TaxRate({ id: 72 }), 'updated'), { id: 72, __operation: 'UPDATE' }],
    ShippingMethodEvent: [
        new ShippingMethodEvent(ctx, new ShippingMethod({ id: 73 }), 'created'),
        { id: 73, __operation: 'CREATE' },
    ],
    PaymentMethodEvent: [
        new PaymentMethodEvent(ctx, new PaymentMethod({ id: 74 }), 'deleted'),
        { id: 74, __operation: 'DELETE' },
    ],
    ChannelEvent: [
        new ChannelEvent(ctx, new Channel({ id: 75, token: SECRET }), 'created'),
        { id: 75, __operation: 'CREATE' },
    ],
};

async function recordsOf(name: PlatformEventName, channelId = ctx.channelId) {
    const [event] = TOLD[name];
    const told = await eventCatalogue[name].seed(event, { channelId, shop });
    return seedRecords({ event: name, occurredAt: event.createdAt, channelId }, told);
}

describe('the records of an event', () => {
    it.each(PLATFORM_EVENTS)('%s: identifiers and states, and nothing else of the entity', async name => {
        const [event, ...told] = TOLD[name];
        const occurredAt = event.createdAt.toISOString();
        expect(event.constructor).toBe(eventCatalogue[name].event);
        expect(eventCatalogue[name].event.name).toBe(name);
        const records = await recordsOf(name);
        expect(records).toEqual(told.map(fields => ({ event: name, occurredAt, channelId: 7, ...fields })));
        expect(JSON.stringify(records)).not.toContain(SECRET);
    });

    it('create or delete in the channel that something was assigned to, and update in another one', async () => {
        const operationsIn = async (channelId: number) =>
            (await recordsOf('ProductChannelEvent', channelId)).map(record => record['__operation']);
        expect(await operationsIn(9)).toEqual(['CREATE']);
        expect(await operationsIn(7)).toEqual(['UPDATE']);
        expect(eventCatalogue.ProductChannelEvent.concerns?.(TOLD.ProductChannelEvent[0])).toBe(9);
    });

    it('read nothing from the shop if the event has all facts', async () => {
        const { shop: watched, asked: requested } = shopWith();
        const at = { channelId: 7, shop: watched };
        const deleted = new ProductVariantPriceEvent(ctx, [new ProductVariantPrice({ id: 1 })], 'deleted');
        await eventCatalogue.ProductVariantPriceEvent.seed(deleted, at);
        await eventCatalogue.OrderPlacedEvent.seed(TOLD.OrderPlacedEvent[0], at);
        expect(requested).toEqual([]);
    });

    it('names several orders of one fulfillment as a list alone', async () => {
        const { shop: both } = shopWith(new Map([[Order, [new Order({ id: 1 }), new Order({ id: 2 })]]]));
        const [event] = TOLD.FulfillmentStateTransitionEvent;
        const told = await eventCatalogue.FulfillmentStateTransitionEvent.seed(event, { channelId: 7, shop: both });
        expect(told).toEqual({ id: 51, orderIds: [1, 2], fromState: 'Pending', toState: 'Shipped' });
    });

    it('cannot be said to be another event by the seed of a class of the shop', () => {
        const occurredAt = new Date(0);
        expect(
            seedRecords({ event: 'Mine', occurredAt, channelId: 7 }, [{ event: 'Other', channelId: 8, n: 1 }]),
        ).toEqual([{ event: 'Mine', occurredAt: '1970-01-01T00:00:00.000Z', channelId: 7, n: 1 }]);
        const happening = { event: 'Mine', occurredAt, channelId: 7 };
        for (const seed of ['text', null, [[1]], { n: 1n }, [undefined]])
            expect(() => seedRecords(happening, seed as never)).toThrow(TypeError);
    });

    it('finds the request of an event as the EventBus does', () => {
        expect(contextOf(TOLD.OrderEvent[0])).toBe(ctx);
        expect(contextOf({ createdAt: new Date() })).toBeUndefined();
    });
});

describe('the records of a batch of a load', () => {
    it('have the class of the platform that fits the entity', () => {
        const classes = CHANGED_ENTITIES.map(entity => [entity, classOfChange({ entity })]);
        expect(Object.fromEntries(classes)).toStrictEqual({
            Product: 'ProductEvent',
            ProductVariant: 'ProductVariantEvent',
            ProductVariantPrice: 'ProductVariantPriceEvent',
            ProductOptionGroup: undefined,
            ProductOption: undefined,
            StockMovement: 'StockMovementEvent',
            Facet: 'FacetEvent',
            FacetValue: 'FacetValueEvent',
            StockLocation: undefined,
            Customer: 'CustomerEvent',
            CustomerGroup: 'CustomerGroupEvent',
            Address: 'CustomerAddressEvent',
            Country: undefined,
            Collection: 'CollectionModificationEvent',
            Asset: 'AssetEvent',
        });
    });

    it.each([
        ['Product', [4], [], [{ id: 4, productId: 4, __operation: 'UPDATE' }]],
        [
            'ProductVariant',
            [42, 43],
            [[ProductVariant, variants]],
            [
                { id: 42, productVariantId: 42, productId: 4, __operation: 'UPDATE' },
                { id: 43, productVariantId: 43, __operation: 'UPDATE' },
            ],
        ],
        [
            'FacetValue',
            [81],
            [[FacetValue, [new FacetValue({ id: 81, facetId: 8 })]]],
            [{ id: 81, facetId: 8, __operation: 'UPDATE' }],
        ],
        ['Collection', [5], [], [{ id: 5 }]],
    ] as const)(
        'says of each %s what its own event would have said, as far as it is there',
        async (entity, ids, rows, told) => {
            const { shop: read } = shopWith(new Map(rows as ReadonlyArray<readonly [unknown, readonly unknown[]]>));
            expect(await seedOfChange(new FlowEntitiesChanged(ctx, entity, 'UPDATE', ids), read)).toEqual(told);
        },
    );
});
