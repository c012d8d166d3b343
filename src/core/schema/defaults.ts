import { canonicalJson, isJsonObject, type JsonValue } from '../value/json';
import { definitionOf, type Schema, wrappedBy } from './definition';
import { childSchema } from './walk';

/**
 * A value without the fields that only repeat their schema's default, so that two equivalent configurations are equal.
 * Also works on invalid values: fields that the schema does not know stay as they are.
 */
export function withoutDefaults(schema: Schema, value: JsonValue): JsonValue {
    if (Array.isArray(value))
        return value.map((element: JsonValue, index) => inside(childSchema(schema, index, value), element));
    if (!isJsonObject(value)) return value;
    const stated = Object.entries(value).flatMap(([key, field]): ReadonlyArray<readonly [string, JsonValue]> => {
        const child = childSchema(schema, key, value);
        const rest = inside(child, field);
        const usual = child && defaultOf(child);
        return child && usual !== undefined && canonicalJson(withoutDefaults(child, usual)) === canonicalJson(rest)
            ? []
            : [[key, rest]];
    });
    return Object.fromEntries(stated);
}

function inside(schema: Schema | undefined, value: JsonValue): JsonValue {
    return schema === undefined ? value : withoutDefaults(schema, value);
}

/** The default may be given before or after `optional` and similar wrappers. */
function defaultOf(schema: Schema): JsonValue | undefined {
    const definition = definitionOf(schema);
    if (definition.type === 'default' || definition.type === 'prefault') return definition.defaultValue as JsonValue;
    const inner = wrappedBy(schema);
    return inner && defaultOf(inner);
}
