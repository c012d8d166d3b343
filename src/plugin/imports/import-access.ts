import { Permission, type RequestContext } from '@vendure/core';
import {
    flowPipelinePermission,
    manageFlowFilesPermission,
    publishFlowPipelinePermission,
    readFlowRecordPermission,
    readFlowRunPermission,
    runFlowPipelinePermission,
} from '../permissions';

/** The permissions that imports need. */
export interface ImportAccess {
    readonly permissions: readonly string[];
    readonly missing: readonly string[];
}

/** Those of the wizard, and those of its loaders for products, prices, stock, collections, facets and pictures. */
const PERMISSIONS: readonly string[] = [
    manageFlowFilesPermission.Permission,
    flowPipelinePermission.Create,
    flowPipelinePermission.Read,
    flowPipelinePermission.Update,
    publishFlowPipelinePermission.Permission,
    runFlowPipelinePermission.Permission,
    readFlowRunPermission.Permission,
    readFlowRecordPermission.Permission,
    Permission.ReadCatalog,
    Permission.CreateCatalog,
    Permission.UpdateCatalog,
];

/** What imports need, and what the caller lacks of it in the active channel. */
export function importAccessOf(ctx: RequestContext): ImportAccess {
    const missing = PERMISSIONS.filter(permission => !ctx.userHasPermissions([permission as Permission]));
    return { permissions: PERMISSIONS, missing };
}
