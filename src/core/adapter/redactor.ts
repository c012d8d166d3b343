import { type JsonObject, type JsonValue, isJsonObject } from '../value/json';
import type { Span } from './secret-matcher';
import { SecretMatchers } from './secret-matchers';
import { revealInProcess, type Secret } from './secret';
import { secretEncodingsOf, secretEncodings } from './secret-encodings';
import { FlattenedText } from './flattened-text';

const MASK = '[secret]';
/** Shorter values occur in too many ordinary words. */
const LEAST = 4;

/**
 * Teaches a redactor a secret and the parts that servers may repeat separately: the password of `user:password` and of
 * an address.
 */
export function learnSecret(redactor: Redactor, secret: Secret): void {
    const value = revealInProcess(secret);
    redactor.add(value);
    const colon = value.indexOf(':');
    if (colon >= 0) redactor.add(value.slice(colon + 1));
    const password = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*?:([^/?#]*)@/i.exec(value.trim())?.[1];
    if (password === undefined) return;
    redactor.add(password);
    redactor.add(unescaped(password));
}

function unescaped(text: string): string {
    try {
        return decodeURIComponent(text);
    } catch {
        return text; // then the text has no other spelling
    }
}

/**
 * Takes secrets out of what is about to be stored or shown: a remote server may repeat a password in its error, a script may log one.
 * It knows the secrets that a run has resolved, as they are and as they travel (`secretEncodingsOf`). What a text costs grows with its length alone, however
 * secrets and text repeat themselves.
 */
export class Redactor {
    private readonly plain = new SecretMatchers();
    private readonly base64 = new SecretMatchers();

    /** True as long as no secret is known. */
    get isEmpty(): boolean {
        return this.plain.isEmpty;
    }

    add(value: string): void {
        for (const text of [value, value.trim()]) {
            if (text.length < LEAST) continue;
            const { plain, base64 } = secretEncodingsOf(text);
            for (const form of plain) this.plain.add(form);
            for (const form of base64) this.base64.add(form);
        }
    }

    /** A value that can come back only as it was written: as it is, or as JSON has it. */
    addAsWritten(value: string): void {
        for (const text of [value, value.trim()]) {
            if (text.length >= LEAST) for (const form of secretEncodings(text)) this.plain.add(form);
        }
    }

    text(text: string): string {
        const unbroken = this.base64.isEmpty ? undefined : FlattenedText.of(text);
        const found = [
            ...this.plain.in(text),
            ...this.base64.in(text),
            ...(unbroken ? this.base64.in(unbroken.text).map(span => unbroken.broken(span)) : []),
        ];
        return found.length === 0 ? text : masked(text, found);
    }

    /** Returns the same value if it contains no secret. Keys are checked as well. */
    json<V extends JsonValue>(value: V): V {
        return this.isEmpty ? value : (this.clean(value, new Set()) as V);
    }

    /** Whether a value that must be kept unchanged contains a secret. */
    finds(value: JsonValue): boolean {
        return !this.isEmpty && this.text(JSON.stringify(value)) !== JSON.stringify(value);
    }

    /** `within` are the enclosing objects: a value of an adapter may be circular, and must not hang the run. */
    private clean(value: JsonValue, within: Set<object>): JsonValue {
        if (typeof value === 'string') return this.text(value);
        if (typeof value === 'number') return this.plain.has(String(value)) ? MASK : value;
        if (typeof value !== 'object' || value === null) return value;
        if (within.has(value)) return '[circular]';
        within.add(value);
        const clean = this.cleanParts(value, within);
        within.delete(value);
        return clean;
    }

    private cleanParts(value: JsonObject | readonly JsonValue[], within: Set<object>): JsonValue {
        // As JSON would have it: an address or a date shows itself by its text.
        if (hasJson(value)) return this.clean(value.toJSON(), within);
        if (!isJsonObject(value)) return value.map(element => this.clean(element, within));
        return Object.fromEntries(
            Object.entries(value).map(([key, inner]) => [this.text(key), this.clean(inner, within)]),
        );
    }
}

/** Spans that touch or overlap are one, so that nothing stays between two secrets that share a piece. */
function masked(text: string, found: Span[]): string {
    found.sort(([a], [b]) => a - b);
    let clean = '';
    let end = 0;
    for (const [from, to] of found) {
        if (from > end || clean === '') clean += text.slice(end, from) + MASK;
        end = Math.max(end, to);
    }
    return clean + text.slice(end);
}

function hasJson(value: object): value is { toJSON(): JsonValue } {
    return 'toJSON' in value && typeof value.toJSON === 'function';
}
