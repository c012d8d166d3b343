import { z } from 'zod';
import { defineLoader, type LoaderFixture } from '../../core/adapter/loader';
import { namedFields } from '../catalogue/known-fields';
import { loadArguments } from '../entities/load-arguments';
import { fieldArguments, fieldNames, priceArguments } from '../catalogue/load-config';
import { openPrices } from '../catalogue/price-session';

const FIELDS = ['sku', 'price', 'prices'] as const;

/** What the examples begin with. */
const lamp: readonly LoaderFixture[] = [
    { loader: 'productUpsert', records: [{ name: 'Desk lamp', sku: 'LAMP-1', price: 4900 }] },
];

/** Prices of existing variants, in bulk: the nightly feed. */
export const priceUpdate = defineLoader({
    code: 'priceUpdate',
    title: 'Update prices',
    category: 'Catalogue',
    summary: "Sets prices of existing variants in the run's channel, matched by SKU.",
    notes: [
        "A record is {sku, price} for the channel's default currency, or {sku, prices: {EUR: 1999}}; both may be set.",
        'Money is a whole number in the smallest unit (1999 = 19.99). The operator toCents converts text.',
        "null in `prices` removes the price of that currency, except for the channel's default currency, which cannot be empty.",
        'The strategy CREATE only sets prices in currencies in which a variant has none, UPDATE only those in which it has one. A record for a variant that does not exist is always rejected.',
        'Blanks around SKUs are removed.',
        "Prices of other channels follow the shop's ProductVariantPriceUpdateStrategy.",
    ],
    requires: ['UpdateCatalog'],
    config: z.strictObject({
        ...fieldArguments(FIELDS),
        ...priceArguments,
        strategy: loadArguments.strategy,
        sideEffects: loadArguments.sideEffects,
        history: loadArguments.history,
    }),
    examples: [
        {
            given: lamp,
            in: [{ sku: 'LAMP-1', price: 4500 }],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['update'],
            after: [{ prices: { USD: 4500 } }],
        },
        {
            note: 'A price for each currency of the channel. Prices that do not change are not written.',
            given: lamp,
            in: [
                { sku: 'LAMP-1', price: 4900, prices: { EUR: 4200 } },
                { sku: 'LAMP-1', price: 4900 },
            ],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['update', 'unchanged'],
            after: [{ prices: { EUR: 4200 } }],
        },
        {
            note: "null removes a price, except in the channel's default currency.",
            given: [...lamp, { loader: 'priceUpdate', records: [{ sku: 'LAMP-1', prices: { EUR: 4200 } }] }],
            in: [
                { sku: 'LAMP-1', prices: { USD: null } },
                { sku: 'LAMP-1', prices: { EUR: null } },
            ],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['reject', 'update'],
            rejects: ['prices.USD'],
            after: [{ prices: { EUR: null } }],
        },
        {
            note: 'If several records name one variant, the last one is used.',
            given: lamp,
            config: { skuField: 'article', priceField: 'cents' },
            in: [
                { article: 'LAMP-1', cents: 4500 },
                { article: 'LAMP-1', cents: 4400 },
            ],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['update', 'update'],
            after: [{ prices: { USD: 4500 } }, { prices: { USD: 4400 } }],
            again: ['update', 'update'],
        },
        {
            note: 'A price below 0 is accepted if the step allows it.',
            given: lamp,
            config: { allowNegativePrices: true },
            in: [{ sku: 'LAMP-1', price: -100 }],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['update'],
            after: [{ prices: { USD: -100 } }],
        },
        {
            given: lamp,
            config: { strategy: 'CREATE' },
            in: [
                { sku: 'LAMP-1', price: 4500 },
                { sku: 'LAMP-1', prices: { EUR: 4200 } },
            ],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['reject', 'update'],
            rejects: ['price'],
            again: ['reject', 'reject'],
        },
        {
            given: lamp,
            config: { strategy: 'UPDATE' },
            in: [
                { sku: 'LAMP-1', prices: { EUR: 4200 } },
                { sku: 'LAMP-1', price: 4500 },
            ],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['reject', 'update'],
            rejects: ['prices.EUR'],
        },
        {
            given: lamp,
            in: [
                { sku: 'LAMP-2', price: 100 },
                { sku: 'LAMP-1', price: '45.00' },
                { sku: 'LAMP-1', prices: { JPY: 1 } },
                { sku: 'LAMP-1', price: -100 },
                { sku: 'LAMP-1', price: 3_000_000_000 },
                { sku: 'LAMP-1' },
                { sku: 'LAMP-1', price: 4500, __operation: 'DELETE' },
                { sku: 'LAMP-1', price: 4500 },
            ],
            keys: ['Desk lamp', 'LAMP-1', 'LAMP-2'],
            does: ['reject', 'reject', 'reject', 'reject', 'reject', 'reject', 'reject', 'update'],
            rejects: ['sku', 'price', 'prices.JPY', 'price', 'price', 'price', '__operation'],
        },
    ],
    fields: config => namedFields(fieldNames(config), FIELDS),
    open: openPrices,
});
