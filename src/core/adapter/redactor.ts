import { type JsonObject, type JsonValue, isJsonObject } from '../data/json';

const MASK = '[secret]';
/** Shorter ones stand in every other word. */
const LEAST = 4;
/** So much of a secret at the end of a text that was cut off is no chance. */
const LEAST_CUT = 12;
/** What stands behind a text that was cut off: the end, an ellipsis, or the quotation mark of a name that was too long for a database. */
const CUT = /^(?:…|\.\.\.|["'`])/;
/** Of the base64 of a longer text that holds the secret ("user:password"), only what the secret alone decides is known. */
const LEAST_WITHIN = 8;

/**
 * Takes secrets out of what is about to be stored or shown: a remote server may repeat a password in its error, a script may log one.
 * It knows the secrets that a run has resolved, as they are and as they travel (base64, URL, JSON, hexadecimal).
 */
export class Redactor {
    private readonly needles = new Set<string>();

    /** True as long as there is nothing to be taken out. */
    get isEmpty(): boolean {
        return this.needles.size === 0;
    }

    add(value: string): void {
        for (const text of [value, value.trim()]) {
            if (text.length < LEAST) continue;
            for (const form of formsOf(text)) this.needles.add(form);
        }
    }

    text(text: string): string {
        const found: Span[] = [];
        for (const needle of this.needles) find(needle, text, found);
        return found.length === 0 ? text : masked(text, found);
    }

    /** The same value where it holds no secret. Keys are looked at, too. */
    json<V extends JsonValue>(value: V): V {
        return this.isEmpty ? value : (this.clean(value, new Set()) as V);
    }

    /** Whether a value that must be kept as it is holds a secret. */
    finds(value: JsonValue): boolean {
        return !this.isEmpty && this.text(JSON.stringify(value)) !== JSON.stringify(value);
    }

    /** `within` are the objects around the value: what an adapter hands over may hold itself, and is not to hang the run. */
    private clean(value: JsonValue, within: Set<object>): JsonValue {
        if (typeof value === 'string') return this.text(value);
        if (typeof value === 'number') return this.needles.has(String(value)) ? MASK : value;
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

type Span = readonly [from: number, to: number];

/** Every place where it stands, and the end of the text where that was cut off within it. */
function find(needle: string, text: string, found: Span[]): void {
    for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1))
        found.push([at, at + needle.length]);
    if (needle.length <= LEAST_CUT) return;
    const head = needle.slice(0, LEAST_CUT);
    for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at + 1)) {
        let to = at + LEAST_CUT;
        while (to < text.length && to - at < needle.length && text[to] === needle[to - at]) to++;
        if (to === text.length || CUT.test(text.slice(to, to + 3))) found.push([at, to]);
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

/** A text as it is, and as it is written in the places that a secret passes on its way. */
function formsOf(text: string): readonly string[] {
    const bytes = Buffer.from(text);
    const hexadecimal = bytes.toString('hex');
    return [
        text,
        urlEncoded(text),
        new URLSearchParams([['', text]]).toString().slice(1),
        JSON.stringify(text).slice(1, -1),
        hexadecimal,
        hexadecimal.toUpperCase(),
        bytes.toString('base64'),
        bytes.toString('base64url'),
        ...[0, 1, 2].flatMap(offset => base64Within(bytes, offset)),
    ];
}

/** Half a surrogate pair, which cannot be encoded, becomes what bytes would make of it. */
function urlEncoded(text: string): string {
    return encodeURIComponent(Buffer.from(text).toString());
}

/** What stands in the base64 of any text in which so many bytes (modulo three) come before the secret. */
function base64Within(bytes: Buffer, offset: number): readonly string[] {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]);
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor((padded.length * 8) / 6);
    const forms = (['base64', 'base64url'] as const).map(alphabet => padded.toString(alphabet).slice(from, to));
    return forms.filter(form => form.length >= LEAST_WITHIN);
}

function hasJson(value: object): value is { toJSON(): JsonValue } {
    return 'toJSON' in value && typeof value.toJSON === 'function';
}
