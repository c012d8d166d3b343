import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import type { CustomValues } from '../entities/custom-fields';
import type { RecordIssues } from '../entities/record-issues';
import type { OrderAddress } from './order-address';
import { PART_FIELDS, type TaxLine } from './order-parts';
import { type RequestedOrder, type OrderNames, type OrderReading, readOrder, TOTALS } from './order-record';

export interface LiveLine {
    /** The path in the record: "lines.0". */
    readonly path: string;
    readonly sku: string;
    readonly quantity: number;
    readonly custom: CustomValues | undefined;
}

export interface LiveSurcharge {
    readonly path: string;
    readonly description: string;
    readonly sku: string;
    readonly price: number;
    /** Undefined: the channel decides. */
    readonly priceIncludesTax: boolean | undefined;
    readonly taxLines: readonly TaxLine[];
}

/** That it has been paid, elsewhere. */
export interface LivePayment {
    readonly path: string;
    readonly method: string;
    readonly amount: number;
    readonly transactionId: string;
    readonly metadata: JsonObject;
}

/** The content of a record for the mode LIVE. Missing fields are undefined; null empties. */
export interface LiveRecord {
    readonly isDelete: boolean;
    readonly state: string | undefined;
    readonly currencyCode: string | undefined;
    readonly customer: string | null | undefined;
    readonly couponCodes: readonly string[] | undefined;
    /** One for each SKU. */
    readonly lines: readonly LiveLine[] | undefined;
    readonly surcharges: readonly LiveSurcharge[] | undefined;
    /** Codes of the shipping methods. */
    readonly shippingMethods: readonly string[] | undefined;
    readonly shippingAddress: OrderAddress | null | undefined;
    readonly billingAddress: OrderAddress | null | undefined;
    /** One or more, if the record has the field. */
    readonly payments: readonly LivePayment[] | undefined;
    readonly custom: CustomValues | undefined;
}

/** Values that the shop determines for a live order, and that only historical orders may contain. */
const OF_HISTORY = ['orderPlacedAt', 'discounts', 'fulfillments', ...TOTALS] as const;
const OF_HISTORY_IN = [
    ['lines', ['sku', 'quantity', 'customFields']],
    ['shippingLines', ['method']],
    ['payments', ['method', 'amount', 'transactionId', 'metadata']],
] as const;

const DECIDES = 'is for the mode HISTORY; in the mode LIVE the shop decides it';

/** Reads a record for the mode LIVE; the errors in its values are in `faults`. */
export function readLive(
    data: JsonObject,
    reading: OrderReading,
): { readonly faults: RecordIssues; readonly code: string | undefined; readonly said: LiveRecord } {
    const requested = readOrder(data, reading);
    const { faults: issues, code, isDelete, state, currencyCode, customer, couponCodes } = requested;
    refuseHistory(data, reading.names, issues);
    const { names } = reading;
    return {
        faults: issues,
        code,
        said: {
            isDelete,
            state,
            currencyCode,
            customer,
            couponCodes,
            lines: linesOf(requested),
            surcharges: surchargesOf(requested),
            shippingMethods: someOf(requested.shippingLines, { faults: issues, path: names.shippingLines })?.map(
                ({ method = '' }) => method,
            ),
            shippingAddress: addressOf(requested.shippingAddress, { faults: issues, path: names.shippingAddress }),
            billingAddress: addressOf(requested.billingAddress, { faults: issues, path: names.billingAddress }),
            payments: paymentsOf(requested, names.payments),
            custom: requested.custom,
        },
    };
}

function refuseHistory(data: JsonObject, names: OrderNames, issues: RecordIssues): void {
    for (const field of OF_HISTORY)
        if (data[names[field]] !== undefined) issues.add(names[field], DECIDES, data[names[field]]);
    for (const [field, taken] of OF_HISTORY_IN) {
        const list = data[names[field]];
        const others = [...PART_FIELDS[field]!.keys()].filter(name => !(taken as readonly string[]).includes(name));
        for (const [i, part] of (Array.isArray(list) ? (list as readonly JsonValue[]) : []).entries())
            for (const name of isJsonObject(part) ? others : [])
                if ((part as JsonObject)[name] !== undefined)
                    issues.add(`${names[field]}.${i}.${name}`, DECIDES, (part as JsonObject)[name]);
    }
}

/** Combines duplicate lines, as a shop's own cart does. */
function linesOf({ lines, faults: issues }: RequestedOrder): readonly LiveLine[] | undefined {
    const bySku = new Map<string, LiveLine>();
    for (const { path, sku = '', quantity = 0, custom } of lines ?? []) {
        const first = bySku.get(sku);
        if (first && canonicalJson(first.custom ?? {}) !== canonicalJson(custom ?? {}))
            issues.add(`${path}.customFields`, `are others than those of ${first.path}; a SKU must be on one line`);
        const all = (first?.quantity ?? 0) + quantity;
        bySku.set(sku, { path: first?.path ?? path, sku, quantity: all, custom: first?.custom ?? custom });
    }
    return lines && [...bySku.values()].filter(({ quantity }) => quantity > 0);
}

function surchargesOf({ surcharges, faults: issues }: RequestedOrder): readonly LiveSurcharge[] | undefined {
    return surcharges?.map(({ path, description = '', sku, price, priceIncludesTax, taxLines = [] }) => {
        if (price === undefined) issues.add(`${path}.price`, 'is missing');
        return { path, description, sku, price: price ?? 0, priceIncludesTax, taxLines };
    });
}

interface Place {
    readonly faults: RecordIssues;
    readonly path: string;
}

/** A list that must not be empty if the record has it. */
function someOf<T>(list: readonly T[] | undefined, { faults: issues, path }: Place): readonly T[] | undefined {
    if (list?.length === 0) issues.add(path, 'has no entry; allowed in the mode LIVE: one or more', []);
    return list?.length === 0 ? undefined : list;
}

function paymentsOf({ payments, faults: issues }: RequestedOrder, path: string): readonly LivePayment[] | undefined {
    return someOf(payments, { faults: issues, path })?.map(
        ({ path: at, method = '', amount = 0, transactionId = '', metadata = {} }) => ({
            ...{ path: at, method, amount, transactionId, metadata },
        }),
    );
}

/** Vendure requires the country, and would use an arbitrary one if it is missing. */
function addressOf(
    address: OrderAddress | null | undefined,
    { faults: issues, path }: Place,
): OrderAddress | null | undefined {
    if (!address) return address;
    const { country, countryCode, ...rest } = address;
    if (Object.keys(address).length === 0) return null;
    if (country !== undefined)
        issues.add(`${path}.country`, 'is set by countryCode in the mode LIVE; leave it out', country);
    if (countryCode === undefined) issues.add(`${path}.countryCode`, 'is missing');
    return countryCode === undefined ? rest : { ...rest, countryCode };
}
