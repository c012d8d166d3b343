import type { MissingInShop } from '../../core/adapter/base';
import { issueMovedTo } from '../../core/schema/issues';
import type { AdapterContext } from '../../core/adapter/context';
import {
    type KeysOfFound,
    type ListPage,
    missingWithFilters,
    type MissingAction,
    type MissingRule,
    textKey,
} from '../../core/adapter/missing';
import { flowError } from '../../core/errors/flow-error';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import type { Id } from '../../database/write';
import type { VendurePlatform } from '../context';
import { vendureOf } from '../lookup/vendure';
import type { QueriedEntity } from '../query/entities';
import { filtersArgument, permissionsToFilter } from '../query/filter-argument';
import type { QueryFilter } from '../query/filters';
import { readKeysetPosition, storedKeysetPosition } from '../query/keyset';
import { openQuery } from '../query/open-query';
import { type QuerySettings, ShopQuery } from '../query/shop-query';
import type { EntityDescription } from './description';
import { idOf } from './entity-reading';
import type { EntityState } from './entity-state';
import { EntityStore } from './entity-store';
import { isCalled } from './identity';
import { foldName } from '../../core/data/fold-name';
import { entityName } from './name-index';
import { readNames } from './read-names';
import { UnitOfWork } from './unit-of-work';

type Config = Readonly<Record<string, unknown>>;
type Key = Pick<EntityDescription, 'key'>;

/** The record for a missing entity, by action: fields by their names without arguments. */
type Told = Readonly<Partial<Record<MissingAction, JsonObject>>>;

/** How a shop's entities are listed that may be missing. */
export interface ListedEntity {
    readonly entity: QueriedEntity;
    /** For each action: the condition of entities to which it applies. */
    readonly open: Readonly<Partial<Record<MissingAction, QueryFilter>>>;
}

/** What `listEntities` reads of each. */
interface ListedKey {
    readonly fields: readonly string[];
    readonly relations?: readonly string[];
    /** Any of these keys shows that the entity exists; an entity without keys is left alone. */
    keysOf(record: JsonObject): readonly string[];
}

/** The argument of loaders of entities that `platformQuery` knows. */
export const missingEntities = <const A extends MissingAction>(actions: readonly [A, ...A[]]) =>
    missingWithFilters(
        actions,
        filtersArgument.min(1).optional().meta({
            title: 'Filters',
            description:
                "For the scope FILTER: conditions, as in platformQuery, that must all be true. Only the run's channel is considered.",
        }),
    );

/** The name that a field goes by in one step. */
function nameOf(config: Config, field: string): string {
    return (config[`${field}Field`] as string | undefined) ?? field;
}

/** The key of a record, as its loader reads it: for a translated key, `translations` has precedence in the run's language. */
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
    /** Of owners given by their path, the direct one: an entity is rather taken for present than for missing. */
    const lastOf = (text: string): string | undefined => {
        const path = data[nameOf(config, text)];
        return Array.isArray(path) ? textKey((path as readonly JsonValue[]).at(-1)) : undefined;
    };
    const given = saidOf(field);
    if (given !== undefined) return made ? made.by(given) : (normal?.(given) ?? given);
    const name = made && saidOf(made.of);
    const { nameWithin } = made ?? {};
    return name === undefined ? undefined : namedKey(name, nameWithin && (saidOf(nameWithin) ?? lastOf(nameWithin)));
}

/**
 * The identity of an entity without a key: its name and, if names are unique only within an owner, that owner. Case
 * and outer blanks do not count.
 */
function namedKey(name: string, within?: string): string {
    return JSON.stringify({ name: foldName(name), ...(within !== undefined && { within: foldName(within) }) });
}

/** The name that such a key has; undefined for others. */
function readNamedKey(key: string): { readonly name: string; readonly within?: string } | undefined {
    return key.startsWith('{"name":') ? (JSON.parse(key) as { name: string; within?: string }) : undefined;
}

/** In which texts outside `translations` are, and keys among texts. */
export function languageOf(cx: AdapterContext): string {
    return vendureOf(cx).ctx.languageCode;
}

/** The record about the entity with a key that does what an action means. */
export function missingRecord(
    config: Config,
    told: JsonObject,
    at: { readonly field: string; readonly key: string },
): JsonObject {
    const fields = Object.entries(told).map(([field, value]) => [nameOf(config, field), value] as const);
    return { [nameOf(config, at.field)]: at.key, ...Object.fromEntries(fields) };
}

/** The same for an entity that may be known by its name. */
export function missingRecordOf(
    { key }: Key,
    config: Config,
    { told, text }: { readonly told: JsonObject; readonly text: string },
): JsonObject {
    const named = readNamedKey(text);
    if (!named) return missingRecord(config, told, { field: key.field, key: text });
    const within = named.within === undefined ? {} : { [key.made!.nameWithin!]: named.within };
    return missingRecord(config, { ...within, ...told }, { field: key.made!.of, key: named.name });
}

/** How a described kind of entity finds missing records: by key. */
export function missingByKey(
    entity: EntityDescription,
    eventRecords: Told,
    listedEntity: ListedEntity,
): MissingRule<Config> {
    return {
        ...(entity.key.made && { found: (_, cx) => keysInShop(entity, cx) }),
        keyOf: (config, data, cx) => keyOfRecord(entity, config, { data, language: languageOf(cx) }),
        records: (config, action, cx) =>
            Promise.resolve(async keys => {
                const keyOf = await storedKeys(entity, cx, keys);
                return keys.map(key =>
                    missingRecordOf(entity, config, { told: missingKeyOf(eventRecords, action), text: keyOf(key) }),
                );
            }),
        listed: (config, action, cx) => listEntities({ config, action, listed: listedEntity }, byKey(entity), cx),
    };
}

/**
 * The stored keys of the entities that some keys name, because a record with only a name would also rename the entity to that spelling. A name with
 * several matches, or none, stays a name, and the loader rejects it.
 */
export async function storedKeys(
    entity: EntityDescription,
    cx: AdapterContext,
    keys: readonly string[],
): Promise<(key: string) => string> {
    const named = keys.filter(key => readNamedKey(key) !== undefined);
    const found = named.length === 0 ? new Map<string, readonly string[]>() : await keysInShop(entity, cx)(named);
    return key => {
        const stored = (found.get(key) ?? []).filter(one => readNamedKey(one) === undefined);
        return stored.length === 1 ? stored[0]! : key;
    };
}

/** Entities identified by their keys, and by their names. */
export function byKey(entity: Key): ListedKey {
    const { field, made } = entity.key;
    if (!made) return { fields: [field], keysOf: data => [keyOfRecord(entity, {}, { data }) ?? []].flat() };
    const { of, nameWithin } = made;
    const owners = nameWithin === undefined ? [] : [nameWithin];
    return {
        fields: [field, of],
        relations: owners,
        keysOf(data) {
            const given = keyOfRecord(entity, {}, { data: { [field]: data[field] ?? null } });
            const name = textKey(data[of]);
            const owner = nameWithin === undefined ? undefined : data[nameWithin];
            const named = name === undefined ? [] : withinEach(name, isJsonObject(owner) ? owner : undefined, entity);
            return [given ?? [], named].flat();
        },
    };
}

/**
 * The identities of a name: its owner may be given by key, by name, or not at all, since a record may mean the only
 * entity with its name.
 */
function withinEach(name: string, owner: JsonObject | undefined, { key }: Key): readonly string[] {
    if (!owner || owner['isRoot'] === true) return [namedKey(name)];
    const texts = [owner[key.field], key.made && owner[key.made.of]].flatMap(text => textKey(text) ?? []);
    return [...[...new Set(texts)].map(text => namedKey(name, text)), namedKey(name)];
}

/** Further identities of the shop's entities with some keys: one file may have names, and the next one keys. */
export function keysInShop(entity: EntityDescription, cx: AdapterContext): KeysOfFound {
    const platform = vendureOf(cx);
    const { field, made } = entity.key;
    const { languageCode: language } = platform.ctx;
    return keys =>
        platform.database.run(function* () {
            const store = new EntityStore(entity, platform, { isBare: true });
            const work = new UnitOfWork();
            const set = work.of(entity);
            const names = keys.flatMap(key => readNamedKey(key) ?? []);
            yield* store.readKeys(
                work,
                keys.filter(key => !readNamedKey(key)),
            );
            yield* readNames(
                store,
                work,
                names.map(({ name }) => ({ name })),
            );
            const owner = made?.nameWithin === undefined ? undefined : idOf(made.nameWithin);
            const ownerOf = (state: EntityState): Id | null | undefined =>
                owner === undefined ? undefined : (state.columns.get(owner) as Id | null);
            const found = keys.map(key => {
                const named = readNamedKey(key);
                if (!named) return set.seen(key);
                return set.called(named.name).filter(state => isCalled({ entity, language }, state, named.name));
            });
            yield* store.readById(
                work,
                found.flat().flatMap(state => ownerOf(state) ?? []),
            );
            return new Map(
                found.map((states, i) => {
                    const others = states.flatMap(state => {
                        const above = set.withId(ownerOf(state) ?? '');
                        const within = above && {
                            isRoot: above.columns.get('isRoot'),
                            [field]: above.key,
                            [made!.of]: entityName(entity, above, language) ?? null,
                        };
                        const own = withinEach(entityName(entity, state, language) ?? '', within, entity);
                        // If several entities share a name, the key means those of its parent.
                        const isOther = readNamedKey(keys[i]!) !== undefined && !own.includes(keys[i]!);
                        return isOther ? [] : [state.key, ...own];
                    });
                    return [keys[i]!, others] as const;
                }),
            );
        });
}

/** The shop's entities that match the filters of a configuration, and to which an action applies. */
export function listEntities(
    {
        config,
        action,
        listed,
    }: { readonly config: Config; readonly action: MissingAction; readonly listed: ListedEntity },
    { fields, relations, keysOf }: ListedKey,
    cx: AdapterContext,
): ListPage {
    const { database } = vendureOf(cx);
    const open = listed.open[action];
    const filters = [...filtersOf(config), ...(open ? [open] : [])];
    const includeFields = [...fields, ...(relations ?? [])];
    const settings = { ...settingsOf(listed.entity, filters), includeFields, relations };
    const query = openQuery(settings, cx, 'missing.');
    return async ({ from, limit }) => {
        const { records, end } = await database.run(() =>
            query.page({ size: limit, behind: readKeysetPosition(from) }),
        );
        const entities = records.flatMap(record => {
            const [first, ...others] = keysOf(record);
            return first === undefined ? [] : [[first, ...others] as const];
        });
        return { entities, next: records.length < limit ? undefined : storedKeysetPosition(end!) };
    };
}

/** What the filters of a configuration name and the shop does not have. */
export function missingFilterProblems(
    config: Config,
    entity: QueriedEntity,
    platform: unknown,
): readonly MissingInShop[] {
    const filters = filtersOf(config);
    if (filters.length === 0) return [];
    const { faults: issues } = new ShopQuery(settingsOf(entity, filters), platform as VendurePlatform);
    return issues.map(issue => issueMovedTo(issue, path => `missing.${path}`));
}

function filtersOf(config: Config): readonly QueryFilter[] {
    return (config['missing'] as { readonly filters?: readonly QueryFilter[] } | undefined)?.filters ?? [];
}

function settingsOf(entity: QueriedEntity, filters: readonly QueryFilter[]): QuerySettings {
    const order = { sortBy: 'id', sortOrder: 'ASC' } as const;
    return { entity, filters, flattenTranslations: true, includeDeleted: false, ...order };
}

/** DELETE is the same for all. */
export function missingKeyOf(eventRecords: Told, action: MissingAction): JsonObject {
    if (action === 'DELETE') return { __operation: 'DELETE' };
    const record = eventRecords[action];
    if (record) return record;
    throw flowError('BUG', { problem: `the loader does not say what ${action} means` });
}

/** The permissions that a configuration needs in addition to those of its loads. */
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
