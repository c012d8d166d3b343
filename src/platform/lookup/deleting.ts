import type { Permission, RequestContext } from '@vendure/core';
import type { PossibleRight } from '../../core/adapter/base';
import type { JsonObject } from '../../core/value/json';

/** Whether the run's user may delete the entities of a load, and the permission for that. */
export interface Deleting {
    readonly isAllowed: boolean;
    readonly permission: string;
    /** False: the step rejects records that delete, whatever the user may do. Absent: true. */
    readonly allowDeletes?: boolean;
}

/** Any one of the permissions is enough. */
export function deletingBy(ctx: RequestContext, permissions: readonly Permission[], allowDeletes = true): Deleting {
    return { isAllowed: ctx.userHasPermissions([...permissions]), permission: permissions.join(' or '), allowDeletes };
}

/** The right that records with the operation DELETE need. A step with `allowDeletes: false` rejects such records. */
export function mayDelete(permissions: readonly string[]): (config: JsonObject) => readonly PossibleRight[] {
    return ({ allowDeletes }) =>
        allowDeletes === false
            ? []
            : [
                  {
                      need: permissions,
                      reason: 'records with __operation "DELETE" delete; set allowDeletes to false to reject them',
                  },
              ];
}
