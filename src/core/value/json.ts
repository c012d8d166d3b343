/** The value of a record's field. Immutable by type: values are shared, so no code in Flow changes one in place. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export interface JsonObject {
    readonly [key: string]: JsonValue;
}

/** True for an object that is neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The canonical text of a value: keys sorted, no spaces. Equal values give equal text whatever the order of their keys,
 * so digests and comparisons use it.
 */
export function canonicalJson(value: JsonValue | undefined): string {
    if (value === undefined) return 'null';
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    let text = '';
    if (Array.isArray(value)) {
        for (let i = 0; i < value.length; i++) text += (i > 0 ? ',' : '') + canonicalJson(value[i] as JsonValue);
        return `[${text}]`;
    }
    const fields = value as JsonObject;
    for (const { key, label } of inOrder(Object.keys(fields)))
        text += `${text === '' ? '' : ','}${label}${canonicalJson(fields[key])}`;
    return `{${text}}`;
}

interface LabelledKey {
    readonly key: string;
    /** The key as JSON, followed by a colon. */
    readonly label: string;
}

/** The keys of the previous call: the records of a source usually have the same keys. */
let last: { readonly keys: readonly string[]; readonly sorted: readonly LabelledKey[] } = { keys: [], sorted: [] };

function inOrder(keys: readonly string[]): readonly LabelledKey[] {
    const isSame = keys.length === last.keys.length && keys.every((key, i) => key === last.keys[i]);
    if (!isSame) last = { keys, sorted: [...keys].sort().map(key => ({ key, label: `${JSON.stringify(key)}:` })) };
    return last.sorted;
}

/** A deep copy of the value, for code that may change its input. */
export function copyJson(value: JsonObject): { [key: string]: JsonValue };
export function copyJson(value: JsonValue): JsonValue;
export function copyJson(value: JsonValue): JsonValue {
    if (Array.isArray(value)) return value.map((element: JsonValue) => copyJson(element));
    if (!isJsonObject(value)) return value;
    // Not by assignment, which would set the prototype for a field named "__proto__".
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, copyJson(field)]));
}
