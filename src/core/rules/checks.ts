import { Decimal, decimalOf } from '../data/decimal';
import { explained } from '../errors/record-invalid';
import type { ErrorTextFacts } from '../errors/rendered';
import type { JsonValue } from '../value/json';
import { isAmong } from '../data/numeric';
import { compileRegex } from '../data/regex/regex';
import { show } from '../value/show';
import type { Check } from './field-check';

interface Bounds {
    readonly min?: number | undefined;
    readonly max?: number | undefined;
}

/** Which numbers bounds allow, as the end of a problem. */
export const ALLOWED_BY = {
    both: 'allowed: {min} to {max}',
    same: 'allowed: exactly {min}',
    most: 'allowed: at most {max}',
    least: 'allowed: at least {min}',
} as const;

function allowedBy({ min, max }: Bounds): string {
    if (min !== undefined && max !== undefined) return min === max ? ALLOWED_BY.same : ALLOWED_BY.both;
    return min === undefined ? ALLOWED_BY.most : ALLOWED_BY.least;
}

/** The bounds that are set, as facts. */
function boundFacts({ min, max }: Bounds): ErrorTextFacts {
    return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

/** Numbers and numeric text are compared as exact decimals: the text 0.1 is not less than the number 0.1. */
export function isInRange(bounds: Bounds): Check {
    const [allowed, facts] = [allowedBy(bounds), boundFacts(bounds)];
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
        return explained(
            isFitting === undefined ? '{value} is not a number; {allowed}' : 'is {value}; {allowed}',
            { ...facts, value: show(value) },
            { allowed },
        );
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
            return explained('{value} has no length; allowed: text or a list', { value: show(value) });
        if (typeof value === 'string' && value.length >= 2 * min && value.length <= max) return undefined;
        const length = typeof value === 'string' ? charactersOf(value, enough) : (value as readonly JsonValue[]).length;
        if (length >= min && length <= max) return undefined;
        const [facts, allowed] = [boundFacts(bounds), allowedBy(bounds)];
        if (typeof value !== 'string')
            return explained('has {count|1 element|# elements}; {allowed}', { ...facts, count: length }, { allowed });
        return length > enough
            ? explained('has more than {count} characters; {allowed}', { ...facts, count: enough }, { allowed })
            : explained('has {count|1 character|# characters}; {allowed}', { ...facts, count: length }, { allowed });
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
        return isMatch ? undefined : explained('{value} does not match {pattern}', { value: show(value), pattern });
    };
}

const TOLD = 10;

/** Type-strict, except that a number equals text with the same number, as in conditions. */
export function isOneOf(values: ReadonlyArray<string | number | boolean>): Check {
    const isAllowed = isAmong(values);
    const allowed = values.slice(0, TOLD).map(show).join(', ');
    const more = values.length - TOLD;
    return value => {
        if (isAllowed(value)) return undefined;
        const facts = { value: show(value), allowed };
        return more > 0
            ? explained('is {value}; allowed: {allowed} and {more} more', { ...facts, more })
            : explained('is {value}; allowed: {allowed}', facts);
    };
}
