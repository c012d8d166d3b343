import { clause, type FactText } from '../../core/errors/rendered';
import {
    Asset,
    Collection,
    Customer,
    Facet,
    FacetValue,
    Order,
    Permission,
    Product,
    ProductVariant,
    Promotion,
    type VendureEntity,
} from '@vendure/core';
import type { EntityTarget } from 'typeorm';
import type { AnyOf } from '../context';

/** The kinds of entities that a query can read. */
export const QUERIED_ENTITIES = [
    'PRODUCT',
    'PRODUCT_VARIANT',
    'CUSTOMER',
    'ORDER',
    'COLLECTION',
    'FACET',
    'FACET_VALUE',
    'PROMOTION',
    'ASSET',
] as const;
export type QueriedEntity = (typeof QUERIED_ENTITIES)[number];

/** The entities' types in the shop. */
export const ENTITY_TYPES: Readonly<Record<QueriedEntity, EntityTarget<VendureEntity>>> = {
    PRODUCT: Product,
    PRODUCT_VARIANT: ProductVariant,
    CUSTOMER: Customer,
    ORDER: Order,
    COLLECTION: Collection,
    FACET: Facet,
    FACET_VALUE: FacetValue,
    PROMOTION: Promotion,
    ASSET: Asset,
};

/** Which rows of a list belong to the run's channel, for entities without a relation `channels`. */
type ChannelRows = 'channelId' | 'stockLocation';

/** What can be read, as a query's entity or by a relation. */
export interface Readable {
    /** Any one of them allows a user to read it; undefined: it may be read with the entity that leads to it. */
    readonly permissions?: AnyOf;
    /** The relations that may be followed, and their targets. No relation leads to passwords or sessions of accounts. */
    readonly relations: Readonly<Record<string, string>>;
    /** Of an entity that has more than people may see: its columns that are read. */
    readonly columns?: readonly string[];
    readonly ofChannel?: ChannelRows;
}

const product: AnyOf = [Permission.ReadCatalog, Permission.ReadProduct];
const facet: AnyOf = [Permission.ReadCatalog, Permission.ReadFacet];
const collection: AnyOf = [Permission.ReadCatalog, Permission.ReadCollection];
const asset: AnyOf = [Permission.ReadCatalog, Permission.ReadAsset];
const order: AnyOf = [Permission.ReadOrder];
const customer: AnyOf = [Permission.ReadCustomer];
const galleryEntry = { permissions: asset, relations: { asset: 'ASSET' } } as const;

/**
 * The readable entities of the shop. No relation leads to anything else: channels, roles, sessions, authentication methods, and the entities of
 * other plugins. The permissions are those of the Admin API.
 */
const READABLE = {
    PRODUCT: {
        permissions: product,
        relations: {
            featuredAsset: 'ASSET',
            assets: 'GALLERY_ENTRY',
            variants: 'PRODUCT_VARIANT',
            optionGroups: 'OPTION_GROUP',
            facetValues: 'FACET_VALUE',
        },
    },
    PRODUCT_VARIANT: {
        permissions: product,
        relations: {
            product: 'PRODUCT',
            featuredAsset: 'ASSET',
            assets: 'GALLERY_ENTRY',
            options: 'OPTION',
            facetValues: 'FACET_VALUE',
            collections: 'COLLECTION',
            productVariantPrices: 'PRICE',
            stockLevels: 'STOCK_LEVEL',
            taxCategory: 'TAX_CATEGORY',
        },
    },
    CUSTOMER: {
        permissions: customer,
        relations: { groups: 'CUSTOMER_GROUP', addresses: 'ADDRESS', orders: 'ORDER', user: 'USER' },
    },
    ORDER: {
        permissions: order,
        relations: {
            customer: 'CUSTOMER',
            lines: 'ORDER_LINE',
            surcharges: 'PART_OF_ORDER',
            shippingLines: 'SHIPPING_LINE',
            promotions: 'PROMOTION',
            payments: 'PAYMENT',
            fulfillments: 'FULFILLMENT',
            modifications: 'PART_OF_ORDER',
            sellerOrders: 'ORDER',
            aggregateOrder: 'ORDER',
        },
    },
    COLLECTION: {
        permissions: collection,
        relations: {
            parent: 'COLLECTION',
            children: 'COLLECTION',
            featuredAsset: 'ASSET',
            assets: 'GALLERY_ENTRY',
            productVariants: 'PRODUCT_VARIANT',
        },
    },
    FACET: { permissions: facet, relations: { values: 'FACET_VALUE' } },
    FACET_VALUE: {
        permissions: facet,
        relations: { facet: 'FACET', products: 'PRODUCT', productVariants: 'PRODUCT_VARIANT' },
    },
    PROMOTION: { permissions: [Permission.ReadPromotion], relations: { orders: 'ORDER' } },
    ASSET: {
        permissions: asset,
        relations: {
            tags: 'TAG',
            featuredInCollections: 'COLLECTION',
            featuredInVariants: 'PRODUCT_VARIANT',
            featuredInProducts: 'PRODUCT',
        },
    },
    GALLERY_ENTRY: galleryEntry,
    TAG: { permissions: asset, relations: {} },
    OPTION_GROUP: { permissions: product, relations: { options: 'OPTION' } },
    OPTION: { permissions: product, relations: { group: 'OPTION_GROUP' } },
    PRICE: { permissions: product, relations: {}, ofChannel: 'channelId' },
    STOCK_LEVEL: { permissions: product, relations: { stockLocation: 'STOCK_LOCATION' }, ofChannel: 'stockLocation' },
    STOCK_LOCATION: { permissions: [Permission.ReadStockLocation, Permission.ReadCatalog], relations: {} },
    TAX_CATEGORY: {
        permissions: [Permission.ReadSettings, Permission.ReadTaxCategory, Permission.ReadCatalog],
        relations: {},
    },
    CUSTOMER_GROUP: { permissions: [Permission.ReadCustomer, Permission.ReadCustomerGroup], relations: {} },
    ADDRESS: { permissions: customer, relations: { country: 'COUNTRY' } },
    COUNTRY: { relations: {} },
    USER: {
        permissions: customer,
        relations: {},
        columns: ['id', 'createdAt', 'updatedAt', 'deletedAt', 'identifier', 'verified', 'lastLogin'],
    },
    ORDER_LINE: {
        permissions: order,
        relations: {
            productVariant: 'PRODUCT_VARIANT',
            featuredAsset: 'ASSET',
            taxCategory: 'TAX_CATEGORY',
            shippingLine: 'SHIPPING_LINE',
        },
    },
    PART_OF_ORDER: { permissions: order, relations: {} },
    SHIPPING_LINE: { permissions: order, relations: { shippingMethod: 'SHIPPING_METHOD' } },
    SHIPPING_METHOD: { permissions: [Permission.ReadSettings, Permission.ReadShippingMethod], relations: {} },
    PAYMENT: { permissions: order, relations: { refunds: 'PART_OF_ORDER' } },
    FULFILLMENT: { permissions: order, relations: { lines: 'PART_OF_ORDER' } },
} as const satisfies Readonly<Record<string, Readable>>;

/** The maximum number of steps in a relation path: each is a statement per page, and nested lists grow large. */
export const MAX_DEPTH = 4;

/** A relation path that may be followed, with its targets step by step. */
interface KnownPath {
    readonly to: readonly Readable[];
}

/** A relation path that may not be followed. */
interface UnknownPath {
    /** The end of "the path …". */
    readonly problem: FactText;
}

/** The readable fields and relations of an entity. */
export function readable(entity: QueriedEntity): Readable {
    return READABLE[entity];
}

/** Follows a relation path. */
export function pathFrom(entity: QueriedEntity, path: string): KnownPath | UnknownPath {
    const names = path.split('.');
    if (names.length > MAX_DEPTH) return { problem: clause`has ${names.length} steps; allowed: at most ${MAX_DEPTH}` };
    const to: Readable[] = [];
    let at: Readable = READABLE[entity];
    for (const [index, name] of names.entries()) {
        const next = Object.hasOwn(at.relations, name) ? at.relations[name] : undefined;
        if (next === undefined) {
            const known = Object.keys(at.relations);
            const where = index === 0 ? entity : names.slice(0, index).join('.');
            const allowed =
                known.length > 0 ? clause`allowed: ${known.join(', ')}` : clause`it has none that may be followed`;
            return { problem: clause`names "${name}", which is not a readable relation of ${where}; ${allowed}` };
        }
        at = READABLE[next as keyof typeof READABLE];
        to.push(at);
    }
    return { to };
}

/** All relation paths including their parents, each after its parent. */
export function withParents(paths: readonly string[]): readonly string[] {
    const all = paths.flatMap(path => path.split('.').map((_, i, names) => names.slice(0, i + 1).join('.')));
    return [...new Set(all)].sort((a, b) => a.split('.').length - b.split('.').length);
}

/** Every permission that reading needs, of the entity and of what its relations lead to; of a list, any one is enough. */
export function permissionsToRead(entity: QueriedEntity, paths: readonly string[]): readonly AnyOf[] {
    const all = withParents(paths).flatMap(path => {
        const known = pathFrom(entity, path);
        return 'to' in known ? known.to.slice(-1) : [];
    });
    return [readable(entity), ...all].flatMap(({ permissions }) => (permissions ? [permissions] : []));
}
