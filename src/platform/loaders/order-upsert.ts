import { Permission } from '@vendure/core';
import { z } from 'zod';
import { defineLoader, defineServiceLoader, type LoaderFixture } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { openHistoryOrders } from '../orders/history-orders';
import { liveExamples, liveNotes } from '../orders/live-examples';
import { openLiveOrders } from '../orders/live-orders';
import { orderArguments, orderFields } from '../orders/order-record';
import { mayDelete } from '../lookup/deleting';

const config = z
    .strictObject({
        mode: z.enum(['HISTORY', 'LIVE']).meta({
            title: 'Mode',
            description:
                'HISTORY: orders of another system are written as they were, without stock movements, mails and events. LIVE: orders are made and changed by OrderService, with all of these.',
        }),
        ...orderArguments,
        roundingTolerance: z.int().min(0).max(1_000).default(0).meta({
            title: 'Rounding tolerance',
            description:
                'HISTORY: minor units by which sums that a record says may differ from those that its parts make; a surcharge "Rounding" makes up for it.',
        }),
    })
    .refine(({ mode, roundingTolerance }) => mode === 'HISTORY' || roundingTolerance === 0, {
        path: ['roundingTolerance'],
        message: 'allowed with mode HISTORY alone; elsewhere the shop calculates',
    });

const history = { mode: 'HISTORY' } as const;
const lamp: readonly LoaderFixture[] = [
    { loader: 'productUpsert', records: [{ name: 'Desk lamp', sku: 'LAMP-1', price: 4900 }] },
];
const order: JsonObject = {
    code: 'A-1001',
    state: 'PaymentSettled',
    orderPlacedAt: '2024-03-01T10:00:00.000Z',
    lines: [{ sku: 'LAMP-1', quantity: 2, price: 4900, priceIncludesTax: true, taxRate: 20 }],
    payments: [{ method: 'card', amount: 9800, transactionId: 'T-77' }],
    totalWithTax: 9800,
};
const given: readonly LoaderFixture[] = [...lamp, { loader: 'orderUpsert', config: history, records: [order] }];
const keys = ['Desk lamp', 'LAMP-1', 'A-1001'];

const declared = {
    code: 'orderUpsert',
    title: 'Orders',
    category: 'Orders',
    summary: 'Creates, updates and deletes orders.',
    config,
    requires: [Permission.UpdateOrder, Permission.CreateOrder],
    mayRequire: mayDelete([Permission.DeleteOrder]),
    fields: orderFields,
} as const;

const live = defineServiceLoader({ ...declared, open: openLiveOrders });

/** Creates and updates orders, in the mode HISTORY or LIVE (docs/adr/0021-orders.md). */
export const orderUpsert = defineLoader({
    ...declared,
    notes: [
        'A record is {code, state, orderPlacedAt, currencyCode, customer, couponCodes, lines, discounts, surcharges, shippingLines, shippingAddress, billingAddress, payments, fulfillments, customFields, subTotal, subTotalWithTax, shipping, shippingWithTax, total, totalWithTax}.',
        'A line is {sku, quantity, orderPlacedQuantity, price, priceIncludesTax, taxRate or taxLines, discounts}; a surcharge {description, sku, price …}, a shipping line {method, price …, discounts}; taxLines are [{description, taxRate}], a tax rate is a percentage. Without priceIncludesTax the channel says it. `price` is that of one unit, money in whole minor units (1999 = 19.99).',
        'A discount is {amount, description, couponCode}: the amount is 0 or less, of the whole line as it was ordered, with or without tax as its price. Those of the whole order are distributed over its lines as Vendure does it.',
        'A payment is {method, amount, state, transactionId, errorMessage, metadata, refunds}, settled unless it says otherwise, a refund {total, state, reason, transactionId}, a fulfilment {method, state, trackingCode, lines: [{sku, quantity}]}, delivered, and of all that was not cancelled, unless it says otherwise.',
        'HISTORY: a new order needs state, orderPlacedAt and a line or a surcharge. States are those of the shop in which an order is placed, so none of a cart. The order moves no stock, and no mail, job or event leaves; side effects of payments and fulfilments neither.',
        'HISTORY: the sums of an order are made of its parts by the shop itself. Where a record says them, they must be the same, or differ by no more than `roundingTolerance`: then a surcharge "Rounding" without tax makes totalWithTax what the record says.',
        'Variants are found by SKU in the channel, for HISTORY also those that are deleted; customers by their e-mail addresses, shipping methods by their codes. A payment method need not exist. The name of a country comes from its code; for HISTORY, of a country that the shop does not know the address says it in `country`.',
        'HISTORY: of an order that is there, state, date, customer, addresses and custom fields are changed; payments, refunds and fulfilments are added and change their state, and none is taken away. Payments are known by transactionId, or method and amount; fulfilments by what is in them. Lines, surcharges, shipping, coupons and currency stay as they were agreed.',
        'HISTORY: an order that was placed in the shop, or of whose history the shop has written more than notes (a state, a fulfilment, a change), is not changed and not deleted; a record that says what is there is unchanged.',
        'Coupons that are those of promotions of the channel count as used.',
        "The operations CREATE and UPDATE mean UPSERT: whether one may be made or changed is said by the step's strategy. HISTORY: MERGE is as UPSERT.",
        "HISTORY: a record with the operation DELETE deletes the order with all that belongs to it; in both modes it is rejected when the run's user lacks the permission DeleteOrder.",
        ...liveNotes,
    ],
    examples: [
        { config: history, given: lamp, in: [order], keys, does: ['create'] },
        {
            note: 'Most of what an order may have; the sums are those that its parts make.',
            config: history,
            given: [
                ...lamp,
                {
                    loader: 'customerUpsert',
                    records: [{ emailAddress: 'anna@example.com', firstName: 'Anna', lastName: 'Lund' }],
                },
            ],
            in: [
                {
                    ...order,
                    state: 'PartiallyShipped',
                    customer: 'anna@example.com',
                    currencyCode: 'EUR',
                    lines: [
                        {
                            sku: 'LAMP-1',
                            quantity: 2,
                            orderPlacedQuantity: 3,
                            price: 4900,
                            priceIncludesTax: true,
                            taxLines: [{ description: 'VAT', taxRate: 19 }],
                            discounts: [{ amount: -600, description: 'Three for less' }],
                        },
                    ],
                    discounts: [{ amount: -940, description: 'Spring', couponCode: 'SPRING' }],
                    surcharges: [{ description: 'Wrapping', price: 300, priceIncludesTax: true, taxRate: 19 }],
                    shippingAddress: {
                        fullName: 'Anna Lund',
                        streetLine1: 'Quay 1',
                        postalCode: '20457',
                        city: 'Hamburg',
                        country: 'Germany',
                        countryCode: 'DE',
                    },
                    payments: [{ method: 'card', amount: 13460, refunds: [{ total: 4387, reason: 'One was broken' }] }],
                    fulfillments: [
                        {
                            method: 'Parcel',
                            state: 'Shipped',
                            trackingCode: 'P-1',
                            lines: [{ sku: 'LAMP-1', quantity: 1 }],
                        },
                    ],
                    totalWithTax: 9073,
                },
            ],
            keys: [...keys, 'anna@example.com'],
            does: ['create'],
        },
        {
            note: 'What was paid and sent since is added, and the state follows. What the order was placed with stays as it is.',
            config: history,
            given,
            in: [
                {
                    code: 'A-1001',
                    state: 'Delivered',
                    payments: [{ method: 'card', amount: 9800, transactionId: 'T-77', state: 'Settled' }],
                    fulfillments: [{ method: 'Parcel', trackingCode: 'P-1' }],
                },
                order,
            ],
            keys: [...keys],
            does: ['update', 'update'],
            again: ['update', 'update'],
        },
        {
            config: history,
            given,
            in: [{ code: 'A-1001', __operation: 'DELETE' }],
            keys,
            does: ['delete'],
        },
        {
            config: history,
            given,
            in: [
                { ...order, lines: [{ sku: 'LAMP-1', quantity: 3, price: 4900, priceIncludesTax: true, taxRate: 20 }] },
                { ...order, totalWithTax: 9900 },
                { ...order, state: 'AddingItems' },
                { ...order, customer: 'nobody@example.com' },
                order,
            ],
            keys,
            does: ['reject', 'reject', 'reject', 'reject', 'unchanged'],
            rejects: ['lines', 'totalWithTax', 'state', 'customer'],
        },
        ...liveExamples,
    ],
    open: openHistoryOrders,
    instead: ({ mode }) => (mode === 'LIVE' ? live : undefined),
});
