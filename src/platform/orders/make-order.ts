import { Order, OrderLine, prorate, ShippingLine, Surcharge } from '@vendure/core';
import { known, quoted, type RecordIssues } from '../entities/record-issues';
import type { OrderAddress } from './order-address';
import type { OrderFacts, VariantFact } from './order-facts';
import type { RequestedDiscount, RequestedPrice, TaxLine } from './order-parts';
import type { RequestedOrder, OrderNames, TotalName } from './order-record';
import type { OrderShop } from './order-shop';
import type { Adjustment, LineState, ShippingLineState, SurchargeState } from './order-state';

/** The greatest sum that a column of money takes. */
const MOST_MONEY = 2_147_483_647;
/** The description of a surcharge that compensates for rounding. */
const ROUNDING = 'Rounding';
/** The maximum quantity of a line, and the maximum total of an order with discounts, for which the shares of single items are stored. */
const MOST_PIECES = { ofLine: 1_000, ofOrder: 100_000 } as const;
/** The maximum number of discount shares in the lines of an order: each is calculated with all earlier ones. */
const MOST_SHARES = 10_000;

/** The data for checking one record. */
export interface OrderContext {
    readonly shop: OrderShop;
    readonly facts: OrderFacts;
    readonly names: OrderNames;
    readonly faults: RecordIssues;
    /** Minor units by which totals in a record may differ from the sum of their parts. */
    readonly tolerance: number;
}

/** What an order consists of, and costs. */
export interface PricedOrder {
    readonly lines: readonly LineState[];
    readonly surcharges: readonly SurchargeState[];
    readonly shippingLines: readonly ShippingLineState[];
}

/** The lines of a record with their discounts, as Vendure would have stored them. */
export function linesOf({ lines = [], discounts = [] }: RequestedOrder, context: OrderContext): readonly LineState[] {
    const { faults: issues, names } = context;
    const made = lines.flatMap(line => {
        const { path, sku, quantity = 0, orderPlacedQuantity = quantity } = line;
        const variant = variantOf(sku!, path, context);
        const price = priceOf(line, path, context);
        if (orderPlacedQuantity < quantity)
            issues.add(
                `${path}.orderPlacedQuantity`,
                `is ${orderPlacedQuantity}, less than the quantity`,
                orderPlacedQuantity,
            );
        else if (orderPlacedQuantity === 0)
            issues.add(
                `${path}.quantity`,
                'is 0; allowed: 1 or more, or 0 with the orderPlacedQuantity of a line that was cancelled',
                0,
            );
        if (!variant || !price) return [];
        const adjustments = line.discounts.map(discount => adjustmentOf(discount, 'PROMOTION', context));
        const off = line.discounts.reduce((sum, { amount }) => sum - amount, 0);
        if (off > 0 && off > price.listPrice * orderPlacedQuantity)
            issues.add(
                `${path}.discounts`,
                `take off ${off}, and the line costs ${price.listPrice * orderPlacedQuantity}`,
            );
        const { id: variantId, taxCategoryId, assetId } = variant;
        const own = { id: undefined, variantId, sku: sku!, taxCategoryId, assetId };
        return [{ ...own, ...price, quantity, orderPlacedQuantity, adjustments }];
    });
    return discounts.length === 0 || issues.count > 0 ? made : distributed(made, discounts, { place: context, names });
}

export function surchargesOf({ surcharges = [] }: RequestedOrder, context: OrderContext): readonly SurchargeState[] {
    return surcharges.flatMap(({ path, description, sku, ...price }) => {
        const found = priceOf(price, path, context);
        return found ? [{ description: description!, sku, ...found }] : [];
    });
}

export function shippingLinesOf(
    { shippingLines = [] }: RequestedOrder,
    context: OrderContext,
): readonly ShippingLineState[] {
    return shippingLines.flatMap(({ path, method, discounts, ...rest }) => {
        const price = priceOf(rest, path, context);
        const found = onlyOne(context.facts.methods.get(method!) ?? []);
        const { code } = context.shop.channel;
        if (!found)
            context.faults.add(
                `${path}.method`,
                `is ${quoted(method)}; no shipping method of channel ${code} has this code, or several have it`,
                method!,
            );
        if (!price || !found) return [];
        const adjustments = discounts.map(discount => adjustmentOf(discount, 'PROMOTION', context));
        const off = discounts.reduce((sum, { amount }) => sum - amount, 0);
        if (off > 0 && off > price.listPrice)
            context.faults.add(`${path}.discounts`, `take off ${off}, and it costs ${price.listPrice}`);
        return [{ method: method!, methodId: found.id, ...price, adjustments }];
    });
}

/** The sums of an order, by the shop's own way of summing up. */
export function orderTotals(
    { lines, surcharges, shippingLines }: PricedOrder,
    { shop, faults: issues, names }: OrderContext,
): Readonly<Record<TotalName, number>> | undefined {
    const querySort = new Order({
        lines: lines.map(orderLine),
        surcharges: surcharges.map(one => new Surcharge({ ...one, taxLines: [...one.taxLines] })),
        shippingLines: shippingLines.map(
            ({ method: _method, methodId: _id, ...line }) => new ShippingLine(line as unknown as ShippingLine),
        ),
    });
    const { subTotal, subTotalWithTax, shipping, shippingWithTax } = shop.totals.calculateOrderTotals(querySort);
    const total = subTotal + shipping;
    const totalWithTax = subTotalWithTax + shippingWithTax;
    const totals = { subTotal, subTotalWithTax, shipping, shippingWithTax, total, totalWithTax };
    if (Object.values(totals).every(sum => Math.abs(sum) <= MOST_MONEY)) return totals;
    issues.add(names.lines, `make ${totalWithTax}; the database takes at most ${MOST_MONEY}`);
    return undefined;
}

/** Compensates for the rounding of another system by a surcharge without tax, within the tolerance of the step. */
export function withRounding(priced: PricedOrder, off: number, { tolerance }: OrderContext): PricedOrder {
    if (off === 0 || Math.abs(off) > tolerance) return priced;
    const rounding = { description: ROUNDING, sku: '', listPrice: off, listPriceIncludesTax: true, taxLines: [] };
    return { ...priced, surcharges: [...priced.surcharges, rounding] };
}

/** Surcharges without those that make up for roundings. */
export function withoutRounding(surcharges: readonly SurchargeState[]): readonly SurchargeState[] {
    return surcharges.filter(
        ({ description, sku, taxLines }) => description !== ROUNDING || sku !== '' || taxLines.length > 0,
    );
}

/** Compares the totals in a record with the sums of their parts. */
export function checkTotals(
    said: RequestedOrder['totals'],
    totals: Readonly<Partial<Record<TotalName, number>>>,
    { faults: issues, names, tolerance }: OrderContext,
): void {
    for (const [total, value] of Object.entries(said) as ReadonlyArray<readonly [TotalName, number]>) {
        const made = totals[total];
        if (made !== undefined && Math.abs(made - value) > tolerance)
            issues.add(names[total], `is ${value}, but lines, surcharges and shipping make ${made}`, value);
    }
}

/** The codes of a record, or those of its discounts. */
export function couponsOf({
    couponCodes,
    discounts = [],
    lines = [],
    shippingLines = [],
}: RequestedOrder): readonly string[] {
    const all = [discounts, ...[...lines, ...shippingLines].map(line => line.discounts)].flat();
    return couponCodes ?? [...new Set(all.flatMap(({ couponCode }) => couponCode ?? []))];
}

/** An address with the name of its country, as Vendure stores it. */
export function addressOf(
    address: OrderAddress | null,
    field: string,
    { facts, faults: issues }: OrderContext,
): OrderAddress {
    const { countryCode, country } = address ?? {};
    if (countryCode === undefined || country !== undefined) return address ?? {};
    const name = facts.countries.get(countryCode);
    if (name === undefined)
        issues.add(
            `${field}.countryCode`,
            `is ${quoted(countryCode)}; no country of the shop has this code, and "country" does not name it`,
            countryCode,
        );
    return { ...address, country: name ?? '' };
}

/** Reports an unknown state. */
export function checkState(
    state: string | undefined,
    of: keyof OrderShop['states'],
    { path, place: { shop, faults: issues } }: { readonly path: string; readonly place: OrderContext },
): void {
    const states = shop.states[of];
    if (state === undefined || states.includes(state)) return;
    issues.add(path, `is ${quoted(state)}; ${known(states)}`, state);
}

/** The entity to use: the only one that is not deleted, or the last of the deleted ones. */
export function onlyOne<T extends { readonly isDeleted: boolean }>(found: readonly T[]): T | undefined {
    const living = found.filter(({ isDeleted }) => !isDeleted);
    if (living.length > 1) return undefined;
    return living[0] ?? found.at(-1);
}

function variantOf(sku: string, path: string, { facts, faults: issues, shop }: OrderContext): VariantFact | undefined {
    const found = facts.variants.get(sku) ?? [];
    const variant = onlyOne(found);
    const problem = found.length === 0 ? 'no variant has' : 'several variants have';
    if (!variant) issues.add(`${path}.sku`, `is ${quoted(sku)}; ${problem} it in channel ${shop.channel.code}`, sku);
    return variant;
}

function priceOf(
    { price, priceIncludesTax, taxLines }: RequestedPrice,
    path: string,
    { faults: issues, shop }: OrderContext,
): { listPrice: number; listPriceIncludesTax: boolean; taxLines: readonly TaxLine[] } | undefined {
    if (price === undefined) issues.add(`${path}.price`, 'is missing');
    if (taxLines === undefined) issues.add(`${path}.taxRate`, 'is missing; 0 says that there was no tax');
    if (price === undefined || taxLines === undefined) return undefined;
    return { listPrice: price, listPriceIncludesTax: priceIncludesTax ?? shop.pricesIncludeTax, taxLines };
}

function adjustmentOf(
    { amount, description, couponCode }: RequestedDiscount,
    type: Adjustment['type'],
    { facts }: Pick<OrderContext, 'facts'>,
): Adjustment {
    const id = couponCode === undefined ? undefined : facts.promotions.get(couponCode.toLowerCase());
    // Vendure adds up what has one source.
    const adjustmentSource = id === undefined ? `OTHER:${description}` : `PROMOTION:${id}`;
    return { amount, adjustmentSource, description, type };
}

/** Discounts of the whole order over its lines, by what these cost, as Vendure distributes them. */
function distributed(
    lines: readonly LineState[],
    discounts: readonly RequestedDiscount[],
    { place, names }: { readonly place: OrderContext; readonly names: OrderNames },
): readonly LineState[] {
    if (lines.length * discounts.length > MOST_SHARES) {
        const count = `are ${discounts.length} over ${lines.length} lines`;
        place.faults.add(names.discounts, `${count}; allowed: at most ${MOST_SHARES} shares in lines`);
        return lines;
    }
    const all = lines.reduce((sum, { quantity }) => sum + quantity, 0) * discounts.length;
    const mostPieces = all > MOST_PIECES.ofOrder ? 0 : MOST_PIECES.ofLine;
    let made = lines;
    for (const discount of discounts) {
        const priced = made.map(orderLine);
        const weights = priced.map(line => (line.quantity === 0 ? 0 : line.proratedLinePriceWithTax));
        const cost = weights.reduce((sum, weight) => sum + weight, 0);
        if (weights.some(weight => weight < 0) || cost < -discount.amount) {
            place.faults.add(names.discounts, `take off ${-discount.amount}, and the lines cost ${cost}`);
            return made;
        }
        const shares = prorate(weights, discount.amount);
        made = made.map((line, i) => {
            if (shares[i] === 0) return line;
            const pieces = line.quantity > mostPieces ? 0 : line.quantity;
            const itemDistribution = prorate(Array<number>(pieces).fill(priced[i]!.unitPrice), shares[i]!);
            const share = adjustmentOf({ ...discount, amount: shares[i]! }, 'DISTRIBUTED_ORDER_PROMOTION', place);
            const data = pieces === 0 ? {} : { data: { itemDistribution } };
            return { ...line, adjustments: [...line.adjustments, { ...share, ...data }] };
        });
    }
    return made;
}

/** A line with which Vendure can calculate. */
function orderLine({ quantity, orderPlacedQuantity, adjustments, taxLines, ...price }: LineState): OrderLine {
    const { listPrice, listPriceIncludesTax } = price;
    return new OrderLine({
        quantity,
        orderPlacedQuantity,
        listPrice,
        listPriceIncludesTax,
        adjustments: adjustments as unknown as OrderLine['adjustments'],
        taxLines: [...taxLines],
    });
}
