import { OrderLine, ShippingLine, Surcharge } from '@vendure/core';
import type { EntityMetadata } from 'typeorm';
import type { JsonObject } from '../../core/value/json';

/** The prices that Vendure calculates for a part of an order, from columns of its record. */
interface PricedPart {
    readonly type: new (input: JsonObject) => object;
    readonly prices: readonly string[];
}

const WITH_TAX = (name: string): readonly string[] => [name, `${name}WithTax`];

const PRICED_PARTS: readonly PricedPart[] = [
    {
        type: OrderLine as unknown as PricedPart['type'],
        prices: [
            'taxRate',
            ...['unitPrice', 'discountedUnitPrice', 'proratedUnitPrice'].flatMap(WITH_TAX),
            ...['linePrice', 'discountedLinePrice', 'proratedLinePrice'].flatMap(WITH_TAX),
        ],
    },
    {
        type: ShippingLine as unknown as PricedPart['type'],
        prices: ['taxRate', ...['price', 'discountedPrice'].flatMap(WITH_TAX)],
    },
    { type: Surcharge as unknown as PricedPart['type'], prices: ['taxRate', ...WITH_TAX('price')] },
];

/**
 * Prices of a part of an order that are not columns: Vendure's own entity calculates them, so that they equal those of the Admin API. Undefined for
 * entities without such prices.
 */
export function orderPricesOf({
    target,
}: Pick<EntityMetadata, 'target'>): ((part: JsonObject) => JsonObject) | undefined {
    const priced = PRICED_PARTS.find(({ type }) => type === target);
    if (!priced) return undefined;
    return part => {
        const entity = new priced.type(part) as Readonly<Record<string, number>>;
        return Object.fromEntries(priced.prices.map(name => [name, entity[name]!]));
    };
}
