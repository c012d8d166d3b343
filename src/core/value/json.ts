/** What a record's fields hold. Immutable by type: nothing in Flow changes a value that somebody else may hold. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
    readonly [key: string]: JsonValue;
}

/** True for an object that is neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The canonical text of a value: keys sorted, no spaces. Equal values give equal text whatever the order of their keys,
 * so it is what digests and comparisons are made of.
 */
export function canonicalJson(value: JsonValue | undefined): string {
    if (value === undefined) return 'null';
    if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
    if (isJsonObject(value)) {
        const fields = Object.keys(value).sort();
        return `{${fields.map(key => `${JSON.stringify(key)}:${canonicalJson(value[key])}`).join(',')}}`;
    }
    return JSON.stringify(value);
}

/** A copy that shares nothing with the value, for code that may change what it is given. */
export function copyJson(value: JsonObject): { [key: string]: JsonValue };
export function copyJson(value: JsonValue): JsonValue;
export function copyJson(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return value.map((element: JsonValue) => copyJson(element));
    if (!isJsonObject(value)) return value;
    // Not by assignment, which would take a field called "__proto__" for something else.
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, copyJson(field)]));
}
