import type { Change } from '../../core/adapter/loader';
import { product } from '../entity-descriptions/product';
import { variant } from '../entity-descriptions/variant';
import { keysFor } from '../entities/identity';
import { findProduct, productKey, type ProductRules } from './match-products';
import type { DesiredProduct, DesiredVariant } from './desired';
import type { PlanRules } from './plan-rules';

/** A record about something that the dry run has planned as new before, and whose fields it no longer knows. */
export function forgottenChange(key: string): Change {
    return { action: 'update', key, before: {}, after: {} };
}

/** A record of a product that the dry run has planned as new, and of which it knows no more than the SKU or slug. */
export function forgottenProduct(rules: ProductRules, desired: DesiredProduct): Change | undefined {
    const { work, matchBy } = rules;
    const key = productKey(desired, matchBy);
    if (key === undefined || findProduct(rules, desired)) return undefined;
    const isForgotten =
        matchBy === 'sku'
            ? work.of(variant).isForgotten(key)
            : keysFor(product, key).some(slug => work.of(product).isForgotten(slug));
    return isForgotten ? forgottenChange(key) : undefined;
}

/** A record of such a variant, or of a new variant of such a product. */
export function forgottenVariant({ work }: PlanRules, { sku, productSlug }: DesiredVariant): Change | undefined {
    if (work.of(variant).isForgotten(sku)) return forgottenChange(sku);
    if (productSlug === undefined || work.of(variant).firstSeen(sku)) return undefined;
    const isForgotten = keysFor(product, productSlug).some(slug => work.of(product).isForgotten(slug));
    return isForgotten ? { action: 'create', key: sku, after: {} } : undefined;
}
