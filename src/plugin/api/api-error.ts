import { GraphQLError } from 'graphql';
import { isFlowError } from '../../core/errors/flow-error';

/** A FlowError as callers of the API get it: `extensions.code` from the catalogue, with `issues` where there are (spec 4, errors). */
export function apiError(error: unknown): unknown {
    if (!isFlowError(error)) return error;
    const { code, message, details } = error;
    return new GraphQLError(message, { originalError: error, extensions: { ...details, code } });
}

/** The answer of a resolver, its FlowErrors as `apiError` has them. */
export async function answering<T>(work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        throw apiError(error);
    }
}
