import { Decimal as DecimalJs } from 'decimal.js';
import type { JsonValue } from './json';

/** How a result between two neighbours is rounded (spec 4, "money and rounding"). */
export const ROUNDINGS = ['round', 'floor', 'ceil', 'halfEven'] as const;
export type Rounding = (typeof ROUNDINGS)[number];

/** Longer ones are no amounts, and the work on them must stay small. */
const MAX_DIGITS = 400;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,4})?$/i;

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

/** Missing, null or blank: nothing to read a number from. */
export function isNothing(value: JsonValue | undefined): boolean {
    return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** The number that a text spells in decimal notation; undefined for anything else ("0x10", "1,5", "Infinity"). */
export function parseDecimal(text: string): number | undefined {
    const trimmed = text.trim();
    if (trimmed.length > MAX_DIGITS || !DECIMAL.test(trimmed)) return undefined;
    const value = Number(trimmed);
    return Number.isFinite(value) ? value : undefined;
}

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

/** As a record holds it; undefined when it is none that JSON has. Zero has no sign. */
export function numberOf(value: Decimal): number | undefined {
    const number = value.toNumber();
    return Number.isFinite(number) ? number || 0 : undefined;
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
