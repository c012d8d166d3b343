import { Decimal as DecimalJs } from 'decimal.js';
import type { JsonValue } from '../value/json';

/** How a result between two neighbours is rounded. */
export const ROUNDINGS = ['round', 'floor', 'ceil', 'halfEven'] as const;
export type Rounding = (typeof ROUNDINGS)[number];

/** Longer texts are not amounts, and the work on a number must stay small. */
const MAX_DIGITS = 400;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,4})?$/i;
/** A decimal number of any length and size. */
const SPELLED = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const WHOLE = /^[+-]?\d+$/;

/**
 * Flow's own decimal type: far more digits than a number holds, and limited exponents, which keep calculations short.
 */
export const Decimal = DecimalJs.clone({
    precision: 60,
    maxE: 9_999,
    minE: -9_999,
    toExpNeg: -9e15,
    toExpPos: 9e15,
    defaults: true,
});
export type Decimal = DecimalJs;

const MODES = {
    round: Decimal.ROUND_HALF_UP,
    floor: Decimal.ROUND_FLOOR,
    ceil: Decimal.ROUND_CEIL,
    halfEven: Decimal.ROUND_HALF_EVEN,
} as const satisfies Record<Rounding, DecimalJs.Rounding>;

/** Powers of 10, up to the maximum of a field for decimals. */
const TENS = Array.from({ length: 21 }, (_, places) => new Decimal(10).pow(places));

/** The problem of a number that a double cannot hold exactly, after the value. */
export const NOT_EXACT = 'cannot be represented exactly; allowed: up to 15 digits, or keep it as text';

/** True for missing, null and blank values: they contain no number. */
export function isNothing(value: JsonValue | undefined): boolean {
    return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/**
 * The number that a text contains in decimal notation, NaN if no double holds it exactly; undefined for anything else
 * ("0x10", "1,5", "Infinity").
 */
export function parseDecimal(text: string): number | undefined {
    const trimmed = text.trim();
    if (!SPELLED.test(trimmed)) return undefined;
    return isExact(trimmed) ? Number(trimmed) || 0 : NaN;
}

/**
 * True if a double holds the decimal number of a text exactly: the nearest double is written as the same number. Whole
 * numbers beyond 2^53 that are written with all digits never count as held, even if a double happens to equal them:
 * they are ids, and must all be treated alike.
 */
export function isExact(text: string, written: (value: number) => string = String): boolean {
    const value = Number(text);
    if (!Number.isFinite(value)) return false;
    if (Math.abs(value) > Number.MAX_SAFE_INTEGER && WHOLE.test(text)) return false;
    const spelled = written(value);
    if (spelled === text) return true;
    const given = digitsOf(text);
    const same = digitsOf(spelled);
    return given.digits === same.digits && (given.digits === '' || given.exponent === same.exponent);
}

interface Digits {
    /** Without leading and trailing zeros; empty for zero. */
    readonly digits: string;
    /** The exponent of the number 0.digits × 10^exponent. */
    readonly exponent: number;
}

/** The sign is ignored: the double nearest to a number always has the same sign. */
function digitsOf(text: string): Digits {
    const e = text.search(/e/i);
    const mantissa = (e < 0 ? text : text.slice(0, e)).replace(/^[+-]/, '');
    const point = mantissa.indexOf('.');
    const all = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
    let [start, end] = [0, all.length];
    while (all.charCodeAt(start) === ZERO) start++;
    while (end > start && all.charCodeAt(end - 1) === ZERO) end--;
    const exponent = (e < 0 ? 0 : Number(text.slice(e + 1))) + (point < 0 ? all.length : point) - start;
    return { digits: all.slice(start, end), exponent };
}

const ZERO = 48;

/** The exact decimal of a number or of numeric text; undefined for anything else. */
export function decimalOf(value: JsonValue | undefined): Decimal | undefined {
    if (typeof value === 'number') return Number.isFinite(value) ? new Decimal(value) : undefined;
    if (typeof value !== 'string') return undefined;
    const trimmed = value.trim();
    return trimmed.length > MAX_DIGITS || !DECIMAL.test(trimmed) ? undefined : new Decimal(trimmed);
}

/** Rounds to this many decimals; "round" rounds halves away from zero, as is usual for money. */
export function rounded(value: Decimal, places: number, rounding: Rounding): Decimal {
    return value.toDecimalPlaces(places, MODES[rounding]);
}

/** The decimal as a number; undefined if no number holds it exactly. Never returns negative zero. */
export function numberOf(value: Decimal): number | undefined {
    const number = value.toNumber();
    if (!Number.isFinite(number)) return undefined;
    return new Decimal(number).equals(value) ? number || 0 : undefined;
}

/**
 * The number nearest to the result of a calculation: one third, for example, has infinitely many digits. Undefined
 * beyond 2^53, where even whole numbers would lose digits.
 */
export function nearestNumber(value: Decimal): number | undefined {
    return numberOf(value) ?? (value.abs().lessThan(Number.MAX_SAFE_INTEGER) ? value.toNumber() || 0 : undefined);
}

/**
 * A decimal number times 10^places, as a whole number. It rounds the decimal notation exactly, never the binary value
 * (1.005 gives 101 cents). Undefined if the text is not a decimal number; NaN if the result is not a safe integer.
 */
export function scaled(text: string, places: number, rounding: Rounding): number | undefined {
    const decimal = decimalOf(text);
    if (!decimal) return undefined;
    // Rounding first is exact for any number of digits.
    const whole = rounded(decimal, places, rounding).times(TENS[places]!).toNumber();
    return Number.isSafeInteger(whole) ? whole || 0 : NaN;
}

/** The allowed range of a result, as the end of a message. */
export const NEAREST_ALLOWED = `allowed: -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;

/** True for a number that is written with an exponent ("1e3"), as no price is. */
export function hasExponent(text: string): boolean {
    const trimmed = text.trim();
    return /e/i.test(trimmed) && SPELLED.test(trimmed);
}

/** The problem of such a number, after the value. */
export const NO_EXPONENT = 'has an exponent; allowed: a number with all its digits, like 1000 for 1e3';
