import { Decimal as DecimalJs } from 'decimal.js';
import type { JsonValue } from '../value/json';

/** How a result between two neighbours is rounded. */
export const ROUNDINGS = ['round', 'floor', 'ceil', 'halfEven'] as const;
export type Rounding = (typeof ROUNDINGS)[number];

/** Longer ones are no amounts, and the work on them must stay small. */
const MAX_DIGITS = 400;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,4})?$/i;
/** However long and however large it is. */
const SPELLED = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const WHOLE = /^[+-]?\d+$/;

/** Decimal numbers of Flow's own: far more digits than a number holds, and no exponent that takes long to work out. */
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

/** 10 to the power of what a field for decimals allows. */
const TENS = Array.from({ length: 21 }, (_, places) => new Decimal(10).pow(places));

/** What a message says of a number that no double holds, as its end. */
export const NOT_HELD = 'which a number cannot hold exactly; allowed: up to 15 digits, or to leave it text';

/** Missing, null or blank: nothing to read a number from. */
export function isNothing(value: JsonValue | undefined): boolean {
    return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/**
 * The number that a text spells in decimal notation, NaN where no double holds it exactly; undefined for anything else ("0x10", "1,5",
 * "Infinity").
 */
export function parseDecimal(text: string): number | undefined {
    const trimmed = text.trim();
    if (!SPELLED.test(trimmed)) return undefined;
    return isHeld(trimmed) ? Number(trimmed) || 0 : NaN;
}

/**
 * True where a double holds the decimal number that a text spells: the double nearest to it is written as the same number. Whole numbers
 * beyond 2^53 are not held if their digits are spelled out, also those that a double happens to meet: they are ids, and all of a kind.
 */
export function isHeld(text: string, written: (value: number) => string = String): boolean {
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
    /** Without the zeros around them; empty for zero. */
    readonly digits: string;
    /** Of the number 0.digits × 10^exponent. */
    readonly exponent: number;
}

/** The sign is left out: a double that is nearest to a number never has another one. */
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

/** Rounded to so many places; "round" takes halves away from zero, as money is rounded. */
export function rounded(value: Decimal, places: number, rounding: Rounding): Decimal {
    return value.toDecimalPlaces(places, MODES[rounding]);
}

/** As a record holds it; undefined when no number holds it exactly. Zero has no sign. */
export function numberOf(value: Decimal): number | undefined {
    const number = value.toNumber();
    if (!Number.isFinite(number)) return undefined;
    return new Decimal(number).equals(value) ? number || 0 : undefined;
}

/**
 * The result of a calculation, as near as a number comes to it: a third has digits without end. undefined beyond 2^53, where even
 * whole numbers would be lost.
 */
export function nearestNumber(value: Decimal): number | undefined {
    return numberOf(value) ?? (value.abs().lessThan(Number.MAX_SAFE_INTEGER) ? value.toNumber() || 0 : undefined);
}

/**
 * A decimal number times 10^places as a whole number, exactly: what is rounded is the decimal notation, never its binary
 * neighbour (1.005 gives 101 cents). undefined when the text is no decimal number; NaN when the result is no safe integer.
 */
export function scaled(text: string, places: number, rounding: Rounding): number | undefined {
    const decimal = decimalOf(text);
    if (!decimal) return undefined;
    // Rounded first, which looks at the digits as they are written, however many there are.
    const whole = rounded(decimal, places, rounding).times(TENS[places]!).toNumber();
    return Number.isSafeInteger(whole) ? whole || 0 : NaN;
}

/** What a message says of a result that is none, as its end. */
export const NEAREST_ALLOWED = `allowed: -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;

/** True for a number that is written with an exponent, as no price is: "1e3". */
export function hasExponent(text: string): boolean {
    const trimmed = text.trim();
    return /e/i.test(trimmed) && SPELLED.test(trimmed);
}

/** What a message says of such a number, as its end. */
export const NO_EXPONENT = 'which has an exponent; allowed: a number with all its digits, like 1000 for 1e3';
