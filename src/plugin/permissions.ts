import { CrudPermissionDefinition, PermissionDefinition } from '@vendure/core';

/** Permissions of the admin API (spec 4, section 5). */
export const flowPipelinePermission = new CrudPermissionDefinition(
    'FlowPipeline', operation => `Grants permission to ${operation} Flow pipelines`,
);
export const runFlowPipelinePermission = new PermissionDefinition({
    name: 'RunFlowPipeline', description: 'Grants permission to start, dry run and cancel runs of Flow pipelines',
});
export const readFlowRunPermission = new PermissionDefinition({
    name: 'ReadFlowRun', description: 'Grants permission to read runs of Flow pipelines, their logs and the reasons of rejected records',
});
export const readFlowRecordPermission = new PermissionDefinition({
    name: 'ReadFlowRecord', description: 'Grants permission to read the content of records that Flow rejected or plans to change',
});

export const flowPermissions = [flowPipelinePermission, runFlowPipelinePermission, readFlowRunPermission, readFlowRecordPermission];
