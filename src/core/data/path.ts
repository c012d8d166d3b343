import { clause, type FactText } from '../errors/rendered';
import { flowError } from '../errors/flow-error';
import { recordInvalid } from '../errors/record-invalid';
import { copier } from './copier';
import type { JsonObject, JsonValue } from '../value/json';

/**
 * The compiled path of a record's field (`variants.0.sku`). Write a dot that belongs to a name as `\.` and a backslash
 * as `\\`: the field "Art.-Nr." has the path `Art\.-Nr\.`. None of its functions changes its argument.
 */
export interface Path {
    /** The path as it was written. */
    readonly text: string;
    /** The value at the path, undefined if there is none. Reads own properties only. */
    get(data: JsonObject): JsonValue | undefined;
    /**
     * Returns a record with the value at the path; copies only the objects and lists along the path. Creates missing
     * ones: of the same kind as in `like` if it has one there, otherwise a list for a segment that is an index.
     */
    set(data: JsonObject, value: JsonValue, like?: JsonObject): JsonObject;
    /**
     * Returns a record without the path, or the same object if it has no such field. Removes an element of a list;
     * later elements move up.
     */
    unset(data: JsonObject): JsonObject;
}

const MAX_LENGTH = 512;
const MAX_SEGMENTS = 32;
/** How far after a list's end `set` may write; it fills the gap with null, so lists stay dense. */
const MAX_GAP = 1000;

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);
const INDEX = /^(0|[1-9]\d{0,8})$/;
const NUMERIC = /^\d+$/;

/** What is wrong with a path's syntax, as the end of "path …"; undefined if it is valid. */
export function pathProblem(text: string): FactText | undefined {
    if (text === '') return clause`must not be empty`;
    if (text.length > MAX_LENGTH) return clause`has ${text.length} characters; at most ${MAX_LENGTH} are allowed`;
    const segments = segmentsOf(text);
    if ('message' in segments) return segments;
    if (segments.length > MAX_SEGMENTS)
        return clause`has ${segments.length} segments; at most ${MAX_SEGMENTS} are allowed`;
    for (const segment of segments) {
        if (segment === '') {
            const asOneName = segments.map(pathOf).join('\\.');
            return clause`"${text}" has an empty segment; write it like "variants.0.sku", or "${asOneName}" if the dots belong to a name`;
        }
        if (FORBIDDEN.has(segment)) return clause`"${text}" must not contain "${segment}"`;
        if (NUMERIC.test(segment) && segment.length > 9) return clause`"${text}" has a list index that is too large`;
    }
    return undefined;
}

/** The path of a field with any name. */
export function pathOf(name: string): string {
    return name.replace(/[.\\]/g, '\\$&');
}

/** True for a path that is the unescaped name of a top-level field. */
export function isName(path: string): boolean {
    return !/[.\\]/.test(path);
}

/** The names in a path, or what is wrong with its backslashes. */
export function segmentsOf(text: string): readonly string[] | FactText {
    if (!text.includes('\\')) return text.split('.');
    const stray = /^(?:[^\\]|\\[.\\])*/.exec(text)![0].length;
    if (stray < text.length)
        return clause`"${text}" has a backslash that escapes nothing at character ${stray + 1}; write it "\\\\"`;
    const segments = [''];
    for (const [part] of text.matchAll(/\\?[^]/g)) {
        if (part === '.') segments.push('');
        else segments[segments.length - 1] += part.length === 1 ? part : part.slice(1);
    }
    return segments;
}

/** Compiles a path once, so that reading and writing a record is as cheap as possible. */
export function compilePath(text: string): Path {
    const problem = pathProblem(text);
    const segments = segmentsOf(text);
    if (problem !== undefined || 'message' in segments) {
        throw flowError('BUG', { problem: `path ${problem?.message} and was compiled without a check` });
    }
    return segments.length === 1 ? fieldPath(text, segments[0]!) : deepPath(text, segments);
}

/** A top-level field: by far the most frequent path. */
function fieldPath(text: string, key: string): Path {
    const copyOf = copier();
    return {
        text,
        // A name that no object inherits needs no check for an own property.
        get: key in Object.prototype ? data => field(data, key) : data => data[key],
        set(data, value) {
            // For a new field, the other way is faster.
            if (!hasOwn.call(data, key)) return withField(data, key, value);
            const copy = copyOf(data);
            copy[key] = value;
            return copy;
        },
        unset: data => withoutField(data, key),
    };
}

function deepPath(text: string, segments: readonly string[]): Path {
    return {
        text,
        get(data) {
            let value: JsonValue | undefined = data;
            for (let i = 0; i < segments.length; i++) {
                value = child(value, segments[i]!);
                if (value === undefined) return undefined;
            }
            return value;
        },
        // Records are objects, so the result for a record is an object.
        set: (data, value, like) => setAt({ path: text, segments, value, like }, data, 0) as JsonObject,
        unset: data => unsetAt(segments, data, 0) as JsonObject,
    };
}

const hasOwn = Object.prototype.hasOwnProperty;

/**
 * Own properties only: "toString" is an ordinary field name. Reading before the ownership check is the faster order.
 */
function field(data: JsonObject, key: string): JsonValue | undefined {
    const value = data[key];
    return value !== undefined && hasOwn.call(data, key) ? value : undefined;
}

/**
 * A copy and an assignment: in V8 several times faster than a literal with a computed key. "__proto__" never gets here.
 */
function withField(data: JsonObject, key: string, value: JsonValue): JsonObject {
    const copy: Record<string, JsonValue> = { ...data };
    copy[key] = value;
    return copy;
}

function isList(value: JsonValue): value is readonly JsonValue[] {
    return Array.isArray(value);
}

function child(value: JsonValue | undefined, segment: string): JsonValue | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    if (isList(value)) return INDEX.test(segment) ? value[Number(segment)] : undefined;
    return field(value, segment);
}

interface Write {
    readonly path: string;
    readonly segments: readonly string[];
    readonly value: JsonValue;
    readonly like: JsonObject | undefined;
}

/** The path of the parent of the segment at `depth`, for messages. */
function holderOf({ segments }: Write, depth: number): string {
    return segments.slice(0, depth).map(pathOf).join('.');
}

function setAt(write: Write, holder: JsonValue | undefined, depth: number): JsonValue {
    if (depth === write.segments.length) return write.value;
    const segment = write.segments[depth]!;
    if (holder !== undefined && holder !== null) {
        if (typeof holder !== 'object') {
            const problem = `cannot be written, because "${holderOf(write, depth)}" is a ${typeof holder}`;
            throw recordInvalid(write.path, problem);
        }
        if (isList(holder)) return setElement(write, holder, depth);
        return withField(holder, segment, setAt(write, field(holder, segment), depth + 1));
    }
    const like = write.like && write.segments.slice(0, depth).reduce<JsonValue | undefined>(child, write.like);
    if (INDEX.test(segment) && (like === undefined || Array.isArray(like))) return setElement(write, [], depth);
    return { [segment]: setAt(write, undefined, depth + 1) };
}

function setElement(write: Write, list: readonly JsonValue[], depth: number): JsonValue {
    const segment = write.segments[depth]!;
    if (!INDEX.test(segment)) {
        throw recordInvalid(
            write.path,
            `cannot be written, because "${holderOf(write, depth)}" is a list and "${segment}" is not an index`,
        );
    }
    const index = Number(segment);
    if (index > list.length + MAX_GAP) {
        const problem = `cannot be written, because the list "${holderOf(write, depth)}" has ${list.length} elements and index ${index} is more than ${MAX_GAP} after its end`;
        throw recordInvalid(write.path, problem);
    }
    const copy = [...list];
    while (copy.length < index) copy.push(null);
    copy[index] = setAt(write, list[index], depth + 1);
    return copy;
}

function unsetAt(segments: readonly string[], holder: JsonValue, depth: number): JsonValue {
    if (typeof holder !== 'object' || holder === null) return holder;
    const segment = segments[depth]!;
    const last = depth === segments.length - 1;
    if (isList(holder)) {
        const index = INDEX.test(segment) ? Number(segment) : -1;
        const element = holder[index];
        if (element === undefined) return holder;
        if (last) return holder.filter((_, i) => i !== index);
        const rest = unsetAt(segments, element, depth + 1);
        return rest === element ? holder : holder.map((old, i) => (i === index ? rest : old));
    }
    if (last) return withoutField(holder, segment);
    const inner = field(holder, segment);
    if (inner === undefined) return holder;
    const rest = unsetAt(segments, inner, depth + 1);
    return rest === inner ? holder : withField(holder, segment, rest);
}

function withoutField(data: JsonObject, key: string): JsonObject {
    if (!hasOwn.call(data, key)) return data;
    const out: Record<string, JsonValue> = {};
    for (const name in data) {
        // An assignment would set the prototype.
        if (name === '__proto__') return restOf(data, key);
        if (name !== key) out[name] = data[name]!;
    }
    return out;
}

/** Slower, and its result is slower to copy. */
function restOf(data: JsonObject, key: string): JsonObject {
    const { [key]: _gone, ...rest } = data;
    return rest;
}

const INDEXES = /(^|\.)\d+(?=\.|$)/g;

/**
 * The path of the same field in all elements: `variants.*.price` for `variants.3.price`. The same problem in several
 * elements has one path.
 */
export function pathOfEach(path: string): string {
    return path.replace(INDEXES, '$1*');
}
