import { Permission } from '@vendure/core';
import { z } from 'zod';
import { defineServiceLoader } from '../../core/adapter/loader';
import { fieldArgument } from '../entities/entity-config';
import { overflowOf } from '../entities/overflow';
import { vendureOf } from '../lookup/vendure';
import { liveOrder } from '../orders/live-examples';
import { openTransitions } from '../orders/live-transition';

const { keys } = liveOrder;

/** Moves orders to another state, through OrderService. */
export const orderTransition = defineServiceLoader({
    code: 'orderTransition',
    title: 'States of orders',
    category: 'Orders',
    summary: 'Takes existing orders to another state, by the order process of the shop.',
    requires: [Permission.UpdateOrder],
    notes: [
        'A record is {code, state, reason, method, trackingCode}; the order is found by its code in the channel of the pipeline. One that is in the state already is unchanged.',
        "A state is one of the shop's order process, and one that the order can reach by a single transition. The order must meet the demands of that process (customer, shipping method, payments, shipments): a rejected transition is a record error and undoes what was written for the record. A dry run does not check these demands, because checking may write.",
        "`Cancelled` cancels the lines of an order that was placed, as in the Admin API, so that their stock is free again; `reason` is then in the order's history. Payments stay: refunds are separate.",
        '`Shipped` and `Delivered` are states that an order has by its fulfilments. What is in no fulfilment yet is put into one by the handler `manual-fulfillment`, with `method` and `trackingCode` of the record, and all fulfilments are taken to that state. With fulfill: false they have to be there already.',
        "OrderService writes each record in a separate transaction, with Vendure's own events, which are published at its commit.",
    ],
    config: z.strictObject({
        cancelShipping: z.boolean().default(true).meta({
            title: 'Cancel shipping',
            description: 'Whether a cancellation takes the cost of shipping off the order, too.',
        }),
        fulfill: z.boolean().default(true).meta({
            title: 'Fulfil',
            description:
                'Whether the states Shipped and Delivered are reached by fulfilments: what is in none yet is put into one, and all of them are taken to that state.',
        }),
        codeField: fieldArgument('code', 'code of the order'),
        stateField: fieldArgument('state', 'state that it goes to'),
        reasonField: fieldArgument('reason', 'reason for which it is cancelled'),
        methodField: fieldArgument('method', 'way in which it is shipped'),
        trackingCodeField: fieldArgument('trackingCode', 'tracking code of the shipment'),
    }),
    fields: ({ codeField, stateField, reasonField, methodField, trackingCodeField }) =>
        new Map(
            ['__operation', codeField, stateField, reasonField, methodField, trackingCodeField].map(name => [
                name,
                undefined,
            ]),
        ),
    examples: [
        {
            given: liveOrder.draft,
            in: [
                { code: 'M-2001', state: 'ArrangingPayment' },
                { code: 'M-2001', state: 'Draft' },
            ],
            keys,
            does: ['update', 'reject'],
            rejects: ['state'],
            after: [{ state: 'ArrangingPayment' }],
        },
        {
            note: 'What is in no fulfilment yet is put into one.',
            given: liveOrder.paid,
            in: [
                { code: 'M-2001', state: 'Shipped', method: 'Parcel', trackingCode: 'P-1' },
                { code: 'M-2001', state: 'PaymentSettled' },
                { code: 'M-2001', state: 'Sent' },
                { code: 'M-2001', state: 'Delivered', reason: 'Lost' },
                { code: 'M-2002', state: 'Delivered' },
            ],
            keys: [...keys, 'M-2002'],
            does: ['update', 'reject', 'reject', 'reject', 'reject'],
            rejects: ['state', 'state', 'reason', 'code'],
            after: [{ state: 'Shipped' }],
        },
        {
            given: liveOrder.paid,
            in: [{ code: 'M-2001', state: 'Cancelled', reason: 'Returned to sender' }],
            keys,
            does: ['update'],
        },
    ],
    open: async (config, cx) =>
        openTransitions(config, { platform: vendureOf(cx), overflow: overflowOf(cx, 'orders') }),
});
