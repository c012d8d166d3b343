import { CrudPermissionDefinition, PermissionDefinition } from '@vendure/core';

/**
 * Permissions of the admin API. The roles page groups the permissions Create…, Read…, Update… and Delete… with the same suffix. It
 * describes such a group by the description of its first permission, with "permissions on" instead of the operation.
 */
export const flowPipelinePermission = new CrudPermissionDefinition(
    'FlowPipeline',
    operation => `Grants permission to ${operation} Flow pipelines`,
);
export const reviewFlowPipelinePermission = new PermissionDefinition({
    name: 'ReviewFlowPipeline',
    description: 'Grants permission to send submitted Flow pipelines back with a comment',
});
export const publishFlowPipelinePermission = new PermissionDefinition({
    name: 'PublishFlowPipeline',
    description:
        'Grants permission to decide what runs: to publish Flow pipelines, select revisions, enable, disable, archive and restore',
});
export const runFlowPipelinePermission = new PermissionDefinition({
    name: 'RunFlowPipeline',
    description: 'Grants permission to start, dry run and cancel runs of Flow pipelines',
});
export const retryFlowRecordPermission = new PermissionDefinition({
    name: 'RetryFlowRecord',
    description: 'Grants permission to replay records that Flow rejected, to ignore them and to reopen them',
});
export const approveFlowGatePermission = new PermissionDefinition({
    name: 'ApproveFlowGate',
    description:
        'Grants permission to approve and reject the records that wait at the gates of Flow pipelines, and to read them',
});
export const readFlowRunPermission = new PermissionDefinition({
    name: 'ReadFlowRun',
    description: 'Grants permission to read runs of Flow pipelines, their logs and the reasons of rejected records',
});
export const readFlowRecordPermission = new PermissionDefinition({
    name: 'ReadFlowRecord',
    description:
        'Grants permission to read the content of records that Flow rejected or plans to change, including values in messages',
});
export const manageFlowConnectionsPermission = new PermissionDefinition({
    name: 'ManageFlowConnections',
    description: 'Grants permission to read the settings of Flow connections and to create, update and delete them',
});
export const manageFlowSecretsPermission = new PermissionDefinition({
    name: 'ManageFlowSecrets',
    description:
        'Grants permission to create, update, delete and re-encrypt Flow secrets; their values can never be read',
});
export const manageFlowFilesPermission = new PermissionDefinition({
    name: 'ManageFlowFiles',
    description: 'Grants permission to upload and delete files for Flow pipelines, and to read them',
});
export const readFlowFilesPermission = new PermissionDefinition({
    name: 'ReadFlowFiles',
    description:
        'Grants permission to read the files that were uploaded for Flow pipelines: to list, preview and download them',
});
export const manageFlowFeedsPermission = new PermissionDefinition({
    name: 'ManageFlowFeeds',
    description:
        'Grants permission to give exports of Flow pipelines public addresses at which anyone can read them, and to list and revoke these addresses',
});
export const editFlowScriptPermission = new PermissionDefinition({
    name: 'EditFlowScript',
    description: 'Grants permission to save and publish new, changed or moved JavaScript in Flow pipelines',
});

export const flowPermissions = [
    flowPipelinePermission,
    reviewFlowPipelinePermission,
    publishFlowPipelinePermission,
    runFlowPipelinePermission,
    retryFlowRecordPermission,
    approveFlowGatePermission,
    readFlowRunPermission,
    readFlowRecordPermission,
    manageFlowConnectionsPermission,
    manageFlowSecretsPermission,
    manageFlowFilesPermission,
    readFlowFilesPermission,
    manageFlowFeedsPermission,
    editFlowScriptPermission,
];
