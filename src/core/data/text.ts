import type { JsonValue } from '../value/json';

/** A value as it stands within a text: null and missing are empty, objects and lists are JSON. */
export function textOf(value: JsonValue | undefined): string {
    if (value === undefined || value === null) return '';
    return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
