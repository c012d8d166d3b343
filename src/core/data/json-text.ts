import { isExact } from './decimal';
import { isJsonObject, type JsonValue } from '../value/json';
import { duplicateKeyOf, twice } from './json-keys';
import { marksOf } from './json-marks';

/** A JSON text, with start and end of each number in it that a double may not hold exactly. */
export interface NumberedText {
    readonly text: string;
    readonly numbers: readonly number[];
}

/** The maximum depth of a definition; later code recurses into values. */
const MAX_DEPTH = 32;
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

/** The limits of JSON text from outside, for a reference page. */
export const JSON_TEXT_RULES = `At most ${MAX_DEPTH} levels. The keys __proto__, prototype and constructor are rejected, and so are repeated keys of an object. A number that cannot be represented exactly becomes text.`;

/**
 * Reads a JSON text from outside for a record: a number that a double cannot hold exactly becomes text. Returns the
 * value, or what is wrong with the text, as the end of a sentence: "is not valid JSON".
 */
export function readJsonText(text: string): { readonly value: JsonValue } | { readonly problem: string } {
    let value: JsonValue;
    try {
        value = JSON.parse(text) as JsonValue;
    } catch {
        // The engine's own message quotes the text at any length.
        return { problem: 'is not valid JSON' };
    }
    const problem = problemOf(value, MAX_DEPTH);
    if (problem !== undefined) return { problem };
    const { numbers, keys } = marksOf(text);
    const duplicate = keys === keysIn(value) ? undefined : duplicateKeyOf(text);
    return duplicate ? { problem: twice(duplicate) } : { value: withExactNumbers(value, { text, numbers }) };
}

/** Like `JSON.parse`, but a number that a double cannot hold exactly becomes text: 12345678901234567890 and 1e400. */
export function parseExactly(numbered: NumberedText): JsonValue {
    // The original text is parsed first, because a quote around a number could turn invalid JSON into valid JSON.
    return withExactNumbers(JSON.parse(numbered.text) as JsonValue, numbered);
}

/** The number of keys of all objects in a value: fewer than in its text if a key is repeated. */
export function keysIn(value: JsonValue): number {
    if (typeof value !== 'object' || value === null) return 0;
    let keys = 0;
    if (isJsonObject(value)) {
        // Parsed objects inherit nothing, and for…in is much faster than listing the fields of each record.
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

/** Replaces the numbers of a parsed text that a double cannot hold exactly by their text. */
export function withExactNumbers(value: JsonValue, { text, numbers }: NumberedText): JsonValue {
    const parts: string[] = [];
    let at = 0;
    for (let i = 0; i < numbers.length; i += 2) {
        const number = text.slice(numbers[i], numbers[i + 1]);
        if (isExact(number)) continue;
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
        if (key !== undefined) return `has the key "${key}", which is not allowed`;
    }
    for (const inner of Object.values(value) as readonly JsonValue[]) {
        const problem = problemOf(inner, depth - 1);
        if (problem !== undefined) return problem;
    }
    return undefined;
}
