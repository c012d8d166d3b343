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
    summary: 'Applies coupon codes to existing orders, or removes them.',
    requires: [Permission.UpdateOrder],
    notes: [
        "A record is {code, couponCode}: one coupon code of one order, matched by code in the pipeline's channel. The operation DELETE removes the coupon code. If nothing has to change, the order is unchanged.",
        'A coupon code must belong to an enabled promotion of the channel that has not ended and has not reached its usage limit. Case is ignored.',
        "A cart or a draft is recalculated. A placed order is moved to the state `Modifying`, changed as in the Admin API, and moved back. A lower total is refunded by the handlers of its payments, the largest payment first; for a higher total, a manual payment with the step's `paymentMethod` is added. Without it, the order stays in `ArrangingAdditionalPayment` until it is paid.",
        'A record is rejected if its order is cancelled, delivered, or in another state that cannot change to `Modifying`.',
        "OrderService writes each record in a separate transaction, and Vendure's own events are published at its commit. The payment's handler creates refunds within it: what a provider has done cannot be rolled back.",
    ],
    config: z.strictObject({
        codeField: fieldArgument('code', 'code of the order'),
        couponCodeField: fieldArgument('couponCode', 'coupon code'),
        paymentMethod: z.string().min(1).max(255).optional().meta({
            title: 'Payment method',
            description: 'The method of the manual payment if a placed order costs more than before.',
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
            note: 'For a placed order, the difference is refunded.',
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
