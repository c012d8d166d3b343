import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import type { CustomValues } from '../entities/custom-fields';
import type { Faults } from '../entities/faults';
import type { OrderAddress } from './order-address';
import { PART_FIELDS, type TaxLine } from './order-parts';
import { type AskedOrder, type OrderNames, type OrderReading, readOrder, TOTALS } from './order-record';

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
    /** Undefined where the channel says it. */
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

/** What a record says of an order that lives. What it does not say is undefined; null empties. */
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
    /** One or more, where it is said. */
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
): { readonly faults: Faults; readonly code: string | undefined; readonly said: LiveRecord } {
    const asked = readOrder(data, reading);
    const { faults, code, isDelete, state, currencyCode, customer, couponCodes } = asked;
    refuseHistory(data, reading.names, faults);
    const { names } = reading;
    return {
        faults,
        code,
        said: {
            isDelete,
            state,
            currencyCode,
            customer,
            couponCodes,
            lines: linesOf(asked),
            surcharges: surchargesOf(asked),
            shippingMethods: someOf(asked.shippingLines, { faults, path: names.shippingLines })?.map(
                ({ method = '' }) => method,
            ),
            shippingAddress: addressOf(asked.shippingAddress, { faults, path: names.shippingAddress }),
            billingAddress: addressOf(asked.billingAddress, { faults, path: names.billingAddress }),
            payments: paymentsOf(asked, names.payments),
            custom: asked.custom,
        },
    };
}

function refuseHistory(data: JsonObject, names: OrderNames, faults: Faults): void {
    for (const field of OF_HISTORY)
        if (data[names[field]] !== undefined) faults.add(names[field], DECIDES, data[names[field]]);
    for (const [field, taken] of OF_HISTORY_IN) {
        const list = data[names[field]];
        const others = [...PART_FIELDS[field]!.keys()].filter(name => !(taken as readonly string[]).includes(name));
        for (const [i, part] of (Array.isArray(list) ? (list as readonly JsonValue[]) : []).entries())
            for (const name of isJsonObject(part) ? others : [])
                if ((part as JsonObject)[name] !== undefined)
                    faults.add(`${names[field]}.${i}.${name}`, DECIDES, (part as JsonObject)[name]);
    }
}

/** Combines duplicate lines, as a shop's own cart does. */
function linesOf({ lines, faults }: AskedOrder): readonly LiveLine[] | undefined {
    const bySku = new Map<string, LiveLine>();
    for (const { path, sku = '', quantity = 0, custom } of lines ?? []) {
        const first = bySku.get(sku);
        if (first && canonicalJson(first.custom ?? {}) !== canonicalJson(custom ?? {}))
            faults.add(`${path}.customFields`, `are others than those of ${first.path}; a SKU must be on one line`);
        const all = (first?.quantity ?? 0) + quantity;
        bySku.set(sku, { path: first?.path ?? path, sku, quantity: all, custom: first?.custom ?? custom });
    }
    return lines && [...bySku.values()].filter(({ quantity }) => quantity > 0);
}

function surchargesOf({ surcharges, faults }: AskedOrder): readonly LiveSurcharge[] | undefined {
    return surcharges?.map(({ path, description = '', sku, price, priceIncludesTax, taxLines = [] }) => {
        if (price === undefined) faults.add(`${path}.price`, 'is missing');
        return { path, description, sku, price: price ?? 0, priceIncludesTax, taxLines };
    });
}

interface Place {
    readonly faults: Faults;
    readonly path: string;
}

/** A list that may be empty only where it is not said. */
function someOf<T>(list: readonly T[] | undefined, { faults, path }: Place): readonly T[] | undefined {
    if (list?.length === 0) faults.add(path, 'has no entry; allowed in the mode LIVE: one or more', []);
    return list?.length === 0 ? undefined : list;
}

function paymentsOf({ payments, faults }: AskedOrder, path: string): readonly LivePayment[] | undefined {
    return someOf(payments, { faults, path })?.map(
        ({ path: at, method = '', amount = 0, transactionId = '', metadata = {} }) => ({
            ...{ path: at, method, amount, transactionId, metadata },
        }),
    );
}

/** Vendure requires the country, and would use an arbitrary one if it is missing. */
function addressOf(address: OrderAddress | null | undefined, { faults, path }: Place): OrderAddress | null | undefined {
    if (!address) return address;
    const { country, countryCode, ...rest } = address;
    if (Object.keys(address).length === 0) return null;
    if (country !== undefined)
        faults.add(`${path}.country`, 'is set by countryCode in the mode LIVE; leave it out', country);
    if (countryCode === undefined) faults.add(`${path}.countryCode`, 'is missing');
    return countryCode === undefined ? rest : { ...rest, countryCode };
}
