import { Permission } from '@vendure/core';
import { z } from 'zod';
import { defineServiceLoader } from '../../core/adapter/loader';
import { fieldArgument } from '../entities/entity-config';
import { overflowOf } from '../entities/overflow';
import { vendureOf } from '../lookup/vendure';
import { liveOrder } from '../orders/live-examples';
import { openCoupons } from '../orders/live-coupon';

const { keys } = liveOrder;

/** Adds coupon codes to orders, through OrderService. */
export const applyCoupon = defineServiceLoader({
    code: 'applyCoupon',
    title: 'Coupon codes of orders',
    category: 'Orders',
    summary: 'Applies coupon codes to existing orders, and takes them away.',
    requires: [Permission.UpdateOrder],
    notes: [
        'A record is {code, couponCode}, one coupon code of one order, which is found by its code in the channel of the pipeline. With the operation DELETE the coupon code is taken away. One that the order has, or has no more, is unchanged.',
        'A coupon code has to be that of an enabled promotion of the channel that has not ended and was not used too often; capital letters make no difference.',
        "A cart or a draft is priced again as it is. An order that was placed goes to the state `Modifying`, is modified there as in the Admin API, and goes back to its state. What it costs less is refunded by the handlers of its payments, the largest one first; for what it costs more a manual payment of the step's `paymentMethod` is added. Without one it stays in `ArrangingAdditionalPayment` until it is paid.",
        'An order that is cancelled, delivered, or in another state that does not lead to `Modifying`, is a record error.',
        "OrderService writes each record in a separate transaction, with Vendure's own events, which are published at its commit. The payment's handler creates refunds within it: what a provider has done is not undone with a record.",
    ],
    config: z.strictObject({
        codeField: fieldArgument('code', 'code of the order'),
        couponCodeField: fieldArgument('couponCode', 'coupon code'),
        paymentMethod: z.string().min(1).max(255).optional().meta({
            title: 'Payment method',
            description: 'Method of the manual payment for what a placed order costs more than before.',
        }),
    }),
    fields: ({ codeField, couponCodeField }) =>
        new Map(['__operation', codeField, couponCodeField].map(name => [name, undefined])),
    examples: [
        {
            given: liveOrder.draft,
            in: [
                { code: 'M-2001', couponCode: 'WELCOME10' },
                { code: 'M-2001', couponCode: 'welcome10' },
            ],
            keys,
            does: ['update', 'unchanged'],
            after: [{ couponCodes: ['WELCOME10'] }],
        },
        {
            note: 'Of an order that was placed the difference is refunded.',
            given: [...liveOrder.paid],
            in: [
                { code: 'M-2001', couponCode: 'WELCOME10' },
                { code: 'M-2001', couponCode: 'WELCOME99' },
                { code: 'M-2002', couponCode: 'WELCOME10' },
            ],
            keys: [...keys, 'M-2002'],
            does: ['update', 'reject', 'reject'],
            rejects: ['couponCode', 'code'],
        },
        {
            given: [
                ...liveOrder.draft,
                { loader: 'applyCoupon', records: [{ code: 'M-2001', couponCode: 'WELCOME10' }] },
            ],
            in: [{ code: 'M-2001', couponCode: 'WELCOME10', __operation: 'DELETE' }],
            keys,
            does: ['update'],
            after: [{ couponCodes: [] }],
        },
    ],
    open: async (config, cx) => openCoupons(config, { platform: vendureOf(cx), overflow: overflowOf(cx, 'orders') }),
});
