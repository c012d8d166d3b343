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
                'HISTORY: imports orders of another system as they were, without stock movements, mails and events. LIVE: OrderService creates and changes orders, with all of these.',
        }),
        ...orderArguments,
        roundingTolerance: z.int().min(0).max(1_000).default(0).meta({
            title: 'Rounding tolerance',
            description:
                'HISTORY: the maximum difference, in the smallest unit, between a total in the record and the total of its parts. A surcharge "Rounding" evens it out.',
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
        "A line is {sku, quantity, orderPlacedQuantity, price, priceIncludesTax, taxRate or taxLines, discounts}; a surcharge is {description, sku, price …}, a shipping line {method, price …, discounts}; taxLines are [{description, taxRate}]; a tax rate is a percentage. Default of priceIncludesTax: the channel's setting. `price` is the price of one unit; money is a whole number in the smallest unit (1999 = 19.99).",
        'A discount is {amount, description, couponCode}: the amount is 0 or less and applies to the whole line as ordered, with or without tax like its price. Discounts of the whole order are distributed over its lines as in Vendure.',
        'A payment is {method, amount, state, transactionId, errorMessage, metadata, refunds} (default state: settled), a refund {total, state, reason, transactionId}, a fulfilment {method, state, trackingCode, lines: [{sku, quantity}]} (default: delivered, with all lines that were not cancelled).',
        'HISTORY: a new order needs state, orderPlacedAt and a line or a surcharge. Its state must be a state of the shop in which an order is placed, not that of a cart. No stock is moved, and no mails, jobs or events are sent; payments and fulfilments have no side effects either.',
        'HISTORY: the shop computes the totals of an order from its parts. Totals in the record must be equal, or differ by at most `roundingTolerance`: then a surcharge "Rounding" without tax adjusts totalWithTax to the record.',
        'Variants are matched by SKU in the channel, for HISTORY also deleted ones; customers by e-mail address, shipping methods by code. A payment method does not have to exist. The name of a country comes from its code; for HISTORY, a country that the shop does not know is named by `country` in the address.',
        'HISTORY: for an existing order, state, date, customer, addresses and custom fields are changed; payments, refunds and fulfilments are added or change their state, but are never removed. Payments are matched by transactionId, or by method and amount; fulfilments by their lines. Lines, surcharges, shipping, coupons and currency are not changed.',
        'HISTORY: an order that was placed in the shop, or whose history in the shop has more than notes (a state, a fulfilment, a change), is neither changed nor deleted. A record that matches it is unchanged.',
        'Coupons of promotions in the channel count as used.',
        'The operations CREATE and UPDATE mean UPSERT: the strategy of the step decides whether entities may be created or updated. HISTORY: MERGE is the same as UPSERT.',
        "HISTORY: a record with the operation DELETE deletes the order with everything that belongs to it. In both modes it is rejected if the run's user lacks the permission DeleteOrder.",
        ...liveNotes,
    ],
    examples: [
        { config: history, given: lamp, in: [order], keys, does: ['create'] },
        {
            note: 'Most fields that an order may have. The totals match its parts.',
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
            note: 'New payments and shipments are added, and the state changes. The rest of the order is not changed.',
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
