import type { Outcome } from '../../core/adapter/loader';
import { readJsonText } from '../../core/data/json-text';
import type { Path } from '../../core/data/path';
import { flowError, type FlowError } from '../../core/errors/flow-error';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { readJson } from '../../io/outbound/json';
import { BUSY_CODES, CALLER_CODES, codeOfError, errorsOf, wordsOf } from '../requests/graphql-errors';
import { reasonIn } from '../requests/reason';
import type { DeliveryResponse } from './delivery-client';
import { rejectedDelivery } from './delivery-rejection';

/** Their messages quote the document, and nothing of a record. */
const OF_THE_DOCUMENT: ReadonlySet<string> = new Set(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED']);

/** The outcomes of the records of one request. */
interface ReportedOutcomes {
    /** One for each record; undefined if the response has none. */
    readonly outcomes: ReadonlyArray<Outcome | undefined>;
    /** Why the whole request was rejected before any field was executed. */
    readonly wholly: FlowError | undefined;
}

/**
 * Parses a GraphQL response with `data` and `errors`. Returns undefined for a rejection in another form. Throws
 * REMOTE_MALFORMED.
 */
export function readGraphql(response: DeliveryResponse): JsonObject | undefined {
    const { status, host, body } = response;
    const isTaken = status >= 200 && status < 300;
    if (!isTaken) {
        const read = readJsonText(body.toString('utf8'));
        return 'value' in read && isJsonObject(read.value) && Array.isArray(read.value['errors'])
            ? read.value
            : undefined;
    }
    const value = readJson(response, host);
    if (isJsonObject(value) && (Object.hasOwn(value, 'data') || Array.isArray(value['errors']))) return value;
    throw flowError('REMOTE_MALFORMED', { host, problem: 'it has neither data nor errors' });
}

/**
 * Attributes the results to records by `keys`: errors by their paths, and the field's own errors at `errorsPath`.
 * Throws REMOTE_REFUSED and REMOTE_BUSY for errors that are not about a record.
 */
export function reportedOutcomesOf(
    answer: JsonObject,
    keys: readonly string[],
    { host, errorsPath }: { readonly host: string; readonly errorsPath: Path },
): ReportedOutcomes {
    const errors = errorsOf(answer);
    const data = isJsonObject(answer['data']) ? answer['data'] : undefined;
    const outcomes = keys.map((key): Outcome | undefined => {
        const own = errors.filter(error => keyOfError(error) === key);
        if (own.length > 0) return { ok: false, error: firstOfNoRecord(own, host) ?? rejectedDelivery(wordsOf(own)) };
        if (!data || !Object.hasOwn(data, key)) return undefined;
        const told = problemsIn(data[key]!, errorsPath);
        return told === undefined ? { ok: true } : { ok: false, error: rejectedDelivery(told) };
    });
    const others = errors.filter(error => !keys.includes(keyOfError(error) ?? ''));
    const unheard = outcomes.includes(undefined) ? firstOfNoRecord(others, host) : undefined;
    if (unheard) throw unheard;
    const isHeard = data !== undefined || outcomes.some(outcome => outcome !== undefined);
    return { outcomes, wholly: isHeard || errors.length === 0 ? undefined : rejectedDelivery(wordsOf(errors)) };
}

/** The key in `data` of the field with this error. */
function keyOfError({ path }: JsonObject): string | undefined {
    const first: unknown = Array.isArray(path) ? path[0] : undefined;
    return typeof first === 'string' ? first : undefined;
}

function firstOfNoRecord(errors: readonly JsonObject[], host: string): FlowError | undefined {
    return errors.map(error => ofNoRecord(error, host)).find(error => error !== undefined);
}

/**
 * The error for a code that is not about a record: the server is busy, or the credential or the document is not
 * accepted.
 */
function ofNoRecord(error: JsonObject, host: string): FlowError | undefined {
    const code = codeOfError(error);
    if (code === undefined) return undefined;
    if (BUSY_CODES.has(code)) return flowError('REMOTE_BUSY', { host, problem: `answered ${code}`, attempts: 1 });
    if (!CALLER_CODES.has(code)) return undefined;
    const words = OF_THE_DOCUMENT.has(code) ? wordsOf([error]).replace(/[.\s]+$/, '') : undefined;
    const problem = words === undefined ? `answered ${code}, which is about no record` : `answered ${code}: ${words}`;
    return flowError('REMOTE_REFUSED', { host, problem });
}

/** What the field of a record reports as wrong; undefined if nothing. */
function problemsIn(field: JsonValue, errorsPath: Path): string | undefined {
    if (!isJsonObject(field)) return undefined;
    const found = errorsPath.get(field);
    const isNothing = found === undefined || found === null || found === false || found === '';
    if (isNothing || (typeof found === 'object' && Object.keys(found).length === 0)) return undefined;
    // A code alone is next to its message: Vendure's error results have an errorCode and a message.
    const words = typeof found === 'object' ? reasonIn(found) : reasonIn(field['message']);
    return words ?? reasonIn(found) ?? `it has something at "${errorsPath.text}"`;
}
