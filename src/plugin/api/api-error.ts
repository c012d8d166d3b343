import { GraphQLError } from 'graphql';
import type { ErrorCode } from '../../core/errors/catalogue';
import { type FlowError, isFlowError } from '../../core/errors/flow-error';

/** Told to a caller who has asked for what cannot be: nothing is broken. */
export class ExpectedError extends GraphQLError {}

/** What nobody who calls the API can have done wrong, nor put right by calling it otherwise. */
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

/** A FlowError as callers of the API get it: `extensions.code` from the catalogue, `facts` of its text, and `issues` where there are. */
export function apiError(error: unknown): unknown {
    if (!isFlowError(error)) return error;
    const { code, message, details, facts } = error;
    const made = isExpected(error) ? ExpectedError : GraphQLError;
    return new made(message, { originalError: error, extensions: { ...details, code, ...(facts && { facts }) } });
}

function isExpected({ code, treat }: FlowError): boolean {
    return (treat === 'request' || treat === 'config' || treat === 'record') && !FAULTS_OF_SERVERS.has(code);
}

/** The answer of a resolver, its FlowErrors as `apiError` has them. */
export async function withApiErrors<T>(work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        throw apiError(error);
    }
}
