import { isJsonObject, type JsonObject, type JsonValue } from '../../core/value/json';
import { reasonIn } from './reason';

/** Error codes with which a GraphQL server requests a delay. */
export const BUSY_CODES: ReadonlySet<string> = new Set([
    'THROTTLED',
    'RATE_LIMITED',
    'TOO_MANY_REQUESTS',
    'SERVICE_UNAVAILABLE',
    'TIMEOUT',
    'MAX_COST_EXCEEDED',
]);
/** Error codes that are only about the credential or the document. */
export const CALLER_CODES: ReadonlySet<string> = new Set([
    'UNAUTHENTICATED',
    'FORBIDDEN',
    'ACCESS_DENIED',
    'GRAPHQL_PARSE_FAILED',
    'GRAPHQL_VALIDATION_FAILED',
    'OPERATION_RESOLUTION_FAILURE',
]);

/** The valid errors of a response. */
export function errorsOf(answer: JsonObject): readonly JsonObject[] {
    const { errors } = answer;
    return (Array.isArray(errors) ? (errors as readonly JsonValue[]) : []).filter(isJsonObject);
}

/** The error code that the server gives; undefined if there is none. */
export function codeOfError({ extensions }: JsonObject): string | undefined {
    const code = isJsonObject(extensions) ? extensions['code'] : undefined;
    return typeof code === 'string' ? code : undefined;
}

/**
 * The messages of errors. Their paths are omitted, because they belong to the generated document, which the user does
 * not know.
 */
export function wordsOf(errors: readonly JsonObject[]): string {
    return reasonIn(errors.map(({ message = null }) => ({ message }))) ?? 'it has an error';
}
