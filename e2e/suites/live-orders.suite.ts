import {
    ChannelService,
    ConfigService,
    CurrencyCode,
    EventBus,
    FacetService,
    LanguageCode,
    Order,
    OrderEvent,
    OrderPlacedEvent,
    OrderService,
    OrderStateTransitionEvent,
    PromotionService,
    ShippingMethodService,
    StockLevel,
} from '@vendure/core';
import gql from 'graphql-tag';
import { type BuiltinCatalogue, createPipelineBuilder, type JsonObject } from '../../src';
import type { Change, Loader } from '../../src/core/adapter/loader';
import { applyCoupon } from '../../src/platform/loaders/apply-coupon';
import { customerUpsert } from '../../src/platform/loaders/customer-upsert';
import { orderTransition } from '../../src/platform/loaders/order-transition';
import { orderUpsert } from '../../src/platform/loaders/order-upsert';
import { productUpsert } from '../../src/platform/loaders/product-upsert';
import { rejectedField } from '../../src/testing/loader-bench';
import { type FlowServer, until } from '../config/flow-server';
import { openLoad, platformOf } from '../config/load-harness';

const address = { fullName: 'Liv Ing', streetLine1: 'Main street 1', city: 'Berlin', postalCode: '10115' };
const draft = (code: string): JsonObject => ({
    code,
    customer: 'live@example.com',
    lines: [{ sku: 'live-mug', quantity: 2 }],
    shippingLines: [{ method: 'live-post' }],
    shippingAddress: { ...address, countryCode: 'DE' },
});
/** Two mugs and the postage, with 20 % tax. */
const paid = (code: string, amount = 3000): JsonObject => ({
    ...draft(code),
    payments: [{ method: 'marketplace', amount, transactionId: `T-${code}` }],
});

/** Creates orders and sends them, from the records of a marketplace. */
export const marketplace = createPipelineBuilder<BuiltinCatalogue>()('live-marketplace')
    .throughput({ batchSize: 2 })
    .trigger('start', { type: 'MANUAL' })
    .extract('read', { adapterCode: 'inMemory', data: [paid('LV-21'), paid('LV-22', 1), paid('LV-23')] })
    .load('make', { adapterCode: 'orderUpsert', mode: 'LIVE' })
    .transform('sent', [
        { op: 'set', args: { path: 'state', value: 'Shipped' } },
        { op: 'template', args: { template: 'P-${code}', target: 'trackingCode' } },
    ])
    .load('send', { adapterCode: 'orderTransition' })
    .build();

const actionsOf = (changes: readonly Change[]): readonly string[] => changes.map(({ action }) => action);
const configOf = ({ code }: Loader): JsonObject => (code === 'orderUpsert' ? { mode: 'LIVE' } : {});

const ORDER = gql`
    query ($code: String!) {
        orders(options: { filter: { code: { eq: $code } } }) {
            items {
                code
                state
                active
                currencyCode
                totalWithTax
                couponCodes
                customer {
                    emailAddress
                }
                shippingAddress {
                    fullName
                    streetLine1
                    city
                    postalCode
                    country
                    countryCode
                }
                shippingLines {
                    priceWithTax
                    shippingMethod {
                        code
                    }
                }
                lines {
                    quantity
                    unitPriceWithTax
                    productVariant {
                        sku
                    }
                }
                payments {
                    method
                    amount
                    state
                    transactionId
                    refunds {
                        total
                    }
                }
                fulfillments {
                    state
                    method
                    trackingCode
                }
            }
        }
    }
`;

/** Live orders: created, changed and transitioned by OrderService. */
export function liveOrders(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    const heard: string[] = [];
    const platform = () => platformOf(shop.app, shop.channelToken);
    const load = async (loader: Loader, records: readonly JsonObject[]) =>
        (await openLoad(loader, configOf(loader), { platform: await platform() }))(records);
    const read = async (code: string) => (await shop.adminClient.query(ORDER, { code })).orders.items[0];
    /** Events arrive a while after the commit: an unexpected event would be found by the next check. */
    const told = async (...events: readonly string[]): Promise<void> => {
        await until(
            async () => heard.length,
            count => count >= events.length,
        );
        expect(heard.splice(0)).toEqual(events);
    };
    /** Ignores events, for tests that check only the state afterwards. */
    const forget = (): void => void heard.splice(0);
    const allocated = async (sku: string): Promise<number> => {
        const levels = await shop.dataSource
            .getRepository(StockLevel)
            .find({ where: { productVariant: { sku } }, relations: { productVariant: true } });
        return levels.reduce((sum, { stockAllocated }) => sum + stockAllocated, 0);
    };

    beforeAll(async () => {
        shop = await open();
        const { ctx } = await platform();
        const { app } = shop;
        await app.get(ChannelService).update(ctx, {
            id: ctx.channelId,
            availableCurrencyCodes: [CurrencyCode.USD, CurrencyCode.EUR],
        });
        await load(productUpsert, [
            { name: 'Live mug', sku: 'live-mug', prices: { USD: 1000, EUR: 900 }, stock: 100 },
            { name: 'Live pot', sku: 'live-pot', price: 3000, stock: 3 },
        ]);
        await load(customerUpsert, [{ emailAddress: 'live@example.com', firstName: 'Liv', lastName: 'Ing' }]);
        const argument = (name: string, value: unknown) => ({ name, value: String(value) });
        for (const code of ['live-post', 'live-freight'])
            await app.get(ShippingMethodService).create(ctx, {
                code,
                fulfillmentHandler: 'manual-fulfillment',
                checker: { code: 'default-shipping-eligibility-checker', arguments: [argument('orderMinimum', 0)] },
                calculator: {
                    code: 'default-shipping-calculator',
                    arguments: [argument('rate', 500), argument('includesTax', 'auto'), argument('taxRate', 20)],
                },
                translations: [{ languageCode: LanguageCode.en, name: 'Post', description: '' }],
            });
        await app.get(PromotionService).createPromotion(ctx, {
            enabled: true,
            couponCode: 'LIVE10',
            conditions: [],
            actions: [{ code: 'order_percentage_discount', arguments: [argument('discount', 10)] }],
            translations: [{ languageCode: LanguageCode.en, name: 'Ten percent' }],
        });
        const bus = app.get(EventBus);
        const hears = (word: string, { code }: Order): void => {
            if (code.startsWith('LV-')) heard.push(`${word} ${code}`);
        };
        bus.ofType(OrderEvent).subscribe(({ type, order }) => hears(type, order));
        bus.ofType(OrderPlacedEvent).subscribe(({ order }) => hears('placed', order));
        bus.ofType(OrderStateTransitionEvent).subscribe(({ order, toState }) => hears(toState, order));
    });

    it('are created and paid as in the shop, and their events are published', async () => {
        expect((await load(orderUpsert, [paid('LV-1')])).verdicts).toEqual(['C']);
        expect(await read('LV-1')).toEqual({
            code: 'LV-1',
            state: 'PaymentSettled',
            active: false,
            currencyCode: 'USD',
            totalWithTax: 3000,
            couponCodes: [],
            customer: { emailAddress: 'live@example.com' },
            shippingAddress: { ...address, countryCode: 'DE', country: 'Germany' },
            shippingLines: [{ priceWithTax: 600, shippingMethod: { code: 'live-post' } }],
            lines: [{ quantity: 2, unitPriceWithTax: 1200, productVariant: { sku: 'live-mug' } }],
            payments: [{ method: 'marketplace', amount: 3000, state: 'Settled', transactionId: 'T-LV-1', refunds: [] }],
            fulfillments: [],
        });
        expect(await allocated('live-mug')).toBe(2);
        const order = await shop.dataSource.getRepository(Order).findOneByOrFail({ code: 'LV-1' });
        expect(order.orderPlacedAt).not.toBeNull();
        await told(...['created', 'Draft', 'ArrangingPayment', 'PaymentSettled', 'placed'].map(word => `${word} LV-1`));
    });

    it('call no service for unchanged orders', async () => {
        const { injector } = await platform();
        const orders = injector.get(OrderService);
        const before = await read('LV-1');
        const spies = (['createDraft', 'addCustomerToOrder', 'modifyOrder', 'transitionToState'] as const).map(name =>
            jest.spyOn(orders, name),
        );
        const records = [paid('LV-1'), { ...paid('LV-1'), state: 'ArrangingPayment' }, { code: 'LV-1' }];
        expect((await load(orderUpsert, records)).verdicts).toEqual(['=', '=', '=']);
        expect((await load(orderTransition, [{ code: 'LV-1', state: 'PaymentSettled' }])).verdicts).toEqual(['=']);
        const none = [{ code: 'LV-1', couponCode: 'LIVE10', __operation: 'DELETE' }];
        expect((await load(applyCoupon, none)).verdicts).toEqual(['=']);
        for (const spy of spies) {
            expect(spy).not.toHaveBeenCalled();
            spy.mockRestore();
        }
        expect(await read('LV-1')).toEqual(before);
    });

    it('leave nothing of a record that is rejected after it was written, not even an event', async () => {
        const { shippingLines: _, ...unsent } = draft('LV-3');
        const records = [paid('LV-2', 2999), { ...unsent, state: 'ArrangingPayment' }];
        const { changes } = await load(orderUpsert, records);
        expect(changes).toMatchObject([
            { action: 'reject', error: { code: 'RECORD_INVALID' } },
            { action: 'reject', error: { code: 'SERVICE_REFUSED' } },
        ]);
        expect(changes.map(rejectedField)).toEqual(['payments.0.amount', undefined]);
        expect([await read('LV-2'), await read('LV-3')]).toEqual([undefined, undefined]);
        expect(await allocated('live-mug')).toBe(2);
        // Neither of them has published an event, or it would come before these.
        await load(orderUpsert, [draft('LV-4')]);
        await told('created LV-4', 'Draft LV-4');
    });

    it('are rejected if the shop could not sell what they contain', async () => {
        const has = (line: JsonObject): JsonObject => ({ code: 'LV-5', lines: [line] });
        const records = [
            has({ sku: 'live-none', quantity: 1 }),
            has({ sku: 'live-pot', quantity: 4 }),
            { ...has({ sku: 'live-pot', quantity: 1 }), currencyCode: 'EUR' },
            { ...has({ sku: 'live-mug', quantity: 1 }), currencyCode: 'GBP' },
            has({ sku: 'live-mug', quantity: 1, price: 5 }),
            { ...draft('LV-5'), customer: 'nobody@example.com' },
            { ...draft('LV-5'), shippingLines: [{ method: 'pigeon' }] },
            { ...draft('LV-5'), shippingAddress: { ...address, countryCode: 'XX' } },
            { ...draft('LV-5'), couponCodes: ['NONE'] },
            { ...draft('LV-5'), state: 'Shipped' },
        ];
        const paths = (await load(orderUpsert, records)).changes.map(rejectedField);
        expect(paths).toEqual([
            'lines.0.sku',
            'lines.0.quantity',
            'lines.0.sku',
            'currencyCode',
            'lines.0.price',
            'customer',
            'shippingLines.0.method',
            'shippingAddress.countryCode',
            'couponCodes.0',
            'state',
        ]);
        expect(await read('LV-5')).toBeUndefined();
    });

    it('change in their present state while they are drafts', async () => {
        const { verdicts: outcomes } = await load(orderUpsert, [
            { code: 'LV-4', lines: [{ sku: 'live-pot', quantity: 1 }], couponCodes: ['live10'] },
            { code: 'LV-4', shippingAddress: null, billingAddress: { ...address, countryCode: 'AT' } },
            { code: 'LV-4', state: 'ArrangingPayment' },
            { code: 'LV-4', lines: [{ sku: 'live-pot', quantity: 2 }] },
        ]);
        expect(outcomes).toEqual(['U', 'U', 'U', 'U']);
        expect(await read('LV-4')).toMatchObject({
            state: 'ArrangingPayment',
            active: true,
            couponCodes: ['LIVE10'],
            totalWithTax: 7080,
            lines: [{ quantity: 2, productVariant: { sku: 'live-pot' } }],
            shippingAddress: { streetLine1: null },
        });
        expect((await load(orderUpsert, [{ code: 'LV-4', __operation: 'DELETE' }])).verdicts).toEqual(['D']);
        expect(await read('LV-4')).toBeUndefined();
        forget();
    });

    it('are modified when they were placed: a lower total is refunded, a higher one is paid', async () => {
        const { verdicts: outcomes } = await load(orderUpsert, [
            paid('LV-6'),
            { code: 'LV-6', lines: [{ sku: 'live-mug', quantity: 1 }] },
            { code: 'LV-6', shippingAddress: { streetLine1: 'Side street 2', countryCode: 'AT' } },
        ]);
        expect(outcomes).toEqual(['C', 'U', 'U']);
        expect(await read('LV-6')).toMatchObject({
            state: 'PaymentSettled',
            totalWithTax: 1800,
            lines: [{ quantity: 1 }],
            payments: [{ amount: 3000, refunds: [{ total: 1200 }] }],
            shippingAddress: { fullName: '', streetLine1: 'Side street 2', country: 'Austria' },
        });
        expect(await allocated('live-mug')).toBe(3);
        const more = { code: 'LV-1', lines: [{ sku: 'live-mug', quantity: 3 }] };
        const wrong = { ...paid('LV-1'), ...more };
        expect((await load(orderUpsert, [wrong])).changes.map(rejectedField)).toEqual(['payments.0.amount']);
        const right = { ...paid('LV-1', 4200), ...more };
        expect((await load(orderUpsert, [right, right])).verdicts).toEqual(['U', '=']);
        expect(await read('LV-1')).toMatchObject({
            state: 'PaymentSettled',
            totalWithTax: 4200,
            payments: [{ amount: 3000 }, { method: 'marketplace', amount: 1200 }],
        });
        forget();
    });

    it('wait for the payment of a higher total, and continue when their record contains it', async () => {
        const more = { code: 'LV-11', lines: [{ sku: 'live-mug', quantity: 3 }] };
        expect((await load(orderUpsert, [paid('LV-11'), more, more])).verdicts).toEqual(['C', 'U', '=']);
        expect(await read('LV-11')).toMatchObject({ state: 'ArrangingAdditionalPayment', totalWithTax: 4200 });
        const [early] = (await load(orderTransition, [{ code: 'LV-11', state: 'Shipped' }])).changes;
        expect(early).toMatchObject({ action: 'reject', error: { code: 'SERVICE_REFUSED' } });
        expect((early as { error: Error }).error.message).toContain('covered by Payments');
        const right = { ...paid('LV-11', 4200), ...more };
        const other = { ...right, lines: [{ sku: 'live-mug', quantity: 4 }] };
        const wrong = { ...paid('LV-11', 4100), ...more };
        const { changes } = await load(orderUpsert, [wrong, other, right, right]);
        expect(changes.map(({ action }) => action)).toEqual(['reject', 'reject', 'update', 'unchanged']);
        expect(changes.map(rejectedField).slice(0, 2)).toEqual(['payments.0.amount', 'code']);
        expect(changes[2]).toMatchObject({
            before: { state: 'ArrangingAdditionalPayment' },
            after: { state: 'PaymentSettled', payments: [{ amount: 3000 }, { amount: 1200 }] },
        });
        expect(await read('LV-11')).toMatchObject({
            state: 'PaymentSettled',
            payments: [{ amount: 3000 }, { method: 'marketplace', amount: 1200, state: 'Settled' }],
        });
        forget();
    });

    it('have custom fields, and so have their lines', async () => {
        const { ctx, injector } = await platform();
        const facet = await injector.get(FacetService).create(ctx, {
            code: 'live-topic',
            isPrivate: false,
            translations: [{ languageCode: LanguageCode.en, name: 'Topic' }],
        });
        const stored = async () => {
            const { customFields, lines } = await shop.dataSource.getRepository(Order).findOneOrFail({
                where: { code: 'LV-30' },
                relations: {
                    customFields: { topics: true } as never,
                    lines: { customFields: { theme: true } as never },
                },
            });
            return [customFields, lines.map(line => line.customFields)];
        };
        const own = { marketId: 'A-1', parcels: 2, topics: [facet.id] };
        const line = { sku: 'live-mug', quantity: 1, customFields: { engraving: 'Liv', theme: facet.id } };
        const order = { ...draft('LV-30'), lines: [line], customFields: own };
        const record = { ...order, payments: [{ method: 'marketplace', amount: 1800 }] };
        const { changes } = await load(orderUpsert, [record, record]);
        expect(actionsOf(changes)).toEqual(['create', 'unchanged']);
        expect(changes[0]).toMatchObject({
            after: { 'customFields.marketId': 'A-1', 'lines.live-mug.customFields': line.customFields },
        });
        expect(await stored()).toMatchObject([
            { marketId: 'A-1', parcels: 2, topics: [{ id: facet.id }] },
            [{ engraving: 'Liv', theme: { id: facet.id } }],
        ]);
        const other: readonly JsonObject[] = [
            { code: 'LV-30', customFields: { marketId: null, topics: [] } },
            { code: 'LV-30', lines: [{ ...line, customFields: { engraving: 'Ing' } }] },
            { code: 'LV-30', lines: [{ ...line, customFields: { theme: null } }] },
            { code: 'LV-30', customFields: { topics: [4711] } },
            { code: 'LV-30', customFields: { none: 1 } },
            { code: 'LV-30', lines: [line, { ...line, customFields: { engraving: 'Twice' } }] },
        ];
        const later = await load(orderUpsert, other);
        expect(actionsOf(later.changes)).toEqual(['update', 'update', 'reject', 'reject', 'reject', 'reject']);
        expect(later.changes.flatMap(change => rejectedField(change) ?? [])).toEqual([
            'lines.0.customFields.theme',
            'customFields.topics',
            'customFields.none',
            'lines.1.customFields',
        ]);
        expect(await stored()).toMatchObject([
            { marketId: null, topics: [] },
            [{ engraving: 'Ing', theme: { id: facet.id } }],
        ]);
        expect(await read('LV-30')).toMatchObject({ state: 'PaymentSettled', totalWithTax: 1800 });
        forget();
    });

    it('have surcharges, which are not removed from placed orders', async () => {
        const wrap = { description: 'Gift wrap', sku: 'WRAP', price: 300, priceIncludesTax: true, taxRate: 20 };
        const handling = { description: 'Handling', price: 100, priceIncludesTax: true };
        const { changes } = await load(orderUpsert, [
            { ...draft('LV-31'), surcharges: [wrap, handling] },
            { code: 'LV-31', surcharges: [handling, wrap] },
            { code: 'LV-31', surcharges: [wrap] },
            { ...paid('LV-31', 3300), surcharges: [wrap] },
            { code: 'LV-31', surcharges: [wrap, { ...handling, price: -100 }] },
            { code: 'LV-31', surcharges: [] },
            paid('LV-34'),
            { ...paid('LV-34', 3300), surcharges: [wrap] },
        ]);
        expect(actionsOf(changes)).toEqual([
            ...['create', 'unchanged', 'update', 'update', 'update', 'reject'],
            ...['create', 'update'],
        ]);
        expect(rejectedField(changes[5]!)).toBe('surcharges');
        expect(await read('LV-31')).toMatchObject({
            state: 'PaymentSettled',
            totalWithTax: 3200,
            payments: [{ amount: 3300, refunds: [{ total: 100 }] }],
        });
        expect(await read('LV-34')).toMatchObject({
            totalWithTax: 3300,
            payments: [{ amount: 3000 }, { amount: 300 }],
        });
        forget();
    });

    it('are paid by several payments, which add up to the total', async () => {
        const payments = [
            { method: 'voucher', amount: 1000, transactionId: 'V-1' },
            { method: 'marketplace', amount: 2000, transactionId: 'T-1' },
        ];
        const { changes } = await load(orderUpsert, [
            { ...draft('LV-32'), payments: payments.map(payment => ({ ...payment, amount: payment.amount - 1 })) },
            { ...draft('LV-32'), payments },
            { ...draft('LV-32'), payments },
            { ...draft('LV-32'), payments: payments.slice(1) },
        ]);
        expect(actionsOf(changes)).toEqual(['reject', 'create', 'unchanged', 'reject']);
        expect(changes.flatMap(change => rejectedField(change) ?? [])).toEqual(['payments', 'payments.0.amount']);
        expect(await read('LV-32')).toMatchObject({
            state: 'PaymentSettled',
            payments: payments.map(payment => ({ ...payment, state: 'Settled', refunds: [] })),
        });
        forget();
    });

    it('use several shipping methods if the shop defines which goods use which', async () => {
        const { injector } = await platform();
        const { shippingOptions } = injector.get(ConfigService);
        const usual = shippingOptions.shippingLineAssignmentStrategy;
        const both = {
            ...draft('LV-33'),
            lines: ['live-mug', 'live-pot'].map(sku => ({ sku, quantity: 1 })),
            shippingLines: [{ method: 'live-post' }, { method: 'live-freight' }],
        };
        // The last one takes all goods.
        const rejected = await load(orderUpsert, [both]);
        expect(rejected.changes.map(rejectedField)).toEqual(['shippingLines']);
        shippingOptions.shippingLineAssignmentStrategy = {
            assignShippingLineToOrderLines: (_, { shippingMethod }, { lines }) =>
                lines.filter(
                    line => (line.productVariant.sku === 'live-pot') === (shippingMethod?.code === 'live-freight'),
                ),
        };
        try {
            expect((await load(orderUpsert, [both, both])).verdicts).toEqual(['C', '=']);
            const { shippingLines } = await read('LV-33');
            expect(
                shippingLines.map((one: { shippingMethod: { code: string } }) => one.shippingMethod.code).sort(),
            ).toEqual(['live-freight', 'live-post']);
        } finally {
            shippingOptions.shippingLineAssignmentStrategy = usual;
        }
        forget();
    });

    it('take coupon codes, and refund the discount when they were placed', async () => {
        await load(orderUpsert, [draft('LV-7'), paid('LV-8')]);
        const give = ['LV-7', 'LV-8'].map(code => ({ code, couponCode: 'live10' }));
        expect((await load(applyCoupon, [...give, ...give])).verdicts).toEqual(['U', 'U', '=', '=']);
        expect(await read('LV-7')).toMatchObject({ state: 'Draft', couponCodes: ['LIVE10'], totalWithTax: 2760 });
        expect(await read('LV-8')).toMatchObject({
            state: 'PaymentSettled',
            couponCodes: ['LIVE10'],
            totalWithTax: 2760,
            payments: [{ amount: 3000, refunds: [{ total: 240 }] }],
        });
        const take = [{ code: 'LV-7', couponCode: 'LIVE10', __operation: 'DELETE' }];
        expect((await load(applyCoupon, take)).verdicts).toEqual(['U']);
        expect(await read('LV-7')).toMatchObject({ couponCodes: [], totalWithTax: 3000 });
        forget();
    });

    it('keep their currency, whatever the currency of the channel', async () => {
        expect((await load(orderUpsert, [{ ...draft('LV-9'), currencyCode: 'EUR' }])).verdicts).toEqual(['C']);
        expect(await read('LV-9')).toMatchObject({ currencyCode: 'EUR', totalWithTax: 2760 });
        expect((await load(applyCoupon, [{ code: 'LV-9', couponCode: 'LIVE10' }])).verdicts).toEqual(['U']);
        expect(await read('LV-9')).toMatchObject({ currencyCode: 'EUR', totalWithTax: 2544 });
        forget();
    });

    it('change their state by the order process, and report what it requires', async () => {
        const shipped = { code: 'LV-6', state: 'Shipped', method: 'Parcel', trackingCode: 'P-6' };
        const { verdicts: outcomes } = await load(orderTransition, [
            shipped,
            shipped,
            { code: 'LV-6', state: 'Delivered' },
            { code: 'LV-1', state: 'Cancelled', reason: 'Lost' },
            { code: 'LV-7', state: 'ArrangingPayment' },
        ]);
        expect(outcomes).toEqual(['U', '=', 'U', 'U', 'U']);
        expect(await read('LV-6')).toMatchObject({
            state: 'Delivered',
            fulfillments: [{ state: 'Delivered', method: 'Parcel', trackingCode: 'P-6' }],
        });
        expect(await read('LV-1')).toMatchObject({ state: 'Cancelled', lines: [{ quantity: 0 }] });
        const { changes } = await load(orderTransition, [
            { code: 'LV-6', state: 'PaymentSettled' },
            { code: 'LV-8', state: 'Sent' },
            { code: 'LV-0', state: 'Cancelled' },
            { code: 'LV-7', state: 'PaymentSettled' },
        ]);
        expect(changes.map(rejectedField)).toEqual(['state', 'state', 'code', undefined]);
        expect(changes[3]).toMatchObject({ action: 'reject', error: { code: 'SERVICE_REFUSED' } });
        expect(await read('LV-7')).toMatchObject({ state: 'ArrangingPayment' });
        forget();
    });

    it('are planned, with the differences, and nothing is written', async () => {
        const count = () => shop.dataSource.getRepository(Order).count();
        const before = await count();
        const dry = await platform();
        const plan = async (loader: Loader, records: readonly JsonObject[]) =>
            (await openLoad(loader, configOf(loader), { platform: dry, mode: 'dryRun' }))(records);
        expect((await plan(orderUpsert, [paid('LV-10'), paid('LV-10')])).verdicts).toEqual(['C', '=']);
        const { changes } = await plan(orderTransition, [{ code: 'LV-10', state: 'Shipped' }]);
        expect(changes).toEqual([
            { action: 'update', key: 'LV-10', before: { state: 'PaymentSettled' }, after: { state: 'Shipped' } },
        ]);
        expect((await plan(applyCoupon, [{ code: 'LV-10', couponCode: 'LIVE10' }])).verdicts).toEqual(['U']);
        expect(await count()).toBe(before);
    });

    it('are created and sent by a run, once, whatever other records are rejected', async () => {
        expect(await shop.perform('live-marketplace')).toMatchObject({
            outcome: 'PARTIAL',
            recordsRejected: 1,
            counters: expect.arrayContaining([
                expect.objectContaining({ stepKey: 'make', created: 2, rejected: 1 }),
                expect.objectContaining({ stepKey: 'send', updated: 2, rejected: 0 }),
            ]) as unknown,
        });
        expect(await read('LV-22')).toBeUndefined();
        expect(await read('LV-23')).toMatchObject({ state: 'Shipped', fulfillments: [{ trackingCode: 'P-LV-23' }] });
        expect(await shop.perform('live-marketplace')).toMatchObject({ recordsLoaded: 0, recordsRejected: 1 });
    });

    it('contain what each of them needs, however many are created at once', async () => {
        await load(productUpsert, [{ name: 'Live jar', sku: 'live-jar', price: 1000, stock: 100 }]);
        const codes = Array.from({ length: 8 }, (_, i) => `AT-ONCE-${i}`);
        const all = await Promise.all(
            codes.map(code => load(orderUpsert, [{ ...paid(code), lines: [{ sku: 'live-jar', quantity: 2 }] }])),
        );
        expect(all.map(({ verdicts: outcomes }) => outcomes)).toEqual(codes.map(() => ['C']));
        expect(await allocated('live-jar')).toBe(2 * codes.length);
    });
}
