import type { JsonValue } from '../../core/data/json';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/** A double holds so many digits, whichever they are. */
const HELD_DIGITS = 15;
/** Characters of the longest whole number that is safe, its sign included. */
const MAX_WHOLE = 17;
const WHOLE = /^-?\d+$/;

/** A JSON text, with the begin and end of each number in it that may not fit a double. */
export interface NumberedText {
    readonly text: string;
    readonly numbers: readonly number[];
}

/** As `JSON.parse`, save that a number that no double holds stays the text that it is: 12345678901234567890 and 1e400. */
export function parseExactly({ text, numbers }: NumberedText): JsonValue {
    // First as it is written, since a quote around a number could make a broken text whole.
    const value = JSON.parse(text) as JsonValue;
    if (numbers.length === 0) return value;
    const parts: string[] = [];
    let at = 0;
    for (let i = 0; i < numbers.length; i += 2) {
        const number = text.slice(numbers[i], numbers[i + 1]);
        if (isHeld(number)) continue;
        parts.push(text.slice(at, numbers[i]), `"${number}"`);
        at = numbers[i + 1]!;
    }
    return at === 0 ? value : (JSON.parse(parts.join('') + text.slice(at)) as JsonValue);
}

/** True for the spelling of a JSON number. */
export function isNumber(text: string): boolean {
    return NUMBER.test(text);
}

/** Fractions are rounded, as everywhere; beyond 2^53 no digit is lost, and nothing becomes infinite or zero. */
function isHeld(number: string): boolean {
    // Whole numbers of that size are ids: all of them become text, not only those that a double does not happen to hold.
    if (number.length > MAX_WHOLE && WHOLE.test(number)) return false;
    const value = Number(number);
    if (value === 0) return !/[1-9]/.test(mantissaOf(number));
    if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return true;
    if (!Number.isFinite(value) || WHOLE.test(number)) return false;
    return mantissaOf(number).length <= HELD_DIGITS || digitsOf(number) === digitsOf(String(value));
}

function mantissaOf(number: string): string {
    const exponent = number.search(/[eE]/);
    return exponent < 0 ? number : number.slice(0, exponent);
}

/** The digits that count, without the zeros around them. */
function digitsOf(number: string): string {
    const digits = mantissaOf(number).replace(/\D/g, '').replace(/^0+/, '');
    let end = digits.length;
    while (digits[end - 1] === '0') end--;
    return digits.slice(0, end);
}
