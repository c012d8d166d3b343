import { isJsonObject, type JsonObject, type JsonValue } from '../value/json';
import { show } from '../value/show';
import { SMALL_STEPS, type YieldingTask } from '../concurrency/yielding-task';
import { type Issue, Issues, pathTo } from './issues';
import { factText, type FactText, type Problem } from '../errors/rendered';
import { ISSUE_TEXTS, ISSUE_WORDS } from '../schema/issue-texts';
import { issueAt, issueBecause } from '../schema/issues';
import { jsonSyntaxIssue } from './json-syntax-issue';

/** The largest definition, as JSON. */
export const MAX_DEFINITION_BYTES = 1024 * 1024;
/** How deep objects and lists may be nested; the definition itself is the first level. */
export const MAX_DEFINITION_LEVELS = 32;

/** Keys that reach an object's prototype; no field of a definition is called so. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** A definition as plain JSON; without a value when there is no use in looking any further. */
interface ReadInput {
    readonly value?: JsonObject;
    readonly issues: readonly Issue[];
}

/**
 * A definition as it came (JSON text or an object) as plain JSON of a size and depth that the rest can be trusted with: a
 * copy that shares nothing with the input, and has as many values as are allowed.
 */
export function* readingInput(input: unknown, maxValues = Infinity): YieldingTask<ReadInput> {
    if (typeof input === 'string' && bytesOf(input) > MAX_DEFINITION_BYTES) return { issues: [tooLarge()] };
    const parsed = typeof input === 'string' ? fromText(input) : { value: input };
    if (parsed.problem !== undefined) return { issues: [malformed(parsed.problem)] };
    if (!isJsonObject(parsed.value))
        return { issues: [malformed(factText(ISSUE_TEXTS.notAnObject, { value: show(parsed.value) }))] };
    const copy = new Copy(maxValues);
    const value = yield* copy.container(parsed.value, { path: '', level: 1 });
    return isJsonObject(value) && !copy.unusable ? { value, issues: copy.issues.list } : { issues: copy.issues.list };
}

function fromText(text: string): { readonly value?: unknown; readonly problem?: Problem } {
    const json = text.replace(/^\uFEFF/, '');
    try {
        return { value: JSON.parse(json) as unknown };
    } catch (error) {
        // The parser's own message names no place for most errors, so the place is determined separately.
        return { problem: jsonSyntaxIssue(json) ?? (error as Error).message };
    }
}

function malformed(problem: Problem): Issue {
    return { code: 'DEFINITION_MALFORMED', ...issueBecause('', problem) };
}

function tooLarge(): Issue {
    return { code: 'DEFINITION_TOO_LARGE', ...issueAt('', ISSUE_TEXTS.tooLarge, { most: MAX_DEFINITION_BYTES }) };
}

function tooManyValues(most: number): Issue {
    return { code: 'DEFINITION_TOO_LARGE', ...issueAt('', ISSUE_TEXTS.tooManyValues, { most }) };
}

function isContainer(value: unknown): value is object {
    return typeof value === 'object' && value !== null;
}

interface Place {
    readonly path: string;
    readonly level: number;
}

class Copy {
    readonly issues = new Issues();
    unusable = false;
    private bytes = 0;
    private values = 0;

    constructor(private readonly maxValues: number) {}

    /** Undefined for a value that cannot be kept; the issues contain the reason. */
    *container(value: object, keysetPosition: Place): YieldingTask<JsonValue | undefined> {
        if (this.isOver) return undefined;
        const { path, level } = keysetPosition;
        if (level > MAX_DEFINITION_LEVELS) {
            return this.refuse(() => ({
                code: 'DEFINITION_TOO_DEEP',
                ...issueAt(path, ISSUE_TEXTS.tooDeep, { most: MAX_DEFINITION_LEVELS }),
            }));
        }
        this.take(2);
        if (Array.isArray(value)) return yield* this.list(value, keysetPosition);
        const prototype: unknown = Object.getPrototypeOf(value);
        if (prototype === null || Object.getPrototypeOf(prototype) === null)
            return yield* this.object(value, keysetPosition);
        return this.foreign(value, path);
    }

    private scalar(value: unknown, path: string): JsonValue | undefined {
        if (this.isOver) return undefined;
        const isJson =
            value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
        if (!isJson) return this.foreign(value, path);
        this.take(bytesOf(JSON.stringify(value)));
        return value as JsonValue;
    }

    private *list(value: readonly unknown[], { path, level }: Place): YieldingTask<JsonValue> {
        const list: JsonValue[] = [];
        for (let index = 0; index < value.length; index++) {
            if (this.isOver) break;
            if (index > 0) this.count(1);
            const part = value[index];
            const at = pathTo(path, index);
            const element = isContainer(part)
                ? yield* this.container(part, { path: at, level: level + 1 })
                : this.scalar(part, at);
            if (element !== undefined) list.push(element);
            if (this.values % SMALL_STEPS === 0) yield;
        }
        return list;
    }

    private *object(value: object, { path, level }: Place): YieldingTask<JsonValue> {
        const object: Record<string, JsonValue> = {};
        let comma = 0;
        for (const [key, content] of Object.entries(value)) {
            // Code writes `name: undefined` for "no name"; JSON would not have it either.
            if (content === undefined) continue;
            if (this.isOver) break;
            const inner = pathTo(path, key);
            this.count(comma + bytesOf(JSON.stringify(key)) + 1);
            comma = 1;
            if (FORBIDDEN_KEYS.has(key)) {
                const text = issueAt(inner, ISSUE_TEXTS.forbiddenKey, { key: show(key) });
                this.issues.addLazily(() => ({ code: 'KEY_FORBIDDEN', ...text }));
                continue;
            }
            const copied = isContainer(content)
                ? yield* this.container(content, { path: inner, level: level + 1 })
                : this.scalar(content, inner);
            if (copied !== undefined) object[key] = copied;
            if (this.values % SMALL_STEPS === 0) yield;
        }
        return object;
    }

    private get isOver(): boolean {
        return this.bytes > MAX_DEFINITION_BYTES || this.values > this.maxValues;
    }

    private foreign(value: unknown, path: string): undefined {
        return this.refuse(() => ({
            code: 'DEFINITION_MALFORMED',
            ...issueAt(path, ISSUE_TEXTS.notJson, { value: kindOf(value) }),
        }));
    }

    /** A value. */
    private take(bytes: number): void {
        this.count(bytes);
        if (++this.values === this.maxValues + 1 && !this.unusable) this.refuse(() => tooManyValues(this.maxValues));
    }

    /** Counts the bytes of a value, or of the text between values. */
    private count(bytes: number): void {
        this.bytes += bytes;
        if (this.bytes > MAX_DEFINITION_BYTES && !this.unusable) this.refuse(tooLarge);
    }

    private refuse(issue: () => Issue): undefined {
        this.issues.addLazily(issue);
        this.unusable = true;
        return undefined;
    }
}

const utf8 = new TextEncoder();

function bytesOf(text: string): number {
    return utf8.encode(text).length;
}

function kindOf(value: unknown): string | FactText {
    if (typeof value === 'number') return String(value);
    if (typeof value === 'object' && value !== null)
        return factText(ISSUE_WORDS.instance, { class: value.constructor?.name ?? 'unknown' });
    return value === undefined ? 'undefined' : `a ${typeof value}`;
}
