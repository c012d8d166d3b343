import type { INestApplication } from '@nestjs/common';
import {
    ChannelService,
    CurrencyCode,
    isGraphQlErrorResult,
    LanguageCode,
    RequestContextService,
    StockLocation,
    StockLocationService,
    TransactionalConnection,
    User,
} from '@vendure/core';

/** The channels of suites that share a shop: their codes, which are their tokens. */
export const SUITE_CHANNELS: readonly string[] = Array.from({ length: 19 }, (_, i) => `suite-${i + 1}`);

/** Creates them, with the zones and the stock location of the default channel. */
export async function makeSuiteChannels(app: INestApplication): Promise<void> {
    const user = await app
        .get(TransactionalConnection)
        .rawConnection.getRepository(User)
        .findOneOrFail({
            where: { identifier: 'superadmin' },
            relations: { roles: { channels: true } },
        });
    const ctx = await app.get(RequestContextService).create({ apiType: 'admin', user });
    const channels = app.get(ChannelService);
    const { defaultShippingZone, defaultTaxZone } = await channels.getDefaultChannel(ctx);
    const { items: locations } = await app.get(StockLocationService).findAll(ctx);
    for (const token of SUITE_CHANNELS) {
        const made = await channels.create(ctx, {
            code: token,
            token,
            defaultLanguageCode: LanguageCode.en,
            pricesIncludeTax: false,
            defaultCurrencyCode: CurrencyCode.USD,
            availableCurrencyCodes: [CurrencyCode.USD],
            availableLanguageCodes: [LanguageCode.en],
            defaultTaxZoneId: defaultTaxZone.id,
            defaultShippingZoneId: defaultShippingZone.id,
        });
        if (isGraphQlErrorResult(made)) throw new Error(made.message);
        for (const { id } of locations) await channels.assignToChannels(ctx, StockLocation, id, [made.id]);
    }
}
