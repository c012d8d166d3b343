import { isHeld } from './decimal';
import { isJsonObject, type JsonValue } from '../value/json';
import { duplicateKeyOf, twice } from './json-keys';
import { marksOf } from './json-marks';

/** A JSON text, with the begin and end of each number in it that may not fit a double. */
export interface NumberedText {
    readonly text: string;
    readonly numbers: readonly number[];
}

/** As deep as a definition may be; what comes after recurses into values. */
const MAX_DEPTH = 32;
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

/** What JSON text of others must keep to, for a reference page. */
export const JSON_TEXT_RULES = `At most ${MAX_DEPTH} levels; the keys __proto__, prototype and constructor are refused, and so is a key that an object has twice. A number that cannot be held exactly becomes the text that it is.`;

/**
 * The value of a JSON text that somebody else has written, for a record: a number that no double holds exactly is the text that it is. Or
 * what is wrong with the text, as the end of a sentence: "is no JSON".
 */
export function readJsonText(text: string): { readonly value: JsonValue } | { readonly problem: string } {
    let value: JsonValue;
    try {
        value = JSON.parse(text) as JsonValue;
    } catch {
        // The engine's own words quote the text without bounds.
        return { problem: 'is no JSON' };
    }
    const problem = problemOf(value, MAX_DEPTH);
    if (problem !== undefined) return { problem };
    const { numbers, keys } = marksOf(text);
    const duplicate = keys === keysIn(value) ? undefined : duplicateKeyOf(text);
    return duplicate ? { problem: twice(duplicate) } : { value: withExactNumbers(value, { text, numbers }) };
}

/** As `JSON.parse`, save that a number that no double holds exactly stays the text that it is: 12345678901234567890 and 1e400. */
export function parseExactly(numbered: NumberedText): JsonValue {
    // First as it is written, since a quote around a number could make a broken text whole.
    return withExactNumbers(JSON.parse(numbered.text) as JsonValue, numbered);
}

/** How many keys the objects of a value have: fewer than its text where one comes twice. */
export function keysIn(value: JsonValue): number {
    if (typeof value !== 'object' || value === null) return 0;
    let keys = 0;
    if (isJsonObject(value)) {
        // Nothing is inherited by what was parsed, and this is far quicker than to list the fields of each record.
        for (const name in value) {
            keys++;
            const field = value[name]!;
            if (typeof field === 'object') keys += keysIn(field);
        }
    } else {
        for (const element of value) if (typeof element === 'object') keys += keysIn(element);
    }
    return keys;
}

/** A value that was parsed from a text, in which a number that no double holds exactly is the text that it is. */
export function withExactNumbers(value: JsonValue, { text, numbers }: NumberedText): JsonValue {
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

function problemOf(value: JsonValue, depth: number): string | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth === 0) return `has more than ${MAX_DEPTH} levels`;
    if (isJsonObject(value)) {
        const key = Object.keys(value).find(name => FORBIDDEN.has(name));
        if (key !== undefined) return `holds the key "${key}", which is not allowed`;
    }
    for (const inner of Object.values(value) as readonly JsonValue[]) {
        const problem = problemOf(inner, depth - 1);
        if (problem !== undefined) return problem;
    }
    return undefined;
}
