import { show } from '../../core/value/show';
import { product as products } from '../entity-descriptions/product';
import type { ProductState } from '../entity-descriptions/product-state';
import { calledBy, isCalled, type EntityNaming } from '../entities/identity';
import { foldName } from '../../core/data/fold-name';
import { entityName } from '../entities/name-index';
import { slugOf } from '../entities/slug';
import type { SlugRequest } from '../entities/slugs';
import type { GivenKey } from '../entities/key-variants';
import type { WorkPart } from '../entities/unit-of-work';
import { productOf, productWith, variantOf } from './catalogue';
import type { DesiredProduct } from './desired';
import type { PlanRules } from './plan-rules';

export interface ProductRules extends PlanRules {
    readonly matchBy: 'slug' | 'sku';
}

/** The names of a batch's records by the slugs that they give. */
class ProvidedSlugs extends Map<string, string | undefined> implements WorkPart {
    settle(): void {
        this.clear();
    }
}

/** The key by which a record's product is found: its slug, or its name without a slug, or its first SKU. */
export function productKey(
    { slug, name, variants }: Pick<DesiredProduct, 'slug' | 'name' | 'variants'>,
    matchBy: 'slug' | 'sku',
): string | undefined {
    return matchBy === 'slug' ? (slug ?? name) : variants?.[0]?.sku;
}

/** The language in which products are found by their names and slugs. */
export function productKind({ catalogue: { reference } }: Pick<PlanRules, 'catalogue'>): EntityNaming<ProductState> {
    return { entity: products, language: reference.language };
}

/** The loaded products that a record may mean; several if no slug distinguishes those with the same name. */
export function productsMeant(rules: ProductRules, desired: DesiredProduct): readonly ProductState[] {
    const { work, matchBy } = rules;
    const { slug, name, madeSlug } = desired;
    if (matchBy === 'sku') {
        const variant = variantOf(work, desired.variants?.[0]?.sku ?? '');
        const owner = variant && productOf(work, variant);
        return owner ? [owner] : [];
    }
    if (slug === undefined) return name === undefined ? [] : calledBy(work, productKind(rules), { text: name });
    const found = productWith(work, slug);
    if (found) return [found];
    const near = madeSlug === undefined || madeSlug === slug ? undefined : productWith(work, madeSlug);
    return near && isCalled(productKind(rules), near, name ?? slug) ? [near] : [];
}

/** The loaded product that a record means. */
export function findProduct(rules: ProductRules, desired: DesiredProduct): ProductState | undefined {
    return productsMeant(rules, desired)[0];
}

/** Why a record does not refer to a single product; undefined if it does. */
export function ambiguity(
    rules: ProductRules,
    desired: DesiredProduct,
    found: readonly ProductState[],
): string | undefined {
    if (found.length > 1) return `${found.length} products have this name. Give the slug`;
    const { slug, name, madeSlug } = desired;
    if (rules.matchBy !== 'slug' || slug === undefined || madeSlug === undefined) return undefined;
    const conflict = rules.spelt?.conflict(slug, { name, called: 'product' });
    if (conflict !== undefined) return `${conflict}. Give another slug`;
    if (found.length > 0) return undefined;
    const near = madeSlug === slug ? undefined : productWith(rules.work, madeSlug);
    const { entity, language } = productKind(rules);
    const rival = near ? entityName(entity, near, language) : rules.work.part(ProvidedSlugs).get(madeSlug);
    const isOther = madeSlug !== slug && rival !== undefined && foldName(rival) !== foldName(name ?? slug);
    if (!near && !isOther) return undefined;
    return `it becomes ${show(madeSlug)}, which is the slug of product ${show(rival ?? '')}. Give another slug`;
}

/**
 * The request for a slug that is made of a name: it does not take slugs that records of the same batch give to
 * products with other names.
 */
export function slugRequestOfName({ work }: PlanRules, { name }: DesiredProduct, request: SlugRequest): SlugRequest {
    const given = work.part(ProvidedSlugs);
    return { ...request, isMade: true, leaves: slug => given.has(slug) && isOther(given.get(slug), name) };
}

function isOther(one: string | undefined, other: string | undefined): boolean {
    return foldName(one ?? '') !== foldName(other ?? '');
}

/** Whether a new product can have its derived slug: no other product has it, or requests it. */
export function hasFreeSlug({ work }: PlanRules, { slug, name, madeSlug }: DesiredProduct): boolean {
    if (madeSlug === undefined || productWith(work, madeSlug)) return false;
    const given = work.part(ProvidedSlugs);
    if (slug !== undefined) return slug === madeSlug;
    return !given.has(madeSlug) || !isOther(given.get(madeSlug), name);
}

/** The slug that a record gives, where its product is found by that. */
export function givenSlug(
    { matchBy }: Pick<ProductRules, 'matchBy'>,
    { slug, madeSlug, name, isDelete }: DesiredProduct,
): GivenKey | undefined {
    if (matchBy !== 'slug' || slug === undefined || madeSlug === undefined) return undefined;
    return { given: slug, stored: madeSlug, name, isDelete };
}

/** Remembers which slugs the records of a batch give. */
export function rememberSlugs({ work }: PlanRules, records: readonly DesiredProduct[]): void {
    const given = work.part(ProvidedSlugs);
    for (const { slug, name, isDelete } of records)
        if (slug !== undefined && slug === slugOf(slug) && !isDelete) given.set(slug, name);
}
