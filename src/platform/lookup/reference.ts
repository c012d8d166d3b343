import {
    Channel,
    ChannelService,
    ConfigService,
    DefaultProductVariantPriceSelectionStrategy,
    GlobalSettingsService,
    Permission,
    RoleService,
    StockLocation,
    TaxCategory,
    type TaxRate,
    TaxRateService,
    ZoneService,
    roundMoney,
} from '@vendure/core';
import type { AdapterContext } from '../../core/adapter/context';
import { logEvent } from '../../core/adapter/log-event';
import { flowError } from '../../core/errors/flow-error';
import { withDatabaseErrors } from '../../database/database-errors';
import type { Id } from '../../database/write';
import { PublicIds } from '../public-ids';
import type { Deleting } from './deleting';
import { vendureOf } from './vendure';

/** A channel as far as catalogue loads need it. */
export interface ChannelFacts {
    readonly id: Id;
    readonly token: string;
    readonly code: string;
    readonly defaultLanguage: string;
    readonly defaultCurrency: string;
    readonly currencies: readonly string[];
    readonly pricesIncludeTax: boolean;
    /** Its stock locations, oldest first. */
    readonly locations: ReadonlyArray<{ readonly id: Id; readonly publicId: string; readonly name: string }>;
    /** Whether the run's user may change the catalogue there. */
    readonly isWritable: boolean;
}

export interface TaxCategoryFacts {
    readonly id: Id;
    readonly name: string;
}

/** Data that hardly changes, read once for each run and step. */
export interface ShopReference {
    readonly channel: ChannelFacts;
    readonly defaultChannel: ChannelFacts;
    readonly channels: readonly ChannelFacts[];
    readonly languages: readonly string[];
    /** The language of the texts outside of `translations`. */
    readonly language: string;
    readonly taxCategories: readonly TaxCategoryFacts[];
    readonly defaultTaxCategory: TaxCategoryFacts | undefined;
    /** The location of a plain number of stock. */
    readonly defaultLocation: { readonly id: Id; readonly name: string } | undefined;
    readonly outOfStockThreshold: number;
    readonly tracksInventory: boolean;
    /** Whether the run's user may delete products and variants, by the permissions of the Admin API. */
    readonly deleting: Deleting;
    /** A price of the run's channel as another channel shows it: with or without tax. */
    priceIn(channel: ChannelFacts, price: number, taxCategoryId: Id): number;
}

/** Reads the reference data of the run's channel. */
export function readReference(cx: AdapterContext): Promise<ShopReference> {
    return withDatabaseErrors(() => read(cx));
}

async function read(cx: AdapterContext): Promise<ShopReference> {
    const { ctx, dataSource, injector } = vendureOf(cx);
    const [locations, inShop, settings, categories] = await Promise.all([
        dataSource
            .getRepository(StockLocation)
            .find({ relations: { channels: true }, order: { createdAt: 'ASC', id: 'ASC' } }),
        dataSource.getRepository(Channel).find({ order: { id: 'ASC' } }),
        injector.get(GlobalSettingsService).getSettings(ctx),
        dataSource.getRepository(TaxCategory).find({ order: { id: 'ASC' } }),
    ]);
    const ids = new PublicIds(injector.get(ConfigService));
    const roles = injector.get(RoleService);
    const channels: ChannelFacts[] = [];
    for (const channel of inShop) {
        channels.push({
            id: channel.id,
            token: channel.token,
            code: channel.code,
            defaultLanguage: channel.defaultLanguageCode,
            defaultCurrency: channel.defaultCurrencyCode,
            currencies: channel.availableCurrencyCodes?.length
                ? channel.availableCurrencyCodes
                : [channel.defaultCurrencyCode],
            pricesIncludeTax: channel.pricesIncludeTax,
            locations: locations
                .filter(location => location.channels.some(({ id }) => id === channel.id))
                .map(({ id, name }) => ({ id, publicId: ids.encode(id), name })),
            isWritable:
                channel.id === ctx.channelId ||
                (await roles.userHasPermissionOnChannel(ctx, channel.id, Permission.UpdateCatalog)),
        });
    }
    const channel = channels.find(({ id }) => id === ctx.channelId);
    const defaultId = (await injector.get(ChannelService).getDefaultChannel(ctx)).id;
    const defaultChannel = channels.find(({ id }) => id === defaultId);
    if (!channel || !defaultChannel) {
        throw flowError('CHANNEL_NOT_FOUND', {
            what: 'The run',
            token: ctx.channel.token,
            known: channels.map(({ token }) => token).join(', '),
        });
    }
    const available = ctx.channel.availableLanguageCodes?.length
        ? ctx.channel.availableLanguageCodes
        : settings.availableLanguages;
    const location = channel.locations[0] ?? locations[0];
    return {
        channel,
        defaultChannel,
        channels,
        languages: [...new Set<string>([channel.defaultLanguage, ctx.languageCode, ...available])],
        language: ctx.languageCode,
        taxCategories: categories.map(({ id, name }) => ({ id, name })),
        defaultTaxCategory: categories.find(({ isDefault }) => isDefault) ?? categories[0],
        defaultLocation: location && { id: location.id, name: location.name },
        outOfStockThreshold: settings.outOfStockThreshold,
        tracksInventory: settings.trackInventory,
        deleting: {
            isAllowed: ctx.userHasPermissions([Permission.DeleteCatalog, Permission.DeleteProduct]),
            permission: Permission.DeleteCatalog,
        },
        priceIn: channels.length > 1 ? await pricing(cx, categories) : (_, price) => price,
    };
}

/**
 * The price that ProductVariantService.assignProductVariantsToChannel computes, with Vendure's own price strategies.
 */
async function pricing(cx: AdapterContext, categories: readonly TaxCategory[]): Promise<ShopReference['priceIn']> {
    const { ctx, injector } = vendureOf(cx);
    const { catalogOptions, taxOptions } = injector.get(ConfigService);
    // Vendure does not export its default calculation, so it is known by name.
    const isOwn =
        catalogOptions.productVariantPriceCalculationStrategy.constructor.name !==
            'DefaultProductVariantPriceCalculationStrategy' ||
        !(catalogOptions.productVariantPriceSelectionStrategy instanceof DefaultProductVariantPriceSelectionStrategy);
    if (isOwn) logEvent(cx.log, 'PRICE_STRATEGY_SKIPPED', {});
    const zone = await taxOptions.taxZoneStrategy.determineTaxZone(
        ctx,
        await injector.get(ZoneService).getAllWithMembers(ctx),
        ctx.channel,
    );
    if (!zone) return (_, price) => price;
    const rates = new Map<Id, TaxRate>();
    for (const category of categories)
        rates.set(category.id, await injector.get(TaxRateService).getApplicableTaxRate(ctx, zone, category));
    const { pricesIncludeTax } = ctx.channel;
    return (channel, price, taxCategoryId) => {
        const rate = rates.get(taxCategoryId);
        if (!rate || channel.pricesIncludeTax === pricesIncludeTax) return price;
        return roundMoney(roundMoney(channel.pricesIncludeTax ? rate.grossPriceOf(price) : rate.netPriceOf(price)));
    };
}
