import { Decimal } from '../../../core/data/decimal';
import { recordInvalid, valueInvalid } from '../../../core/errors/record-invalid';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/value/json';
import { missing } from './attributes';

/** How the money of a shop is converted for a feed. */
export interface FeedMoney {
    /** ISO 4217, for amounts that are numbers. */
    readonly currencyCode: string | undefined;
    /** Whether amounts that are numbers include tax. */
    readonly pricesIncludeTax: boolean | undefined;
    /** Whether prices in the feed must include tax. */
    readonly feedIncludesTax: boolean;
    /** The field with the tax rate of a record, in percent. */
    readonly taxRateField: string;
}

/** Feeds for these countries have prices without tax; those for all others have prices with it. */
const WITHOUT_TAX: ReadonlySet<string> = new Set(['US', 'CA']);

export function feedIncludesTax(country: string): boolean {
    return !WITHOUT_TAX.has(country);
}

const WRITTEN = /^(\d{1,12}(?:\.\d{1,4})?)\s*([A-Z]{3})$/;

/**
 * An amount as `19.99 EUR`. A text is used unchanged. A number is in the smallest unit of the currency, as in the shop,
 * and is converted to a price with or without tax, as the feed requires. Throws a record error.
 */
export function amount(
    name: string,
    value: JsonValue,
    { data, money }: { readonly data: JsonObject; readonly money: FeedMoney },
): string {
    if (typeof value === 'string') {
        const [, digits, currency] = WRITTEN.exec(value.trim()) ?? [];
        if (digits === undefined)
            throw valueInvalid(
                name,
                value,
                'is not a price; allowed: an amount such as "19.99 EUR", or a whole number of its smallest unit',
            );
        return `${digits.includes('.') ? digits : new Decimal(digits).toFixed(placesOf(currency!))} ${currency}`;
    }
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
        throw valueInvalid(
            name,
            value,
            'is not a price; allowed: a whole number of the smallest unit of its currency, or a text such as "19.99 EUR"',
        );
    const own = data['currencyCode'];
    const currency = typeof own === 'string' && /^[A-Z]{3}$/.test(own) ? own : money.currencyCode;
    if (currency === undefined)
        throw recordInvalid(name, 'is a number of no currency; set currencyCode in the step or the record');
    const places = placesOf(currency);
    return `${new Decimal(taxed(name, value, { data, money })).div(new Decimal(10).pow(places)).toFixed(places)} ${currency}`;
}

/** Rounded to whole units, halves away from zero, like in the shop. */
function taxed(
    name: string,
    value: number,
    { data, money }: { readonly data: JsonObject; readonly money: FeedMoney },
): number {
    const { pricesIncludeTax, feedIncludesTax: isWanted, taxRateField } = money;
    if (pricesIncludeTax === undefined)
        throw recordInvalid(
            name,
            'is a number; set pricesIncludeTax in the step, which says whether that includes tax',
        );
    if (pricesIncludeTax === isWanted) return value;
    const given = data[taxRateField];
    const rate =
        typeof given === 'number'
            ? given
            : typeof given === 'string' && /^\d{1,3}(\.\d{1,6})?$/.test(given)
              ? Number(given)
              : undefined;
    if (rate === undefined || rate < 0 || rate > 1_000)
        throw given === undefined || given === null
            ? missing(
                  taxRateField,
                  `the ${name} of the shop ${pricesIncludeTax ? 'includes tax, and that' : 'is without tax, and that'} of the feed ${isWanted ? 'includes it' : 'is without'}`,
              )
            : valueInvalid(taxRateField, given, 'is not a tax rate; allowed: a percentage such as 19');
    const factor = new Decimal(rate).div(100).plus(1);
    const exact = isWanted ? new Decimal(value).mul(factor) : new Decimal(value).div(factor);
    return exact.toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
}

/** How many decimals a currency has. */
function placesOf(currency: string): number {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** The number in an amount that `amount` has written. */
export function numberIn(written: string): Decimal {
    return new Decimal(written.split(' ', 1)[0]!);
}

/** What a delivery costs. */
export function shipping(
    name: string,
    value: JsonValue,
    at: { readonly data: JsonObject; readonly money: FeedMoney },
): JsonValue {
    const list = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
    return list.map((one, i): JsonObject => {
        const place = `${name}.${i}`;
        if (!isJsonObject(one))
            throw valueInvalid(
                place,
                one,
                'is not a delivery; allowed: an object with country, region, service and price',
            );
        const { country, region, service, price } = one;
        if (typeof country !== 'string' || !/^[A-Z]{2}$/.test(country))
            throw valueInvalid(`${place}.country`, country, 'is not a country; allowed: an ISO 3166 code such as DE');
        if (price === undefined || price === null) throw missing(`${place}.price`, 'a delivery has one');
        for (const [field, text] of Object.entries({ region, service }))
            if (text !== undefined && text !== null && (typeof text !== 'string' || /[:,]/.test(text)))
                throw valueInvalid(
                    `${place}.${field}`,
                    text,
                    'is not allowed; allowed: a text without colons and commas',
                );
        return {
            country,
            ...(typeof region === 'string' && region !== '' && { region }),
            ...(typeof service === 'string' && service !== '' && { service }),
            price: amount(`${place}.price`, price, at),
        };
    });
}

/** As tables have it: `US:CA:Standard:6.49 USD`, several with commas. */
export function shippingText(list: JsonValue): string {
    return (list as readonly JsonObject[])
        .map(({ country, region = '', service = '', price }) => [country, region, service, price].join(':'))
        .join(',');
}
