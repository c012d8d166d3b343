import type { Permission, RequestContext } from '@vendure/core';

/** Whether the run's user may delete what a load writes, and which permission it takes. */
export interface Deleting {
    readonly isAllowed: boolean;
    readonly permission: string;
}

/** Any one of the permissions is enough. */
export function deletingBy(ctx: RequestContext, permissions: readonly Permission[]): Deleting {
    return { isAllowed: ctx.userHasPermissions([...permissions]), permission: permissions.join(' or ') };
}
