import { Administrator } from '@vendure/core';
import type { Script } from '../../core/adapter/loader';
import { name, select, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { type Id, insertNumbered, type Row } from '../../database/write';
import { addPairs } from '../entities/write-rows';
import type { FulfillmentState, OrderState, PaymentState, RefundState } from './order-state';
import type { OrderTables, Transition } from './stored-orders';

/** Vendure's handler of fulfilments that people make. */
const HANDLER = 'manual-fulfillment';

/** A payment or fulfilment and the order that it belongs to. */
export interface Of<T> {
    readonly order: OrderState;
    readonly orderId: Id;
    readonly one: T;
}

/** Writes what orders are given after they were placed: payments, refunds, fulfilments, and what their history says. */
export class OrderParts {
    constructor(protected readonly tables: OrderTables) {}

    *addPayments(payments: ReadonlyArray<Of<PaymentState>>): Script<void> {
        const ids = yield* this.insert(
            this.tables.payment,
            payments.map(({ order, orderId, one: { id: _id, refunds: _refunds, ...payment } }) => ({
                createdAt: placedAt(order),
                order: orderId,
                ...payment,
            })),
        );
        yield* this.addRefunds(
            payments.flatMap(({ order, one }, i) =>
                one.refunds.map(refund => ({ ...refund, at: placedAt(order), ...paidBy({ ...one, id: ids[i] }) })),
            ),
        );
    }

    *addRefunds(
        refunds: ReadonlyArray<RefundState & { readonly at: string; readonly paymentId: Id; readonly method: string }>,
    ): Script<void> {
        yield* this.insert(
            this.tables.refund,
            refunds.map(({ at, paymentId, method, total, state, reason, transactionId }) => ({
                createdAt: at,
                payment: paymentId,
                method,
                total,
                state,
                reason,
                transactionId,
                metadata: {},
                // Columns of old that must not be empty.
                items: total,
                shipping: 0,
                adjustment: 0,
            })),
        );
    }

    *addFulfillments(fulfillments: ReadonlyArray<Of<FulfillmentState>>): Script<void> {
        if (fulfillments.length === 0) return;
        const { fulfillment, fulfilled, fulfillmentLine, line, dialect } = this.tables;
        const ids = yield* this.insert(
            fulfillment,
            fulfillments.map(({ order, one: { method, state, trackingCode } }) => ({
                createdAt: placedAt(order),
                method,
                state,
                trackingCode,
                handlerCode: HANDLER,
            })),
        );
        yield* addPairs(
            this.tables,
            fulfilled,
            fulfillments.map(({ orderId }, i) => [orderId, ids[i]!] as const),
        );
        const orderIds = [...new Set(fulfillments.map(({ orderId }) => orderId))];
        const rows = yield* select<{ id: Id; orderId: Id }>(
            sql`SELECT ${line.column('id')} AS ${name('id')}, ${line.column('order')} AS ${name('orderId')} FROM ${line.name}
                WHERE ${dialect.oneOf(line.column('order'), orderIds)} ORDER BY ${line.column('id')}`,
        );
        const lineIds = new Map<Id, Id[]>();
        for (const { id, orderId } of rows) lineIds.set(orderId, [...(lineIds.get(orderId) ?? []), id]);
        const { kind } = fulfillmentLine;
        yield* this.insert(
            fulfillmentLine,
            fulfillments.flatMap(({ order, orderId, one }, i) =>
                sharesOf(one, order).map(({ at, quantity }) => ({
                    fulfillment: ids[i]!,
                    orderLine: lineIds.get(orderId)![at]!,
                    quantity,
                    ...(kind && { [kind.property]: kind.value }),
                })),
            ),
        );
    }

    /** A line in the history of orders, by which those that Flow has brought are known. */
    *tell(told: ReadonlyArray<Transition & { readonly orderId: Id; readonly at: string }>): Script<void> {
        if (told.length === 0) return;
        const { history } = this.tables;
        const administrator = yield* administratorOf(this.tables);
        yield* this.insert(
            history,
            told.map(({ orderId, at, from, to }) => ({
                createdAt: at,
                type: 'ORDER_STATE_TRANSITION',
                isPublic: true,
                data: { from, to, imported: true },
                order: orderId,
                administrator,
                ...(history.kind && { [history.kind.property]: history.kind.value }),
            })),
        );
    }

    *insert(table: Table, rows: readonly Row[]): Script<readonly Id[]> {
        return yield* insertNumbered({ table, dialect: this.tables.dialect }, rows);
    }
}

/** The administrator for whom a run works; null for none. */
export function* administratorOf({ platform }: Pick<OrderTables, 'platform'>): Script<Id | null> {
    const { ctx, dataSource } = platform;
    if (ctx.activeUserId === undefined) return null;
    const table = tableOf(dataSource, Administrator);
    const [found] = yield* select<{ id: Id }>(
        sql`SELECT ${table.column('id')} AS ${name('id')} FROM ${table.name}
            WHERE ${table.column('user')} = ${ctx.activeUserId} AND ${table.column('deletedAt')} IS NULL`,
    );
    return found?.id ?? null;
}

export const placedAt = ({ header }: OrderState): string => header['orderPlacedAt'] as string;
export const paidBy = ({ id, method }: PaymentState): { paymentId: Id; method: string } => ({ paymentId: id!, method });

/** The lines of an order that a fulfilment is of; several may have one SKU. */
function sharesOf(
    { lines }: FulfillmentState,
    order: OrderState,
): ReadonlyArray<{ readonly at: number; readonly quantity: number }> {
    return lines.flatMap(({ sku, quantity }) => {
        let left = quantity;
        return order.lines.flatMap((line, at) => {
            const taken = line.sku === sku ? Math.min(left, line.orderPlacedQuantity) : 0;
            left -= taken;
            return taken > 0 ? [{ at, quantity: taken }] : [];
        });
    });
}
