import type { Change, StatementProgram } from '../../core/adapter/loader';
import type { Id } from '../../database/write';
import type { DesiredProduct, DesiredVariant, FacetReference } from './desired';
import { product as products } from '../entity-descriptions/product';
import { variant as variants } from '../entity-descriptions/variant';
import type { EntitySet } from '../entities/unit-of-work';
import type { DesiredTexts } from '../entities/read-texts';
import type { DesiredAssets } from '../entity-assets/read-assets';
import { type ComparedRow, isEither, movesNothing, movesOf, planMoves } from './compare-variant';
import { prefetchFacetValues, facetValueNamed } from './facet-values';
import type { ProductRules } from './match-products';
import type { PlanRules } from './plan-rules';
import {
    prefetchProducts,
    prefetchVariants,
    type StoredSummary,
    prefetchVariantSummaries,
    type StoredVariantSummary,
    stateOf,
    type StoredProduct,
    type StoredRows,
} from './stored-rows';

/**
 * Finds records that repeat what is stored, which are most of a file that is imported every night (ADR 9). They are compared with the rows before
 * anything is planned. Only values of those rows can be compared; all other records are planned, and so are duplicates within a batch. A different
 * price or stock level is also detected here, and is planned from the same rows.
 */

/** Longer lists may have been cut: MySQL's default is 1,024 characters. */
const LONGEST_LIST = 1_000;

/** The changes of the records that the comparison could decide. */
type Compared<D> = ReadonlyMap<D, Change>;

/** The product records that match the stored state. */
export function* compareProducts(
    rules: ProductRules,
    records: readonly DesiredProduct[],
): StatementProgram<Compared<DesiredProduct>> {
    const { catalogue, strategy, matchBy, modes } = rules;
    if (strategy === 'CREATE' || matchBy !== 'slug') return new Map();
    // One record may refer to a product by its slug, and another one by its name.
    if (records.some(({ slug }) => slug === undefined) && records.some(({ slug }) => slug !== undefined))
        return new Map();
    const slugs = once(records.map(({ madeSlug }) => madeSlug));
    const skus = once(records.flatMap(record => (record.variants ?? []).map(({ sku }) => sku)));
    const plain = records.filter(
        record =>
            slugs.has(record.madeSlug) &&
            isPlainProduct(rules, record) &&
            skus.has(record.variants?.[0]?.sku ?? NO_SKU),
    );
    if (plain.length === 0) return new Map();
    const listed = plain.flatMap(record => record.variants ?? []);
    // A list without entries needs no query.
    const lists =
        modes.facetValues === 'SKIP' ? [] : plain.flatMap(({ facetValues }) => (facetValues ? [facetValues] : []));
    const locationId = locationOf(listed);
    const requested = plain.flatMap(record => comparedSlug(record) ?? []);
    const desired = listed.map(({ sku }) => sku);
    const references = new Map(lists.flat().map(reference => [reference.text, reference]));
    // The shortest query comes first, because its result leads to queries that follow the others.
    const facetValuesOf = yield* prefetchFacetValues(catalogue, rules.work, [...references.values()]);
    const productsOf = yield* prefetchProducts(catalogue, requested, { withFacets: lists.length > 0 });
    const variantsOf = yield* prefetchVariantSummaries(catalogue, desired, glanceOf(listed, locationId));
    yield* facetValuesOf();
    const facetIds = facetIdsOf(rules, references);
    const stored: Stored = { products: yield* productsOf(), variants: yield* variantsOf(), facetIds, locationId };
    known(rules.work.of(products), stored.products, requested);
    known(rules.work.of(variants), stored.variants, desired);
    const same = plain.filter(record => isAsStored(rules, record, stored));
    return new Map(same.map(record => [record, { action: 'unchanged', key: comparedSlug(record)! }]));
}

/** The variant records that match the stored state, or change only a price or a level. */
export function* compareVariants(
    rules: PlanRules,
    records: readonly DesiredVariant[],
): StatementProgram<Compared<DesiredVariant>> {
    const compared = new Map<DesiredVariant, Change>();
    if (rules.strategy === 'CREATE') return compared;
    const skus = once(records.map(({ sku }) => sku));
    const plain = records.filter(record => skus.has(record.sku) && isPlainVariant(rules, record));
    if (plain.length === 0) return compared;
    const locationId = locationOf(plain);
    const requested = plain.map(({ sku }) => sku);
    const rows = yield* (yield* prefetchVariants(rules.catalogue, requested, { locationId }))();
    known(rules.work.of(variants), rows, requested);
    for (const record of plain) {
        const row = rows.single.get(record.sku);
        if (!row) continue;
        const change = compareVariant(rules, record, { row, locationId });
        if (change) compared.set(record, change);
        else atHand(rules, record, { row, locationId });
    }
    return compared;
}

function compareVariant(rules: PlanRules, record: DesiredVariant, compared: ComparedRow): Change | undefined {
    const { row } = compared;
    const { sku, texts } = record;
    if (!isEither(texts.get(rules.catalogue.reference.language)?.values['name'], row.name)) return undefined;
    const moves = movesOf(rules, record, compared);
    if (moves && movesNothing(moves)) return { action: 'unchanged', key: sku };
    return moves && planMoves(rules, sku, { ...moves, row });
}

/** Adds the read row of a record with other changes to the loaded entities; it contains everything that a plain record sets. */
function atHand(
    { catalogue, work }: PlanRules,
    { sku, prices, stock: [level] }: DesiredVariant,
    { row, locationId }: ComparedRow,
): void {
    const { custom } = catalogue.variants;
    // A row that is written is written whole, and these were not read.
    if (custom.base.length > 0 || custom.localised.length > 0) return;
    const set = work.of(variants);
    // Removing a level requires reading the others too.
    const isThere = level?.quantity !== null && level?.locationId === locationId;
    const state = stateOf(catalogue, row, { price: prices.size > 0, locationId: isThere ? locationId : undefined });
    if (set.mustAsk(sku)) set.addRead(state, sku);
}

/** Marks missing keys as queried, so that they are not queried again. */
function known(set: Pick<EntitySet, 'mustAsk'>, rows: StoredRows<unknown>, keys: readonly string[]): void {
    for (const key of keys) if (!rows.has(key)) set.mustAsk(key);
}

const NO_SKU = '';

/** The keys that occur exactly once; a record without a key counts as unique. */
function once(keys: ReadonlyArray<string | undefined>): ReadonlySet<string | undefined> {
    const [seen, found] = [new Set<string>(), new Set<string | undefined>([NO_SKU])];
    for (const key of keys) {
        if (key === undefined) continue;
        if (seen.has(key)) found.delete(key);
        else found.add(key);
        seen.add(key);
    }
    return found;
}

/** Levels are compared at one location, that of the first record which has one. */
function locationOf(records: readonly DesiredVariant[]): Id | undefined {
    return records.find(({ stock }) => stock.length > 0)?.stock[0]?.locationId;
}

function glanceOf(records: readonly DesiredVariant[], locationId: Id | undefined): StoredSummary {
    return {
        enabled: records.some(({ enabled }) => enabled !== undefined),
        taxCategory: records.some(({ taxCategory }) => taxCategory !== undefined),
        trackInventory: records.some(({ trackInventory }) => trackInventory !== undefined),
        price: records.some(({ prices }) => prices.size > 0),
        locationId,
    };
}

/** Whether a record only sets values that the rows of one product and one variant contain. */
export function isPlainProduct(rules: ProductRules, record: DesiredProduct): boolean {
    const listed = record.variants ?? [];
    const isOfOne = listed.length === 0 ? record.variants === undefined : listed.length === 1;
    return (
        isOfOne &&
        !record.isDelete &&
        record.channels === undefined &&
        record.optionGroups === undefined &&
        record.custom === undefined &&
        hasNoAssets(record.gallery) &&
        isOfOwnLanguage(rules, record.texts) &&
        (record.facetValues === undefined || rules.modes.facetValues !== 'REMOVE') &&
        listed.every(one => one.isFlat && isPlainVariant(rules, one))
    );
}

/** The same of a variant. */
export function isPlainVariant(rules: PlanRules, variant: DesiredVariant): boolean {
    const { catalogue } = rules;
    const { defaultCurrency } = catalogue.reference.channel;
    // If prices follow one another, the shop's strategy is called even for an unchanged price.
    const hasPlainPrice =
        variant.prices.size === 0 ||
        (variant.prices.size === 1 &&
            typeof variant.prices.get(defaultCurrency) === 'number' &&
            !catalogue.priceSync.readsAllPrices);
    return (
        !variant.isDelete &&
        hasPlainPrice &&
        variant.stock.length <= 1 &&
        variant.options === undefined &&
        variant.facetValues === undefined &&
        variant.custom === undefined &&
        hasNoAssets(variant.gallery) &&
        isOfOwnLanguage(rules, variant.texts)
    );
}

const hasNoAssets = ({ assets, featured }: DesiredAssets): boolean => assets === undefined && featured === undefined;

function isOfOwnLanguage({ catalogue }: PlanRules, texts: ReadonlyMap<string, DesiredTexts>): boolean {
    if (texts.size === 0) return true;
    const own = texts.get(catalogue.reference.language);
    return texts.size === 1 && own !== undefined && own.custom === undefined;
}

interface Stored {
    readonly products: StoredRows<StoredProduct>;
    readonly variants: StoredRows<StoredVariantSummary>;
    readonly facetIds: FacetIds;
    readonly locationId: Id | undefined;
}

/** The slug by which a record's product is found: the given one, else the one that most products with its name have. */
const comparedSlug = ({ slug, madeSlug }: DesiredProduct): string | undefined => slug ?? madeSlug;

function isAsStored(rules: ProductRules, record: DesiredProduct, stored: Stored): boolean {
    const row = stored.products.single.get(comparedSlug(record)!);
    if (!row) return false;
    const { name, description } = record.texts.get(rules.catalogue.reference.language)?.values ?? {};
    if (!isEither(name, row.name) || !isEither(description, row.description)) return false;
    if (!isEither(record.enabled, row.enabled)) return false;
    if (record.facetValues && rules.modes.facetValues !== 'SKIP')
        if (!hasFacetValues(row, record.facetValues, stored.facetIds)) return false;
    const [variant] = record.variants ?? [];
    if (!variant) return true;
    const own = stored.variants.single.get(variant.sku);
    // A variant that has no name in this language may take that of its product.
    if (own?.productId !== row.id || own.name === null) return false;
    const moves = movesOf(rules, variant, { row: own, locationId: stored.locationId });
    return moves !== undefined && movesNothing(moves);
}

type FacetIds = ReadonlyMap<string, string>;

/** The ids of the facet values that some records name; those that are not there, or not in the run's channel, have none. */
function facetIdsOf(rules: PlanRules, references: ReadonlyMap<string, FacetReference>): FacetIds {
    const { language } = rules.catalogue.reference;
    const creates = rules.createsFacetValues && rules.modes.facetValues !== 'REMOVE';
    const ids = new Map<string, string>();
    for (const [label, reference] of references) {
        const { value } = facetValueNamed(rules.work, reference, { creates, language });
        if (value?.id !== undefined && value.isInChannel) ids.set(label, String(value.id));
    }
    return ids;
}

function hasFacetValues(
    { facetValues }: StoredProduct,
    references: readonly FacetReference[],
    facetIds: FacetIds,
): boolean {
    const list = facetValues ?? '';
    if (list.length > LONGEST_LIST) return false;
    const held = new Set(list === '' ? [] : list.split(','));
    const desired = new Set(references.map(reference => facetIds.get(reference.text)));
    return desired.size === held.size && [...desired].every(id => id !== undefined && held.has(id));
}
