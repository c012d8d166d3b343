import { GraphQLError } from 'graphql';
import type { ErrorCode } from '../../core/errors/catalogue';
import { type FlowError, isFlowError } from '../../core/errors/flow-error';

/** An error for a caller who has requested something that is not possible. Nothing is broken. */
export class ExpectedError extends GraphQLError {}

/** Errors that callers of the API have not caused, and cannot avoid by calling it differently. */
const FAULTS_OF_SERVERS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
    'ADAPTER_DUPLICATE',
    'OPTION_INVALID',
    'CONFIG_FILE_INVALID',
    'SECRET_UNREADABLE',
    'MASTER_KEY_INVALID',
    'PRICE_STRATEGY_UNSUPPORTED',
    'DATABASE_UNSUPPORTED',
    'MIGRATION_DUPLICATE',
    'DATABASE_REFUSED',
    'BLOB_NOT_FOUND',
    'FILE_CORRUPT',
    'TRIAL_PROCESS_FAILED',
]);

/** A FlowError in the form that callers of the API receive: `extensions.code` from the catalogue, and `issues` if there are any. */
export function apiError(error: unknown): unknown {
    if (!isFlowError(error)) return error;
    const { code, message, details } = error;
    const made = isExpected(error) ? ExpectedError : GraphQLError;
    return new made(message, { originalError: error, extensions: { ...details, code } });
}

function isExpected({ code, treat }: FlowError): boolean {
    return (treat === 'request' || treat === 'config' || treat === 'record') && !FAULTS_OF_SERVERS.has(code);
}

/** Executes a resolver and converts its FlowErrors with `apiError`. */
export async function withApiErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        throw apiError(error);
    }
}
