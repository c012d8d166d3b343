import type { JsonValue } from '../../value/json';

const DIGITS_AND_SEPARATORS = /^[+-]?\d[\d.,'’ \u00a0\u202f]*$/;

/** The fix for a text that may be a number in the format of a locale ("1.036,00"), as the next sentence of a message; otherwise empty. */
export function localeHint(value: JsonValue | undefined): string {
    return typeof value === 'string' && DIGITS_AND_SEPARATORS.test(value.trim())
        ? '. Use parseNumber first, with the locale of the number'
        : '';
}
