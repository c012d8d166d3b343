import type { Id } from '../../database/write';
import type { EntityState } from '../entities/entity-state';
import { UnitOfWork } from '../entities/unit-of-work';
import type { GroupState, VariantState } from './state';
import { ProductState } from './state';

/**
 * The entities that a batch works on, one object each: what its records find, change and create (a unit of work). A live
 * batch begins with an empty one. In a dry run nothing is written, so that one world serves the whole run, and what earlier
 * batches planned is found by later ones.
 */
export class World {
    readonly products = new Map<Id, ProductState>();
    readonly variants = new Map<Id, VariantState>();
    /** By slug in the run's language. */
    readonly bySlug = new Map<string, ProductState>();
    readonly bySku = new Map<string, VariantState>();
    readonly newProducts = new Set<ProductState>();
    readonly newVariants = new Set<VariantState>();
    /** Option groups and options may be shared between products. */
    readonly groups = new Map<Id, GroupState>();
    /** Facets and facet values that records would make, and that none uses yet. */
    readonly drafts = new Map<string, EntityState>();
    /** Who has a slug in a language, by "language slug": products' tokens. */
    readonly slugs = new Map<string, Set<unknown>>();
    /** Slugs of which it is known who has them. */
    readonly probedSlugs = new Set<string>();
    /** SKUs whose variant was deleted and that no other has taken since. */
    readonly deletedSkus = new Set<string>();

    /** What this batch has read: entities, and who has a slug. */
    private readonly readProducts = new Set<ProductState>();
    private readonly readVariants = new Set<VariantState>();
    private readonly probedClaims = new Set<{ readonly key: string; readonly token: unknown }>();
    /** By the token of their product. */
    private readonly byProduct = new Map<unknown, Set<VariantState>>();

    constructor(
        readonly language: string,
        /** What is described: facets and their values. */
        readonly work: UnitOfWork = new UnitOfWork(),
    ) {}

    addProduct(product: ProductState): void {
        if (product.id === undefined) this.newProducts.add(product);
        else {
            this.products.set(product.id, product);
            this.readProducts.add(product);
        }
        const slug = product.text(this.language, 'slug');
        if (typeof slug === 'string' && !this.bySlug.has(slug)) this.bySlug.set(slug, product);
    }

    addVariant(variant: VariantState): void {
        if (variant.id === undefined) this.newVariants.add(variant);
        else {
            this.variants.set(variant.id, variant);
            this.readVariants.add(variant);
        }
        this.deletedSkus.delete(variant.sku);
        if (!this.bySku.has(variant.sku)) this.bySku.set(variant.sku, variant);
        const token = tokenOf(variant);
        const siblings = this.byProduct.get(token);
        if (siblings) siblings.add(variant);
        else this.byProduct.set(token, new Set([variant]));
    }

    /** The product of a variant, where it is at hand. */
    productOf(variant: VariantState): ProductState | undefined {
        return variant.product instanceof ProductState ? variant.product : this.products.get(variant.product);
    }

    /** Everything at hand that belongs to a product. */
    variantsOf(product: ProductState): readonly VariantState[] {
        return [...(this.byProduct.get(product.token) ?? [])].filter(variant => !variant.isDeleted);
    }

    moveSlug(
        product: ProductState,
        language: string,
        slug: { readonly from: string | undefined; readonly to: string | undefined },
    ): void {
        if (slug.from !== undefined) this.dropClaim(slugKey(language, slug.from), product.token);
        if (slug.to !== undefined) this.claimSlug(slugKey(language, slug.to), product.token);
        if (language !== this.language) return;
        if (slug.from !== undefined && this.bySlug.get(slug.from) === product) this.bySlug.delete(slug.from);
        if (slug.to !== undefined) this.bySlug.set(slug.to, product);
    }

    private claimSlug(key: string, token: unknown): void {
        const owners = this.slugs.get(key);
        if (owners) owners.add(token);
        else this.slugs.set(key, new Set([token]));
    }

    /** A product that the database has under a slug, and that nothing planned keeps from having it. */
    claimStored(key: string, token: unknown): void {
        if (this.slugs.get(key)?.has(token) === true) return;
        this.claimSlug(key, token);
        this.probedClaims.add({ key, token });
    }

    forgetProduct(product: ProductState): void {
        product.isDeleted = true;
        for (const [language, text] of product.texts) {
            this.moveSlug(product, language, {
                from: text.columns.values['slug'] as string | undefined,
                to: undefined,
            });
        }
        for (const variant of this.variantsOf(product)) this.forgetVariant(variant);
    }

    /**
     * Ends a batch of a dry run: lets go of what it has read and planned nothing for, so that memory grows with what would be changed, and
     * time with the batch.
     */
    forgetUnchanged(): void {
        for (const variant of this.readVariants)
            if (!variant.isTouched && !variant.isDeleted) this.dropVariant(variant);
        for (const product of this.readProducts) {
            const id = product.id!;
            if (product.isTouched || product.isDeleted || this.byProduct.has(id)) continue;
            this.products.delete(id);
            const slug = product.text(this.language, 'slug');
            if (typeof slug === 'string' && this.bySlug.get(slug) === product) this.bySlug.delete(slug);
        }
        for (const { key, token } of this.probedClaims) this.dropClaim(key, token);
        for (const ended of [this.readVariants, this.readProducts, this.probedClaims, this.probedSlugs]) ended.clear();
        this.work.settle();
        this.drafts.clear();
    }

    private dropVariant(variant: VariantState): void {
        this.variants.delete(variant.id!);
        if (this.bySku.get(variant.sku) === variant) this.bySku.delete(variant.sku);
        const token = tokenOf(variant);
        const siblings = this.byProduct.get(token);
        siblings?.delete(variant);
        if (siblings?.size === 0) this.byProduct.delete(token);
    }

    private dropClaim(key: string, token: unknown): void {
        const owners = this.slugs.get(key);
        owners?.delete(token);
        if (owners?.size === 0) this.slugs.delete(key);
    }

    forgetVariant(variant: VariantState): void {
        variant.isDeleted = true;
        this.deletedSkus.add(variant.sku);
        if (this.bySku.get(variant.sku) === variant) this.bySku.delete(variant.sku);
    }
}

export function slugKey(language: string, slug: string): string {
    return `${language} ${slug}`;
}

function tokenOf({ product }: VariantState): unknown {
    return product instanceof ProductState ? product.token : product;
}
