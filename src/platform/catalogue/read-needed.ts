import { Product, ProductVariant } from '@vendure/core';
import type { StatementProgram } from '../../core/adapter/loader';
import type { EntityState } from '../entities/entity-state';
import type { ProductState } from '../entity-descriptions/product-state';
import { variant as variants } from '../entity-descriptions/variant';
import type { VariantState } from '../entity-descriptions/variant-state';
import { idsOf } from '../entities/write-entities';
import { readChannelsOf, readMembers, readRelations } from '../entities/read-members';
import { slugOf } from '../entities/slug';
import { productOf, productWith, variantOf } from './catalogue';
import type { DesiredProduct, DesiredVariant } from './desired';
import { prefetchFacetValues, readFacetValuesNamed } from './facet-values';
import { requestedChannels } from './plan-channels';
import {
    findProduct,
    hasFreeSlug,
    type ProductRules,
    productKind,
    rememberSlugs,
    slugRequestOfName,
} from './match-products';
import type { PlanRules } from './plan-rules';
import { dependsOnStoredPrice } from './missing-price';
import { prefetchPrices, readPrices } from './prices';
import { readOptions } from './read-options';
import { calledBy, isCalled, readReferences } from '../entities/identity';
import { readNames } from '../entities/read-names';
import { type SlugRequest, readSlugs } from '../entities/slugs';
import { prefetchStock, readStock } from './stock';

/** Reads what is needed to compare the variants of some records; `products` are the products of these variants. */
function* readForVariants(
    rules: PlanRules,
    desired: readonly DesiredVariant[],
    products: ReadonlyMap<DesiredVariant, ProductState | undefined>,
): StatementProgram<void> {
    const { catalogue, work, isLive } = rules;
    const stored = desired.flatMap(variant => {
        const state = variantOf(work, variant.sku);
        return state?.id === undefined ? [] : [{ variant, state }];
    });
    const of = (asks: (variant: DesiredVariant) => boolean): VariantState[] =>
        stored.filter(({ variant }) => asks(variant)).map(({ state }) => state);
    const pricesOf = yield* prefetchPrices(
        catalogue,
        of(variant => variant.prices.size > 0 || dependsOnStoredPrice(rules, variant)),
    );
    const stockOf = yield* prefetchStock(
        catalogue,
        of(({ stock }) => stock.length > 0),
        { forUpdate: isLive && desired.some(({ stock }) => stock.some(({ quantity }) => quantity === null)) },
    );
    yield* pricesOf();
    yield* stockOf();
    yield* readMembers(catalogue.variants, work, {
        states: of(({ facetValues }) => facetValues !== undefined),
        field: 'facetValues',
    });
    yield* readRelations(
        catalogue.variants,
        stored.map(({ state }) => state),
        desired.map(({ custom }) => custom),
    );
    yield* readGalleries(
        { catalogue, work },
        ProductVariant,
        of(({ gallery }) => catalogue.galleries?.asks(gallery) === true),
    );
    // A variant that a record deletes may be created again by a later record.
    const deletes = desired.some(({ isDelete }) => isDelete);
    const growing = desired.flatMap(variant => {
        const product = products.get(variant);
        return product && (deletes || variant.options !== undefined || !variantOf(work, variant.sku)) ? [product] : [];
    });
    yield* readOptions(catalogue, work, { of: growing, forUpdate: isLive });
    yield* readChannelsOf(catalogue.products, growing);
}

/** Reads what some product records need: as few statements as their fields allow, whatever their number. */
export function* readForProducts(rules: ProductRules, records: readonly DesiredProduct[]): StatementProgram<void> {
    const { catalogue, work } = rules;
    const desired = records.flatMap(record => record.variants ?? []);
    rememberSlugs(rules, records);
    const matchesOf = yield* askMatches(rules, records);
    const facetValuesOf = yield* prefetchFacetValues(catalogue, work, [
        ...records.flatMap(record => record.facetValues ?? []),
        ...desired.flatMap(variant => variant.facetValues ?? []),
    ]);
    yield* matchesOf();
    yield* facetValuesOf();
    const matched = records.flatMap(record => {
        const product = findProduct(rules, record);
        return product ? [{ record, product }] : [];
    });
    const owners = new Map(
        matched.flatMap(({ record, product }) => (record.variants ?? []).map(variant => [variant, product] as const)),
    );
    yield* readMembers(catalogue.products, work, {
        states: matched.filter(({ record }) => record.facetValues).map(({ product }) => product),
        field: 'facetValues',
    });
    yield* readGalleries(
        rules,
        Product,
        matched.filter(({ record }) => catalogue.galleries?.asks(record.gallery)).map(({ product }) => product),
    );
    yield* readRelations(
        catalogue.products,
        matched.map(({ product }) => product),
        records.map(({ custom }) => custom),
    );
    yield* readForVariants(rules, desired, owners);
    yield* readOptions(catalogue, work, {
        of: matched.filter(({ record }) => record.optionGroups !== undefined).map(({ product }) => product),
        forUpdate: rules.isLive,
    });
    yield* readForChannels(rules, matched);
    // Later steps and batches of a dry run must not find the variants of what would have been deleted.
    if (!rules.isLive)
        yield* readVariantsOf(
            rules,
            matched.filter(({ record }) => record.isDelete).map(({ product }) => product),
        );
    yield* readSlugs(catalogue.products, work, slugRequests(rules, records));
}

function* readGalleries(
    { catalogue: { galleries }, work }: Pick<PlanRules, 'catalogue' | 'work'>,
    type: typeof Product | typeof ProductVariant,
    states: readonly EntityState[],
): StatementProgram<void> {
    if (galleries) yield* galleries.readGalleries(work, type, states);
}

function* askMatches(
    rules: ProductRules,
    records: readonly DesiredProduct[],
): StatementProgram<() => StatementProgram<void>> {
    const { catalogue, work, matchBy } = rules;
    const skus = records.flatMap(({ variants: listed }) => (listed ?? []).map(({ sku }) => sku));
    const slugs =
        matchBy === 'slug' ? records.flatMap(({ slug, madeSlug }) => [slug ?? [], madeSlug ?? []].flat()) : [];
    const productsOf = yield* catalogue.products.askKeys(work, slugs);
    const variantsOf = yield* catalogue.variants.askKeys(work, skus);
    return function* () {
        yield* productsOf();
        yield* variantsOf();
        if (matchBy === 'slug') yield* readNames(catalogue.products, work, namesToRead(rules, records));
        // Matched by slug, these are others than the records' own, and are named where a record is rejected.
        yield* catalogue.products.readById(
            work,
            skus.flatMap(sku => variantOf(work, sku)?.productId ?? []),
        );
    };
}

/** The names of records without a slug, if no product has both the name and the slug that is made of it. */
function namesToRead(rules: ProductRules, records: readonly DesiredProduct[]) {
    return records.flatMap(({ slug, name, madeSlug }) => {
        if (slug !== undefined || name === undefined) return [];
        const made = madeSlug === undefined ? undefined : productWith(rules.work, madeSlug);
        return made && isCalled(productKind(rules), made, name) ? [] : [{ name }];
    });
}

/** All variants of some products, in any channel: a change of a product applies to all of them. */
function* readVariantsOf({ catalogue, work }: ProductRules, products: readonly ProductState[]): StatementProgram<void> {
    const stored = products.filter(({ id }) => id !== undefined);
    yield* catalogue.variants.readWhere(work, 'productId', idsOf(stored));
}

interface Match {
    readonly record: DesiredProduct;
    readonly product: ProductState;
}

/** If a product changes its channels, so do all its variants: all of them are read with their prices and levels. */
function* readForChannels(rules: ProductRules, matched: readonly Match[]): StatementProgram<void> {
    const { catalogue, work, modes } = rules;
    const mode = modes.channels;
    const asking = matched.filter(({ record }) => record.channels && mode !== 'SKIP');
    yield* readChannelsOf(
        catalogue.products,
        asking.map(({ product }) => product),
    );
    const moving = asking
        .filter(({ record, product }) => {
            const { now } = product.channels!;
            const desired = requestedChannels(catalogue, record.channels!, { now, mode });
            return desired.size !== now.length || now.some(id => !desired.has(id));
        })
        .map(({ product }) => product);
    if (moving.length === 0) return;
    yield* readOptions(catalogue, work, { of: moving, forUpdate: rules.isLive });
    yield* readVariantsOf(rules, moving);
    const taken = moving.flatMap(product => work.of(variants).ownedBy(product));
    yield* readChannelsOf(catalogue.variants, taken);
    yield* readPrices(catalogue, taken);
    yield* readStock(catalogue, taken);
}

/** The slugs that records ask for and that are not the key by which their product was looked for. */
function slugRequests(rules: ProductRules, records: readonly DesiredProduct[]): readonly SlugRequest[] {
    const {
        catalogue: { reference },
        matchBy,
    } = rules;
    const wantedBy = countOf(records.map(({ madeSlug }) => madeSlug));
    return records.flatMap(record => {
        const product = findProduct(rules, record);
        return [...record.texts].flatMap(([language, { values }]) => {
            const { slug, name } = values;
            const isOwn = matchBy === 'slug' && language === reference.language;
            // Its own slug is free, unless records of other names get the same.
            const isFree = slug !== undefined || (hasFreeSlug(rules, record) && wantedBy.get(record.madeSlug) === 1);
            if (isOwn && (product !== undefined || isFree)) return [];
            const isStored = product?.texts.has(language) === true;
            const given = slug ?? (isStored ? undefined : name);
            const before = product?.text(language, 'slug');
            const desired = given === undefined || given === before ? '' : slugOf(given);
            const request = { language, slug: desired, token: product?.token };
            return desired === '' || desired === before
                ? []
                : [isOwn ? slugRequestOfName(rules, record, request) : request];
        });
    });
}

function countOf<T>(values: readonly T[]): ReadonlyMap<T, number> {
    const counts = new Map<T, number>();
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    return counts;
}

/** Reads what some variant records need: as few statements as their fields allow, whatever their number. */
export function* readForVariantRecords(rules: PlanRules, desired: readonly DesiredVariant[]): StatementProgram<void> {
    const { catalogue, work } = rules;
    yield* catalogue.variants.readKeys(
        work,
        desired.map(({ sku }) => sku),
    );
    // Only a new variant, changed options and names that are missing ask for the product.
    const deletes = desired.some(({ isDelete }) => isDelete);
    yield* readReferences(
        catalogue.products,
        work,
        desired.flatMap(({ sku, productSlug: text }) =>
            text !== undefined && (deletes || !variantOf(work, sku)) ? [{ text }] : [],
        ),
    );
    yield* catalogue.products.readById(
        work,
        desired.flatMap(({ sku, options, texts }) => {
            const existing = variantOf(work, sku);
            const asks =
                options !== undefined || deletes || [...texts.keys()].some(key => existing?.texts.has(key) === false);
            return (asks && existing?.productId) || [];
        }),
    );
    yield* readFacetValuesNamed(
        catalogue,
        work,
        desired.flatMap(({ facetValues }) => facetValues ?? []),
    );
    yield* readForVariants(rules, desired, new Map(desired.map(variant => [variant, ownerOf(rules, variant)])));
}

/** The product of a variant record: that which the variant has, or that which the record names. */
export function ownerOf(rules: PlanRules, { sku, productSlug }: DesiredVariant): ProductState | undefined {
    const existing = variantOf(rules.work, sku);
    if (existing) return productOf(rules.work, existing);
    const named = productSlug === undefined ? [] : productsNamed(rules, productSlug);
    return named.length === 1 ? named[0] : undefined;
}

/** The loaded products with a slug or, if there are none, with a name. */
export function productsNamed(rules: PlanRules, text: string): readonly ProductState[] {
    const found = productWith(rules.work, text);
    return found ? [found] : calledBy(rules.work, productKind(rules), { text });
}
