import type { KnownFields } from '../../core/adapter/loader';
import { readUnambiguousTimestamp } from '../../core/data/timestamp';
import type { JsonObject } from '../../core/value/json';
import type { CustomFields, CustomValues } from '../entities/custom-fields';
import type { FieldReader, TextLimit } from '../entities/read-field';

/** Texts of columns, as MariaDB has them. */
export const SHORT: TextLimit = { of: 'characters', max: 255 };
/** Texts that are stored in JSON. */
export const LONG: TextLimit = { of: 'characters', max: 2_000 };
/** Columns of money and of whole numbers. */
const MOST = 2_147_483_647;
/** The maximum number of lines of an order, and of other parts of each kind: the work grows faster than their number. */
const MOST_LINES = 2_000;
const MOST_OTHERS = 100;
/** The limit of a column for JSON, whatever must be escaped. */
const MOST_JSON = 10_000;

export interface TaxLine {
    readonly description: string;
    /** Percentage. */
    readonly taxRate: number;
}

/** A discount; `amount` is 0 or less, in the basis of its price. */
export interface RequestedDiscount {
    readonly amount: number;
    readonly description: string;
    readonly couponCode: string | undefined;
}

/** What something costs. */
export interface RequestedPrice {
    readonly price: number | undefined;
    /** Undefined: the channel decides. */
    readonly priceIncludesTax: boolean | undefined;
    readonly taxLines: readonly TaxLine[] | undefined;
}

export interface RequestedLine extends RequestedPrice {
    /** The path in the record: "lines.0". */
    readonly path: string;
    readonly sku: string | undefined;
    readonly quantity: number | undefined;
    /** How many were ordered, of which some may have been cancelled. */
    readonly orderPlacedQuantity: number | undefined;
    /** Of the whole line. */
    readonly discounts: readonly RequestedDiscount[];
    readonly custom: CustomValues | undefined;
}

export interface RequestedSurcharge extends RequestedPrice {
    readonly path: string;
    readonly description: string | undefined;
    readonly sku: string;
}

export interface RequestedShippingLine extends RequestedPrice {
    readonly path: string;
    /** Code of the shipping method. */
    readonly method: string | undefined;
    readonly discounts: readonly RequestedDiscount[];
}

export interface RequestedRefund {
    readonly path: string;
    readonly total: number | undefined;
    readonly state: string | undefined;
    readonly reason: string | undefined;
    readonly transactionId: string | undefined;
}

export interface RequestedPayment {
    readonly path: string;
    /** Code of the payment method; it need not exist any more. */
    readonly method: string | undefined;
    readonly amount: number | undefined;
    readonly state: string | undefined;
    readonly transactionId: string | undefined;
    readonly errorMessage: string | undefined;
    readonly metadata: JsonObject | undefined;
    readonly refunds: readonly RequestedRefund[];
}

export interface RequestedFulfillment {
    readonly path: string;
    readonly method: string | undefined;
    readonly state: string | undefined;
    readonly trackingCode: string | undefined;
    /** Undefined where all of the order is in it that was not cancelled. */
    readonly lines:
        ReadonlyArray<{ readonly path: string; readonly sku: string; readonly quantity: number }> | undefined;
}

const names = (...fields: readonly string[]): KnownFields => new Map(fields.map(field => [field, undefined]));
const PRICE = ['price', 'priceIncludesTax', 'taxRate'] as const;
const taxLines = ['taxLines', names('description', 'taxRate')] as const;
const discounts = names('amount', 'description', 'couponCode');
const priced = (...fields: readonly string[]): KnownFields => new Map([...names(...PRICE, ...fields), taxLines]);

/** The fields of the elements in the lists of an order. */
export const PART_FIELDS: Readonly<Record<string, KnownFields>> = {
    lines: new Map([...priced('sku', 'quantity', 'orderPlacedQuantity', 'customFields'), ['discounts', discounts]]),
    discounts,
    surcharges: priced('description', 'sku'),
    shippingLines: new Map([...priced('method'), ['discounts', discounts]]),
    payments: new Map([
        ...names('method', 'amount', 'state', 'transactionId', 'errorMessage', 'metadata'),
        ['refunds', names('total', 'state', 'reason', 'transactionId')],
    ]),
    fulfillments: new Map([...names('method', 'state', 'trackingCode'), ['lines', names('sku', 'quantity')]]),
};

/** Whole minor units, below 0 as well. */
export function signedMoney(reader: FieldReader, field: string): number | undefined {
    return reader.money(field, { max: MOST, allowsNegative: true });
}

/** A time as ISO text; null empties it. */
export function readDate(reader: FieldReader, field: string): string | null | undefined {
    const value = reader.data[field];
    if (value === undefined || value === null) return value;
    const time = new Date(readUnambiguousTimestamp(value) ?? NaN);
    // What all databases can store.
    if (time.getUTCFullYear() >= 1_000) return time.toISOString();
    return reader.refuse(field, 'allowed: a date such as 2026-01-31T12:00:00Z');
}

/** Custom fields of lines are read where the mode has them. */
export function readOrderLines(
    reader: FieldReader,
    field: string,
    custom: CustomFields | undefined,
): readonly RequestedLine[] | undefined {
    return listed(reader, field, MOST_LINES)?.map((line, i) => ({
        path: `${reader.path(field)}.${i}`,
        sku: needed(line, 'sku'),
        quantity: whole(line, 'quantity', { isNeeded: true }),
        orderPlacedQuantity: whole(line, 'orderPlacedQuantity'),
        ...readPrice(line, 'Tax'),
        discounts: readDiscounts(line, 'discounts') ?? [],
        custom: custom ? custom.read(line, 'customFields', { localisedOnly: false }) : noCustom(line),
    }));
}

function noCustom(line: FieldReader): undefined {
    if (line.data['customFields'] !== undefined)
        line.wrong('customFields', 'are for the mode LIVE; the mode HISTORY writes none of lines');
    return undefined;
}

export function readSurcharges(reader: FieldReader, field: string): readonly RequestedSurcharge[] | undefined {
    return listed(reader, field)?.map((surcharge, i) => ({
        path: `${reader.path(field)}.${i}`,
        description: needed(surcharge, 'description'),
        sku: optional(surcharge, 'sku') ?? '',
        ...readPrice(surcharge, 'Tax'),
    }));
}

export function readShippingLines(reader: FieldReader, field: string): readonly RequestedShippingLine[] | undefined {
    return listed(reader, field)?.map((line, i) => ({
        path: `${reader.path(field)}.${i}`,
        method: needed(line, 'method'),
        // As Vendure calls it.
        ...readPrice(line, 'shipping tax'),
        discounts: readDiscounts(line, 'discounts') ?? [],
    }));
}

export function readDiscounts(reader: FieldReader, field: string): readonly RequestedDiscount[] | undefined {
    return listed(reader, field)?.map(discount => {
        const amount = signedMoney(discount, 'amount');
        if (amount === undefined && !discount.has('amount')) discount.wrong('amount', 'is missing');
        if (amount !== undefined && amount > 0)
            discount.refuse('amount', 'allowed: 0 or less; -300 takes 3.00 off the whole line');
        return {
            amount: amount ?? 0,
            description: needed(discount, 'description') ?? '',
            couponCode: optional(discount, 'couponCode'),
        };
    });
}

export function readPayments(reader: FieldReader, field: string): readonly RequestedPayment[] | undefined {
    return listed(reader, field)?.map((payment, i) => {
        const path = `${reader.path(field)}.${i}`;
        return {
            path,
            method: needed(payment, 'method'),
            amount: unsignedMoney(payment, 'amount'),
            state: optional(payment, 'state'),
            transactionId: optional(payment, 'transactionId'),
            errorMessage: optional(payment, 'errorMessage'),
            metadata: readMetadata(payment),
            refunds: (listed(payment, 'refunds') ?? []).map((refund, at) => ({
                path: `${path}.refunds.${at}`,
                total: unsignedMoney(refund, 'total'),
                state: optional(refund, 'state'),
                reason: optional(refund, 'reason'),
                transactionId: optional(refund, 'transactionId'),
            })),
        };
    });
}

export function readFulfillments(reader: FieldReader, field: string): readonly RequestedFulfillment[] | undefined {
    return listed(reader, field)?.map((fulfillment, i) => {
        const path = `${reader.path(field)}.${i}`;
        return {
            path,
            method: needed(fulfillment, 'method'),
            state: optional(fulfillment, 'state'),
            trackingCode: optional(fulfillment, 'trackingCode'),
            lines: listed(fulfillment, 'lines', MOST_LINES)?.map((line, at) => ({
                path: `${path}.lines.${at}`,
                sku: needed(line, 'sku') ?? '',
                quantity: whole(line, 'quantity', { isNeeded: true }) ?? 0,
            })),
        };
    });
}

/** A list of objects, which may not be endless. */
function listed(reader: FieldReader, field: string, most = MOST_OTHERS): readonly FieldReader[] | undefined {
    const list = reader.objects(field);
    if (!list || list.length <= most) return list;
    return reader.wrong(field, `has ${list.length} elements; allowed: at most ${most}`);
}

function readMetadata(payment: FieldReader): JsonObject | undefined {
    if (payment.data['metadata'] === null) return {};
    const metadata = payment.object('metadata');
    const { length } = JSON.stringify(metadata ?? {});
    if (length <= MOST_JSON) return metadata;
    return payment.wrong('metadata', `has ${length} characters as JSON; allowed: at most ${MOST_JSON}`);
}

/** A price with its taxes: `taxRate` for one of them, or `taxLines` for each with its name. */
function readPrice(reader: FieldReader, tax: string): RequestedPrice {
    const price = signedMoney(reader, 'price');
    const priceIncludesTax = reader.flag('priceIncludesTax');
    if (reader.has('taxRate') && reader.has('taxLines'))
        reader.wrong('taxLines', 'is set together with "taxRate"; set one or the other');
    const rate = readRate(reader);
    const each = listed(reader, 'taxLines')?.map(line => {
        if (!line.has('taxRate')) line.wrong('taxRate', 'is missing');
        return { description: needed(line, 'description') ?? '', taxRate: readRate(line) ?? 0 };
    });
    const single = rate === undefined ? undefined : [{ description: tax, taxRate: rate }];
    return { price, priceIncludesTax, taxLines: each ?? single };
}

/** A percentage. */
function readRate(reader: FieldReader): number | undefined {
    const value = reader.data['taxRate'];
    if (value === undefined) return undefined;
    if (typeof value === 'number' && value >= 0 && value <= 100) return value === 0 ? 0 : value;
    const hint = typeof value === 'string' ? ' (the operator toNumber makes numbers of text)' : '';
    return reader.refuse('taxRate', `allowed: a percentage from 0 to 100${hint}`);
}

function unsignedMoney(reader: FieldReader, field: string): number | undefined {
    const value = signedMoney(reader, field);
    if (!reader.has(field)) reader.wrong(field, 'is missing');
    return value !== undefined && value < 0 ? reader.refuse(field, 'allowed: 0 or more') : value;
}

function whole(reader: FieldReader, field: string, { isNeeded = false } = {}): number | undefined {
    const value = reader.whole(field, MOST);
    if (isNeeded && !reader.has(field)) return reader.wrong(field, 'is missing');
    return value !== undefined && value < 0 ? reader.refuse(field, 'allowed: 0 or more') : value;
}

/** A text that the part of the order must have. */
function needed(reader: FieldReader, field: string): string | undefined {
    if (!reader.has(field)) return reader.wrong(field, 'is missing');
    return reader.key(field, SHORT);
}

/** A text that null leaves out. */
function optional(reader: FieldReader, field: string): string | undefined {
    return reader.data[field] === null ? undefined : reader.key(field, SHORT);
}
