import { namesOf } from './record-fields';

const CURRENCY = /^[A-Z]{3}$/;

/**
 * The currency of an amount at a path of a record of the shop: `price` has the currency of the channel, `prices.USD` its own. Undefined for what is not
 * an amount in minor units.
 */
export function currencyAt(path: string, value: unknown, channelCurrency: string | undefined): string | undefined {
    if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
    const names = namesOf(path);
    const last = names.at(-1) ?? '';
    if (last === 'price') return channelCurrency;
    return names.at(-2) === 'prices' && CURRENCY.test(last) ? last : undefined;
}
