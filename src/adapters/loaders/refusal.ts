import { readJsonText } from '../../core/data/json-text';
import { flowError, type FlowError } from '../../core/errors/flow-error';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import type { DeliveryAnswer } from './courier';

/** Longer ones are cut: they stand in a line. */
const MAX_REASON = 300;
const MAX_DEPTH = 4;
/** So many faults of one record are told. */
const MAX_FAULTS = 3;

/** Statuses that no other record would change: credentials, the method, the media type. 404 and 410 are where the address is the same for all. */
const OF_NO_RECORD: ReadonlySet<number> = new Set([401, 403, 405, 406, 407, 411, 415, 417, 421, 426, 431, 451]);

/** Whether an answer has taken what was sent; false for one that refuses it. Throws REMOTE_REFUSED for one that is about no record. */
export function hasTaken(
    { status, host }: DeliveryAnswer,
    { isAddressOfRecord }: { readonly isAddressOfRecord: boolean },
): boolean {
    if (status >= 200 && status < 300) return true;
    const problem =
        status < 400
            ? `answered ${status}; only 307 and 308 hand on what was sent. Give the address that it leads to as the endpoint`
            : OF_NO_RECORD.has(status) || (!isAddressOfRecord && (status === 404 || status === 410))
              ? `answered ${status}, which is about the endpoint, its method or its credential, and about no record`
              : undefined;
    if (problem !== undefined) throw flowError('REMOTE_REFUSED', { host, problem }, { details: { status } });
    return false;
}

/** The record error for an answer that refuses it, with the reason that the answer gives. */
export function refusalOf(answer: DeliveryAnswer): FlowError {
    const { status, unsent } = answer;
    if (unsent !== undefined) return refused(unsent, { status });
    const reason = reasonOfAnswer(answer);
    return refused(reason === undefined ? `it answered ${status}` : `it answered ${status}: ${reason}`, { status });
}

/** The record error for what the other system says of it. */
export function refused(problem: string, details: JsonObject = {}): FlowError {
    return flowError('TARGET_REFUSED', { problem: problem.replace(/[.\s]+$/, '') }, { details });
}

function reasonOfAnswer({ headers, body }: DeliveryAnswer): string | undefined {
    const text = body
        .toString('utf8')
        .replace(/^\ufeff/, '')
        .trim();
    const read = /^[[{"]/.test(text) ? readJsonText(text) : undefined;
    if (read && 'value' in read) return reasonIn(read.value);
    // A page for people would tell its markup.
    const type = headers['content-type'] ?? 'text/plain';
    return /^text\/plain\b/i.test(type) ? oneLine(text) : undefined;
}

/** What a JSON value says in words: of the fields that APIs have for it (RFC 9457 among them). Undefined where it says nothing. */
export function reasonIn(value: JsonValue | undefined): string | undefined {
    return oneLine(wordsIn(value, MAX_DEPTH) ?? '');
}

const HEADS = ['message', 'detail', 'error_description', 'title', 'reason', 'description', 'text'] as const;
const PARTS = ['error', 'errors', 'messages', 'violations', 'userErrors'] as const;
const PLACES = ['field', 'path', 'property', 'propertyPath', 'pointer'] as const;

function wordsIn(value: JsonValue | undefined, depth: number): string | undefined {
    if (typeof value === 'string') return value.trim() === '' ? undefined : value.trim();
    if (typeof value === 'number') return String(value);
    if (typeof value !== 'object' || value === null || depth === 0) return undefined;
    if (Array.isArray(value)) {
        const faults = value.map((one: JsonValue) => wordsIn(one, depth - 1)).filter(words => words !== undefined);
        return joined(faults.slice(0, MAX_FAULTS), '; ');
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

function oneLine(text: string): string | undefined {
    const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
    if (line === '') return undefined;
    return line.length > MAX_REASON ? `${line.slice(0, MAX_REASON).replace(/[\ud800-\udbff]$/, '')}…` : line;
}
