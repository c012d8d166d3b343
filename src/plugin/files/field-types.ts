import type { JsonObject, JsonValue } from '../../core/value/json';

/** What the values of a field are; `mixed`: of several kinds, `null`: none has one. */
export type FieldType = 'string' | 'number' | 'boolean' | 'date' | 'object' | 'array' | 'null' | 'mixed';

/** A field of a file's records, as far as a sample tells. */
export interface DetectedField {
    readonly name: string;
    readonly type: FieldType;
}

/** No leading zeros, which codes have and numbers have not. */
const NUMBER = /^[+-]?(0|[1-9]\d{0,14})(\.\d{1,15})?$/;
const BOOLEAN = /^(true|false)$/i;
const DATE =
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])([T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * The fields of these records behind the columns of their table, where it has some, in the order in which they appear. With `areTexts` all values are texts, as in CSV and XML, and are told by what
 * they spell.
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
