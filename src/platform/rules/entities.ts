import {
    Channel,
    Collection,
    CollectionTranslation,
    Customer,
    Facet,
    FacetValue,
    normalizeEmailAddress,
    Permission,
    Product,
    ProductTranslation,
    ProductVariant,
    StockLocation,
    TaxCategory,
    type VendureEntity,
} from '@vendure/core';
import type { EntityTarget } from 'typeorm';
import type { Script } from '../../core/adapter/loader';
import type { VendurePlatform } from '../context';
import { column, EMPTY, name, select, type Sql, sql } from '../../database/statement';
import { joinTableOf, type Table, tableOf } from '../../database/table';

/** What a reference can be to. */
export const ENTITIES = [
    'PRODUCT',
    'PRODUCT_VARIANT',
    'COLLECTION',
    'FACET',
    'FACET_VALUE',
    'CUSTOMER',
    'CHANNEL',
    'TAX_CATEGORY',
    'STOCK_LOCATION',
] as const;
export type Entity = (typeof ENTITIES)[number];

/** What they can be known by. */
export const KEYS = ['slug', 'id', 'sku', 'code', 'facet:value', 'emailAddress', 'token', 'name'] as const;
export type EntityKey = (typeof KEYS)[number];

interface Facts {
    /** The usual one first. */
    readonly keys: readonly [EntityKey, ...EntityKey[]];
    readonly type: EntityTarget<VendureEntity>;
    /** Whose slugs are those of a language. */
    readonly text?: EntityTarget<VendureEntity>;
    readonly isDeletedSoftly?: boolean;
    /** Where it belongs to channels. */
    readonly isOfChannels?: boolean;
    /** Any one of them lets a user read it. */
    readonly permissions: readonly [Permission, ...Permission[]];
    /** Completes "no … of the run's channel has this …". */
    readonly called: string;
}

const FACTS: Readonly<Record<Entity, Facts>> = {
    PRODUCT: {
        keys: ['slug', 'id'],
        type: Product,
        text: ProductTranslation,
        isDeletedSoftly: true,
        isOfChannels: true,
        permissions: [Permission.ReadCatalog, Permission.ReadProduct],
        called: 'product',
    },
    PRODUCT_VARIANT: {
        keys: ['sku'],
        type: ProductVariant,
        isDeletedSoftly: true,
        isOfChannels: true,
        permissions: [Permission.ReadCatalog, Permission.ReadProduct],
        called: 'variant',
    },
    COLLECTION: {
        keys: ['slug'],
        type: Collection,
        text: CollectionTranslation,
        isOfChannels: true,
        permissions: [Permission.ReadCatalog, Permission.ReadCollection],
        called: 'collection',
    },
    FACET: {
        keys: ['code'],
        type: Facet,
        isOfChannels: true,
        permissions: [Permission.ReadCatalog, Permission.ReadFacet],
        called: 'facet',
    },
    FACET_VALUE: {
        keys: ['facet:value'],
        type: FacetValue,
        isOfChannels: true,
        permissions: [Permission.ReadCatalog, Permission.ReadFacet],
        called: 'facet value',
    },
    CUSTOMER: {
        keys: ['emailAddress'],
        type: Customer,
        isDeletedSoftly: true,
        isOfChannels: true,
        permissions: [Permission.ReadCustomer],
        called: 'customer',
    },
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
    STOCK_LOCATION: {
        keys: ['name'],
        type: StockLocation,
        isOfChannels: true,
        permissions: [Permission.ReadStockLocation, Permission.ReadCatalog],
        called: 'stock location',
    },
};

/** By what an entity can be known, the usual way first. */
export function keysOf(entity: Entity): Facts['keys'] {
    return FACTS[entity].keys;
}

/** Any one of these lets a user look for it. */
export function permissionsOf(entity: Entity): Facts['permissions'] {
    return FACTS[entity].permissions;
}

/** Finds out which of some names exist. */
export interface Finder {
    /** As names are compared. */
    normal(name: string): string;
    /** Those that exist, maybe with others that a database takes for the same. */
    existing(names: readonly string[]): Script<readonly string[]>;
    /** Said of one that does not. */
    readonly absent: string;
}

export interface Sought {
    readonly entity: Entity;
    readonly key: EntityKey;
}

export function finderOf(platform: VendurePlatform, { entity, key }: Sought): Finder {
    const { isOfChannels, called } = FACTS[entity];
    const statement = statements(platform, { entity, key });
    return {
        normal: text => (key === 'emailAddress' ? normalizeEmailAddress(text) : text),
        absent: `no ${called}${isOfChannels === true ? " of the run's channel" : ''} has this ${key === 'facet:value' ? 'facet and code' : key}`,
        *existing(names) {
            const query = statement(names);
            if (!query) return [];
            return (yield* select<{ found: string | number; facet?: string }>(query)).map(({ found, facet }) =>
                facet === undefined ? String(found) : `${facet}:${found}`,
            );
        },
    };
}

const MAX_ID = 2_147_483_647;

/** Undefined where none of the names can be one. */
function statements(
    { dataSource, database: { dialect }, ctx }: VendurePlatform,
    { entity, key }: Sought,
): (names: readonly string[]) => Sql | undefined {
    const { type, text, isDeletedSoftly, isOfChannels } = FACTS[entity];
    const table = tableOf(dataSource, type);
    const own = (property: string): Sql => column('e', table.column(property).name);
    const alive = isDeletedSoftly === true ? sql` AND ${own('deletedAt')} IS NULL` : EMPTY;
    const inChannel = isOfChannels === true ? channelOf('e', table, type) : EMPTY;
    if (key === 'facet:value') return byFacet;
    if (key === 'slug' && text) return bySlug(tableOf(dataSource, text));
    return names => {
        const known = key === 'id' ? idsOf(names) : names;
        if (known.length === 0) return undefined;
        return sql`SELECT ${own(key)} AS ${name('found')} FROM ${table.name} AS ${name('e')} ${inChannel} WHERE ${dialect.oneOf(own(key), known)}${alive}`;
    };

    function channelOf(alias: string, of: Table, entityType: EntityTarget<VendureEntity>): Sql {
        const channels = joinTableOf(dataSource, entityType, 'channels');
        const joint = name(`${alias}c`);
        return sql`JOIN ${channels.name} AS ${joint} ON ${joint}.${channels.column(channels.owner)} = ${column(alias, of.column('id').name)}
            AND ${joint}.${channels.column(channels.member)} = ${ctx.channelId}`;
    }

    function bySlug(texts: Table): (slugs: readonly string[]) => Sql | undefined {
        const said = (property: string): Sql => column('t', texts.column(property).name);
        return slugs => sql`SELECT ${said('slug')} AS ${name('found')} FROM ${texts.name} AS ${name('t')}
            JOIN ${table.name} AS ${name('e')} ON ${own('id')} = ${said('base')} ${inChannel}
            WHERE ${dialect.oneOf(said('slug'), slugs)} AND ${said('languageCode')} = ${ctx.languageCode}${alive}`;
    }

    /** Codes of facets have no colon that could be told from the one between; the first one is meant. */
    function byFacet(names: readonly string[]): Sql | undefined {
        const pairs = names.filter(text => text.includes(':'));
        if (pairs.length === 0) return undefined;
        const facets = tableOf(dataSource, Facet);
        const facet = (property: string): Sql => column('f', facets.column(property).name);
        const codes = [...new Set(pairs.map(text => text.slice(0, text.indexOf(':'))))];
        const values = [...new Set(pairs.map(text => text.slice(text.indexOf(':') + 1)))];
        return sql`SELECT ${own('code')} AS ${name('found')}, ${facet('code')} AS ${name('facet')} FROM ${table.name} AS ${name('e')} ${inChannel}
            JOIN ${facets.name} AS ${name('f')} ON ${facet('id')} = ${own('facetId')}
            WHERE ${dialect.oneOf(facet('code'), codes)} AND ${dialect.oneOf(own('code'), values)}`;
    }

    function idsOf(names: readonly string[]): ReadonlyArray<string | number> {
        if (table.numbersItself)
            return names
                .filter(text => /^[1-9]\d{0,9}$/.test(text))
                .map(Number)
                .filter(id => id <= MAX_ID);
        return names
            .filter(text => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
            .map(text => text.toLowerCase());
    }
}
