import { I18nError, type RequestContext } from '@vendure/core';
import { TRANSACTION_MANAGER_KEY } from '@vendure/core/dist/common/constants';
import type { EntityManager } from 'typeorm';
import { asFlowError, type FlowError, flowError, isFlowError } from '../core/errors/flow-error';
import type { ManagedTransaction } from '../database/database';
import { databaseFaultOrSame } from '../database/faults';

/**
 * Has Vendure's services work in a transaction, with a context of their own: what they cache by it is of one record, and whoever hears of
 * their events waits for the commit. What they throw becomes a FlowError; what they refuse is the record's fault.
 */
export async function served<T>(
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
    // What is no database's is a mistake of whoever has thrown it.
    return asFlowError(databaseFaultOrSame(error));
}
