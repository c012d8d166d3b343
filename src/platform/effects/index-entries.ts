import {
    Channel,
    type Collection,
    ConfigService,
    type LanguageCode,
    MutableRequestContext,
    type Product,
    ProductPriceApplicator,
    ProductVariant,
    ProductVariantService,
} from '@vendure/core';
import { entitiesOneOf } from '../../database/find-one-of';
import { name, select, sql } from '../../database/statement';
import { tableOf } from '../../database/table';
import type { Id } from '../../database/write';
import type { VendurePlatform } from '../context';

/** The properties of an entry of DefaultSearchPlugin's table; the last three by option. */
export const ENTRY_FIELDS = [
    'productVariantId',
    'languageCode',
    'channelId',
    'productId',
    'enabled',
    'productName',
    'productVariantName',
    'description',
    'slug',
    'sku',
    'price',
    'priceWithTax',
    'facetIds',
    'facetValueIds',
    'collectionIds',
    'collectionSlugs',
    'channelIds',
    'productPreview',
    'productPreviewFocalPoint',
    'productVariantPreview',
    'productVariantPreviewFocalPoint',
    'productAssetId',
    'productVariantAssetId',
    'inStock',
    'productInStock',
    'currencyCode',
] as const;

/** One entry: a variant in a channel and a language (and a currency, by option). */
export type IndexEntry = { readonly [F in (typeof ENTRY_FIELDS)[number]]?: unknown } & { readonly productId: Id };

interface EntryOptions {
    readonly showsStock: boolean;
    readonly showsCurrency: boolean;
}

/** One of a variant's entries, before it is filled. */
interface Place {
    readonly channel: Channel;
    readonly currency: string;
    readonly price: Record<string, unknown>;
}

/**
 * Builds the same entries as DefaultSearchPlugin's indexer (IndexerController.saveVariants), of variants that are
 * loaded already.
 */
export class IndexEntries {
    private readonly contexts = new Map<string, MutableRequestContext>();
    private readonly applicator: ProductPriceApplicator;
    private readonly defaultLanguage: LanguageCode;

    constructor(
        private readonly platform: VendurePlatform,
        private readonly options: EntryOptions,
    ) {
        this.applicator = platform.injector.get(ProductPriceApplicator);
        this.defaultLanguage = platform.injector.get(ConfigService).defaultLanguageCode;
    }

    /** The entries of variants that an IndexSource has read. */
    async of(variants: readonly ProductVariant[]): Promise<readonly IndexEntry[]> {
        const stock = this.options.showsStock ? await this.stockOf(variants) : undefined;
        const entries: IndexEntry[] = [];
        for (const variant of variants) {
            const places = await this.placesOf(variant);
            const languages = new Set(variant.channels.flatMap(({ availableLanguageCodes }) => availableLanguageCodes));
            for (const language of languages) {
                const texts = this.textsOf(variant, language);
                for (const { channel, currency, price } of places) {
                    entries.push({
                        ...texts,
                        ...price,
                        ...stock?.(variant, channel),
                        channelId: channel.id,
                        ...(this.options.showsCurrency ? { currencyCode: currency } : {}),
                    });
                }
            }
        }
        return entries;
    }

    /** Where a variant is sold, and for how much. */
    private async placesOf(variant: ProductVariant): Promise<readonly Place[]> {
        const keysetPositions: Place[] = [];
        for (const channel of variant.channels) {
            const currencies = this.options.showsCurrency
                ? new Set(channel.availableCurrencyCodes)
                : [channel.defaultCurrencyCode];
            for (const currency of currencies) {
                await this.applicator.applyChannelPriceAndTax(variant, this.contextOf(channel, currency));
                keysetPositions.push({
                    channel,
                    currency,
                    price: { price: variant.price, priceWithTax: variant.priceWithTax },
                });
            }
        }
        return keysetPositions;
    }

    /** A context for each channel and currency, since what is worked out for one is kept with its context. */
    private contextOf(channel: Channel, currency: Channel['defaultCurrencyCode']): MutableRequestContext {
        const key = `${channel.id} ${currency}`;
        let context = this.contexts.get(key);
        if (!context) {
            context = MutableRequestContext.deserialize(this.platform.ctx.serialize());
            context.setChannel(new Channel({ ...channel, defaultCurrencyCode: currency }));
            this.contexts.set(key, context);
        }
        return context;
    }

    private textsOf(variant: ProductVariant, language: LanguageCode): IndexEntry {
        const { product } = variant;
        const text = this.translation(product.translations, language);
        const facetValues = [...variant.facetValues, ...product.facetValues];
        return {
            languageCode: language,
            productVariantId: variant.id,
            productId: product.id,
            sku: variant.sku,
            enabled: product.enabled ? variant.enabled : false,
            slug: text?.slug ?? '',
            productName: text?.name ?? '',
            description: this.shortened(text?.description ?? ''),
            productVariantName: this.translation(variant.translations, language)?.name ?? '',
            ...assetsOf(product, variant),
            channelIds: variant.channels.map(({ id }) => String(id)),
            facetIds: idsOf(facetValues.map(({ facet }) => facet)),
            facetValueIds: idsOf(facetValues),
            collectionIds: variant.collections.map(({ id }) => String(id)),
            collectionSlugs: variant.collections.flatMap(
                (collection: Collection) => this.translation(collection.translations, language)?.slug ?? [],
            ),
        };
    }

    private translation<T extends { readonly languageCode: LanguageCode }>(
        translations: readonly T[],
        language: LanguageCode,
    ): T | undefined {
        return (
            translations.find(({ languageCode }) => languageCode === language) ??
            translations.find(({ languageCode }) => languageCode === this.defaultLanguage) ??
            translations[0]
        );
    }

    /** PostgreSQL's indexes take no longer texts. */
    private shortened(description: string): string {
        return this.platform.database.dialect.kind === 'postgres' ? description.substring(0, 2600) : description;
    }

    /** Whether variants, and any variant of their products, can be bought; requested together, because Vendure answers that in bulk. */
    private async stockOf(
        variants: readonly ProductVariant[],
    ): Promise<(variant: ProductVariant, channel: Channel) => IndexEntry> {
        const siblings = [...variants, ...(await this.otherVariantsOf(variants))];
        const inStock = new Set<string>();
        const service = this.platform.injector.get(ProductVariantService);
        for (const channel of new Map(
            variants.flatMap(({ channels }) => channels.map(one => [one.id, one] as const)),
        ).values()) {
            const context = this.contextOf(channel, channel.defaultCurrencyCode);
            await Promise.all(
                siblings.map(async variant => {
                    if ((await service.getSaleableStockLevel(context, variant)) <= 0) return;
                    inStock.add(`${channel.id} variant ${variant.id}`);
                    inStock.add(`${channel.id} product ${variant.productId}`);
                }),
            );
        }
        return ({ id, productId }, channel) => ({
            productId,
            inStock: inStock.has(`${channel.id} variant ${id}`),
            productInStock: inStock.has(`${channel.id} product ${productId}`),
        });
    }

    /** Variants of the same products that are not deleted: most products have no others, and only their ids are read. */
    private async otherVariantsOf(variants: readonly ProductVariant[]): Promise<readonly ProductVariant[]> {
        const { dataSource, database } = this.platform;
        const table = tableOf(dataSource, ProductVariant);
        const productIds = [...new Set(variants.map(({ productId }) => productId))];
        const rows = await database.run(
            () =>
                select<{ id: Id }>(sql`
            SELECT ${table.column('id')} AS ${name('id')} FROM ${table.name}
            WHERE ${database.dialect.oneOf(table.column('productId'), productIds)} AND ${table.column('deletedAt')} IS NULL`),
            { byKeys: true },
        );
        const known = new Set(variants.map(({ id }) => id));
        const others = rows.map(({ id }) => id).filter(id => !known.has(id));
        if (others.length === 0) return [];
        return dataSource
            .getRepository(ProductVariant)
            .find({ where: { id: entitiesOneOf(database.dialect, others) }, loadEagerRelations: false });
    }
}

const idsOf = (entities: ReadonlyArray<{ readonly id: Id }>): readonly string[] => [
    ...new Set(entities.map(({ id }) => String(id))),
];

type Pictured = Pick<Product, 'featuredAsset'>;

function assetsOf(product: Pictured, variant: Pictured): Omit<IndexEntry, 'productId'> {
    const [ofProduct, ofVariant] = [
        product.featuredAsset as Pictured['featuredAsset'] | null,
        variant.featuredAsset as Pictured['featuredAsset'] | null,
    ];
    return {
        productAssetId: ofProduct?.id ?? null,
        productPreview: ofProduct?.preview ?? '',
        productPreviewFocalPoint: ofProduct?.focalPoint ?? null,
        productVariantAssetId: ofVariant?.id ?? null,
        productVariantPreview: ofVariant?.preview ?? '',
        productVariantPreviewFocalPoint: ofVariant?.focalPoint ?? null,
    };
}
