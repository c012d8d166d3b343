import { recordInvalid } from '../../../core/errors/record-invalid';
import type { JsonObject, JsonValue } from '../../../core/value/json';
import { valueOrMissing, missing, type AttributeReader } from './attributes';
import { amount, type FeedMoney, numberIn, shipping, shippingText } from './prices';

/** What a publisher requires of the records of a feed. */
export interface FeedRules {
    /** The name of the publisher, for messages. */
    readonly of: string;
    readonly required: readonly string[];
    /** The known attributes, in addition to money and shipping. All others are texts. */
    readonly attributes: Readonly<Record<string, AttributeReader>>;
    /** How the availability of a stock is spelled. */
    readonly stock: { readonly some: string; readonly none: string };
    /** Throws a record error if an attribute requires another one. */
    conditions(shaped: JsonObject): void;
}

const MONEY: ReadonlySet<string> = new Set(['price', 'sale_price']);
const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** Converts records to the form of a feed. */
export class Feed {
    constructor(
        private readonly rules: FeedRules,
        private readonly money: FeedMoney,
    ) {}

    /** The attributes of a record, in the spelling of the feed. Throws a record error that names the attribute. */
    shape(data: JsonObject): JsonObject {
        const { rules, money } = this;
        for (const name of rules.required)
            if (valueOrMissing(data, name) === undefined) throw missing(name, `${rules.of} needs it of every item`);
        const shaped: Record<string, JsonValue> = {};
        // The inputs of amounts are not attributes.
        const left = new Set(['currencyCode', money.taxRateField, '__operation']);
        for (const name of Object.keys(data)) {
            const value = valueOrMissing(data, name);
            if (value === undefined || left.has(name)) continue;
            if (!NAME.test(name))
                throw recordInvalid(
                    name,
                    'is not an attribute of a feed; allowed: lower-case letters, digits and underscores',
                );
            shaped[name] = this.read(name, value, data);
        }
        const { price, sale_price: sale } = shaped as { readonly price?: string; readonly sale_price?: string };
        if (price !== undefined && numberIn(price).isZero())
            throw recordInvalid('price', `is 0; ${rules.of} takes no such item`);
        if (price !== undefined && sale !== undefined) {
            if (price.slice(-3) !== sale.slice(-3))
                throw recordInvalid('sale_price', 'is of another currency than price');
            if (numberIn(sale).gte(numberIn(price))) throw recordInvalid('sale_price', 'is not lower than price');
        }
        if (shaped['sale_price_effective_date'] !== undefined && sale === undefined)
            throw missing('sale_price', 'sale_price_effective_date says when it holds');
        rules.conditions(shaped);
        return shaped;
    }

    private read(name: string, value: JsonValue, data: JsonObject): JsonValue {
        const { attributes, stock } = this.rules;
        const at = { data, money: this.money };
        if (MONEY.has(name)) return amount(name, value, at);
        if (name === 'shipping') return typeof value === 'string' ? recordFault(name) : shipping(name, value, at);
        if (name === 'availability' && (typeof value === 'number' || typeof value === 'boolean'))
            return Number(value) > 0 ? stock.some : stock.none;
        const read = attributes[name];
        if (read) return read(name, value);
        if (typeof value === 'object') throw recordInvalid(name, 'is not text');
        return String(value);
    }
}

function recordFault(name: string): never {
    throw recordInvalid(name, 'is a text; allowed: objects with country, region, service and price');
}

/** A shaped record for tables, in which every value is a text. */
export function asCells(shaped: JsonObject): JsonObject {
    const cells: Record<string, JsonValue> = {};
    for (const [name, value] of Object.entries(shaped))
        cells[name] = name === 'shipping' ? shippingText(value) : Array.isArray(value) ? value.join(',') : value;
    return cells;
}
