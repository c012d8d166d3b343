import { clause, type FactText } from '../../core/errors/rendered';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { compilePath, type Path, pathProblem } from '../../core/data/path';
import { recordInvalid } from '../../core/errors/record-invalid';

/** `{{path}}` is replaced by a value of the record. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;
const ALONE = /^\{\{([^{}]*)\}\}$/;

/** What is wrong with the placeholders of a text, as the end of a sentence; undefined if nothing. */
export function placeholderProblem(text: string): FactText | undefined {
    for (const [whole, path] of text.matchAll(PLACEHOLDER)) {
        const problem = pathProblem(path!.trim());
        if (problem !== undefined) return clause`path in ${whole} ${problem}`;
    }
    return /\{\{|\}\}/.test(text.replace(PLACEHOLDER, '')) ? clause`has a {{ or }} without its counterpart` : undefined;
}

export function hasPlaceholders(text: string): boolean {
    return text.search(PLACEHOLDER) >= 0;
}

/** The text with a harmless value instead of each placeholder. */
export function withoutPlaceholders(text: string): string {
    return text.replace(PLACEHOLDER, 'x');
}

/** The text for a record; undefined if a value is missing, null or empty text. Lists and objects reject the record. */
export type Fill<T = string> = (data: JsonObject) => T | undefined;

/** Each value is encoded for its position, so that it cannot change the structure of the text. */
export function compilePlaceholders(text: string, encode: (value: string) => string): Fill {
    const literals = text.split(PLACEHOLDER).filter((_, i) => i % 2 === 0);
    const paths = placeholderPaths(text);
    return data => {
        let filled = literals[0]!;
        for (const [i, path] of paths.entries()) {
            const value = path.get(data);
            if (isAbsent(value)) return undefined;
            if (typeof value === 'object')
                throw recordInvalid(path.text, 'is a list or an object; {{…}} takes text, a number, or true and false');
            filled += encode(String(value)) + literals[i + 1]!;
        }
        return filled;
    };
}

/** Fills every text in a JSON value. A text that consists of one placeholder becomes the value itself. */
export function compileJson(value: JsonValue): Fill<JsonValue> {
    if (typeof value === 'string') {
        const alone = ALONE.exec(value)?.[1];
        if (alone === undefined) return compilePlaceholders(value, text => text);
        const path = compilePath(alone.trim());
        return data => {
            const found = path.get(data);
            return isAbsent(found) ? undefined : found;
        };
    }
    if (typeof value !== 'object' || value === null) return () => value;
    const parts = Object.entries(value).map(([key, inner]) => [key, compileJson(inner as JsonValue)] as const);
    return data => {
        const filled: Array<readonly [string, JsonValue]> = [];
        for (const [key, fill] of parts) {
            const inner = fill(data);
            if (inner === undefined) return undefined;
            filled.push([key, inner]);
        }
        return Array.isArray(value) ? filled.map(([, inner]) => inner) : Object.fromEntries(filled);
    };
}

/** What is wrong with the placeholders anywhere in a value. */
export function jsonPlaceholderProblem(value: JsonValue): FactText | undefined {
    if (typeof value === 'string') return placeholderProblem(value);
    if (typeof value !== 'object' || value === null) return undefined;
    return Object.values(value)
        .map(inner => jsonPlaceholderProblem(inner as JsonValue))
        .find(problem => problem !== undefined);
}

export function isAbsent(value: JsonValue | undefined): value is undefined | null | '' {
    return value === undefined || value === null || value === '';
}

/** The paths of a text's placeholders. */
export function placeholderPaths(text: string): readonly Path[] {
    return [...text.matchAll(PLACEHOLDER)].map(([, path]) => compilePath(path!.trim()));
}
