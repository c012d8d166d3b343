import { z } from 'zod';
import type { JsonObject, JsonValue } from '../data/json';
import { pathProblem } from '../data/path';
import { templateProblem } from '../data/template';

/** The widgets that the dashboard has for a field; without one the JSON Schema type decides. */
export type Widget = 'path' | 'template' | 'json' | 'textarea' | 'mapping' | 'conditions';

const MAX_PATH = 512;
const MAX_TEMPLATE = 10_000;

const pathText = (): z.ZodString => z.string().min(1).max(MAX_PATH).superRefine((text, cx) => {
    const problem = text === '' || text.length > MAX_PATH ? undefined : pathProblem(text);
    if (problem !== undefined) cx.addIssue({ code: 'custom', message: `path ${problem}` });
});

/** Stands in the description of every field that takes paths. */
function withSyntax(description: string): string {
    return `${description} A dot that belongs to a name is written \`\\.\`.`;
}

/** The path of a record's field (`variants.0.sku`); core/data/path.ts has the rules. */
export function path(title: string, description: string): z.ZodString {
    return pathText().meta({ title, description: withSyntax(description), widget: 'path' satisfies Widget });
}

/** One path or more. */
export function paths(title: string, description: string): z.ZodArray<z.ZodString> {
    return z.array(pathText()).min(1).max(1000).meta({ title, description: withSyntax(description), widget: 'path' satisfies Widget });
}

/** Target path → source path. */
export function pathMapping(title: string, description: string): z.ZodRecord<z.ZodString, z.ZodString> {
    return z.record(pathText(), pathText()).meta({ title, description: withSyntax(description), widget: 'mapping' satisfies Widget });
}

/** Text with `${path}` placeholders. */
export function template(title: string, description: string): z.ZodString {
    return z.string().max(MAX_TEMPLATE).superRefine((text, cx) => {
        const problem = templateProblem(text);
        if (problem !== undefined) cx.addIssue({ code: 'custom', message: problem });
    }).meta({ title, description: withSyntax(description), widget: 'template' satisfies Widget });
}

/** Any JSON value. */
export function json(title: string, description: string): z.ZodType<JsonValue, JsonValue> {
    return jsonValue().meta({ title, description, widget: 'json' satisfies Widget });
}

/** Any JSON value, for use within other schemas. */
export function jsonValue(): z.ZodType<JsonValue, JsonValue> {
    // zod's own z.json() would spell every level out in the JSON Schema; this one says "anything" there and checks here.
    return z.unknown().superRefine((value, cx) => {
        if (!isJson(value, MAX_DEPTH)) cx.addIssue({ code: 'custom', message: 'allowed: a JSON value' });
    }) as z.ZodType<unknown> as z.ZodType<JsonValue, JsonValue>;
}

/** A JSON object, for use within other schemas. */
export function jsonObject(): z.ZodType<JsonObject, JsonObject> {
    return z.record(z.string(), z.unknown()).superRefine((value, cx) => {
        if (!isJson(value, MAX_DEPTH)) cx.addIssue({ code: 'custom', message: 'allowed: an object of JSON values' });
    }) as z.ZodType<unknown> as z.ZodType<JsonObject, JsonObject>;
}

/** As deep as a definition may be (spec 4, sizes). */
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

/** A whole number within a range, both ends allowed. */
export function wholeNumber(range: { readonly min: number; readonly max: number }, { title, description }: Named): z.ZodInt {
    return z.int().min(range.min).max(range.max).meta({ title, description });
}
