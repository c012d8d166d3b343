import { Order, OrderLine, prorate, ShippingLine, Surcharge } from '@vendure/core';
import { known, quoted, type Faults } from '../entities/faults';
import type { OrderAddress } from './order-address';
import type { OrderFacts, VariantFact } from './order-facts';
import type { AskedDiscount, AskedPrice, TaxLine } from './order-parts';
import type { AskedOrder, OrderNames, TotalName } from './order-record';
import type { OrderShop } from './order-shop';
import type { Adjustment, LineState, ShippingLineState, SurchargeState } from './order-state';

/** The greatest sum that a column of money takes. */
const MOST_MONEY = 2_147_483_647;
/** What a surcharge is called that makes up for roundings. */
const ROUNDING = 'Rounding';
/** The maximum quantity of a line, and the maximum total of an order with discounts, for which the shares of single items are stored. */
const MOST_PIECES = { ofLine: 1_000, ofOrder: 100_000 } as const;
/** The maximum number of discount shares in the lines of an order: each is calculated with all earlier ones. */
const MOST_SHARES = 10_000;

/** The data for checking one record. */
export interface OrderPlace {
    readonly shop: OrderShop;
    readonly facts: OrderFacts;
    readonly names: OrderNames;
    readonly faults: Faults;
    /** Minor units by which sums that a record says may differ from those that its parts make. */
    readonly tolerance: number;
}

/** What an order consists of, and costs. */
export interface PricedOrder {
    readonly lines: readonly LineState[];
    readonly surcharges: readonly SurchargeState[];
    readonly shippingLines: readonly ShippingLineState[];
}

/** The lines of a record with their discounts, as Vendure would have stored them. */
export function linesOf({ lines = [], discounts = [] }: AskedOrder, place: OrderPlace): readonly LineState[] {
    const { faults, names } = place;
    const made = lines.flatMap(line => {
        const { path, sku, quantity = 0, orderPlacedQuantity = quantity } = line;
        const variant = variantOf(sku!, path, place);
        const price = priceOf(line, path, place);
        if (orderPlacedQuantity < quantity)
            faults.add(
                `${path}.orderPlacedQuantity`,
                `is ${orderPlacedQuantity}, less than the quantity`,
                orderPlacedQuantity,
            );
        else if (orderPlacedQuantity === 0)
            faults.add(
                `${path}.quantity`,
                'is 0; allowed: 1 or more, or 0 with the orderPlacedQuantity of a line that was cancelled',
                0,
            );
        if (!variant || !price) return [];
        const adjustments = line.discounts.map(discount => adjustmentOf(discount, 'PROMOTION', place));
        const off = line.discounts.reduce((sum, { amount }) => sum - amount, 0);
        if (off > 0 && off > price.listPrice * orderPlacedQuantity)
            faults.add(
                `${path}.discounts`,
                `take off ${off}, and the line costs ${price.listPrice * orderPlacedQuantity}`,
            );
        const { id: variantId, taxCategoryId, assetId } = variant;
        const own = { id: undefined, variantId, sku: sku!, taxCategoryId, assetId };
        return [{ ...own, ...price, quantity, orderPlacedQuantity, adjustments }];
    });
    return discounts.length === 0 || faults.count > 0 ? made : distributed(made, discounts, { place, names });
}

export function surchargesOf({ surcharges = [] }: AskedOrder, place: OrderPlace): readonly SurchargeState[] {
    return surcharges.flatMap(({ path, description, sku, ...price }) => {
        const found = priceOf(price, path, place);
        return found ? [{ description: description!, sku, ...found }] : [];
    });
}

export function shippingLinesOf({ shippingLines = [] }: AskedOrder, place: OrderPlace): readonly ShippingLineState[] {
    return shippingLines.flatMap(({ path, method, discounts, ...rest }) => {
        const price = priceOf(rest, path, place);
        const found = onlyOne(place.facts.methods.get(method!) ?? []);
        const { code } = place.shop.channel;
        if (!found)
            place.faults.add(
                `${path}.method`,
                `is ${quoted(method)}; no shipping method of channel ${code} has this code, or several have it`,
                method!,
            );
        if (!price || !found) return [];
        const adjustments = discounts.map(discount => adjustmentOf(discount, 'PROMOTION', place));
        const off = discounts.reduce((sum, { amount }) => sum - amount, 0);
        if (off > 0 && off > price.listPrice)
            place.faults.add(`${path}.discounts`, `take off ${off}, and it costs ${price.listPrice}`);
        return [{ method: method!, methodId: found.id, ...price, adjustments }];
    });
}

/** The sums of an order, by the shop's own way of summing up. */
export function orderTotals(
    { lines, surcharges, shippingLines }: PricedOrder,
    { shop, faults, names }: OrderPlace,
): Readonly<Record<TotalName, number>> | undefined {
    const order = new Order({
        lines: lines.map(orderLine),
        surcharges: surcharges.map(one => new Surcharge({ ...one, taxLines: [...one.taxLines] })),
        shippingLines: shippingLines.map(
            ({ method: _method, methodId: _id, ...line }) => new ShippingLine(line as unknown as ShippingLine),
        ),
    });
    const { subTotal, subTotalWithTax, shipping, shippingWithTax } = shop.totals.calculateOrderTotals(order);
    const total = subTotal + shipping;
    const totalWithTax = subTotalWithTax + shippingWithTax;
    const totals = { subTotal, subTotalWithTax, shipping, shippingWithTax, total, totalWithTax };
    if (Object.values(totals).every(sum => Math.abs(sum) <= MOST_MONEY)) return totals;
    faults.add(names.lines, `make ${totalWithTax}; the database takes at most ${MOST_MONEY}`);
    return undefined;
}

/** What another system has rounded elsewhere is made up for by a surcharge without tax, within what the step allows. */
export function withRounding(priced: PricedOrder, off: number, { tolerance }: OrderPlace): PricedOrder {
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

/** Holds the sums that a record says against those that its parts make. */
export function checkTotals(
    said: AskedOrder['totals'],
    totals: Readonly<Partial<Record<TotalName, number>>>,
    { faults, names, tolerance }: OrderPlace,
): void {
    for (const [total, value] of Object.entries(said) as ReadonlyArray<readonly [TotalName, number]>) {
        const made = totals[total];
        if (made !== undefined && Math.abs(made - value) > tolerance)
            faults.add(names[total], `is ${value}, but lines, surcharges and shipping make ${made}`, value);
    }
}

/** The codes of a record, or those of its discounts. */
export function couponsOf({
    couponCodes,
    discounts = [],
    lines = [],
    shippingLines = [],
}: AskedOrder): readonly string[] {
    const all = [discounts, ...[...lines, ...shippingLines].map(line => line.discounts)].flat();
    return couponCodes ?? [...new Set(all.flatMap(({ couponCode }) => couponCode ?? []))];
}

/** An address with the name of its country, as Vendure stores it. */
export function addressOf(address: OrderAddress | null, field: string, { facts, faults }: OrderPlace): OrderAddress {
    const { countryCode, country } = address ?? {};
    if (countryCode === undefined || country !== undefined) return address ?? {};
    const name = facts.countries.get(countryCode);
    if (name === undefined)
        faults.add(
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
    { path, place: { shop, faults } }: { readonly path: string; readonly place: OrderPlace },
): void {
    const states = shop.states[of];
    if (state === undefined || states.includes(state)) return;
    faults.add(path, `is ${quoted(state)}; ${known(states)}`, state);
}

/** The one that is meant: the only living one, or the last of those that are deleted. */
export function onlyOne<T extends { readonly isDeleted: boolean }>(found: readonly T[]): T | undefined {
    const living = found.filter(({ isDeleted }) => !isDeleted);
    if (living.length > 1) return undefined;
    return living[0] ?? found.at(-1);
}

function variantOf(sku: string, path: string, { facts, faults, shop }: OrderPlace): VariantFact | undefined {
    const found = facts.variants.get(sku) ?? [];
    const variant = onlyOne(found);
    const problem = found.length === 0 ? 'no variant has' : 'several variants have';
    if (!variant) faults.add(`${path}.sku`, `is ${quoted(sku)}; ${problem} it in channel ${shop.channel.code}`, sku);
    return variant;
}

function priceOf(
    { price, priceIncludesTax, taxLines }: AskedPrice,
    path: string,
    { faults, shop }: OrderPlace,
): { listPrice: number; listPriceIncludesTax: boolean; taxLines: readonly TaxLine[] } | undefined {
    if (price === undefined) faults.add(`${path}.price`, 'is missing');
    if (taxLines === undefined) faults.add(`${path}.taxRate`, 'is missing; 0 says that there was no tax');
    if (price === undefined || taxLines === undefined) return undefined;
    return { listPrice: price, listPriceIncludesTax: priceIncludesTax ?? shop.pricesIncludeTax, taxLines };
}

function adjustmentOf(
    { amount, description, couponCode }: AskedDiscount,
    type: Adjustment['type'],
    { facts }: Pick<OrderPlace, 'facts'>,
): Adjustment {
    const id = couponCode === undefined ? undefined : facts.promotions.get(couponCode.toLowerCase());
    // Vendure adds up what has one source.
    const adjustmentSource = id === undefined ? `OTHER:${description}` : `PROMOTION:${id}`;
    return { amount, adjustmentSource, description, type };
}

/** Discounts of the whole order over its lines, by what these cost, as Vendure distributes them. */
function distributed(
    lines: readonly LineState[],
    discounts: readonly AskedDiscount[],
    { place, names }: { readonly place: OrderPlace; readonly names: OrderNames },
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
