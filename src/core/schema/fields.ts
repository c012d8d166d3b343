import { z } from 'zod';
import { clause, type FactText } from '../errors/rendered';
import type { JsonObject, JsonValue } from '../value/json';
import { namePatternProblem } from '../data/name-pattern';
import { pathProblem } from '../data/path';
import { templateProblem } from '../data/template';
import { addIssue } from './issues';
import { staticHeaderProblem } from './static-headers';

/** The dashboard's widgets for a field; without one, the JSON Schema type decides. */
export type Widget =
    | 'path'
    | 'template'
    | 'json'
    | 'textarea'
    | 'code'
    | 'mapping'
    | 'conditions'
    | 'operators'
    | 'secret'
    | 'connection'
    | 'headers';

const MAX_PATH = 512;
const MAX_TEMPLATE = 10_000;

const pathText = (): z.ZodString =>
    z
        .string()
        .min(1)
        .max(MAX_PATH)
        .superRefine((text, cx) => {
            const problem = text === '' || text.length > MAX_PATH ? undefined : pathProblem(text);
            if (problem !== undefined) addIssue(cx, clause`path ${problem}`);
        });

/** The path of a record's field (`variants.0.sku`). `core/data/path.ts` defines the syntax. */
export function path(title: string, description: string): z.ZodString {
    return pathText().meta({ title, description, widget: 'path' satisfies Widget });
}

/** A list of at least one path, unless an empty list has a meaning. */
export function paths(title: string, description: string, atLeast: 0 | 1 = 1): z.ZodArray<z.ZodString> {
    return z
        .array(pathText())
        .min(atLeast)
        .max(1000)
        .meta({ title, description, widget: 'path' satisfies Widget });
}

/** Target path → source path. */
export function pathMapping(title: string, description: string): z.ZodRecord<z.ZodString, z.ZodString> {
    return z.record(pathText(), pathText()).meta({ title, description, widget: 'mapping' satisfies Widget });
}

/** Path → any JSON value. */
export function pathValues(
    title: string,
    description: string,
): z.ZodRecord<z.ZodString, z.ZodType<JsonValue, JsonValue>> {
    return z.record(pathText(), jsonValue()).meta({ title, description, widget: 'mapping' satisfies Widget });
}

/** Text with `${path}` placeholders. */
export function template(title: string, description: string): z.ZodString {
    return z
        .string()
        .max(MAX_TEMPLATE)
        .superRefine((text, cx) => {
            const problem = templateProblem(text);
            if (problem !== undefined) addIssue(cx, problem);
        })
        .meta({ title, description, widget: 'template' satisfies Widget });
}

/** Any JSON value. */
export function json(title: string, description: string): z.ZodType<JsonValue, JsonValue> {
    return jsonValue().meta({ title, description, widget: 'json' satisfies Widget });
}

/** Any JSON value, for use within other schemas. */
export function jsonValue(): z.ZodType<JsonValue, JsonValue> {
    // zod's own z.json() would write every level into the JSON Schema; this one says "anything" there and checks here.
    return z.unknown().superRefine((value, cx) => {
        if (!isJson(value, MAX_DEPTH)) addIssue(cx, clause`allowed: a JSON value`);
    }) as z.ZodType<unknown> as z.ZodType<JsonValue, JsonValue>;
}

/** A JSON object, for use within other schemas. */
export function jsonObject(): z.ZodType<JsonObject, JsonObject> {
    return z.record(z.string(), z.unknown()).superRefine((value, cx) => {
        if (!isJson(value, MAX_DEPTH)) addIssue(cx, clause`allowed: an object of JSON values`);
    }) as z.ZodType<unknown> as z.ZodType<JsonObject, JsonObject>;
}

/** The maximum depth of a definition. */
const MAX_DEPTH = 32;

function isJson(value: unknown, depth: number): boolean {
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
    if (typeof value === 'number') return Number.isFinite(value);
    if (typeof value !== 'object' || depth === 0) return false;
    if (Array.isArray(value)) return value.every(element => isJson(element, depth - 1));
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) return false;
    return Object.values(value).every(element => isJson(element, depth - 1));
}

interface Named {
    readonly title: string;
    readonly description: string;
}

/** A whole number within a range, both ends included. */
export function wholeNumber(
    range: { readonly min: number; readonly max: number },
    { title, description }: Named,
): z.ZodInt {
    return z.int().min(range.min).max(range.max).meta({ title, description });
}

/** Codes of connections and secrets: upper- and lower-case letters, digits, dots, hyphens and underscores. */
export const RESOURCE_CODE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** What `RESOURCE_CODE` allows, as the end of a sentence. */
export const CODE_ALLOWED =
    'allowed: 1 to 64 letters, digits, dots, hyphens and underscores, the first a letter or digit';

/** The code of a secret. `referencesOf` finds it in a configuration, so the field may have any name. */
export function secretCode(title: string, description: string): z.ZodString {
    // The message leaves the value out: a user who mistakes this field for the secret itself has entered the secret
    // here.
    const problem =
        'must be the code of a secret, not the secret itself; a code has 1 to 64 letters, digits, dots, hyphens and underscores';
    return z
        .string()
        .regex(RESOURCE_CODE, problem)
        .meta({ title, description, widget: 'secret' satisfies Widget });
}

/**
 * The code of a saved connection of one of these types, or of the type in the sibling field `typeField` if it is set.
 */
export function connectionCode(
    types: readonly [string, ...string[]],
    { title, description, typeField }: Named & { readonly typeField?: string },
): z.ZodString {
    const code = z.string().regex(RESOURCE_CODE, CODE_ALLOWED);
    return code.meta({
        title,
        description,
        widget: 'connection' satisfies Widget,
        connectionTypes: types,
        ...(typeField !== undefined && { connectionTypeField: typeField }),
    });
}

/** Selects files by name, with `*` and `?`. */
export function namePattern(description: string): z.ZodString {
    return z
        .string()
        .min(1)
        .max(255)
        .regex(/^[^/\p{Cc}]*$/u, 'allowed: a name with *, ?, [a-z] and {a,b}, without /')
        .superRefine((pattern, cx) => {
            const problem = namePatternProblem(pattern);
            if (problem !== undefined) addIssue(cx, problem);
        })
        .meta({
            title: 'Names',
            description: `${description} * matches any number of characters, ? matches one, [0-9] one of a class, {a,b} one of several texts; a leading ! selects all other names. Default: all names.`,
        });
}

/** Whether a name pattern ignores case. */
export const ignoreCase = z.boolean().default(false).meta({
    title: 'Ignore case',
    description: 'Ignores case in names: *.csv also matches STOCK.CSV. Default: false.',
});

const MAX_HEADERS = 50;
const MAX_HEADER_VALUE = 4096;

/** Headers that are sent unchanged: no credentials, no cookies, no host, no transport headers. */
export function staticHeaders(title: string, description: string): z.ZodRecord<z.ZodString, z.ZodString> {
    return z
        .record(z.string(), z.string().max(MAX_HEADER_VALUE))
        .superRefine((headers, cx) => {
            const names = Object.keys(headers);
            if (names.length > MAX_HEADERS)
                addIssue(cx, clause`has ${names.length} headers; at most ${MAX_HEADERS} are allowed`);
            const seen = new Set<string>();
            for (const name of names.slice(0, MAX_HEADERS)) {
                const problem = seen.has(name.toLowerCase())
                    ? clause`is repeated; case makes no difference`
                    : staticHeaderProblem(name, headers[name]!);
                if (problem !== undefined) addIssue(cx, problem, [name]);
                seen.add(name.toLowerCase());
            }
        })
        .meta({ title, description, widget: 'headers' satisfies Widget });
}

/** How long to wait, in milliseconds. */
export function timeoutMs(title: string, description: string): z.ZodDefault<z.ZodInt> {
    return z.int().min(1).max(300_000).default(30_000).meta({ title, description });
}

/**
 * Checks that concern several fields of an object. They run even if single fields are invalid, so that all issues are
 * reported at once; a check must therefore expect any value in an invalid field.
 */
export function withRules<S extends z.ZodObject>(
    schema: S,
    rules: (value: z.output<S>, issue: (path: string, problem: FactText) => void) => void,
): S {
    return schema.superRefine(
        (value, cx) => {
            if (typeof value !== 'object' || value === null) return;
            rules(value as z.output<S>, (path, problem) => addIssue(cx, problem, path.split('.')));
        },
        { when: () => true },
    );
}
