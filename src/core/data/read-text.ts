import type { JsonValue } from '../value/json';

/** How operators that read text handle other values; ends the descriptions of their fields. */
export const OTHER_THAN_TEXT = 'A number is read as text; other values are left unchanged.';

/** The text of a field: text as it is, a number as the operator `toString` writes it; undefined for any other value. */
export function readText(value: JsonValue | undefined): string | undefined {
    return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined;
}
