import type { z } from 'zod';
import type { KnownFields } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import type { CustomFields, CustomValues } from '../entities/custom-fields';
import { fieldArgument } from '../entities/entity-config';
import { RecordIssues } from '../entities/record-issues';
import { loadArguments } from '../entities/load-arguments';
import { readsDelete } from '../entities/operation';
import { FieldReader } from '../entities/read-field';
import type { Deleting } from '../lookup/deleting';
import { ADDRESS_FIELDS, type OrderAddress, readAddress } from './order-address';
import {
    type RequestedDiscount,
    type RequestedFulfillment,
    type RequestedLine,
    type RequestedPayment,
    type RequestedShippingLine,
    type RequestedSurcharge,
    PART_FIELDS,
    readDate,
    readDiscounts,
    readFulfillments,
    readOrderLines,
    readPayments,
    readShippingLines,
    readSurcharges,
    SHORT,
    signedMoney,
} from './order-parts';

export const TOTALS = ['subTotal', 'subTotalWithTax', 'shipping', 'shippingWithTax', 'total', 'totalWithTax'] as const;
export type TotalName = (typeof TOTALS)[number];

/** The fields of an order's record, with their descriptions. */
const FIELDS = {
    code: 'code',
    state: 'state',
    orderPlacedAt: 'time when the order was placed',
    currencyCode: 'currency',
    customer: "customer's e-mail address",
    couponCodes: 'list of coupon codes',
    lines: 'list of lines',
    discounts: 'list of discounts of the whole order',
    surcharges: 'list of surcharges',
    shippingLines: 'list of shipping methods with their prices',
    shippingAddress: 'shipping address',
    billingAddress: 'billing address',
    payments: 'list of payments',
    fulfillments: 'list of fulfilments',
    subTotal: 'total of lines and surcharges without tax',
    subTotalWithTax: 'total of lines and surcharges with tax',
    shipping: 'price of shipping without tax',
    shippingWithTax: 'price of shipping with tax',
    total: 'total without tax',
    totalWithTax: 'total with tax',
    customFields: 'custom fields',
} as const;
export type OrderField = keyof typeof FIELDS;

/** The names that the fields of an order go by in one step. */
export type OrderNames = Readonly<Record<OrderField, string>>;

type Renames = { readonly [F in OrderField as `${F}Field`]: ReturnType<typeof fieldArgument> };

/** What the modes of orderUpsert have in common: the strategy, and a `…Field` argument for each field. */
export const orderArguments = {
    strategy: loadArguments.strategy,
    allowDeletes: loadArguments.allowDeletes,
    ...(Object.fromEntries(
        Object.entries(FIELDS).map(([field, holds]) => [`${field}Field`, fieldArgument(field, holds)]),
    ) as Renames),
};
export type OrderArguments = z.output<z.ZodObject<typeof orderArguments>>;

/** The names of the fields in a step's configuration. */
export function orderNames(config: OrderArguments): OrderNames {
    const fields = Object.keys(FIELDS) as readonly OrderField[];
    return Object.fromEntries(fields.map(field => [field, config[`${field}Field`]])) as OrderNames;
}

/** The fields that a step reads of a record, and the fields inside them. */
export function orderFields(config: OrderArguments): KnownFields {
    const address = new Map(ADDRESS_FIELDS.map(field => [field, undefined]));
    const inner: Partial<Record<OrderField, KnownFields>> = {
        ...PART_FIELDS,
        shippingAddress: address,
        billingAddress: address,
    };
    const names = Object.entries(orderNames(config)) as ReadonlyArray<readonly [OrderField, string]>;
    return new Map([['__operation', undefined], ...names.map(([field, name]) => [name, inner[field]] as const)]);
}

/** The values that a record sets. Missing values are undefined; null empties a field. */
export interface RequestedOrder {
    readonly faults: RecordIssues;
    readonly isDelete: boolean;
    readonly code: string | undefined;
    readonly state: string | undefined;
    /** ISO text. */
    readonly orderPlacedAt: string | null | undefined;
    readonly currencyCode: string | undefined;
    /** In small letters, as Vendure stores it. */
    readonly customer: string | null | undefined;
    readonly couponCodes: readonly string[] | undefined;
    readonly lines: readonly RequestedLine[] | undefined;
    readonly discounts: readonly RequestedDiscount[] | undefined;
    readonly surcharges: readonly RequestedSurcharge[] | undefined;
    readonly shippingLines: readonly RequestedShippingLine[] | undefined;
    readonly shippingAddress: OrderAddress | null | undefined;
    readonly billingAddress: OrderAddress | null | undefined;
    readonly payments: readonly RequestedPayment[] | undefined;
    readonly fulfillments: readonly RequestedFulfillment[] | undefined;
    readonly totals: Readonly<Partial<Record<TotalName, number>>>;
    readonly custom: CustomValues | undefined;
}

/** How records of orders are read. */
export interface OrderReading {
    readonly names: OrderNames;
    readonly deleting: Deleting;
    /** Those of orders. */
    readonly custom: CustomFields;
    /** The custom fields of lines, if the mode writes them. */
    readonly lineCustom?: CustomFields;
    /** As the shop normalises e-mail addresses. */
    mail(text: string): string;
}

/** Reads a record of an order; the errors in its values are in `faults`. Checks that need the shop follow later. */
export function readOrder(
    data: JsonObject,
    { names, deleting, custom, lineCustom, mail }: OrderReading,
): RequestedOrder {
    const issues = new RecordIssues();
    const reader = new FieldReader(data, issues);
    const isDelete = readsDelete(reader, deleting);
    const code = reader.key(names.code, SHORT);
    if (!reader.has(names.code)) reader.wrong(names.code, 'is missing; orders are found by it');
    const totals = TOTALS.flatMap(total => {
        const value = signedMoney(reader, names[total]);
        return value === undefined ? [] : [[total, value] as const];
    });
    return {
        faults: issues,
        isDelete,
        code,
        state: reader.unpadded(names.state, SHORT),
        orderPlacedAt: readDate(reader, names.orderPlacedAt),
        currencyCode: readCurrency(reader, names.currencyCode),
        customer: data[names.customer] === null ? null : lower(reader.unpadded(names.customer, SHORT), mail),
        couponCodes: readCoupons(reader, names.couponCodes),
        lines: readOrderLines(reader, names.lines, lineCustom),
        discounts: readDiscounts(reader, names.discounts),
        surcharges: readSurcharges(reader, names.surcharges),
        shippingLines: readShippingLines(reader, names.shippingLines),
        shippingAddress: readAddress(reader, names.shippingAddress),
        billingAddress: readAddress(reader, names.billingAddress),
        payments: readPayments(reader, names.payments),
        fulfillments: readFulfillments(reader, names.fulfillments),
        totals: Object.fromEntries(totals),
        custom: custom.read(reader, names.customFields, { localisedOnly: false }),
    };
}

const lower = (text: string | undefined, mail: (text: string) => string): string | undefined =>
    text === undefined ? undefined : mail(text);

/** The codes are stored in one text with commas between them. */
function readCoupons(reader: FieldReader, field: string): readonly string[] | undefined {
    const codes = reader.texts(field);
    const at = codes?.findIndex(code => code.includes(',')) ?? -1;
    if (at < 0) return codes;
    reader.faults.add(`${reader.path(field)}.${at}`, 'has a comma; allowed: one coupon code', codes![at]!);
    return undefined;
}

function readCurrency(reader: FieldReader, field: string): string | undefined {
    const text = reader.unpadded(field);
    if (text === undefined || /^[A-Z]{3}$/.test(text)) return text;
    return reader.refuse(field, 'allowed: three capital letters such as "EUR"');
}
