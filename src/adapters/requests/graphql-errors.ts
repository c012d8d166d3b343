import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { reasonIn } from './reason';

/** Codes of errors by which a GraphQL server asks for patience. */
export const BUSY_CODES: ReadonlySet<string> = new Set([
    'THROTTLED',
    'RATE_LIMITED',
    'TOO_MANY_REQUESTS',
    'SERVICE_UNAVAILABLE',
    'TIMEOUT',
    'MAX_COST_EXCEEDED',
]);
/** Those that are about the credential or the document, and nothing else of the request. */
export const CALLER_CODES: ReadonlySet<string> = new Set([
    'UNAUTHENTICATED',
    'FORBIDDEN',
    'ACCESS_DENIED',
    'GRAPHQL_PARSE_FAILED',
    'GRAPHQL_VALIDATION_FAILED',
    'OPERATION_RESOLUTION_FAILURE',
]);

/** The errors of an answer, those that are written as they should be. */
export function errorsOf(answer: JsonObject): readonly JsonObject[] {
    const { errors } = answer;
    return (Array.isArray(errors) ? (errors as readonly JsonValue[]) : []).filter(isJsonObject);
}

/** What kind of error it is by the word of the server; undefined where it does not say. */
export function codeOfError({ extensions }: JsonObject): string | undefined {
    const code = isJsonObject(extensions) ? extensions['code'] : undefined;
    return typeof code === 'string' ? code : undefined;
}

/** What errors say. Their paths are left out: they are those of the document, which nobody has written that way. */
export function wordsOf(errors: readonly JsonObject[]): string {
    return reasonIn(errors.map(({ message = null }) => ({ message }))) ?? 'it has an error';
}
