import { type Channel, type ID, idsAreEqual, Order, type RequestContext, TransactionalConnection } from '@vendure/core';
import type { OrderAddress } from '@vendure/common/lib/generated-types';
import type { JsonObject } from '../../core/value/json';
import type { VendurePlatform } from '../context';
import { Columns } from '../entities/columns';
import { ADDRESS_FIELDS } from './order-address';

/** An order that is there, or that a dry run has planned; then it has no id. */
export interface LiveOrder {
    readonly id: ID | undefined;
    readonly customerId: ID | undefined;
    /** As records speak of it, with names in the place of ids. */
    readonly values: Columns;
}

/** Reads orders as records speak of them, through the repositories of Vendure's own transaction. */
export class LiveOrderStore {
    private readonly connection: TransactionalConnection;

    constructor({ injector }: VendurePlatform) {
        this.connection = injector.get(TransactionalConnection);
    }

    /** The order with a code; `isElsewhere` where it is in other channels alone. */
    async find(
        ctx: RequestContext,
        code: string,
    ): Promise<{ readonly order: LiveOrder; readonly isElsewhere: boolean } | undefined> {
        const orders = await this.connection.getRepository(ctx, Order).find({
            where: { code },
            relations: {
                channels: true,
                customer: true,
                lines: { productVariant: true },
                shippingLines: { shippingMethod: true },
                payments: true,
            },
            order: { lines: { id: 'ASC' }, payments: { id: 'ASC' }, shippingLines: { id: 'ASC' } },
        });
        // What the database takes for the same code is another order.
        const order = orders.find(one => one.code === code);
        if (!order) return undefined;
        return {
            order: { id: order.id, customerId: order.customer?.id, values: new Columns(valuesOf(order)) },
            isElsewhere: !order.channels.some(({ id }: Channel) => idsAreEqual(id, ctx.channelId)),
        };
    }
}

function valuesOf(order: Order): JsonObject {
    const method = order.shippingLines[0]?.shippingMethod?.code;
    const skus = order.lines.flatMap(({ productVariant: { sku }, quantity }) => (quantity > 0 ? [sku] : []));
    return {
        code: order.code,
        state: order.state,
        active: order.active,
        isPlaced: order.orderPlacedAt !== null && order.orderPlacedAt !== undefined,
        currencyCode: order.currencyCode,
        totalWithTax: order.totalWithTax,
        couponCodes: [...order.couponCodes],
        customer: order.customer?.emailAddress ?? null,
        lines: linesOf(order),
        /** What stands on several lines, which differ in something else. */
        split: [...new Set(skus.filter((sku, i) => skus.indexOf(sku) < i))],
        shippingAddress: addressOf(order.shippingAddress),
        billingAddress: addressOf(order.billingAddress),
        shippingLines: method === undefined ? [] : [{ method }],
        payments: order.payments.flatMap(({ method, amount, state }) =>
            state === 'Settled' || state === 'Authorized' ? [{ method, amount }] : [],
        ),
    };
}

/** How many of each variant an order has: one line a variant, as people ask for it. */
function linesOf({ lines }: Order): JsonObject[] {
    const quantities = new Map<string, number>();
    for (const { productVariant, quantity } of lines)
        quantities.set(productVariant.sku, (quantities.get(productVariant.sku) ?? 0) + quantity);
    return [...quantities].flatMap(([sku, quantity]) => (quantity > 0 ? [{ sku, quantity }] : []));
}

/** The name of the country follows from its code. */
function addressOf(address: OrderAddress | undefined): JsonObject | null {
    const filled = ADDRESS_FIELDS.flatMap(field => {
        const value = address?.[field];
        return value === undefined || value === null || value === '' || field === 'country'
            ? []
            : [[field, value] as const];
    });
    return filled.length === 0 ? null : Object.fromEntries(filled);
}
