import { Administrator } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import { name, select, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { type Id, insertNumbered, type Row } from '../../database/write';
import { addPairs } from '../entities/write-rows';
import type { FulfillmentState, OrderState, PaymentState, RefundState } from './order-state';
import { fulfillmentQuantities } from './settle-order';
import type { OrderTables, Transition } from './stored-orders';

/** Vendure's handler of fulfilments that people make. */
const HANDLER = 'manual-fulfillment';

/** A payment or fulfilment and the order that it belongs to. */
export interface OrderChild<T> {
    readonly order: OrderState;
    readonly orderId: Id;
    readonly one: T;
}

/** Writes the parts of orders that follow after they were placed: payments, refunds, fulfilments, and their history. */
export class OrderParts {
    constructor(protected readonly tables: OrderTables) {}

    *addPayments(payments: ReadonlyArray<OrderChild<PaymentState>>): StatementProgram<void> {
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
    ): StatementProgram<void> {
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

    /** `lineIds`: of the lines of an order, in their order. */
    *addFulfillments(
        fulfillments: ReadonlyArray<OrderChild<FulfillmentState>>,
        lineIds: (order: OrderState) => readonly Id[],
    ): StatementProgram<void> {
        if (fulfillments.length === 0) return;
        const { fulfillment, fulfilled, fulfillmentLine } = this.tables;
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
        const orders = new Set(fulfillments.map(({ order }) => order));
        const shares = new Map([...orders].map(order => [order, fulfillmentQuantities(order)] as const));
        const { kind } = fulfillmentLine;
        yield* this.insert(
            fulfillmentLine,
            fulfillments.flatMap(({ order, one }, i) =>
                shares
                    .get(order)!
                    .get(one)!
                    .map(({ at, quantity }) => ({
                        fulfillment: ids[i]!,
                        orderLine: lineIds(order)[at]!,
                        quantity,
                        ...(kind && { [kind.property]: kind.value }),
                    })),
            ),
        );
    }

    /** The entries in the history of orders that mark them as imported by Flow. */
    *tell(told: ReadonlyArray<Transition & { readonly orderId: Id; readonly at: string }>): StatementProgram<void> {
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

    *insert(table: Table, rows: readonly Row[]): StatementProgram<readonly Id[]> {
        return yield* insertNumbered({ table, dialect: this.tables.dialect }, rows);
    }
}

/** The administrator for whom a run works; null for none. */
export function* administratorOf({ platform }: Pick<OrderTables, 'platform'>): StatementProgram<Id | null> {
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
