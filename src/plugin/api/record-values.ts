import type { ListQueryOptions, RequestContext, VendureEntity } from '@vendure/core';
import { flowError } from '../../core/errors/flow-error';
import { readFlowRecordPermission } from '../permissions';
import { apiError } from './api-error';

/** Whether the caller may read the values of records. Other callers receive messages without these values. */
export function mayReadRecords(ctx: RequestContext): boolean {
    return ctx.userHasPermissions([readFlowRecordPermission.Permission]);
}

/**
 * Filtering or sorting a list by a text reveals more of the text than the rows show. Throws FORBIDDEN for a filter or order by this
 * property at any depth, unless the caller may read records.
 */
export function assertMaySearch<E extends VendureEntity>(
    ctx: RequestContext,
    options: ListQueryOptions<E> | null | undefined,
    property: string & keyof E,
): void {
    if (mayReadRecords(ctx) || !options) return;
    const { sort, filter } = options;
    if (isNamed(sort, property) || isNamed(filter, property))
        assertMayRead(ctx, `a list that is filtered or sorted by ${property}`);
}

/** Throws FORBIDDEN unless the caller may read records, which `what` requires. */
export function assertMayRead(ctx: RequestContext, what: string): void {
    if (mayReadRecords(ctx)) return;
    throw apiError(
        flowError('FORBIDDEN', {
            who: ctx.session?.user?.identifier ?? 'The caller',
            permission: readFlowRecordPermission.Permission,
            what,
        }),
    );
}

function isNamed(requested: unknown, property: string): boolean {
    if (typeof requested !== 'object' || requested === null) return false;
    return Object.entries(requested).some(([name, inner]: [string, unknown]) =>
        name === property ? inner != null : Array.isArray(inner) && inner.some(one => isNamed(one, property)),
    );
}
