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

    /** By the token of their product. */
    private readonly byProduct = new Map<unknown, Set<VariantState>>();

    constructor(
        readonly language: string,
        /** What is described: facets and their values. */
        readonly work: UnitOfWork = new UnitOfWork(),
    ) {}

    addProduct(product: ProductState): void {
        if (product.id === undefined) this.newProducts.add(product);
        else this.products.set(product.id, product);
        const slug = product.text(this.language, 'slug');
        if (typeof slug === 'string' && !this.bySlug.has(slug)) this.bySlug.set(slug, product);
    }

    addVariant(variant: VariantState): void {
        if (variant.id === undefined) this.newVariants.add(variant);
        else this.variants.set(variant.id, variant);
        this.deletedSkus.delete(variant.sku);
        if (!this.bySku.has(variant.sku)) this.bySku.set(variant.sku, variant);
        const token = variant.product instanceof ProductState ? variant.product.token : variant.product;
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
        if (slug.from !== undefined) this.slugs.get(slugKey(language, slug.from))?.delete(product.token);
        if (slug.to !== undefined) this.claimSlug(slugKey(language, slug.to), product.token);
        if (language !== this.language) return;
        if (slug.from !== undefined && this.bySlug.get(slug.from) === product) this.bySlug.delete(slug.from);
        if (slug.to !== undefined) this.bySlug.set(slug.to, product);
    }

    claimSlug(key: string, token: unknown): void {
        const owners = this.slugs.get(key);
        if (owners) owners.add(token);
        else this.slugs.set(key, new Set([token]));
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
     * Lets go of stored entities that nothing is planned for, so that a dry run's memory grows with what it would change,
     * not with what it looked at.
     */
    forgetUnchanged(): void {
        for (const [id, variant] of this.variants) {
            if (variant.isTouched || variant.isDeleted) continue;
            this.variants.delete(id);
            if (this.bySku.get(variant.sku) === variant) this.bySku.delete(variant.sku);
            const token = variant.product instanceof ProductState ? variant.product.token : variant.product;
            const siblings = this.byProduct.get(token);
            siblings?.delete(variant);
            if (siblings?.size === 0) this.byProduct.delete(token);
        }
        for (const [id, product] of this.products) {
            if (product.isTouched || product.isDeleted || this.byProduct.has(id)) continue;
            this.products.delete(id);
            const slug = product.text(this.language, 'slug');
            if (typeof slug === 'string' && this.bySlug.get(slug) === product) this.bySlug.delete(slug);
        }
        this.work.settle();
        this.drafts.clear();
        this.probedSlugs.clear();
        this.slugs.clear();
        for (const product of [...this.products.values(), ...this.newProducts]) {
            if (product.isDeleted) continue;
            for (const [language, text] of product.texts)
                this.claimSlug(slugKey(language, text.columns.get('slug') as string), product.token);
        }
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
