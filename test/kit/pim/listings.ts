import {
    fullpathOf,
    type PimAsset,
    type PimCatalogue,
    type PimCategory,
    type PimObject,
    type PimProduct,
    type PimVariant,
} from './catalogue';

/** The arguments of a listing. */
export interface ListingArguments {
    readonly first?: number | null;
    readonly after?: number | null;
    readonly sortBy?: readonly string[] | null;
    readonly sortOrder?: readonly string[] | null;
    readonly filter?: string | null;
    readonly published?: boolean | null;
    readonly defaultLanguage?: string | null;
    readonly ids?: string | null;
}

/** A row of the database: an object, and its columns. */
interface Row<T extends PimObject> {
    readonly object: T;
    readonly columns: Readonly<Record<string, string | number>>;
}

/** An internal error of the PIM, which callers see as a generic error. */
const internal = (): Error => new Error('Internal server error');

/** Filters and cuts a listing as the PIM does: sorted by columns of its table, filtered by a JSON text, by offset. */
export class PimListings {
    /** Ids of objects that the key may not see: they are counted, and left out of their page. */
    readonly hidden = new Set<number>();

    constructor(private readonly catalogue: PimCatalogue) {}

    products(args: ListingArguments) {
        const rows: Array<Row<PimProduct | PimVariant>> = [];
        for (const product of this.catalogue.products.values()) {
            rows.push({ object: product, columns: { ...columnsOf(product), sku: product.sku } });
            for (const variant of product.variants)
                rows.push({ object: variant, columns: { ...columnsOf(variant), sku: variant.sku } });
        }
        return this.cut(rows, args, object => this.product(object, args));
    }

    categories(args: ListingArguments) {
        const rows = [...this.catalogue.categories.values()].map(object => ({
            object,
            columns: { ...columnsOf(object), slug: object.slug },
        }));
        return this.cut(rows, args, category => this.category(category, args));
    }

    assets(args: ListingArguments) {
        const rows = [...this.catalogue.assets.values()].map(object => {
            const { key: filename, published: _, ...columns } = columnsOf(object);
            return { object, columns: { ...columns, filename: filename!, mimetype: object.mimetype } };
        });
        return this.cut(rows, { ...args, published: false }, picture);
    }

    private cut<T extends PimObject>(
        rows: ReadonlyArray<Row<T>>,
        args: ListingArguments,
        nodeOf: (object: T) => object,
    ) {
        const filter = filterOf(args.filter);
        const ids = args.ids?.split(',').map(Number);
        const desired = rows.filter(
            ({ object, columns }) =>
                (args.published === false || object.isPublished) &&
                (!ids || ids.includes(object.id)) &&
                matches(filter, columns),
        );
        const columns = args.sortBy ?? [];
        if (columns.some(column => rows[0] && !Object.hasOwn(rows[0].columns, column))) throw internal();
        const sorted = [...desired].sort((a, b) => {
            for (const [i, column] of columns.entries()) {
                const [left, right] = [a.columns[column]!, b.columns[column]!];
                const order = left < right ? -1 : left > right ? 1 : 0;
                if (order !== 0) return args.sortOrder?.[i] === 'DESC' ? -order : order;
            }
            return 0;
        });
        const from = args.after ?? 0;
        const page = sorted.slice(from, from + (args.first ?? sorted.length));
        return {
            totalCount: desired.length,
            edges: page
                .filter(({ object }) => !this.hidden.has(object.id))
                .map(({ object }) => ({ cursor: `object-${object.id}`, node: nodeOf(object) })),
        };
    }

    private product(object: PimProduct | PimVariant, args: ListingArguments): object {
        const { languages, products, assets } = this.catalogue;
        const owner = object.owner === undefined ? undefined : products.get(object.owner);
        const isVariant = !('variants' in object);
        const node = {
            ...elementOf(object, isVariant ? 'variant' : 'object'),
            sku: object.sku,
            name: ({ language }: { readonly language?: string }) =>
                object.name[language ?? args.defaultLanguage ?? languages[0]!] ?? null,
            description: ({ language }: { readonly language?: string }) =>
                'description' in object
                    ? (object.description[language ?? args.defaultLanguage ?? languages[0]!] ?? null)
                    : null,
            price: object.price,
            stockQuantity: object.stock,
            images: 'images' in object ? object.images.map(id => picture(assets.get(id)!)) : [],
        };
        return Object.assign(node, {
            __typename: 'product',
            parent: () => (owner ? this.product(owner, args) : { __typename: 'object_folder', id: 1 }),
            children: ({ objectTypes }: { readonly objectTypes?: readonly string[] }) =>
                'variants' in object && (objectTypes ?? ['object']).includes('variant')
                    ? object.variants.map(variant => this.product(variant, args))
                    : [],
        });
    }

    private category(category: PimCategory, args: ListingArguments): object {
        const { languages, categories } = this.catalogue;
        const parent = category.parent === undefined ? undefined : categories.get(category.parent);
        return {
            ...elementOf(category, 'object'),
            __typename: 'object_Category',
            index: category.index,
            slug: category.slug,
            name: ({ language }: { readonly language?: string }) =>
                category.name[language ?? args.defaultLanguage ?? languages[0]!] ?? null,
            description: () => null,
            parent: () => (parent ? this.category(parent, args) : { __typename: 'object_folder', id: 1 }),
        };
    }
}

function columnsOf(object: PimObject): Record<string, string | number> {
    const { id, path, key, modified, isPublished } = object;
    return { id, path, key, modificationDate: modified, published: isPublished ? 1 : 0 };
}

function elementOf(object: PimObject, objectType: string): object {
    const { id, key, modified, isPublished } = object;
    return {
        id,
        key,
        fullpath: fullpathOf(object),
        published: isPublished,
        objectType,
        modificationDate: modified,
        index: 0,
    };
}

function picture(asset: PimAsset): object {
    const { id, key, mimetype, modified, isFolder = false } = asset;
    const shared = { id, filename: key, fullpath: fullpathOf(asset) };
    return isFolder
        ? { __typename: 'asset_folder', ...shared }
        : { __typename: 'asset', ...shared, mimetype, type: 'image', filesize: 70, modificationDate: modified };
}

type Filter = Readonly<Record<string, unknown>>;

function filterOf(text: string | null | undefined): Filter | undefined {
    if (text === undefined) return undefined;
    let read: unknown;
    try {
        read = JSON.parse(text ?? 'null');
    } catch {
        // As the PIM does for values that are not objects.
        read = undefined;
    }
    if (typeof read !== 'object' || read === null || Array.isArray(read)) throw new Error('unable to decode filter');
    return read as Filter;
}

function matches(filter: Filter | undefined, columns: Row<PimObject>['columns']): boolean {
    return Object.entries(filter ?? {}).every(([name, desired]) => {
        if (name === '$and') return (desired as readonly Filter[]).every(one => matches(one, columns));
        if (name === '$or') return (desired as readonly Filter[]).some(one => matches(one, columns));
        if (!Object.hasOwn(columns, name)) throw internal();
        const value = columns[name]!;
        if (typeof desired !== 'object' || desired === null) return String(value) === String(desired);
        return Object.entries(desired).every(([operator, operand]) => compares(value, operator, String(operand)));
    });
}

function compares(value: string | number, operator: string, operand: string): boolean {
    switch (operator) {
        case '$like':
            return like(operand).test(String(value));
        case '$notlike':
            return !like(operand).test(String(value));
        case '$gt':
            return Number(value) > Number(operand);
        case '$lt':
            return Number(value) < Number(operand);
        default:
            throw internal();
    }
}

/** LIKE of the database: % and _ are placeholders unless a backslash precedes them. */
function like(pattern: string): RegExp {
    const source = pattern.replace(
        /\\([%_])|([%_])|[.*+?^${}()|[\]\\]/g,
        (found, escaped: string, wild: string) => escaped ?? (wild === '%' ? '.*' : wild === '_' ? '.' : `\\${found}`),
    );
    return new RegExp(`^${source}$`, 'is');
}
