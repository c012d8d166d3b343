import { currencyAt } from './money';

describe('the currency of an amount', () => {
    it.each([
        ['price', 1999, 'EUR'],
        ['variants.TS-1.price', 1999, 'EUR'],
        ['prices.USD', 2199, 'USD'],
        ['variants.TS-1.prices.USD', 2199, 'USD'],
        ['price', '19.99', undefined],
        ['price', 19.99, undefined],
        ['prices', 1, undefined],
        ['prices.usd', 1, undefined],
        ['stock', 7, undefined],
    ])('at %s of %j is %s', (path, value, currency) => expect(currencyAt(path, value, 'EUR')).toBe(currency));

    it('is unknown while the channel is', () => expect(currencyAt('price', 1, undefined)).toBeUndefined());
});
