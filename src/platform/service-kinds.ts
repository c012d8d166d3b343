import { I18nError, type RequestContext } from '@vendure/core';
import { TRANSACTION_MANAGER_KEY } from '@vendure/core/dist/common/constants';
import type { EntityManager } from 'typeorm';
import { asFlowError, type FlowError, flowError, isFlowError } from '../core/errors/flow-error';
import type { ManagedTransaction } from '../database/database';
import { databaseErrorOrSame } from '../database/database-errors';

/**
 * Calls Vendure's services in a transaction, with a separate context: their caches are limited to one record, and subscribers of their events wait
 * for the commit. Exceptions become a FlowError; a rejection by a service is an error of the record.
 */
export async function servedByServices<T>(
    ctx: RequestContext,
    { manager }: Pick<ManagedTransaction, 'manager'>,
    work: (ctx: RequestContext) => Promise<T>,
): Promise<T> {
    const own = ctx.copy() as RequestContext & { [TRANSACTION_MANAGER_KEY]?: EntityManager };
    own[TRANSACTION_MANAGER_KEY] = manager;
    try {
        return await work(own);
    } catch (error) {
        throw serviceFault(error, ctx);
    }
}

function serviceFault(error: unknown, ctx: RequestContext): FlowError {
    if (isFlowError(error)) return error;
    if (error instanceof I18nError)
        return flowError(
            'SERVICE_REFUSED',
            { problem: ctx.translate(error.message, error.variables) },
            { cause: error },
        );
    // An error that does not come from a database is a bug of the code that threw it.
    return asFlowError(databaseErrorOrSame(error));
}
