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
    summary: 'Moves existing orders to another state, through the order process of the shop.',
    requires: [Permission.UpdateOrder],
    notes: [
        "A record is {code, state, reason, method, trackingCode}; the order is matched by code in the pipeline's channel. An order that already has the state is unchanged.",
        "The state must belong to the shop's order process, and the order must be able to reach it in one transition. The order must meet the requirements of that process (customer, shipping method, payments, shipments): if the transition is rejected, the record is rejected and its changes are rolled back. A dry run does not check these requirements, because checking may write.",
        "`Cancelled` cancels the lines of a placed order, as in the Admin API, and releases their stock; `reason` is stored in the order's history. Payments stay: refunds are separate.",
        'An order gets the states `Shipped` and `Delivered` through its fulfilments. Lines without a fulfilment get one from the handler `manual-fulfillment`, with `method` and `trackingCode` of the record, and all fulfilments move to that state. With fulfill: false the fulfilments must already exist.',
        "OrderService writes each record in a separate transaction, and Vendure's own events are published at its commit.",
    ],
    config: z.strictObject({
        cancelShipping: z.boolean().default(true).meta({
            title: 'Cancel shipping',
            description: 'Whether a cancellation also cancels the shipping cost.',
        }),
        fulfill: z.boolean().default(true).meta({
            title: 'Fulfil',
            description:
                'Creates fulfilments for the states Shipped and Delivered: lines without a fulfilment get one, and all fulfilments move to that state.',
        }),
        codeField: fieldArgument('code', 'code of the order'),
        stateField: fieldArgument('state', 'target state'),
        reasonField: fieldArgument('reason', 'reason for the cancellation'),
        methodField: fieldArgument('method', 'shipping method of the fulfilment'),
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
            note: 'Lines without a fulfilment get one.',
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
