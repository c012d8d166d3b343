import type { INestApplication } from '@nestjs/common';
import {
    type Channel,
    ChannelService,
    CurrencyCode,
    LanguageCode,
    ProductService,
    ProductVariant,
    ProductVariantService,
    StockLocationService,
    isGraphQlErrorResult,
} from '@vendure/core';
import { In } from 'typeorm';
import { platformOf } from './load-harness';

/** Creates a second channel with another currency and tax display, which shares the zones of the default one. */
export async function secondChannel(app: INestApplication, code = 'wholesale'): Promise<Channel> {
    const { ctx } = await platformOf(app);
    const made = await app.get(ChannelService).create(ctx, {
        code,
        token: code,
        defaultLanguageCode: LanguageCode.en,
        pricesIncludeTax: true,
        availableLanguageCodes: [LanguageCode.en, LanguageCode.de],
        availableCurrencyCodes: [CurrencyCode.EUR, CurrencyCode.GBP],
        defaultCurrencyCode: CurrencyCode.EUR,
        defaultTaxZoneId: ctx.channel.defaultTaxZone.id,
        defaultShippingZoneId: ctx.channel.defaultShippingZone.id,
    });
    if (isGraphQlErrorResult(made)) throw new Error(made.message);
    return made;
}

/** Creates a stock location in the default channel. */
export async function stockLocation(app: INestApplication, name: string): Promise<void> {
    await app.get(StockLocationService).create((await platformOf(app)).ctx, { name });
}

/** Creates a product with one variant for each SKU (price 1000, stock 5), with Vendure's services. */
export async function productsWith(app: INestApplication, skus: readonly string[]): Promise<readonly ProductVariant[]> {
    const { ctx, dataSource } = await platformOf(app);
    for (const sku of skus) {
        const { id: productId } = await app.get(ProductService).create(ctx, {
            translations: [
                { languageCode: LanguageCode.en, name: `Product ${sku}`, slug: sku.toLowerCase(), description: '' },
            ],
        });
        await app.get(ProductVariantService).create(ctx, [
            {
                productId,
                sku,
                price: 1000,
                stockOnHand: 5,
                translations: [{ languageCode: LanguageCode.en, name: `Variant ${sku}` }],
            },
        ]);
    }
    return dataSource.getRepository(ProductVariant).find({ where: { sku: In(skus) }, order: { id: 'ASC' } });
}
