import type { Change, LoadNote } from '../../core/adapter/loader';
import type { JsonValue } from '../../core/value/json';
import { combinationOf, type ProductState } from '../entity-descriptions/product-state';
import { product as products } from '../entity-descriptions/product';
import { variant as variants } from '../entity-descriptions/variant';
import { Columns, Members } from '../entities/columns';
import type { EntityState } from '../entities/entity-state';
import { moveSlug } from '../entities/slugs';
import { variantOf } from './catalogue';
import { isPlainProduct, isPlainVariant } from './compare-records';
import type { DesiredProduct, DesiredVariant } from './desired';
import { storedFacetValues } from './facet-values';
import { hasNoPrice, missingPriceNote } from './missing-price';
import { FACET_VALUES, facetCodes } from './plan-facets';
import { findProduct, hasFreeSlug, type ProductRules } from './match-products';
import { newProduct } from './plan-product';
import { newVariant } from './plan-variant';
import { ensureStock, setLevel } from './stock';

/**
 * Plans a new product of one variant of which its record says nothing that needs a closer look: what a first import is full of (ADR 9). Undefined where
 * it does, or where something may be wrong with it: then it is planned as any other. Dry runs plan all of them as any other.
 */
export function planPlainProduct(rules: ProductRules, desired: DesiredProduct): Change | undefined {
    const { catalogue, work, strategy, modes } = rules;
    const { madeSlug: slug, variants: [variant] = [] } = desired;
    const isNew = strategy !== 'UPDATE' && !findProduct(rules, desired) && hasFreeSlug(rules, desired);
    if (slug === undefined || !isNew || !rules.isLive || rules.matchBy !== 'slug' || !isPlainProduct(rules, desired))
        return undefined;
    const { base, localised } = catalogue.products.custom;
    if (base.some(({ isRequired }) => isRequired) || localised.some(({ isRequired }) => isRequired)) return undefined;
    const { language } = catalogue.reference;
    const { name, description = '' } = desired.texts.get(language)?.values ?? {};
    if (name === undefined || (variant && !isPlainNewVariant(rules, variant))) return undefined;
    const named = modes.facetValues === 'SKIP' ? [] : storedFacetValues(work, desired.facetValues ?? []);
    if (!named) return undefined;

    const product = newProduct(rules);
    const { values } = product.columns;
    const after: Record<string, JsonValue> = { name, slug };
    if (description !== '') after['description'] = description;
    product.setText(language, { id: undefined, columns: new Columns({ name, slug, description }) });
    moveSlug(work, catalogue.products, { state: product, language, from: undefined, to: slug });
    if (desired.enabled !== undefined && desired.enabled !== values['enabled'])
        after['enabled'] = values['enabled'] = desired.enabled;
    if (named.length > 0) {
        const members = new Members<EntityState>([]);
        members.replace(named);
        product.setMembers(FACET_VALUES, members);
        after['facetValues'] = facetCodes(members.now);
    }
    const note = variant && addVariant(rules, { product, variant, name, after });
    work.of(products).addNew(product, product.key);
    return { action: 'create', key: slug, after, ...(note && { note }) };
}

function isPlainNewVariant(rules: ProductRules, variant: DesiredVariant): boolean {
    const { catalogue, work } = rules;
    const { outOfStockThreshold } = catalogue.reference;
    const [level] = variant.stock;
    return (
        isPlainVariant(rules, variant) &&
        !variantOf(work, variant.sku) &&
        !catalogue.priceSync.readsAllPrices &&
        // Below the threshold a number may be rejected.
        (!level ||
            level.quantity === 0 ||
            (level.quantity !== null && level.quantity >= Math.max(0, outOfStockThreshold))) &&
        (rules.missingPrice === 'ZERO' || !hasNoPrice(rules, variant))
    );
}

interface PlainVariant {
    readonly product: ProductState;
    readonly variant: DesiredVariant;
    readonly name: string;
    readonly after: Record<string, JsonValue>;
}

/** Plans the single variant, and reports it in `after`. */
function addVariant(
    rules: ProductRules,
    { product, variant: desired, name, after }: PlainVariant,
): LoadNote | undefined {
    const { catalogue, work } = rules;
    const { channel, defaultChannel, language } = catalogue.reference;
    const { sku, enabled, trackInventory, taxCategory } = desired;
    const variant = newVariant(catalogue, product, desired);
    const { values } = variant.columns;
    after['sku'] = sku;
    if (taxCategory) after['taxCategory'] = taxCategory.name;
    if (enabled !== undefined && enabled !== values['enabled']) after['enabled'] = values['enabled'] = enabled;
    if (trackInventory !== undefined && trackInventory !== values['trackInventory'])
        after['trackInventory'] = values['trackInventory'] = trackInventory;
    variant.setText(language, { id: undefined, columns: new Columns({ name }) });
    const price = desired.prices.get(channel.defaultCurrency) ?? undefined;
    after['price'] = price ?? 0;
    for (const { id, defaultCurrency } of channel.id === defaultChannel.id ? [channel] : [channel, defaultChannel])
        variant.prices!.push({
            id: undefined,
            channelId: id,
            currency: defaultCurrency,
            stored: undefined,
            price: price ?? 0,
        });
    for (const { locationId, location, quantity, isPlain } of desired.stock) {
        setLevel(variant, locationId, quantity!);
        after[isPlain ? 'stock' : `stock.${location}`] = quantity;
    }
    ensureStock(variant, channel);
    product.combinations!.set(combinationOf([]), sku);
    work.of(variants).addNew(variant, sku);
    return price === undefined ? missingPriceNote(rules, variant) : undefined;
}
