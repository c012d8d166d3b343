import type { OutboundResponse } from '../../core/adapter/http';
import { readJsonText } from '../../core/data/json-text';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';

/** Longer reasons are cut, because they are part of a line. */
const MAX_REASON = 300;
const MAX_DEPTH = 4;
/** The maximum number of bytes that are read of a body. */
const MAX_BODY_BYTES = 64 * 1024;
/** The maximum number of issues of one record that are reported. */
const MAX_FAULTS = 3;

/** The message in a JSON value, from fields that APIs use for it (including RFC 9457). Undefined if there is none. */
export function reasonIn(value: JsonValue | undefined): string | undefined {
    return oneLine(wordsIn(value, MAX_DEPTH) ?? '');
}

/**
 * The reason in the body of a response that rejects a request: the message of its JSON, or its text. An HTML page
 * contains no reason.
 */
export function reasonOf({ headers, body }: Pick<OutboundResponse, 'headers' | 'body'>): string | undefined {
    const isPage = /\bhtml\b/i.test(headers['content-type'] ?? '');
    const text = isPage
        ? ''
        : body
              .subarray(0, MAX_BODY_BYTES)
              .toString('utf8')
              .replace(/^\ufeff/, '');
    const read = readJsonText(text);
    const reason = ('value' in read ? reasonIn(read.value) : undefined) ?? oneLine(text);
    return reason?.replace(/[.\s]+$/, '');
}

const HEADS = ['message', 'detail', 'error_description', 'title', 'reason', 'description', 'text'] as const;
const PARTS = ['error', 'errors', 'messages', 'violations', 'userErrors'] as const;
const PLACES = ['field', 'path', 'property', 'propertyPath', 'pointer'] as const;

function wordsIn(value: JsonValue | undefined, depth: number): string | undefined {
    if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'object' || value === null || depth === 0) return undefined;
    if (Array.isArray(value)) {
        const issues = value.map((one: JsonValue) => wordsIn(one, depth - 1)).filter(words => words !== undefined);
        return joined(issues.slice(0, MAX_FAULTS), '; ');
    }
    if (!isJsonObject(value)) return undefined;
    const head = HEADS.map(name => (Object.hasOwn(value, name) ? wordsIn(value[name], 1) : undefined)).find(
        words => words !== undefined,
    );
    const parts = PARTS.filter(name => Object.hasOwn(value, name)).map(name => partIn(value[name], depth - 1));
    const place = head === undefined ? undefined : placeIn(value);
    const said = [head, ...parts].filter(words => words !== undefined && words !== '');
    const all = joined([...new Set(said)] as string[], ': ');
    return place === undefined || all === undefined ? all : `${place}: ${all}`;
}

/** A list, a text, or texts by field: `{"price": ["must be positive"]}`. */
function partIn(value: JsonValue | undefined, depth: number): string | undefined {
    const known = wordsIn(value, depth);
    if (known !== undefined || !isJsonObject(value) || depth <= 0) return known;
    const byField = Object.entries(value).flatMap(([field, inner]) => {
        const words = wordsIn(inner, depth - 1);
        return words === undefined ? [] : [`${field}: ${words}`];
    });
    return joined(byField.slice(0, MAX_FAULTS), '; ');
}

function placeIn(value: JsonObject): string | undefined {
    const found = PLACES.map(name => (Object.hasOwn(value, name) ? value[name] : undefined)).find(
        place => place !== undefined && place !== null,
    );
    if (!Array.isArray(found)) return typeof found === 'string' && found !== '' ? found : undefined;
    const segments = found.filter(segment => typeof segment === 'string' || typeof segment === 'number');
    return segments.length === 0 ? undefined : segments.join('.');
}

function joined(texts: readonly string[], between: string): string | undefined {
    return texts.length === 0 ? undefined : texts.join(between);
}

/** A text on one line, cut if it is long; undefined if nothing is left of it. */
export function oneLine(text: string): string | undefined {
    const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
    if (line === '') return undefined;
    return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON).replace(/[\ud800-\udbff]$/, '')}…` : line;
}
