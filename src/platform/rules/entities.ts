import { Channel, Permission, TaxCategory, type VendureEntity } from '@vendure/core';
import type { EntityTarget } from 'typeorm';
import type { RunMode } from '../../core/adapter/context';
import type { StatementProgram } from '../../core/adapter/loader';
import { column, name, select, sql } from '../../database/statement';
import { tableOf } from '../../database/table';
import type { AnyOf, VendurePlatform } from '../context';
import { collection } from '../entity-descriptions/collection';
import { customer, customerGroup } from '../entity-descriptions/customer';
import { facet } from '../entity-descriptions/facet';
import { facetValue } from '../entity-descriptions/facet-value';
import { product } from '../entity-descriptions/product';
import { stockLocation } from '../entity-descriptions/stock-location';
import { variant } from '../entity-descriptions/variant';
import type { EntityDescription } from '../entities/description';
import { idsAmong } from '../entities/entity-ids';
import { EntityStore } from '../entities/entity-store';
import { unitOfWork } from '../entities/unit-of-work';

/** What a reference can be to. */
export const ENTITIES = [
    'PRODUCT',
    'PRODUCT_VARIANT',
    'COLLECTION',
    'FACET',
    'FACET_VALUE',
    'CUSTOMER',
    'CUSTOMER_GROUP',
    'CHANNEL',
    'TAX_CATEGORY',
    'STOCK_LOCATION',
] as const;
export type Entity = (typeof ENTITIES)[number];

/** The keys by which they can be identified. */
export const KEYS = ['slug', 'id', 'sku', 'code', 'facet:value', 'emailAddress', 'token', 'name'] as const;
type EntityKey = (typeof KEYS)[number];

/** The kinds that have a description, which loads use too. */
const DESCRIBED = {
    PRODUCT: product,
    PRODUCT_VARIANT: variant,
    FACET: facet,
    FACET_VALUE: facetValue,
    COLLECTION: collection,
    CUSTOMER: customer,
    CUSTOMER_GROUP: customerGroup,
    STOCK_LOCATION: stockLocation,
} as const satisfies Partial<Record<Entity, EntityDescription>>;

interface Facts {
    /** The usual one first. */
    readonly keys: readonly [EntityKey, ...EntityKey[]];
    readonly type: EntityTarget<VendureEntity>;
    /** Any one of them lets a user read it. */
    readonly permissions: AnyOf;
    /** Completes "no … of the run's channel has this …". */
    readonly called: string;
}

const FACTS: Readonly<Record<Exclude<Entity, keyof typeof DESCRIBED>, Facts>> = {
    CHANNEL: {
        keys: ['token'],
        type: Channel,
        permissions: [Permission.ReadSettings, Permission.ReadChannel],
        called: 'channel',
    },
    TAX_CATEGORY: {
        keys: ['name'],
        type: TaxCategory,
        permissions: [Permission.ReadSettings, Permission.ReadTaxCategory, Permission.ReadCatalog],
        called: 'tax category',
    },
};

function isDescribed(entity: Entity): entity is keyof typeof DESCRIBED {
    return entity in DESCRIBED;
}

/** The keys of an entity, the usual one first. */
export function keysOf(entity: Entity): Facts['keys'] {
    if (!isDescribed(entity)) return FACTS[entity].keys;
    const { key }: EntityDescription = DESCRIBED[entity];
    if (entity === 'PRODUCT') return ['slug', 'id'];
    return [key.within === undefined ? (key.field as EntityKey) : 'facet:value'];
}

/** Any one of these lets a user look for it. */
export function permissionsOf(entity: Entity): AnyOf {
    return isDescribed(entity) ? DESCRIBED[entity].permissions.read : FACTS[entity].permissions;
}

/** Finds out which of some names exist. */
interface Finder {
    /** As names are compared. */
    normal(name: string): string;
    /** The existing ones, and possibly others that a database compares as equal. */
    existing(names: readonly string[]): StatementProgram<readonly string[]>;
    /** The problem of a missing one. */
    readonly absent: string;
}

interface SearchedEntity {
    readonly entity: Entity;
    readonly key: EntityKey;
    /** In a dry run, what it has planned so far counts as if it were written. */
    readonly mode: RunMode;
}

export function finderOf(platform: VendurePlatform, searchedEntity: SearchedEntity): Finder {
    const { entity, key } = searchedEntity;
    if (isDescribed(entity)) return describedFinder(platform, DESCRIBED[entity], searchedEntity);
    return plainFinder(platform, FACTS[entity], key);
}

/** Finds entities of a kind without a description, which belongs to the whole shop. */
function plainFinder(
    { dataSource, database: { dialect } }: VendurePlatform,
    { type, called }: Facts,
    key: EntityKey,
): Finder {
    const table = tableOf(dataSource, type);
    const own = column('e', table.column(key).name);
    return {
        normal: text => text,
        absent: absence(called, false, key),
        *existing(names) {
            const rows = yield* select<{ found: string | number }>(
                sql`SELECT ${own} AS ${name('found')} FROM ${table.name} AS ${name('e')} WHERE ${dialect.oneOf(own, names)}`,
            );
            return rows.map(({ found }) => String(found));
        },
    };
}

function absence(called: string, isOfChannels: boolean, key: EntityKey): string {
    return `no ${called}${isOfChannels ? " of the run's channel" : ''} has this ${key === 'facet:value' ? 'facet and code' : key}`;
}

function describedFinder(platform: VendurePlatform, entity: EntityDescription, { key, mode }: SearchedEntity): Finder {
    const { called, isOfChannels, key: own } = entity;
    const store = new EntityStore(entity, platform, { isBare: true });
    return {
        normal: text => own.normal?.(text) ?? text,
        absent: absence(called[0], isOfChannels, key),
        *existing(names) {
            const work = unitOfWork(platform, mode);
            const ids = key === 'id' ? idsAmong(names, store.table) : undefined;
            const found = ids ? yield* store.existingIds(work, ids) : [...(yield* store.named(work, names)).keys()];
            work.settle();
            return found;
        },
    };
}
