import type { Script } from '../../core/adapter/loader';
import { readFacetValuesNamed } from './facet-values';
import { type SlugWish, readSlugs } from './slugs';
import type { Id } from '../../database/write';
import type { DesiredProduct, DesiredVariant } from './desired';
import { wantedChannels } from './plan-channels';
import { type ProductRules, findProduct } from './plan-product';
import type { PlanRules } from './plan-variant';
import { type CatalogueContext, readProducts, readProductsBySlug, readVariants } from './read-entities';
import {
    readOptions,
    readPrices,
    readProductChannels,
    readProductFacetValues,
    readStock,
    readVariantChannels,
    readVariantFacetValues,
} from './read-parts';
import { idsOf } from './read-variant';
import { slugOf } from '../entities/slug';
import type { ProductState, VariantState } from './state';
import type { World } from './world';

/** Reads what the variants of some records need to be compared; `products` are those that they belong to. */
export function* readForVariants(
    { catalogue, world }: PlanRules,
    desired: readonly DesiredVariant[],
    products: ReadonlyMap<DesiredVariant, ProductState | undefined>,
): Script<void> {
    const stored = desired.flatMap(variant => {
        const state = world.bySku.get(variant.sku);
        return state?.id === undefined ? [] : [{ variant, state }];
    });
    const of = (asks: (variant: DesiredVariant) => boolean): VariantState[] =>
        stored.filter(({ variant }) => asks(variant)).map(({ state }) => state);
    yield* readPrices(
        catalogue,
        of(({ prices }) => prices.size > 0),
    );
    yield* readStock(
        catalogue,
        of(({ stock }) => stock.length > 0),
    );
    yield* readVariantFacetValues(
        catalogue,
        world,
        of(({ facetValues }) => facetValues !== undefined),
    );
    // A variant that a record deletes may come again as a new one further on.
    const deletes = desired.some(({ isDelete }) => isDelete);
    const growing = desired.flatMap(variant => {
        const product = products.get(variant);
        return product && (deletes || variant.options !== undefined || !world.bySku.has(variant.sku)) ? [product] : [];
    });
    yield* readOptions(catalogue, world, growing);
    yield* readProductChannels(catalogue, growing);
}

/** Reads what some product records are about: as few statements as what they say allows, whatever their number. */
export function* readForProducts(rules: ProductRules, records: readonly DesiredProduct[]): Script<void> {
    const { catalogue, world, matchBy } = rules;
    const variants = records.flatMap(record => record.variants ?? []);
    yield* readMatches(catalogue, world, { matchBy, records, skus: variants.map(({ sku }) => sku) });
    yield* readFacetValuesNamed(catalogue, world, [
        ...records.flatMap(record => record.facetValues ?? []),
        ...variants.flatMap(variant => variant.facetValues ?? []),
    ]);
    const matched = records.flatMap(record => {
        const product = findProduct(rules, record);
        return product ? [{ record, product }] : [];
    });
    const productOf = new Map(
        matched.flatMap(({ record, product }) => (record.variants ?? []).map(variant => [variant, product] as const)),
    );
    yield* readProductFacetValues(
        catalogue,
        world,
        matched.filter(({ record }) => record.facetValues).map(({ product }) => product),
    );
    yield* readForVariants(rules, variants, productOf);
    yield* readOptions(
        catalogue,
        world,
        matched.filter(({ record }) => record.optionGroups).map(({ product }) => product),
    );
    yield* readForChannels(rules, matched);
    // Later steps and batches of a dry run must not find the variants of what would have been deleted.
    if (rules.isDryRun)
        yield* readVariants(catalogue, world, {
            productIds: idsOf(matched.filter(({ record }) => record.isDelete).map(({ product }) => product)),
        });
    yield* readSlugs(catalogue, world, slugWishes(rules, records));
}

function* readMatches(
    catalogue: CatalogueContext,
    world: World,
    {
        matchBy,
        records,
        skus,
    }: {
        readonly matchBy: 'slug' | 'sku';
        readonly records: readonly DesiredProduct[];
        readonly skus: readonly string[];
    },
): Script<void> {
    const unknown = [...new Set(skus)].filter(sku => !world.bySku.has(sku));
    if (matchBy === 'slug') {
        const slugs = new Set(
            records.flatMap(({ slug }) => (slug === undefined || world.bySlug.has(slug) ? [] : [slug])),
        );
        yield* readProductsBySlug(catalogue, world, [...slugs]);
    }
    yield* readVariants(catalogue, world, { skus: unknown });
    // Matched by slug, these are others than the records' own, and are named where a record is rejected.
    const ids = new Set<Id>();
    for (const sku of skus) {
        const variant = world.bySku.get(sku);
        if (variant && !world.productOf(variant)) ids.add(variant.product as Id);
    }
    yield* readProducts(catalogue, world, ids);
}

interface Match {
    readonly record: DesiredProduct;
    readonly product: ProductState;
}

/** A product that changes its channels takes all its variants along, so that all of them are read with their prices and levels. */
function* readForChannels({ catalogue, world, strategy }: ProductRules, matched: readonly Match[]): Script<void> {
    const asking = matched.filter(({ record }) => record.channels);
    yield* readProductChannels(
        catalogue,
        asking.map(({ product }) => product),
    );
    const moving = asking
        .filter(({ record, product }) => {
            const { now } = product.channels!;
            const wanted = wantedChannels(catalogue, record.channels!, { now, strategy });
            return wanted.size !== now.size || [...wanted].some(id => !now.has(id));
        })
        .map(({ product }) => product);
    if (moving.length === 0) return;
    yield* readVariants(catalogue, world, { productIds: moving.flatMap(({ id }) => (id === undefined ? [] : [id])) });
    const variants = moving.flatMap(product => world.variantsOf(product));
    yield* readVariantChannels(catalogue, variants);
    yield* readPrices(catalogue, variants);
    yield* readStock(catalogue, variants);
    yield* readOptions(catalogue, world, moving);
}

/** The slugs that records ask for and that are not the key by which their product was looked for. */
function slugWishes(rules: ProductRules, records: readonly DesiredProduct[]): readonly SlugWish[] {
    const {
        catalogue: { reference },
        matchBy,
    } = rules;
    return records.flatMap(record => {
        const product = findProduct(rules, record);
        return [...record.texts].flatMap(([language, { slug, name }]) => {
            if (matchBy === 'slug' && language === reference.language) return [];
            const isStored = product?.texts.has(language) === true;
            const wanted = slug ?? (isStored || name === undefined ? undefined : slugOf(name));
            const isOwn = wanted === product?.text(language, 'slug');
            return wanted === undefined || wanted === '' || isOwn
                ? []
                : [{ language, slug: wanted, token: product?.token }];
        });
    });
}
