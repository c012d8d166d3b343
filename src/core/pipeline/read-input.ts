import { isJsonObject, type JsonObject, type JsonValue } from '../data/json';
import { show } from '../data/show';
import { type Issue, Issues, pathTo } from './issues';
import { jsonFault } from './json-fault';

/** Spec 4, "sizes". */
export const MAX_DEFINITION_BYTES = 1024 * 1024;
/** Spec 4, "sizes"; the definition itself is the first level. */
export const MAX_DEFINITION_LEVELS = 32;

/** Keys that reach an object's prototype; no field of a definition is called so. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * A definition as it came (JSON text or an object) as plain JSON of a size and depth that the rest can be trusted with: a
 * copy that shares nothing with the input. Without a value when there is no use in looking any further.
 */
export function readInput(input: unknown): { readonly value?: JsonObject; readonly issues: readonly Issue[] } {
    if (typeof input === 'string' && bytesOf(input) > MAX_DEFINITION_BYTES) return { issues: [tooLarge()] };
    const parsed = typeof input === 'string' ? fromText(input) : { value: input };
    if (parsed.problem !== undefined) return { issues: [malformed('', parsed.problem)] };
    if (!isJsonObject(parsed.value))
        return { issues: [malformed('', `it is ${show(parsed.value)} instead of an object`)] };
    const copy = new Copy();
    const value = copy.of(parsed.value, { path: '', level: 1 });
    return isJsonObject(value) && !copy.unusable ? { value, issues: copy.issues.list } : { issues: copy.issues.list };
}

function fromText(text: string): { readonly value?: unknown; readonly problem?: string } {
    const json = text.replace(/^\uFEFF/, '');
    try {
        return { value: JSON.parse(json) as unknown };
    } catch (error) {
        // The parser's own message names no place for most faults, so the place is looked for again.
        return { problem: jsonFault(json) ?? (error as Error).message };
    }
}

function malformed(path: string, problem: string): Issue {
    return { code: 'DEFINITION_MALFORMED', path, message: problem };
}

function tooLarge(): Issue {
    const message = `The definition is larger than the ${MAX_DEFINITION_BYTES} bytes that are allowed`;
    return { code: 'DEFINITION_TOO_LARGE', path: '', message };
}

interface Place {
    readonly path: string;
    readonly level: number;
}

class Copy {
    readonly issues = new Issues();
    unusable = false;
    private bytes = 0;

    /** Undefined for what cannot be kept; the reason is among the issues. */
    of(value: unknown, place: Place): JsonValue | undefined {
        if (this.bytes > MAX_DEFINITION_BYTES) return undefined;
        if (typeof value === 'object' && value !== null) return this.container(value, place);
        const scalar =
            value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
        if (!scalar)
            return this.refuse(malformed(place.path, `${place.path} is ${kindOf(value)}, which JSON does not have`));
        this.count(bytesOf(JSON.stringify(value)));
        return value as JsonValue;
    }

    private container(value: object, place: Place): JsonValue | undefined {
        if (place.level > MAX_DEFINITION_LEVELS) {
            const message = `${place.path} is nested deeper than the ${MAX_DEFINITION_LEVELS} levels that are allowed`;
            return this.refuse({ code: 'DEFINITION_TOO_DEEP', path: place.path, message });
        }
        this.count(2);
        if (Array.isArray(value)) return this.list(value, place);
        const prototype: unknown = Object.getPrototypeOf(value);
        if (prototype === null || Object.getPrototypeOf(prototype) === null) return this.object(value, place);
        return this.refuse(malformed(place.path, `${place.path} is ${kindOf(value)}, which JSON does not have`));
    }

    private list(value: readonly unknown[], { path, level }: Place): JsonValue {
        const list: JsonValue[] = [];
        for (let index = 0; index < value.length; index++) {
            if (index > 0) this.count(1);
            const element = this.of(value[index], { path: pathTo(path, index), level: level + 1 });
            if (element !== undefined) list.push(element);
        }
        return list;
    }

    private object(value: object, { path, level }: Place): JsonValue {
        const object: Record<string, JsonValue> = {};
        let comma = 0;
        for (const [key, content] of Object.entries(value)) {
            // Code writes `name: undefined` for "no name"; JSON would not have it either.
            if (content === undefined) continue;
            const inner = pathTo(path, key);
            this.count(comma + bytesOf(JSON.stringify(key)) + 1);
            comma = 1;
            if (FORBIDDEN_KEYS.has(key)) {
                const message = `${inner} cannot be used: no field may be called "${key}"`;
                this.issues.add({ code: 'KEY_FORBIDDEN', path: inner, message });
                continue;
            }
            const copied = this.of(content, { path: inner, level: level + 1 });
            if (copied !== undefined) object[key] = copied;
        }
        return object;
    }

    private count(bytes: number): void {
        this.bytes += bytes;
        if (this.bytes > MAX_DEFINITION_BYTES && !this.unusable) this.refuse(tooLarge());
    }

    private refuse(issue: Issue): undefined {
        this.issues.add(issue);
        this.unusable = true;
        return undefined;
    }
}

const utf8 = new TextEncoder();

function bytesOf(text: string): number {
    return utf8.encode(text).length;
}

function kindOf(value: unknown): string {
    if (typeof value === 'number') return String(value);
    if (typeof value === 'object' && value !== null)
        return `an object of class ${value.constructor?.name ?? 'unknown'}`;
    return value === undefined ? 'undefined' : `a ${typeof value}`;
}
