import type { JsonObject, JsonValue } from '../../core/value/json';
import type { EntityDescription } from '../entities/description';
import { type ArgumentDefinition, kindOfIds, storedValue } from './argument';
import type { StoredOperation } from './named-entities';
import type { OperationDefinitions } from './read-operation';

/** Replaces hidden input in differences. */
const SECRET = '(secret)';

/**
 * A stored operation in the form of records, `{code, args: {name: value}}`, so that equal operations are recognized
 * however they were written: an argument of the dashboard's, "[1, 2]", and one of a load's, "[1,2]". Arguments that
 * the shop no longer defines keep their texts.
 */
export function shownOperation(definitions: OperationDefinitions, { code, args }: StoredOperation): JsonObject {
    const definition = definitions.find(one => one.code === code);
    const shown = args.map(({ name, value }) => [name, shownValue(definition?.args[name], value)] as const);
    return { code, args: Object.fromEntries(shown) };
}

/** An operation of that form as Vendure's services take it. */
export function operationInput(definitions: OperationDefinitions, { code, args }: JsonObject) {
    const definition = definitions.find(one => one.code === code);
    const texts = Object.entries(args as JsonObject).map(([name, value]) => {
        const argument = definition?.args[name];
        // A stored value that is not a list stays unchanged.
        const isFit = argument !== undefined && (argument.list !== true || Array.isArray(value));
        return { name, value: isFit ? storedValue(argument, value) : String(value) };
    });
    return { code: code as string, arguments: texts };
}

/** What things are called, by their kinds and ids. */
export type NamesById = ReadonlyMap<EntityDescription, ReadonlyMap<string, string>>;

/** An operation of that form for people to read: with names in the place of ids, without the keys and passwords among its arguments. */
export function readableOperation(
    definitions: OperationDefinitions,
    { code, args }: JsonObject,
    names: NamesById = new Map(),
): JsonObject {
    const definition = definitions.find(one => one.code === code);
    const readable = Object.entries(args as JsonObject).map(([name, value]) => {
        const argument = definition?.args[name];
        if (argument?.ui?.component === 'password-form-input') return [name, SECRET] as const;
        const known = argument && names.get(kindOfIds(argument)?.entity as EntityDescription);
        const called = (id: JsonValue): JsonValue => (typeof id === 'string' && known?.get(id)) || id;
        return [name, Array.isArray(value) ? (value as readonly JsonValue[]).map(called) : called(value!)] as const;
    });
    return { code: code!, args: Object.fromEntries(readable) };
}

/** The ids in an operation of that form, by the kinds of what they are of. */
export function idsIn(
    definitions: OperationDefinitions,
    { code, args }: JsonObject,
): ReadonlyArray<readonly [EntityDescription, string]> {
    const definition = definitions.find(one => one.code === code);
    return Object.entries(args as JsonObject).flatMap(([name, value]) => {
        const argument = definition?.args[name];
        const kind = argument && kindOfIds(argument);
        const ids = [value].flat().filter(id => typeof id === 'string');
        return kind ? ids.map(id => [kind.entity, id] as const) : [];
    });
}

function shownValue(argument: ArgumentDefinition | undefined, text: string): JsonValue {
    if (!argument) return text;
    if (argument.list !== true) return shownScalar(argument, text);
    try {
        const list: unknown = JSON.parse(text);
        return Array.isArray(list) ? (list as readonly JsonValue[]).map(one => shownScalar(argument, one)) : text;
    } catch {
        // A stored value that is not a list differs from every list.
        return text;
    }
}

function shownScalar({ type }: ArgumentDefinition, value: JsonValue): JsonValue {
    switch (type) {
        case 'int':
        case 'float':
            return typeof value === 'string' && value !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
        case 'boolean':
            return value === 'true' ? true : value === 'false' ? false : value;
        case 'ID':
            return String(value);
        default:
            return value;
    }
}
