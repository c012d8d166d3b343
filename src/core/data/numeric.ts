import { Decimal } from './decimal';
import type { JsonValue } from '../value/json';

/** A number, or the decimal of a text that no number of JSON is equal to: what is compared is never rounded before. */
export type Numeric = number | Decimal;

/** Without an exponent, separators of thousands and the like. */
const PLAIN = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;
/** Longer ones are no numbers, and the work on them must stay small. */
const MAX_LENGTH = 500;
/** A decimal of so many digits is what its nearest number is written as. */
const EXACT = 15;

/** What a number, or a text that is a plain decimal number, is compared as; undefined for anything else. */
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

/** Negative where the first is less, positive where it is more. */
export function compareNumerics(first: Numeric, second: Numeric): number {
    if (typeof first === 'number' && typeof second === 'number') return first < second ? -1 : first > second ? 1 : 0;
    return new Decimal(first).comparedTo(second);
}

/** Values that are neither lists nor objects. */
export type Scalar = string | number | boolean | null;

/** True for a value that is one of these: of the same type, or a number and a text that is that number. Two texts are compared as texts. */
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
