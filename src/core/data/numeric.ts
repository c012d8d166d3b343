import { Decimal } from './decimal';
import type { JsonValue } from '../value/json';

/** A number, or the decimal of a text that no JSON number equals: values are never rounded before they are compared. */
export type Numeric = number | Decimal;

/** Without an exponent or thousands separators. */
const PLAIN = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;
/** Longer texts are not treated as numbers, which keeps the work small. */
const MAX_LENGTH = 500;
/** A decimal with at most this many digits equals the text of its nearest number. */
const EXACT = 15;

/** The numeric value of a number or of plain decimal text, for comparisons; undefined for anything else. */
export function numericOf(value: JsonValue | undefined): Numeric | undefined {
    if (typeof value === 'number') return value;
    if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
    const text = value.trim();
    if (!PLAIN.test(text)) return undefined;
    const number = Number(text);
    if (text.length <= EXACT) return number;
    const decimal = new Decimal(text);
    return Number.isFinite(number) && decimal.eq(number) ? number : decimal;
}

/** Negative if the first value is less, positive if it is greater. */
export function compareNumerics(first: Numeric, second: Numeric): number {
    if (typeof first === 'number' && typeof second === 'number') return first < second ? -1 : first > second ? 1 : 0;
    return new Decimal(first).comparedTo(second);
}

/** Values that are neither lists nor objects. */
export type Scalar = string | number | boolean | null;

/**
 * True if a value is one of these: of the same type, or a number and a text with that number. Two texts are compared as
 * texts.
 */
export function isAmong(scalars: readonly Scalar[]): (value: JsonValue | undefined) => boolean {
    const same = new Set<JsonValue>(scalars);
    const numbers = new Set<Numeric | undefined>(scalars.filter(scalar => typeof scalar === 'number'));
    const spelled = new Set(scalars.flatMap(scalar => (typeof scalar === 'string' ? (numericOf(scalar) ?? []) : [])));
    return value => {
        if (value === undefined || same.has(value)) return value !== undefined;
        if (typeof value === 'number') return spelled.has(value);
        return typeof value === 'string' && numbers.size > 0 && numbers.has(numericOf(value));
    };
}
