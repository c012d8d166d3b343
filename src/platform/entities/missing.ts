import type { ShopLack } from '../../core/adapter/base';
import type { AdapterContext } from '../../core/adapter/context';
import {
    type ListPage,
    missingWithFilters,
    type MissingAction,
    type MissingRule,
    textKey,
} from '../../core/adapter/missing';
import { flowError } from '../../core/errors/flow-error';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import type { VendurePlatform } from '../context';
import { vendureOf } from '../lookup/vendure';
import type { QueriedEntity } from '../query/entities';
import { filtersArgument, permissionsToFilter } from '../query/filter-argument';
import type { QueryFilter } from '../query/filters';
import { readPlace, storedPlace } from '../query/keyset';
import { openQuery } from '../query/open-query';
import { type QuerySettings, ShopQuery } from '../query/shop-query';
import type { EntityDescription } from './description';

type Config = Readonly<Record<string, unknown>>;
type Key = Pick<EntityDescription, 'key'>;

/** What an entity that is missing is told by its record, by action: fields by the names that they have without arguments. */
type Told = Readonly<Partial<Record<MissingAction, JsonObject>>>;

/** How a shop's entities are listed that may be missing. */
export interface Listed {
    readonly entity: QueriedEntity;
    /** By action: what holds of one with which it has something to do. */
    readonly open: Readonly<Partial<Record<MissingAction, QueryFilter>>>;
}

/** What `listEntities` reads of each. */
export interface ListedBy {
    readonly fields: readonly string[];
    readonly relations?: readonly string[];
    /** Any one of these says that it is there; one without any is left alone. */
    keysOf(record: JsonObject): readonly string[];
}

/** The argument of loaders of entities that `platformQuery` knows. */
export const missingEntities = <const A extends MissingAction>(actions: readonly [A, ...A[]]) =>
    missingWithFilters(
        actions,
        filtersArgument.min(1).optional().meta({
            title: 'Filters',
            description:
                "With the scope FILTER: conditions that all must hold of what may be missing, as platformQuery has them. The run's channel is meant anyway.",
        }),
    );

/** The name that a field goes by in one step. */
function nameOf(config: Config, field: string): string {
    return (config[`${field}Field`] as string | undefined) ?? field;
}

/** The key of a record, as its loader reads it: where it stands among the texts, `translations` says that of the run's language more precisely. */
export function keyOfRecord(
    { key }: Key,
    config: Config,
    { data, language }: { readonly data: JsonObject; readonly language?: string | undefined },
): string | undefined {
    const { field, normal, made } = key;
    const translations = key.isTranslated === true ? data[nameOf(config, 'translations')] : undefined;
    const own = isJsonObject(translations) && language !== undefined ? translations[language] : undefined;
    const saidOf = (text: string): string | undefined => {
        const name = nameOf(config, text);
        return (isJsonObject(own) ? textKey(own[name]) : undefined) ?? textKey(data[name]);
    };
    const given = saidOf(field);
    if (given !== undefined) return made ? made.by(given) : (normal?.(given) ?? given);
    const of = made && saidOf(made.of);
    return of === undefined ? undefined : made!.by(of);
}

/** In which texts outside `translations` are, and keys among texts. */
export function languageOf(cx: AdapterContext): string {
    return vendureOf(cx).ctx.languageCode;
}

/** The record about the entity with a key that does what an action means. */
export function missingRecord(
    config: Config,
    told: JsonObject,
    at: { readonly field: string; readonly key: JsonValue },
): JsonObject {
    const fields = Object.entries(told).map(([field, value]) => [nameOf(config, field), value] as const);
    return { [nameOf(config, at.field)]: at.key, ...Object.fromEntries(fields) };
}

/** How a described kind of entity says what is missing: by its key. */
export function missingByKey(entity: Key, told: Told, listed: Listed): MissingRule<Config> {
    const { field } = entity.key;
    return {
        keyOf: (config, data, cx) => keyOfRecord(entity, config, { data, language: languageOf(cx) }),
        records: (config, action) =>
            Promise.resolve(keys => keys.map(key => missingRecord(config, toldBy(told, action), { field, key }))),
        listed: (config, action, cx) => listEntities({ config, action, listed }, byKey(entity), cx),
    };
}

/** Entities as they are known by their keys. */
export function byKey(entity: Key): ListedBy {
    const { field } = entity.key;
    return { fields: [field], keysOf: data => [keyOfRecord(entity, {}, { data }) ?? []].flat() };
}

/** What the shop has of what the filters of a configuration name, and an action has something to do with. */
export function listEntities(
    { config, action, listed }: { readonly config: Config; readonly action: MissingAction; readonly listed: Listed },
    { fields, relations, keysOf }: ListedBy,
    cx: AdapterContext,
): ListPage {
    const { database } = vendureOf(cx);
    const open = listed.open[action];
    const filters = [...filtersOf(config), ...(open ? [open] : [])];
    const includeFields = [...fields, ...(relations ?? [])];
    const settings = { ...settingsOf(listed.entity, filters), includeFields, relations };
    const query = openQuery(settings, cx, 'missing.');
    return async ({ from, limit }) => {
        const { records, end } = await database.run(() => query.page({ size: limit, behind: readPlace(from) }));
        const entities = records.flatMap(record => {
            const [first, ...others] = keysOf(record);
            return first === undefined ? [] : [[first, ...others] as const];
        });
        return { entities, next: records.length < limit ? undefined : storedPlace(end!) };
    };
}

/** What the filters of a configuration name and the shop does not have. */
export function missingLacks(config: Config, entity: QueriedEntity, platform: unknown): readonly ShopLack[] {
    const filters = filtersOf(config);
    if (filters.length === 0) return [];
    const { faults } = new ShopQuery(settingsOf(entity, filters), platform as VendurePlatform);
    return faults.map(({ path, message }) => ({ path: `missing.${path}`, message: `missing.${message}` }));
}

function filtersOf(config: Config): readonly QueryFilter[] {
    return (config['missing'] as { readonly filters?: readonly QueryFilter[] } | undefined)?.filters ?? [];
}

function settingsOf(entity: QueriedEntity, filters: readonly QueryFilter[]): QuerySettings {
    const order = { sortBy: 'id', sortOrder: 'ASC' } as const;
    return { entity, filters, flattenTranslations: true, includeDeleted: false, ...order };
}

/** DELETE is the same for all. */
export function toldBy(told: Told, action: MissingAction): JsonObject {
    if (action === 'DELETE') return { __operation: 'DELETE' };
    const record = told[action];
    if (record) return record;
    throw flowError('BUG', { problem: `the loader does not say what ${action} means` });
}

/** What a configuration needs beside what its loads do. */
export function missingRequires(entity: QueriedEntity, toDelete: readonly string[]) {
    return ({ missing }: JsonObject): ReadonlyArray<readonly string[]> => {
        if (!isJsonObject(missing)) return [];
        const { action, scope, filters } = missing;
        return [
            ...(action === 'DELETE' ? [toDelete] : []),
            ...(scope === 'FILTER' ? permissionsToFilter(entity, filters) : []),
        ];
    };
}
