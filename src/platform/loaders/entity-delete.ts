import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import {
    defineLoader,
    defineServiceLoader,
    type Loader,
    type LoaderFixture,
    type ServiceLoader,
} from '../../core/adapter/loader';
import { withRules } from '../../core/schema/fields';
import { show } from '../../core/value/show';
import { productDependents, variantDependents } from '../catalogue/delete-catalogue';
import { collectionTree } from '../collections/collection-tree';
import { assetFiles } from '../deletes/asset-files';
import { bulkDeletes, type BulkDeletedKind } from '../deletes/bulk-deletes';
import type { DeleteNames } from '../deletes/read-delete';
import { serviceDeletes, type ServiceDeletedKind } from '../deletes/service-deletes';
import { asset } from '../entity-descriptions/asset';
import { collection } from '../entity-descriptions/collection';
import { country } from '../entity-descriptions/country';
import { customer, customerGroup } from '../entity-descriptions/customer';
import { accounts } from '../entity-descriptions/customer-accounts';
import { facet } from '../entity-descriptions/facet';
import { facetValue } from '../entity-descriptions/facet-value';
import { product } from '../entity-descriptions/product';
import { stockLocation } from '../entity-descriptions/stock-location';
import { variant } from '../entity-descriptions/variant';
import { SIDE_EFFECTS } from '../effects/effect';
import { loadArguments } from '../entities/load-arguments';
import { serviceEntityOf } from '../services/service-loader';
import { channelUpsert } from './channel-upsert';
import { paymentMethodUpsert } from './payment-method-upsert';
import { promotionUpsert } from './promotion-upsert';
import { shippingMethodUpsert } from './shipping-method-upsert';
import { taxRateUpsert } from './tax-rate-upsert';

const ENTITIES = [
    'PRODUCT',
    'PRODUCT_VARIANT',
    'COLLECTION',
    'FACET',
    'FACET_VALUE',
    'ASSET',
    'CUSTOMER',
    'CUSTOMER_GROUP',
    'STOCK_LOCATION',
    'COUNTRY',
    'TAX_RATE',
    'CHANNEL',
    'PROMOTION',
    'SHIPPING_METHOD',
    'PAYMENT_METHOD',
] as const;
type Deleted = (typeof ENTITIES)[number];
const KEYS = ['slug', 'sku', 'code', 'source', 'emailAddress', 'name', 'id'] as const;

/** Every kind that Flow loads, in bulk or by its service, and countries, which it knows from addresses. */
export const DELETED_KINDS: Readonly<Record<Deleted, BulkDeletedKind | ServiceDeletedKind>> = {
    PRODUCT: { entity: product, refinement: productDependents },
    PRODUCT_VARIANT: { entity: variant, refinement: variantDependents },
    COLLECTION: { entity: collection, refinement: collectionTree },
    FACET: { entity: facet },
    FACET_VALUE: { entity: facetValue },
    ASSET: { entity: asset, refinement: assetFiles },
    CUSTOMER: { entity: customer, refinement: accounts },
    CUSTOMER_GROUP: { entity: customerGroup },
    STOCK_LOCATION: { entity: stockLocation },
    COUNTRY: { entity: country },
    TAX_RATE: byService(taxRateUpsert),
    CHANNEL: byService(channelUpsert),
    PROMOTION: byService(promotionUpsert),
    SHIPPING_METHOD: byService(shippingMethodUpsert),
    PAYMENT_METHOD: byService(paymentMethodUpsert),
};

function byService(loader: ServiceLoader & Loader): ServiceDeletedKind {
    return { loader, entity: serviceEntityOf(loader)! };
}

const isServed = (kind: BulkDeletedKind | ServiceDeletedKind): kind is ServiceDeletedKind => 'loader' in kind;
const keyOf = ({ entity: { key } }: BulkDeletedKind | ServiceDeletedKind): string =>
    typeof key === 'string' ? key : key.field;

const config = withRules(
    z.strictObject({
        entity: z.enum(ENTITIES).meta({ title: 'Entity', description: 'What is deleted.', aliases: {} }),
        matchBy: z
            .enum(KEYS)
            .optional()
            .meta({
                title: 'Match by',
                description:
                    'The key that identifies entities: id, or the key of their kind. Default: the key of their kind. PRODUCT and COLLECTION: slug, PRODUCT_VARIANT: sku, ' +
                    'FACET, FACET_VALUE and COUNTRY: code, ASSET: source, CUSTOMER: emailAddress, CUSTOMER_GROUP, STOCK_LOCATION, TAX_RATE and PROMOTION: name, CHANNEL, SHIPPING_METHOD and PAYMENT_METHOD: code.',
                aliases: {},
            }),
        keyField: z.string().min(1).max(100).optional().meta({
            title: 'Field of the key',
            description:
                'Field of the record that holds the key or the id. Default: the name of the key: slug, sku, id.',
        }),
        facetField: z.string().min(1).max(100).optional().meta({
            title: 'Field of facet',
            description:
                'Field of the record that holds the code or name of the facet, for facet values. Default: facet.',
        }),
        sideEffects: z.enum(SIDE_EFFECTS).optional().meta({
            title: 'Side effects',
            description:
                "BATCHED (default): one event per batch; search index and collections are updated once at the end. EACH: Vendure's own events, one by one. NONE: no events and no updates.",
        }),
        history: loadArguments.history,
    }),
    ({ entity, matchBy, facetField, sideEffects, history }, issue) => {
        if (!(ENTITIES as readonly string[]).includes(entity)) return;
        const kind = DELETED_KINDS[entity];
        const key = keyOf(kind);
        if (matchBy !== undefined && matchBy !== key && matchBy !== 'id')
            issue('matchBy', clause`allowed: "${key}", "id" where entity is ${show(entity)}`);
        if (facetField !== undefined && (entity !== 'FACET_VALUE' || matchBy === 'id'))
            issue('facetField', clause`allowed where facet values are found by their codes, and nowhere else`);
        if (sideEffects !== undefined && isServed(kind))
            issue(
                'sideEffects',
                clause`not allowed where entity is ${show(entity)}: its service publishes its own events`,
            );
        if (history && isServed(kind))
            issue(
                'history',
                clause`not allowed where entity is ${show(entity)}: its service writes it and publishes no event`,
            );
    },
);

const namesOf = ({ entity, matchBy, keyField, facetField = 'facet' }: z.output<typeof config>): DeleteNames => {
    const key = keyOf(DELETED_KINDS[entity]);
    return { byId: matchBy === 'id', key: keyField ?? matchBy ?? key, facet: facetField };
};

const lamp = { slug: 'desk-lamp', name: 'Desk lamp', sku: 'LAMP-1', price: 4900 };
const attic: readonly LoaderFixture[] = [
    { loader: 'facetUpsert', records: [{ code: 'room', name: 'Room' }] },
    {
        loader: 'facetValueUpsert',
        records: [
            { facet: 'room', code: 'attic', name: 'Attic' },
            { facet: 'room', code: 'cellar', name: 'Cellar' },
        ],
    },
];

const declared = {
    code: 'entityDelete',
    title: 'Delete entities',
    category: 'Data',
    summary: 'Deletes products, customers, collections and other entities of the shop, matched by their keys or ids.',
    config,
} as const;

/** Those that services delete. */
const served = defineServiceLoader({
    ...declared,
    open: (options, cx) => serviceDeletes(DELETED_KINDS[options.entity] as ServiceDeletedKind, namesOf(options), cx),
});

/** Deletes entities of other loads by their keys alone. */
export const entityDelete = defineLoader({
    ...declared,
    notes: [
        'A record is {slug}, {sku}, {code}, {facet, code}, {source}, {emailAddress} or {name}, depending on the entity; with matchBy "id" it is {id}. Other fields are ignored, so records of any source can be used. A record whose __operation is not DELETE is rejected.',
        "Entities that are not in the run's channel count as unchanged, so the same records can be loaded again. A key that several entities have is rejected.",
        'As in Vendure, products, variants and customers are marked as deleted, and other entities are deleted permanently. Deleting a product includes its variants, a facet its values, and a customer the account and group memberships; orders stay.',
        'A record is rejected, with the reason, if its entity is in use: facets and facet values of products or variants, assets that are the featured asset of an entity, customer groups of tax rates, stock locations with stock, the last stock location, countries of addresses, collections with children that are not deleted in the same batch, the default channel.',
        "An asset of several channels is only removed from the run's channel. The files of a deleted asset are removed from the storage after the commit.",
        'Entities are deleted in bulk, except tax rates, channels and other entities that a Vendure service writes: these are deleted one by one and publish their own events.',
        "The run's user needs the permission that Vendure requires for deleting.",
    ],
    requiresFor: ({ entity }) =>
        (ENTITIES as readonly unknown[]).includes(entity)
            ? [DELETED_KINDS[entity as Deleted].entity.permissions.delete]
            : [],
    examples: [
        {
            given: [{ loader: 'productUpsert', records: [lamp] }],
            config: { entity: 'PRODUCT' },
            in: [{ slug: 'desk-lamp', discontinued: true }, { slug: 'desk-lamp' }],
            keys: ['desk-lamp', 'LAMP-1'],
            does: ['delete', 'unchanged'],
            again: ['unchanged', 'unchanged'],
        },
        {
            note: 'By a field of another name.',
            given: [{ loader: 'productUpsert', records: [lamp] }],
            config: { entity: 'PRODUCT_VARIANT', keyField: 'article' },
            in: [{ article: 'LAMP-1', __operation: 'DELETE' }],
            keys: ['desk-lamp', 'LAMP-1'],
            does: ['delete'],
        },
        {
            note: 'Collections may come in any order.',
            given: [
                {
                    loader: 'collectionUpsert',
                    records: [
                        { slug: 'lighting', name: 'Lighting' },
                        { slug: 'lamps', name: 'Lamps', parent: 'lighting' },
                    ],
                },
            ],
            config: { entity: 'COLLECTION' },
            in: [{ slug: 'lighting' }, { slug: 'lamps' }],
            keys: ['lighting', 'lamps'],
            does: ['delete', 'delete'],
        },
        {
            given: [
                {
                    loader: 'customerUpsert',
                    records: [{ emailAddress: 'anna@example.com', firstName: 'Anna', lastName: 'Lund' }],
                },
            ],
            config: { entity: 'CUSTOMER' },
            in: [{ emailAddress: 'Anna@Example.com' }, { emailAddress: 'nobody@example.com' }],
            keys: ['anna@example.com', 'Anna@Example.com', 'nobody@example.com'],
            does: ['delete', 'unchanged'],
        },
        {
            given: [
                {
                    loader: 'taxRateUpsert',
                    records: [{ name: 'Books Europe', value: 7, category: 'Reduced Tax', zone: 'Europe' }],
                },
            ],
            config: { entity: 'TAX_RATE' },
            in: [{ name: 'Books Europe' }, { name: 'Maps Europe' }],
            keys: ['Books Europe', 'Maps Europe'],
            does: ['delete', 'unchanged'],
        },
        {
            note: 'What is in use is kept.',
            given: [...attic, { loader: 'productUpsert', records: [{ ...lamp, facetValues: ['room:attic'] }] }],
            config: { entity: 'FACET_VALUE' },
            in: [
                { facet: 'room', code: 'attic' },
                { facet: 'room', code: 'cellar', __operation: 'UPSERT' },
                { code: 'cellar' },
                { facet: 'room', code: 'cellar' },
            ],
            keys: ['room', 'room:attic', 'desk-lamp', 'LAMP-1'],
            does: ['reject', 'reject', 'reject', 'delete'],
            rejects: ['code', '__operation', 'facet'],
        },
    ],
    open: (options, cx) => {
        const kind = DELETED_KINDS[options.entity] as BulkDeletedKind;
        return bulkDeletes(kind, { names: namesOf(options), sideEffects: options.sideEffects ?? 'BATCHED' }, cx);
    },
    instead: ({ entity }) => (isServed(DELETED_KINDS[entity]) ? served : undefined),
});
