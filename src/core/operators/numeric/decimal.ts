import type { JsonValue } from '../../data/json';

/** How a result between two whole numbers is rounded (spec 4, "money and rounding"). */
export const ROUNDINGS = ['round', 'floor', 'ceil', 'halfEven'] as const;
export type Rounding = (typeof ROUNDINGS)[number];

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i;
/** Longer ones are no amounts, and the work on them must stay small. */
const MAX_DIGITS = 400;

/** Missing, null or blank: nothing to read a number from. */
export function isNothing(value: JsonValue | undefined): boolean {
    return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** The number that a text spells in decimal notation; undefined for anything else ("0x10", "1,5", "Infinity"). */
export function parseDecimal(text: string): number | undefined {
    const trimmed = text.trim();
    if (trimmed.length > MAX_DIGITS || !isDecimal(DECIMAL.exec(trimmed))) return undefined;
    const value = Number(trimmed);
    return Number.isFinite(value) ? value : undefined;
}

function isDecimal(match: RegExpExecArray | null): match is RegExpExecArray {
    return match !== null && `${match[2]}${match[3] ?? ''}` !== '';
}

/**
 * A decimal number times 10^places as a whole number, exactly: what is rounded is the decimal notation, never its binary
 * neighbour (1.005 gives 101 cents). undefined when the text is no decimal number; NaN when the result is no safe integer.
 */
export function scaled(text: string, places: number, rounding: Rounding): number | undefined {
    const trimmed = text.trim();
    const match = trimmed.length > MAX_DIGITS ? null : DECIMAL.exec(trimmed);
    if (!isDecimal(match)) return undefined;
    const fraction = match[3] ?? '';
    const digits = `${match[2]}${fraction}`;
    // How many of the digits stand before the point once it has moved.
    const point = match[2]!.length + Number(match[4] ?? 0) + places;
    if (/^0*$/.test(digits)) return 0;
    if (point > MAX_DIGITS) return NaN;
    const whole = point <= 0 ? '0' : digits.slice(0, point).padEnd(point, '0');
    const rest = point < 0 ? `0${digits}` : digits.slice(point);
    const isNegative = match[1] === '-';
    const up = roundsAway({ rest, isOdd: /[13579]$/.test(whole), isNegative }, rounding);
    const value = Number(BigInt(whole) + (up ? 1n : 0n));
    if (!Number.isSafeInteger(value)) return NaN;
    return isNegative && value !== 0 ? -value : value;
}

interface Remainder {
    /** The digits behind the point. */
    readonly rest: string;
    readonly isOdd: boolean;
    readonly isNegative: boolean;
}

/** Whether the magnitude grows by one. "round" takes halves away from zero, as money is rounded. */
function roundsAway({ rest, isOdd, isNegative }: Remainder, rounding: Rounding): boolean {
    if (/^0*$/.test(rest)) return false;
    if (rounding === 'floor') return isNegative;
    if (rounding === 'ceil') return !isNegative;
    const isHalf = /^50*$/.test(rest);
    return isHalf && rounding === 'halfEven' ? isOdd : rest >= '5';
}
