import type { JsonObject, JsonValue } from '../../core/value/json';

/** What an empty cell or element becomes: no field, null, or empty text. */
export const EMPTY_VALUES = ['ABSENT', 'NULL', 'TEXT'] as const;
export type EmptyValues = (typeof EMPTY_VALUES)[number];

/** The value of an empty field; undefined where there is to be none. */
export function emptyValue(how: EmptyValues): '' | null | undefined {
    return how === 'TEXT' ? '' : how === 'NULL' ? null : undefined;
}

/** The record with its empty fields as requested; `empty` is their value in the record. */
export function withEmptyValues(record: JsonObject, how: EmptyValues, empty: '' | null): JsonObject {
    const value = emptyValue(how);
    if (value === empty || !Object.values(record).includes(empty)) return record;
    const fields: [string, JsonValue][] = [];
    for (const [name, cell] of Object.entries(record)) {
        if (cell !== empty) fields.push([name, cell]);
        else if (value !== undefined) fields.push([name, value]);
    }
    return Object.fromEntries(fields);
}
