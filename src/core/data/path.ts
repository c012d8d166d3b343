import { flowError } from '../errors/flow-error';
import { recordInvalid } from '../errors/record-invalid';
import { copier } from './copier';
import type { JsonObject, JsonValue } from '../value/json';

/**
 * A path of a record (`variants.0.sku`), compiled. A dot that belongs to a name is written `\.` and a backslash `\\`: the field
 * "Art.-Nr." is at `Art\.-Nr\.`. None of its functions changes its argument.
 */
export interface Path {
    /** As it was written. */
    readonly text: string;
    /** The value at the path, undefined where there is none. Only own fields are seen. */
    get(data: JsonObject): JsonValue | undefined;
    /**
     * A record with the value at the path; only the objects and lists along the path are copied. Missing ones are made: where `like`
     * has one, of its kind, else a list for a segment that is an index.
     */
    set(data: JsonObject, value: JsonValue, like?: JsonObject): JsonObject;
    /** A record without the path: the same object where there was nothing. An element of a list is taken out, the rest move up. */
    unset(data: JsonObject): JsonObject;
}

const MAX_LENGTH = 512;
const MAX_SEGMENTS = 32;
/** How far behind a list's end `set` may write; what lies between is filled with null, so lists stay dense. */
const MAX_GAP = 1000;

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);
const INDEX = /^(0|[1-9]\d{0,8})$/;
const NUMERIC = /^\d+$/;

/** What is wrong with a path's spelling, as the end of "path …"; undefined when nothing is. */
export function pathProblem(text: string): string | undefined {
    if (text === '') return 'must not be empty';
    if (text.length > MAX_LENGTH) return `has ${text.length} characters; at most ${MAX_LENGTH} are allowed`;
    const segments = segmentsOf(text);
    if (typeof segments === 'string') return segments;
    if (segments.length > MAX_SEGMENTS) return `has ${segments.length} segments; at most ${MAX_SEGMENTS} are allowed`;
    for (const segment of segments) {
        if (segment === '') {
            const asOneName = segments.map(pathOf).join('\\.');
            return `"${text}" has an empty segment; write it like "variants.0.sku", or "${asOneName}" where the dots belong to a name`;
        }
        if (FORBIDDEN.has(segment)) return `"${text}" must not contain "${segment}"`;
        if (NUMERIC.test(segment) && segment.length > 9) return `"${text}" has a list index that is too large`;
    }
    return undefined;
}

/** The path of a field, whatever it is called. */
export function pathOf(name: string): string {
    return name.replace(/[.\\]/g, '\\$&');
}

/** True for a path that is the name of a field of the record itself, spelled as it is. */
export function isName(path: string): boolean {
    return !/[.\\]/.test(path);
}

/** The names in a path, or what is wrong with its backslashes. */
export function segmentsOf(text: string): readonly string[] | string {
    if (!text.includes('\\')) return text.split('.');
    const stray = /^(?:[^\\]|\\[.\\])*/.exec(text)![0].length;
    if (stray < text.length)
        return `"${text}" has a backslash that escapes nothing at character ${stray + 1}; write it "\\\\"`;
    const segments = [''];
    for (const [part] of text.matchAll(/\\?[^]/g)) {
        if (part === '.') segments.push('');
        else segments[segments.length - 1] += part.length === 1 ? part : part.slice(1);
    }
    return segments;
}

/** Compiles a path once, so that reading and writing a record costs as little as can be. */
export function compilePath(text: string): Path {
    const problem = pathProblem(text);
    const segments = segmentsOf(text);
    if (problem !== undefined || typeof segments === 'string') {
        throw flowError('BUG', { problem: `path ${problem}, and was compiled without having been checked` });
    }
    return segments.length === 1 ? fieldPath(text, segments[0]!) : deepPath(text, segments);
}

/** One field of the record itself: by far the most frequent path. */
function fieldPath(text: string, key: string): Path {
    const copyOf = copier();
    return {
        text,
        // A name that no object inherits needs no asking whose it is.
        get: key in Object.prototype ? data => field(data, key) : data => data[key],
        set(data, value) {
            // Adding a field is faster the other way.
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
        // Records are objects, so what comes back for one is an object.
        set: (data, value, like) => setAt({ path: text, segments, value, like }, data, 0) as JsonObject,
        unset: data => unsetAt(segments, data, 0) as JsonObject,
    };
}

const hasOwn = Object.prototype.hasOwnProperty;

/** Own fields only: "toString" is a field name like any other. Looking before asking who owns it is the faster order. */
function field(data: JsonObject, key: string): JsonValue | undefined {
    const value = data[key];
    return value !== undefined && hasOwn.call(data, key) ? value : undefined;
}

/** A copy, then a write: V8 does that several times faster than a literal with a computed key. "__proto__" never comes here. */
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

/** The path of what holds the segment at `depth`, for messages. */
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
            `cannot be written, because "${holderOf(write, depth)}" is a list and "${segment}" is no index`,
        );
    }
    const index = Number(segment);
    if (index > list.length + MAX_GAP) {
        const problem = `cannot be written, because the list "${holderOf(write, depth)}" has ${list.length} elements and index ${index} is more than ${MAX_GAP} behind its end`;
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
        // To be assigned it would have to be something else.
        if (name === '__proto__') return restOf(data, key);
        if (name !== key) out[name] = data[name]!;
    }
    return out;
}

/** Slower, and what comes out is slower to copy. */
function restOf(data: JsonObject, key: string): JsonObject {
    const { [key]: _gone, ...rest } = data;
    return rest;
}

const INDEXES = /(^|\.)\d+(?=\.|$)/g;

/** The path of the same field of each element: `variants.*.price` for `variants.3.price`. What is wrong with one is alike for all. */
export function pathOfEach(path: string): string {
    return path.replace(INDEXES, '$1*');
}
