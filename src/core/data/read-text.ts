import type { JsonValue } from '../value/json';

/** What operators that read text say of other values in the descriptions of their fields. */
export const OTHER_THAN_TEXT = 'A number is read as its text; any other value is left alone.';

/** The text of a field: text as it is, a number as the operator `toString` writes it; undefined for any other value. */
export function readText(value: JsonValue | undefined): string | undefined {
    return typeof value === 'number' ? String(value) : typeof value === 'string' ? value : undefined;
}
