import type { JsonValue } from '../../value/json';

const DIGITS_AND_SEPARATORS = /^[+-]?\d[\d.,'’ \u00a0\u202f]*$/;

/** Whether a text may be a number in the format of a locale ("1.036,00"), which parseNumber reads. */
export function isLocaleNumber(value: JsonValue | undefined): boolean {
    return typeof value === 'string' && DIGITS_AND_SEPARATORS.test(value.trim());
}
