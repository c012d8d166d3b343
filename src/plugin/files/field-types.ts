import type { JsonObject, JsonValue } from '../../core/value/json';

/** The type of a field's values. `mixed`: different types; `null`: there are no values. */
type FieldType = 'string' | 'number' | 'boolean' | 'date' | 'object' | 'array' | 'null' | 'mixed';

/** A field of a file's records, as detected from a sample. */
export interface DetectedField {
    readonly name: string;
    readonly type: FieldType;
}

/** Excludes leading zeros, which occur in codes but not in numbers. */
const NUMBER = /^[+-]?(0|[1-9]\d{0,14})(\.\d{1,15})?$/;
const BOOLEAN = /^(true|false)$/i;
const DATE =
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * The fields of these records, in the order in which they appear. If their table has columns, these come first. With `areTexts` all values
 * are texts, as in CSV and XML, and their types are detected from the spelling.
 */
export function fieldTypes(
    records: readonly JsonObject[],
    { areTexts, columns = [] }: { readonly areTexts: boolean; readonly columns?: readonly string[] },
): readonly DetectedField[] {
    const types = new Map<string, FieldType>(columns.map(name => [name, 'null']));
    for (const record of records) {
        for (const [name, value] of Object.entries(record)) {
            const type = typeOf(value, areTexts);
            const known = types.get(name) ?? 'null';
            types.set(name, known === 'null' || known === type ? type : type === 'null' ? known : 'mixed');
        }
    }
    return [...types].map(([name, type]) => ({ name, type }));
}

function typeOf(value: JsonValue, isText: boolean): FieldType {
    if (value === null) return 'null';
    if (Array.isArray(value)) return 'array';
    switch (typeof value) {
        case 'number':
            return 'number';
        case 'boolean':
            return 'boolean';
        case 'object':
            return 'object';
        default:
            return textType(value as string, isText);
    }
}

function textType(value: string, isText: boolean): FieldType {
    if (DATE.test(value)) return 'date';
    if (!isText) return 'string';
    if (value.trim() === '') return 'null';
    if (NUMBER.test(value)) return 'number';
    return BOOLEAN.test(value) ? 'boolean' : 'string';
}
