import { Channel, Collection, Product } from '@vendure/core';
import { type DataSource, IsNull } from 'typeorm';
import type { PimCatalogue, PimProduct, PimVariant, Texts } from './catalogue';

/** A product as customers see it. A hidden one is included, and marked as hidden. */
export interface ShownProduct {
    readonly slug: string;
    readonly enabled: boolean;
    readonly names: Texts;
    readonly descriptions: Texts;
    /** SKU, price, stock and names of each enabled variant. */
    readonly variants: readonly string[];
    readonly pictures: number;
}

/** By slug. */
export type ShownProducts = ReadonlyMap<string, ShownProduct>;

/** A collection, by its slug. */
export interface ShownCollection {
    /** A slug; empty at the top. */
    readonly parent: string;
    readonly isPrivate: boolean;
    readonly names: Texts;
}

/** How many are read at once: TypeORM creates their objects without a break. */
const PAGE = 200;

const variantText = (sku: string, cents: number, stock: number, names: Texts): string =>
    `${sku} ${cents} ${stock} ${JSON.stringify(Object.entries(names).sort())}`;

function byLanguage<T extends { readonly languageCode: string }>(texts: readonly T[], field: keyof T): Texts {
    return Object.fromEntries(texts.map(one => [one.languageCode, String(one[field])]));
}

/** The products of a channel. */
export async function shownProducts(dataSource: DataSource, token: string): Promise<ShownProducts> {
    const { id: channelId } = await dataSource.getRepository(Channel).findOneByOrFail({ token });
    const products: Product[] = [];
    for (let skip = 0; ; skip += PAGE) {
        const page = await dataSource.getRepository(Product).find({
            where: { deletedAt: IsNull(), channels: { token } },
            relations: {
                translations: true,
                assets: true,
                variants: { translations: true, productVariantPrices: true, stockLevels: true },
            },
            relationLoadStrategy: 'query',
            order: { id: 'ASC' },
            skip,
            take: PAGE,
        });
        products.push(...page);
        if (page.length < PAGE) break;
    }
    return new Map(
        products.map(({ translations, enabled, variants, assets }): [string, ShownProduct] => {
            const slug = byLanguage(translations, 'slug')['en']!;
            const shown = variants
                .filter(variant => variant.deletedAt === null && variant.enabled)
                .map(({ sku, productVariantPrices, stockLevels, translations: texts }) => {
                    // The default channel also has one, which keeps its initial values.
                    const own = productVariantPrices.find(price => String(price.channelId) === String(channelId));
                    const stock = stockLevels[0]?.stockOnHand ?? 0;
                    return variantText(sku, own?.price ?? NaN, stock, byLanguage(texts, 'name'));
                });
            return [
                slug,
                {
                    slug,
                    enabled,
                    names: byLanguage(translations, 'name'),
                    descriptions: byLanguage(translations, 'description'),
                    variants: shown.sort(),
                    pictures: assets.length,
                },
            ];
        }),
    );
}

/** The slug of a product, from its name in the language of the channel. */
export function slugOfPim({ name }: Pick<PimProduct, 'name'>): string {
    return name['en']!.replaceAll(' ', '-');
}

/** The expected products, from those of the PIM. */
export function heldProducts({ products }: PimCatalogue): ShownProducts {
    const textOf = ({ sku, price, stock, name }: PimVariant): string =>
        variantText(sku, Math.round(price * 100), stock, name);
    return new Map(
        [...products.values()]
            .filter(({ isPublished }) => isPublished)
            .map(product => {
                const own = product.variants.filter(({ isPublished }) => isPublished);
                const shown: ShownProduct = {
                    slug: slugOfPim(product),
                    enabled: true,
                    names: product.name,
                    descriptions: product.description,
                    variants: (product.variants.length > 0 ? own : [product]).map(textOf).sort(),
                    pictures: product.images.length,
                };
                return [shown.slug, shown];
            }),
    );
}

/** The collections of a channel. */
export async function shownCollections(
    dataSource: DataSource,
    token: string,
): Promise<ReadonlyMap<string, ShownCollection>> {
    const all = await dataSource.getRepository(Collection).find({
        where: { channels: { token }, isRoot: false },
        relations: { translations: true, parent: { translations: true } },
    });
    const slugOf = ({ translations }: Collection): string => byLanguage(translations, 'slug')['en'] ?? '';
    return new Map(
        all.map(one => [
            slugOf(one),
            {
                parent: one.parent.isRoot ? '' : slugOf(one.parent),
                isPrivate: one.isPrivate,
                names: byLanguage(one.translations, 'name'),
            },
        ]),
    );
}

/** The expected collections, from the categories of the PIM. */
export function heldCollections({ categories }: PimCatalogue): ReadonlyMap<string, ShownCollection> {
    return new Map(
        [...categories.values()]
            .filter(({ isPublished }) => isPublished)
            .map(({ slug, parent, name }) => [
                slug,
                { parent: parent === undefined ? '' : categories.get(parent)!.slug, isPrivate: false, names: name },
            ]),
    );
}

/** What customers see, in an order that is the same on both sides. */
export function visible<T extends { readonly enabled?: boolean; readonly isPrivate?: boolean }>(
    all: ReadonlyMap<string, T>,
): Readonly<Record<string, T>> {
    const seen = [...all].filter(([, { enabled, isPrivate }]) => enabled !== false && isPrivate !== true);
    return Object.fromEntries(seen.sort(([a], [b]) => (a < b ? -1 : 1)));
}
