import type { Dialect } from '../../database/dialect';
import type { ProductState } from '../entity-descriptions/product-state';
import type { VariantState } from '../entity-descriptions/variant-state';
import { product } from '../entity-descriptions/product';
import { variant } from '../entity-descriptions/variant';
import type { EntityStore } from '../entities/entity-store';
import type { UnitOfWork } from '../entities/unit-of-work';
import type { EntityAssetSets } from '../entity-assets/entity-asset-sets';
import type { ShopReference } from '../lookup/reference';
import type { PriceSync } from './price-sync';
import type { CatalogueTables } from './tables';

/** What all reads and writes of a catalogue load use. */
export interface CatalogueContext {
    readonly tables: CatalogueTables;
    readonly dialect: Dialect;
    readonly reference: ShopReference;
    readonly products: EntityStore<ProductState>;
    readonly variants: EntityStore<VariantState>;
    readonly priceSync: PriceSync;
    /** Of loads that give assets to products and variants. */
    readonly galleries: EntityAssetSets | undefined;
}

/** The facet values that products and variants have. */
export function facetValuesOf({ products }: Pick<CatalogueContext, 'products'>): EntityStore {
    return products.members.get('facetValues')!.store;
}

/** The variant of the run's channel that has a SKU; the oldest of several. */
export function variantOf(work: UnitOfWork, sku: string): VariantState | undefined {
    return work.of(variant).firstSeen(sku);
}

/** The product of the run's channel that has a slug. */
export function productWith(work: UnitOfWork, slug: string): ProductState | undefined {
    return work.of(product).firstSeen(slug);
}

/** The product of a variant, if it is loaded. */
export function productOf(work: UnitOfWork, { madeFor, productId }: VariantState): ProductState | undefined {
    return madeFor ?? (productId === undefined ? undefined : work.of(product).withId(productId));
}

/** Marks a product as changed; a new product is reported anyway. */
export function touchProduct(work: UnitOfWork, state: ProductState): void {
    if (state.id !== undefined) work.of(product).touch(state);
}

/** Marks a variant as changed; its product stays loaded with it. */
export function touchVariant(work: UnitOfWork, state: VariantState): void {
    if (state.id !== undefined) work.of(variant).touch(state);
    const owner = productOf(work, state);
    if (owner) work.of(product).keep(owner);
}
