import { z } from 'zod';
import { defineLoader } from '../../core/adapter/loader';
import { fieldArguments, loadArguments } from '../catalogue/load-config';
import { readReference } from '../lookup/reference';
import { PriceSession } from '../pricing/price-session';

/** Prices of existing variants, in bulk: the nightly feed (spec 4, "load adapters"). */
export const priceUpdate = defineLoader({
    code: 'priceUpdate',
    title: 'Update prices',
    category: 'Catalogue',
    summary: "Sets prices of existing variants in the run's channel, found by SKU.",
    notes: [
        "A record is {sku, price} for the channel's default currency, or {sku, prices: {EUR: 1999}}; both may stand together.",
        'Money is whole minor units (1999 = 19.99); the operator toCents makes them.',
        "Prices of other channels follow as the shop's ProductVariantPriceUpdateStrategy says. A strategy of the shop's own is asked, " +
            'and must answer at once: one that answers a promise is refused.',
    ],
    requires: ['UpdateCatalog'],
    config: z.strictObject({
        ...fieldArguments(['sku', 'price', 'prices']),
        sideEffects: loadArguments.sideEffects,
    }),
    async open(config, cx) {
        const { channel } = await readReference(cx);
        return new PriceSession({ ...config, channel }, cx);
    },
});
