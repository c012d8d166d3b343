import { textKey, type MissingAction, type MissingRule } from '../../core/adapter/missing';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { flowError } from '../../core/errors/flow-error';
import type { EntityDescription } from './description';

type Config = Readonly<Record<string, unknown>>;

/** What an entity that is missing is told by its record, by action: fields by the names that they have without arguments. */
type Told = Readonly<Partial<Record<MissingAction, JsonObject>>>;

/** The name that a field goes by in one step. */
function nameOf(config: Config, field: string): string {
    return (config[`${field}Field`] as string | undefined) ?? field;
}

/** The key of a record, as its loader reads it. */
export function keyOfRecord(
    { key }: Pick<EntityDescription, 'key'>,
    config: Config,
    data: JsonObject,
): string | undefined {
    const { field, normal, made } = key;
    const given = textKey(data[nameOf(config, field)]);
    if (given !== undefined) return made ? made.by(given) : (normal?.(given) ?? given);
    const of = made && textKey(data[nameOf(config, made.of)]);
    return of === undefined ? undefined : made!.by(of);
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
export function missingByKey(entity: Pick<EntityDescription, 'key'>, told: Told): MissingRule<Config> {
    const { field } = entity.key;
    return {
        keyOf: (config, data) => keyOfRecord(entity, config, data),
        records: (config, action) =>
            Promise.resolve(key => missingRecord(config, toldBy(told, action), { field, key })),
    };
}

/** DELETE is the same for all. */
export function toldBy(told: Told, action: MissingAction): JsonObject {
    if (action === 'DELETE') return { __operation: 'DELETE' };
    const record = told[action];
    if (record) return record;
    throw flowError('BUG', { problem: `the loader does not say what ${action} means` });
}

/** What a configuration needs beside what its loads do. */
export function missingRequires(permissions: readonly string[]) {
    return ({ missing }: JsonObject): ReadonlyArray<readonly string[]> =>
        (missing as { action?: unknown } | undefined)?.action === 'DELETE' ? [permissions] : [];
}
