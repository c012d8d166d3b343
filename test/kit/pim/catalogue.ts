/** The content of a product-information system in tests; plain data that tests change as its users do. */
export interface PimObject {
    readonly id: number;
    /** Of its parent folder: "/Products/". */
    path: string;
    key: string;
    isPublished: boolean;
    /** Seconds since 1970. */
    modified: number;
}

export interface PimVariant extends PimObject {
    /** The id of the product that it is a variant of. */
    readonly owner?: number;
    sku: string;
    name: Texts;
    price: number;
    stock: number;
}

export interface PimProduct extends PimVariant {
    description: Texts;
    variants: PimVariant[];
    /** Ids of assets. */
    images: readonly number[];
}

export interface PimCategory extends PimObject {
    name: Texts;
    slug: string;
    /** The id of a category; undefined directly below the root folder. */
    parent: number | undefined;
    index: number;
}

export interface PimAsset extends PimObject {
    mimetype: string;
    /** The source of its bytes: two assets with the same text are the same picture. */
    content: string;
    isFolder?: boolean;
}

/** By language. */
export type Texts = Record<string, string>;

export interface PimSize {
    readonly products: number;
    /** Every nth product has two variants. */
    readonly variantsEvery?: number;
    readonly categories?: number;
    /** How many levels of categories there are. */
    readonly depth?: number;
    readonly assets?: number;
    readonly languages?: readonly string[];
    /** A prefix of SKUs, slugs and names, so that suites that share a shop do not collide. */
    readonly prefix?: string;
}

const FIRST_VARIANT = 1_000_000;
const FIRST_CATEGORY = 2_000_000;

/** The content of the PIM. Ids of objects and of assets are counted separately, as in the real one. */
export class PimCatalogue {
    readonly products = new Map<number, PimProduct>();
    readonly categories = new Map<number, PimCategory>();
    readonly assets = new Map<number, PimAsset>();
    readonly languages: readonly string[];
    private readonly prefix: string;
    private nextVariant = FIRST_VARIANT;
    private clock = 1_700_000_000;

    constructor({
        products,
        variantsEvery = 0,
        categories = 0,
        depth = 6,
        assets = 0,
        languages = ['en', 'de', 'fr'],
        prefix = 'pim',
    }: PimSize) {
        this.languages = languages;
        this.prefix = prefix;
        if (assets > 0) this.addAsset(assets + 1, { isFolder: true });
        for (let id = 1; id <= assets; id++) this.addAsset(id);
        for (let id = 1; id <= products; id++) {
            const product = this.addProduct(id);
            if (assets > 0) product.images = [(id % assets) + 1];
            if (variantsEvery > 0 && id % variantsEvery === 0)
                for (const size of ['S', 'M']) this.addVariant(product, size);
        }
        for (let n = 0; n < categories; n++) this.addCategory(n, depth);
    }

    texts(what: string): Texts {
        return Object.fromEntries(this.languages.map(language => [language, `${what} ${language}`]));
    }

    addProduct(id: number): PimProduct {
        const sku = `${this.prefix}-${id}`.toUpperCase();
        const product: PimProduct = {
            id,
            path: `/Products/${id % 7}/`,
            key: `${this.prefix}-product-${id}`,
            isPublished: true,
            modified: this.clock++,
            sku,
            name: this.texts(`${this.prefix} product ${id}`),
            description: this.texts(`All about ${id} in`),
            price: 10 + (id % 90) + 0.95,
            stock: id % 40,
            variants: [],
            images: [],
        };
        this.products.set(id, product);
        return product;
    }

    addVariant(product: PimProduct, size: string): PimVariant {
        const variant: PimVariant = {
            id: this.nextVariant++,
            owner: product.id,
            path: `${product.path}${product.key}/`,
            key: size.toLowerCase(),
            isPublished: true,
            modified: this.clock++,
            sku: `${product.sku}-${size}`,
            name: this.texts(`${product.name[this.languages[0]!]!} ${size}`),
            price: product.price + 1,
            stock: product.stock + 1,
        };
        product.variants.push(variant);
        return variant;
    }

    private addCategory(n: number, depth: number): void {
        const id = FIRST_CATEGORY + n;
        // Chains of `depth` categories, each starting at the top.
        const parent = n % depth === 0 ? undefined : id - 1;
        const above = parent === undefined ? undefined : this.categories.get(parent)!;
        this.categories.set(id, {
            id,
            path: above ? `${above.path}${above.key}/` : '/Categories/',
            key: `${this.prefix}-category-${n}`,
            isPublished: true,
            modified: this.clock++,
            name: this.texts(`${this.prefix} category ${n}`),
            slug: `${this.prefix}-category-${n}`,
            parent,
            index: n,
        });
    }

    private addAsset(id: number, { isFolder = false } = {}): void {
        this.assets.set(id, {
            id,
            path: isFolder ? '/' : '/pictures/',
            key: isFolder ? 'pictures' : `${this.prefix} picture ${id}.png`,
            isPublished: true,
            modified: this.clock++,
            mimetype: isFolder ? '' : 'image/png',
            // Every tenth is the same picture as the one before.
            content: `${this.prefix} ${id % 10 === 0 ? id - 1 : id}`,
            isFolder,
        });
    }

    /** Edits in the PIM update the date of the edited objects. */
    touch<T extends PimObject>(object: T, change: (object: T) => void): T {
        change(object);
        object.modified = this.clock++;
        return object;
    }
}

export function fullpathOf({ path, key }: PimObject): string {
    return path + key;
}
