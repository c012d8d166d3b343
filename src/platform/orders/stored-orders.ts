import {
    Customer,
    Fulfillment,
    FulfillmentLine,
    Order,
    OrderLine,
    Payment,
    ProductVariant,
    Refund,
    ShippingLine,
    ShippingMethod,
    Surcharge,
} from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import { EMPTY, type Sql, join, name, select, sql } from '../../database/statement';
import { type JoinTable, joinTableOf, type Table, tableOf } from '../../database/table';
import type { Id, Row } from '../../database/write';
import type { VendurePlatform } from '../context';
import { asJson } from '../entities/columns';
import type { CustomFields } from '../entities/custom-fields';
import { columnsAs } from './order-facts';
import type {
    FulfillmentState,
    LineState,
    OrderState,
    PaymentState,
    RefundState,
    ShippingLineState,
    SurchargeState,
} from './order-state';

/** The columns of an order that records speak of. */
export const HEADER = [
    'state',
    'orderPlacedAt',
    'currencyCode',
    'couponCodes',
    'shippingAddress',
    'billingAddress',
    'subTotal',
    'subTotalWithTax',
    'shipping',
    'shippingWithTax',
] as const;

/** Vendure's type of a note in the history of an order. */
export const NOTE = 'ORDER_NOTE';

/** Distinguishes the state in which Flow imported an order from the later states in the shop. */
export interface Transition {
    readonly from: string;
    readonly to: string;
    readonly imported?: boolean;
}

/** The tables of orders. */
export class OrderTables {
    readonly order: Table;
    readonly channels: JoinTable;
    readonly line: Table;
    readonly shippingLine: Table;
    readonly surcharge: Table;
    readonly payment: Table;
    readonly refund: Table;
    readonly fulfillment: Table;
    readonly fulfilled: JoinTable;
    readonly fulfillmentLine: Table;
    readonly promoted: JoinTable;
    readonly history: Table;

    constructor(
        readonly platform: VendurePlatform,
        readonly custom: CustomFields,
    ) {
        const { dataSource } = platform;
        this.order = tableOf(dataSource, Order);
        this.channels = joinTableOf(dataSource, Order, 'channels');
        this.line = tableOf(dataSource, OrderLine);
        this.shippingLine = tableOf(dataSource, ShippingLine);
        this.surcharge = tableOf(dataSource, Surcharge);
        this.payment = tableOf(dataSource, Payment);
        this.refund = tableOf(dataSource, Refund);
        this.fulfillment = tableOf(dataSource, Fulfillment);
        this.fulfilled = joinTableOf(dataSource, Order, 'fulfillments');
        this.fulfillmentLine = tableOf(dataSource, FulfillmentLine);
        this.promoted = joinTableOf(dataSource, Order, 'promotions');
        this.history = tableOf(dataSource, 'OrderHistoryEntry');
    }

    get dialect() {
        return this.platform.database.dialect;
    }

    /** Reads orders by their codes, with all that belongs to them; whatever the channel, since codes are the whole shop's. */
    *read(codes: readonly string[]): StatementProgram<readonly OrderState[]> {
        if (codes.length === 0) return [];
        const heads = yield* this.heads(codes);
        const ids = heads.map(({ id }) => id as Id);
        if (ids.length === 0) return [];
        const own = yield* this.ownOf(ids);
        const lines = yield* this.linesOf(ids);
        const surcharges = yield* this.rows<SurchargeState>(this.surcharge, ids, { properties: PRICE_OF.surcharge });
        const shippingLines = yield* this.shippingOf(ids);
        const payments = yield* this.paymentsOf(ids);
        const fulfillments = yield* this.fulfillmentsOf(ids);
        return heads.map(head => {
            const id = head['id'] as Id;
            const header: Record<string, JsonValue> = {
                customer: (head['customer'] as string | null) ?? null,
                customerId: (head['customerId'] as Id | null) ?? null,
            };
            HEADER.forEach((property, i) => {
                header[property] = asJson(this.order.fromColumn(property, head[`h${i}`])) ?? null;
            });
            this.custom.base.forEach((field, i) => (header[field.property] = field.fromColumn(head[`b${i}`])));
            const state = {
                id,
                code: head['code'] as string,
                isInChannel: head['channel'] !== null,
                isOwn: own.has(id),
                header,
                lines: lines.get(id) ?? [],
                surcharges: surcharges.get(id) ?? [],
                shippingLines: shippingLines.get(id) ?? [],
                payments: payments.get(id) ?? [],
                fulfillments: fulfillments.get(id) ?? [],
                promotionIds: [],
            };
            return { ...state, stored: { ...state, stored: undefined } };
        });
    }

    private *heads(codes: readonly string[]): StatementProgram<readonly Row[]> {
        const { platform, order, channels, custom, dialect } = this;
        const customers = tableOf(platform.dataSource, Customer);
        const [o, c, u] = [columnsAs('o', order), columnsAs('c', channels), columnsAs('u', customers)];
        const columns: Sql[] = [
            sql`${o('id')} AS ${name('id')}, ${o('code')} AS ${name('code')}, ${o('customer')} AS ${name('customerId')}`,
            sql`${u('emailAddress')} AS ${name('customer')}, ${c(channels.member)} AS ${name('channel')}`,
            ...HEADER.map((property, i) => sql`${o(property)} AS ${name(`h${i}`)}`),
            ...custom.base.map(({ property }, i) => sql`${o(property)} AS ${name(`b${i}`)}`),
        ];
        return yield* select<Row>(
            sql`SELECT ${join(columns)} FROM ${order.name} AS ${name('o')}
                LEFT JOIN ${channels.name} AS ${name('c')} ON ${c(channels.owner)} = ${o('id')} AND ${c(channels.member)} = ${platform.ctx.channelId}
                LEFT JOIN ${customers.name} AS ${name('u')} ON ${u('id')} = ${o('customer')}
                WHERE ${dialect.oneOf(o('code'), codes)}`,
        );
    }

    /** The orders of whose history everything was brought in, but for notes. */
    private *ownOf(ids: readonly Id[]): StatementProgram<ReadonlySet<Id>> {
        const { history, dialect } = this;
        const h = columnsAs('h', history);
        const rows = yield* select<{ id: Id; data: unknown }>(
            sql`SELECT ${h('order')} AS ${name('id')}, ${h('data')} AS ${name('data')} FROM ${history.name} AS ${name('h')}
                WHERE ${dialect.oneOf(h('order'), ids)} AND ${h('type')} <> ${NOTE}`,
        );
        const own = new Set(rows.map(({ id }) => id));
        for (const { id, data } of rows) {
            const told = history.fromColumn('data', data) as Transition | null;
            if (told?.imported !== true) own.delete(id);
        }
        return own;
    }

    private *linesOf(ids: readonly Id[]): StatementProgram<ReadonlyMap<Id, readonly LineState[]>> {
        const variants = tableOf(this.platform.dataSource, ProductVariant);
        const v = columnsAs('v', variants);
        return yield* this.rows<LineState>(this.line, ids, {
            properties: PRICE_OF.line,
            more: sql`, ${v('sku')} AS ${name('sku')}`,
            joins: e => sql` JOIN ${variants.name} AS ${name('v')} ON ${v('id')} = ${e('productVariant')}`,
            rest: ({ sku }) => ({ sku }),
        });
    }

    private *shippingOf(ids: readonly Id[]): StatementProgram<ReadonlyMap<Id, readonly ShippingLineState[]>> {
        const methods = tableOf(this.platform.dataSource, ShippingMethod);
        const m = columnsAs('m', methods);
        return yield* this.rows<ShippingLineState>(this.shippingLine, ids, {
            properties: PRICE_OF.shippingLine,
            more: sql`, ${m('code')} AS ${name('method')}`,
            joins: e => sql` JOIN ${methods.name} AS ${name('m')} ON ${m('id')} = ${e('shippingMethod')}`,
            rest: ({ method }) => ({ method }),
        });
    }

    private *paymentsOf(ids: readonly Id[]): StatementProgram<ReadonlyMap<Id, readonly PaymentState[]>> {
        const payments = yield* this.rows<Omit<PaymentState, 'refunds'>>(this.payment, ids, {
            properties: same('id', 'method', 'amount', 'state', 'transactionId', 'errorMessage', 'metadata'),
        });
        const paid = [...payments.values()].flat().map(({ id }) => id!);
        const refunds = yield* this.rows<RefundState>(this.refund, paid, {
            properties: same('id', 'total', 'state', 'reason', 'transactionId'),
            owner: 'payment',
        });
        return mapped(payments, payment => ({ ...payment, refunds: refunds.get(payment.id!) ?? [] }));
    }

    private *fulfillmentsOf(ids: readonly Id[]): StatementProgram<ReadonlyMap<Id, readonly FulfillmentState[]>> {
        const { fulfilled, fulfillmentLine, platform, dialect } = this;
        const j = columnsAs('j', fulfilled);
        const joins = (e: (property: string) => Sql): Sql =>
            sql` JOIN ${fulfilled.name} AS ${name('j')} ON ${j(fulfilled.member)} = ${e('id')}`;
        const found = yield* this.rows<Omit<FulfillmentState, 'lines'>>(this.fulfillment, ids, {
            properties: same('id', 'method', 'state', 'trackingCode'),
            by: j(fulfilled.owner),
            joins,
        });
        const made = [...found.values()].flat().map(({ id }) => id!);
        if (made.length === 0) return new Map();
        const variants = tableOf(platform.dataSource, ProductVariant);
        const [f, l, v] = [columnsAs('f', fulfillmentLine), columnsAs('l', this.line), columnsAs('v', variants)];
        const rows = yield* select<{ owner: Id; sku: string; quantity: number }>(
            sql`SELECT ${f('fulfillment')} AS ${name('owner')}, ${v('sku')} AS ${name('sku')}, ${f('quantity')} AS ${name('quantity')}
                FROM ${fulfillmentLine.name} AS ${name('f')} JOIN ${this.line.name} AS ${name('l')} ON ${l('id')} = ${f('orderLine')}
                JOIN ${variants.name} AS ${name('v')} ON ${v('id')} = ${l('productVariant')}
                WHERE ${dialect.oneOf(f('fulfillment'), made)} ORDER BY ${f('id')}`,
        );
        const pieces = new Map<Id, Array<FulfillmentState['lines'][number]>>(made.map(id => [id, []]));
        for (const { owner, sku, quantity } of rows) pieces.get(owner)!.push({ sku, quantity });
        return mapped(found, one => ({ ...one, lines: pieces.get(one.id!)! }));
    }

    /** The rows of some owners, by their ids and in the order of their creation. */
    private *rows<T>(
        table: Table,
        ids: readonly Id[],
        { properties, owner = 'order', by, more = EMPTY, joins = () => EMPTY, rest = () => ({}) }: Reading,
    ): StatementProgram<ReadonlyMap<Id, readonly T[]>> {
        const found = new Map<Id, T[]>();
        if (ids.length === 0) return found;
        const e = columnsAs('e', table);
        const columns = Object.values(properties).map((property, i) => sql`${e(property)} AS ${name(`p${i}`)}`);
        const owned = by ?? e(owner);
        const rows = yield* select<Row>(
            sql`SELECT ${owned} AS ${name('owner')}, ${join(columns)}${more} FROM ${table.name} AS ${name('e')}${joins(e)}
                WHERE ${this.dialect.oneOf(owned, ids)} ORDER BY ${e('createdAt')}, ${e('id')}`,
        );
        for (const row of rows) {
            const value: Record<string, unknown> = rest(row);
            Object.entries(properties).forEach(([called, property], i) => {
                value[called] = table.fromColumn(property, row[`p${i}`]);
            });
            const others = found.get(row['owner'] as Id);
            if (others) others.push(value as T);
            else found.set(row['owner'] as Id, [value as T]);
        }
        return found;
    }
}

/** How rows that belong to something are read. */
interface Reading {
    /** Properties of their table, by what they are called here. */
    readonly properties: Readonly<Record<string, string>>;
    /** Their owner, or its column. */
    readonly owner?: string;
    readonly by?: Sql;
    readonly more?: Sql;
    joins?(e: (property: string) => Sql): Sql;
    rest?(row: Row): Record<string, unknown>;
}

const same = (...properties: readonly string[]): Readonly<Record<string, string>> =>
    Object.fromEntries(properties.map(property => [property, property]));
const PRICED = same('listPrice', 'listPriceIncludesTax', 'taxLines');
const PRICE_OF = {
    line: {
        ...PRICED,
        ...same('id', 'quantity', 'orderPlacedQuantity', 'adjustments'),
        variantId: 'productVariant',
        taxCategoryId: 'taxCategory',
        assetId: 'featuredAsset',
    },
    surcharge: { ...PRICED, ...same('description', 'sku') },
    shippingLine: { ...PRICED, ...same('adjustments'), methodId: 'shippingMethod' },
};

function mapped<A, B>(found: ReadonlyMap<Id, readonly A[]>, map: (one: A) => B): ReadonlyMap<Id, readonly B[]> {
    return new Map([...found].map(([id, list]) => [id, list.map(map)]));
}
