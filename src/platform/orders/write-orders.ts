import type { StatementProgram } from '../../core/adapter/loader';
import { canonicalJson, type JsonValue } from '../../core/value/json';
import type { Table } from '../../database/table';
import { deleteRows, type Id, type Row, updateRows } from '../../database/write';
import { addPairs } from '../entities/write-rows';
import type { OrderSet, OrderState } from './order-state';
import { HEADER, type OrderTables } from './stored-orders';
import { type OrderChild, OrderParts, paidBy, placedAt } from './write-order-parts';

/** Writes the decided changes of orders: a few statements for each table, whatever their number. */
export function* writeOrders(tables: OrderTables, set: OrderSet, channelIds: readonly Id[]): StatementProgram<void> {
    const writing = new Writing(tables);
    yield* writing.delete(set.deleted);
    yield* writing.create(set.created, channelIds);
    yield* writing.change(set.changed);
}

class Writing extends OrderParts {
    *create(orders: readonly OrderState[], channelIds: readonly Id[]): StatementProgram<void> {
        if (orders.length === 0) return;
        const { order, channels, promoted, surcharge } = this.tables;
        const ids = yield* this.insert(
            order,
            orders.map(state => ({
                createdAt: placedAt(state),
                code: state.code,
                // A historical order is never a cart.
                active: false,
                type: 'Regular',
                ...this.columnsOf(state),
            })),
        );
        const pairs = (members: (state: OrderState) => readonly Id[]) =>
            orders.flatMap((state, i) => members(state).map(id => [ids[i]!, id] as const));
        const inChannels = [...new Set(channelIds)];
        yield* addPairs(
            this.tables,
            channels,
            pairs(() => inChannels),
        );
        yield* addPairs(
            this.tables,
            promoted,
            pairs(({ promotionIds }) => promotionIds),
        );
        const lineIds = yield* this.lines(orders, ids);
        yield* this.insert(
            surcharge,
            orders.flatMap((state, i) =>
                state.surcharges.map((one, at) => ({ createdAt: addedAt(state, at), order: ids[i]!, ...one })),
            ),
        );
        const of = <T>(list: (state: OrderState) => readonly T[]): ReadonlyArray<OrderChild<T>> =>
            orders.flatMap((state, i) => list(state).map(one => ({ order: state, orderId: ids[i]!, one })));
        yield* this.addPayments(of(({ payments }) => payments));
        yield* this.addFulfillments(
            of(({ fulfillments }) => fulfillments),
            state => lineIds.get(state)!,
        );
        yield* this.tell(
            orders.map((state, i) => ({ orderId: ids[i]!, at: placedAt(state), from: 'Created', to: stateOf(state) })),
        );
    }

    *change(orders: readonly OrderState[]): StatementProgram<void> {
        if (orders.length === 0) return;
        const { order, payment, refund, fulfillment, dialect } = this.tables;
        const isOther = (state: OrderState): boolean =>
            Object.entries(state.header).some(([property, value]) => !isSame(value, state.stored!.header[property]));
        yield* updateRows(
            { table: order, dialect },
            orders.filter(isOther).map(state => ({ id: state.id, ...this.columnsOf(state) })),
        );
        const payments = partsOf(orders, one => one.payments);
        yield* this.addPayments(payments.added);
        yield* updateRows(
            { table: payment, dialect },
            payments.changed.map(({ one: { id, state, transactionId, errorMessage, metadata } }) => ({
                id,
                state,
                transactionId,
                errorMessage,
                metadata,
            })),
        );
        const paid = partsOf(orders, one => one.payments.filter(({ id }) => id !== undefined));
        yield* this.addRefunds(
            paid.changed.flatMap(({ one, order: of }) =>
                one.refunds.flatMap(made =>
                    made.id === undefined ? [{ ...made, at: placedAt(of), ...paidBy(one) }] : [],
                ),
            ),
        );
        const refunds = partsOf(orders, one => one.payments.flatMap(({ refunds: list }) => list));
        yield* updateRows(
            { table: refund, dialect },
            refunds.changed.map(({ one: { id, state, reason, transactionId } }) => ({
                id,
                state,
                reason,
                transactionId,
            })),
        );
        const fulfillments = partsOf(orders, one => one.fulfillments);
        yield* this.addFulfillments(fulfillments.added, ({ lines }) => lines.map(({ id }) => id!));
        yield* updateRows(
            { table: fulfillment, dialect },
            fulfillments.changed.map(({ one: { id, method, state, trackingCode } }) => ({
                id,
                method,
                state,
                trackingCode,
            })),
        );
        const now = new Date().toISOString();
        yield* this.tell(
            orders.flatMap(state => {
                const from = stateOf(state.stored!);
                return from === stateOf(state) ? [] : [{ orderId: state.id!, at: now, from, to: stateOf(state) }];
            }),
        );
    }

    /** Deletes all parts of some orders, the innermost first. */
    *delete(orders: readonly OrderState[]): StatementProgram<void> {
        if (orders.length === 0) return;
        const { order, channels, promoted, line, shippingLine, surcharge, payment, refund, history, dialect } =
            this.tables;
        const { fulfillment, fulfilled, fulfillmentLine } = this.tables;
        const ids = orders.map(({ id }) => id!);
        const idsOf = (list: ReadonlyArray<{ readonly id: Id | undefined }>): readonly Id[] =>
            list.map(({ id }) => id!);
        const made = idsOf(orders.flatMap(({ fulfillments }) => fulfillments));
        const gone: ReadonlyArray<readonly [Table, string, readonly Id[]]> = [
            [history, 'order', ids],
            // The lines of refunds are in the same table.
            [fulfillmentLine, 'orderLine', idsOf(orders.flatMap(({ lines }) => lines))],
            [refund, 'id', idsOf(orders.flatMap(({ payments }) => payments.flatMap(({ refunds }) => refunds)))],
            [payment, 'order', ids],
            [fulfilled, fulfilled.owner, ids],
            [fulfillment, 'id', made],
            [surcharge, 'order', ids],
            [line, 'order', ids],
            [shippingLine, 'order', ids],
            [promoted, promoted.owner, ids],
            [channels, channels.owner, ids],
            [order, 'id', ids],
        ];
        for (const [table, property, values] of gone) yield* deleteRows({ table, dialect }, property, values);
    }

    /** An order's own row. */
    private columnsOf({ header }: OrderState): Row {
        const row: Record<string, unknown> = { customer: header['customerId'] };
        for (const property of HEADER) row[property] = header[property];
        for (const { property, defaultValue } of this.tables.custom.base)
            row[property] = property in header ? header[property] : defaultValue;
        return row;
    }

    /** Answers the ids of the lines, in the order in which each order has them. */
    private *lines(
        orders: readonly OrderState[],
        ids: readonly Id[],
    ): StatementProgram<ReadonlyMap<OrderState, readonly Id[]>> {
        const { line, shippingLine } = this.tables;
        const shipping = orders.flatMap((state, i) => state.shippingLines.map((one, at) => ({ one, i, at })));
        const shippingIds = yield* this.insert(
            shippingLine,
            shipping.map(({ one: { methodId, method: _method, ...rest }, i, at }) => ({
                createdAt: addedAt(orders[i]!, at),
                order: ids[i]!,
                shippingMethod: methodId,
                ...rest,
            })),
        );
        const firstOf = new Map(shipping.flatMap(({ i, at }, n) => (at === 0 ? [[i, shippingIds[n]!] as const] : [])));
        const lineIds = yield* this.insert(
            line,
            orders.flatMap((state, i) =>
                state.lines.map(({ id: _id, sku: _sku, variantId, taxCategoryId, assetId, ...rest }, at) => ({
                    createdAt: addedAt(state, at),
                    order: ids[i]!,
                    productVariant: variantId,
                    taxCategory: taxCategoryId,
                    featuredAsset: assetId,
                    // When Vendure recalculates the order, the lines keep their shipping line.
                    shippingLine: firstOf.get(i) ?? null,
                    initialListPrice: rest.listPrice,
                    ...rest,
                })),
            ),
        );
        let from = 0;
        return new Map(orders.map(state => [state, lineIds.slice(from, (from += state.lines.length))] as const));
    }
}

/**
 * The parts of an order are identified by their creation times, and Vendure shows them in that order: ids may be
 * random.
 */
const addedAt = (state: OrderState, at: number): Date => new Date(new Date(placedAt(state)).getTime() + at);
const stateOf = ({ header }: OrderState): string => header['state'] as string;
const isSame = (a: JsonValue, b: JsonValue | undefined): boolean => canonicalJson(a) === canonicalJson(b ?? null);

interface Parts<T> {
    readonly added: ReadonlyArray<OrderChild<T>>;
    readonly changed: ReadonlyArray<OrderChild<T>>;
}

/** The parts of some orders that are new, or differ from the stored ones. */
function partsOf<T extends { readonly id: Id | undefined }>(
    orders: readonly OrderState[],
    list: (state: OrderState) => readonly T[],
): Parts<T> {
    const all = orders.flatMap(order => list(order).map(one => ({ order, orderId: order.id!, one })));
    const before = new Map(orders.flatMap(({ stored }) => list(stored!)).map(one => [one.id, one] as const));
    const json = (one: T | undefined): JsonValue => one as unknown as JsonValue;
    return {
        added: all.filter(({ one }) => one.id === undefined),
        changed: all.filter(({ one }) => one.id !== undefined && !isSame(json(one), json(before.get(one.id)))),
    };
}
