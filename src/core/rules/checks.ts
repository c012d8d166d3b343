import { Decimal, decimalOf } from '../data/decimal';
import type { JsonValue } from '../value/json';
import { isAmong } from '../data/numeric';
import { compileRegex } from '../data/regex/regex';
import { show } from '../value/show';
import type { Check } from './field-check';

interface Bounds {
    readonly min?: number | undefined;
    readonly max?: number | undefined;
}

/** "1 to 5", "at least 1", "at most 5". */
function rangeText({ min, max }: Bounds): string {
    if (min !== undefined && max !== undefined) return min === max ? `exactly ${min}` : `${min} to ${max}`;
    return min === undefined ? `at most ${max}` : `at least ${min}`;
}

/** Numbers and numeric text are compared as exact decimals: the text 0.1 is not less than the number 0.1. */
export function isInRange(bounds: Bounds): Check {
    const allowed = rangeText(bounds);
    const [min, max] = [bounds.min ?? -Infinity, bounds.max ?? Infinity];
    const [least, most] = [new Decimal(min), new Decimal(max)];
    const fits = (value: JsonValue): boolean | undefined => {
        if (typeof value === 'number') return value >= min && value <= max;
        const decimal = decimalOf(value);
        return decimal && decimal.gte(least) && decimal.lte(most);
    };
    return value => {
        const isFitting = fits(value);
        if (isFitting === true) return undefined;
        return isFitting === undefined
            ? `${show(value)} is not a number; allowed: ${allowed}`
            : `is ${show(value)}; allowed: ${allowed}`;
    };
}

/**
 * Characters are counted at least this far, and further only if the limits need it: a text may be as long as a file.
 */
const COUNTED = 10_000;

/** Characters of text, elements of a list. */
export function hasLength(bounds: Bounds): Check {
    const { min = 0, max = Infinity } = bounds;
    const enough = Math.max(min, Number.isFinite(max) ? max : 0, COUNTED);
    return value => {
        if (typeof value !== 'string' && !Array.isArray(value))
            return `${show(value)} has no length; allowed: text or a list`;
        if (typeof value === 'string' && value.length >= 2 * min && value.length <= max) return undefined;
        const length = typeof value === 'string' ? charactersOf(value, enough) : (value as readonly JsonValue[]).length;
        if (length >= min && length <= max) return undefined;
        const stated = typeof value === 'string' && length > enough ? `more than ${enough}` : String(length);
        return `has ${stated} ${typeof value === 'string' ? 'character' : 'element'}${length === 1 ? '' : 's'}; allowed: ${rangeText(bounds)}`;
    };
}

/** Counts a character outside the basic plane (an emoji) once. Returns `enough + 1` for every longer text. */
function charactersOf(text: string, enough: number): number {
    let length = 0;
    for (let i = 0; i < text.length && length <= enough; length++) i += text.codePointAt(i)! > 0xffff ? 2 : 1;
    return length;
}

/** Text is matched as it is, numbers and booleans in their text form. Takes linear time for any text. */
export function matches(pattern: string, field: string): Check {
    const regex = compileRegex(pattern, '', field);
    return value => {
        const isMatch =
            typeof value === 'string' ? regex.test(value) : typeof value !== 'object' && regex.test(String(value));
        return isMatch ? undefined : `${show(value)} does not match ${pattern}`;
    };
}

const TOLD = 10;

/** Type-strict, except that a number equals text with the same number, as in conditions. */
export function isOneOf(values: ReadonlyArray<string | number | boolean>): Check {
    const isAllowed = isAmong(values);
    const more = values.length > TOLD ? ` and ${values.length - TOLD} more` : '';
    const text = values.slice(0, TOLD).map(show).join(', ') + more;
    return value => (isAllowed(value) ? undefined : `is ${show(value)}; allowed: ${text}`);
}
