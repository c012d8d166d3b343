import {
    Channel,
    Collection,
    CollectionTranslation,
    Customer,
    normalizeEmailAddress,
    Permission,
    TaxCategory,
    type VendureEntity,
} from '@vendure/core';
import type { EntityTarget } from 'typeorm';
import type { RunMode } from '../../core/adapter/context';
import type { Script } from '../../core/adapter/loader';
import { column, EMPTY, name, select, type Sql, sql } from '../../database/statement';
import { joinTableOf, type Table, tableOf } from '../../database/table';
import type { Id } from '../../database/write';
import type { VendurePlatform } from '../context';
import { customerGroup } from '../described/customer-group';
import { facet } from '../described/facet';
import { facetValue } from '../described/facet-value';
import { product } from '../described/product';
import { stockLocation } from '../described/stock-location';
import { variant } from '../described/variant';
import type { AnyOf, EntityDescription } from '../entities/description';
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

/** What they can be known by. */
export const KEYS = ['slug', 'id', 'sku', 'code', 'facet:value', 'emailAddress', 'token', 'name'] as const;
export type EntityKey = (typeof KEYS)[number];

/** What is described once, for loading as well. */
const DESCRIBED = {
    PRODUCT: product,
    PRODUCT_VARIANT: variant,
    FACET: facet,
    FACET_VALUE: facetValue,
    CUSTOMER_GROUP: customerGroup,
    STOCK_LOCATION: stockLocation,
} as const satisfies Partial<Record<Entity, EntityDescription>>;

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
    readonly permissions: AnyOf;
    /** Completes "no … of the run's channel has this …". */
    readonly called: string;
}

const FACTS: Readonly<Record<Exclude<Entity, keyof typeof DESCRIBED>, Facts>> = {
    COLLECTION: {
        keys: ['slug'],
        type: Collection,
        text: CollectionTranslation,
        isOfChannels: true,
        permissions: [Permission.ReadCatalog, Permission.ReadCollection],
        called: 'collection',
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
};

function isDescribed(entity: Entity): entity is keyof typeof DESCRIBED {
    return entity in DESCRIBED;
}

/** By what an entity can be known, the usual way first. */
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
    /** In a dry run, what it has planned so far counts as if it were written. */
    readonly mode: RunMode;
}

export function finderOf(platform: VendurePlatform, sought: Sought): Finder {
    const { entity, key } = sought;
    if (isDescribed(entity)) return describedFinder(platform, DESCRIBED[entity], sought);
    const { isOfChannels, called } = FACTS[entity];
    const statement = statements(platform, entity, key);
    return {
        normal: text => (key === 'emailAddress' ? normalizeEmailAddress(text) : text),
        absent: absence(called, isOfChannels === true, key),
        *existing(names) {
            const rows = yield* select<{ found: string | number }>(statement(names));
            return rows.map(({ found }) => String(found));
        },
    };
}

function absence(called: string, isOfChannels: boolean, key: EntityKey): string {
    return `no ${called}${isOfChannels ? " of the run's channel" : ''} has this ${key === 'facet:value' ? 'facet and code' : key}`;
}

function describedFinder(platform: VendurePlatform, entity: EntityDescription, { key, mode }: Sought): Finder {
    const { called, isOfChannels } = entity;
    const store = new EntityStore(entity, platform, { isBare: true });
    return {
        normal: text => text,
        absent: absence(called[0], isOfChannels, key),
        *existing(names) {
            const work = unitOfWork(platform, mode);
            const ids = key === 'id' ? idsAmong(names, store.table) : undefined;
            const found = yield* ids ? store.existingIds(work, ids) : store.existing(work, names);
            work.settle();
            return found;
        },
    };
}

const MAX_ID = 2_147_483_647;

/** Texts that can be ids in a table. */
function idsAmong(names: readonly string[], table: Table): readonly Id[] {
    if (table.numbersItself)
        return names
            .filter(text => /^[1-9]\d{0,9}$/.test(text))
            .map(Number)
            .filter(id => id <= MAX_ID);
    return names
        .filter(text => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text))
        .map(text => text.toLowerCase());
}

/** What asks for names of a kind that is not described yet. */
function statements(
    { dataSource, database: { dialect }, ctx }: VendurePlatform,
    entity: keyof typeof FACTS,
    key: EntityKey,
): (names: readonly string[]) => Sql {
    const { type, text, isDeletedSoftly, isOfChannels } = FACTS[entity];
    const table = tableOf(dataSource, type);
    const own = (property: string): Sql => column('e', table.column(property).name);
    const alive = isDeletedSoftly === true ? sql` AND ${own('deletedAt')} IS NULL` : EMPTY;
    const inChannel = isOfChannels === true ? channelOf('e', table, type) : EMPTY;
    if (key === 'slug' && text) return bySlug(tableOf(dataSource, text));
    return names =>
        sql`SELECT ${own(key)} AS ${name('found')} FROM ${table.name} AS ${name('e')} ${inChannel} WHERE ${dialect.oneOf(own(key), names)}${alive}`;

    function channelOf(alias: string, of: Table, entityType: EntityTarget<VendureEntity>): Sql {
        const channels = joinTableOf(dataSource, entityType, 'channels');
        const joint = name(`${alias}c`);
        return sql`JOIN ${channels.name} AS ${joint} ON ${joint}.${channels.column(channels.owner)} = ${column(alias, of.column('id').name)}
            AND ${joint}.${channels.column(channels.member)} = ${ctx.channelId}`;
    }

    function bySlug(texts: Table): (slugs: readonly string[]) => Sql {
        const t = (property: string): Sql => column('t', texts.column(property).name);
        return slugs => sql`SELECT ${t('slug')} AS ${name('found')} FROM ${texts.name} AS ${name('t')}
            JOIN ${table.name} AS ${name('e')} ON ${own('id')} = ${t('base')} ${inChannel}
            WHERE ${dialect.oneOf(t('slug'), slugs)} AND ${t('languageCode')} = ${ctx.languageCode}${alive}`;
    }
}
