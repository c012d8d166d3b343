import { Allow } from '@vendure/core';
import {
    approveFlowGatePermission,
    publishFlowPipelinePermission,
    retryFlowRecordPermission,
    runFlowPipelinePermission,
} from './permissions';

/** The permissions that are needed to let a revision run, or to end a run. */
export interface OperationRights {
    /** What the user does, for the reference. */
    readonly action: string;
    /** The permission of the operation itself. */
    readonly permission: { readonly name: string; readonly Permission: Parameters<typeof Allow>[0] };
    /** Permissions that the operation needs in addition, which its resolver checks. */
    readonly also?: readonly string[];
    /**
     * Which permissions of the revision that will run are checked. PUBLISH: those that it needs for any record, checked for the user at
     * once (`PublishingRights`). RUN: those that it needs for every record, checked for the user of the run when it starts (`Actors`).
     */
    readonly revision?: 'PUBLISH' | 'RUN';
}

const publish = named('PublishFlowPipeline', publishFlowPipelinePermission);
const run = named('RunFlowPipeline', runFlowPipelinePermission);
const retry = named('RetryFlowRecord', retryFlowRecordPermission);
const gate = named('ApproveFlowGate', approveFlowGatePermission);

/** The operations that decide what runs. The resolvers and the table in docs/reference/security.md are derived from it. */
export const OPERATION_RIGHTS = {
    publishFlowPipeline: { action: 'publish', permission: publish, revision: 'PUBLISH' },
    selectFlowPipelineRevision: { action: 'select a revision', permission: publish, revision: 'PUBLISH' },
    enableFlowPipeline: { action: 'enable', permission: publish, revision: 'PUBLISH' },
    restoreFlowPipeline: { action: 'restore an archived pipeline', permission: publish, revision: 'PUBLISH' },
    disableFlowPipeline: { action: 'disable', permission: publish },
    archiveFlowPipeline: { action: 'archive', permission: publish },
    startFlowPipelineRun: { action: 'start a run', permission: run, revision: 'RUN' },
    dryRunFlowPipeline: { action: 'start a dry run', permission: run, revision: 'RUN' },
    checkFlowImport: { action: 'check an import', permission: run, also: ['ReadFlowFiles'], revision: 'RUN' },
    scheduleFlowImport: {
        action: 'schedule an import',
        permission: publish,
        also: ['UpdateFlowPipeline'],
        revision: 'PUBLISH',
    },
    resumeFlowPipelineRun: { action: 'resume a run', permission: run, revision: 'PUBLISH' },
    cancelFlowPipelineRun: { action: 'cancel a run', permission: run },
    retryFlowRecordErrors: { action: 'replay records', permission: retry, revision: 'PUBLISH' },
    retryFlowCorrectedRecords: {
        action: 'replay corrected records',
        permission: retry,
        also: ['ReadFlowRecord', 'ReadFlowFiles'],
        revision: 'PUBLISH',
    },
    approveFlowGate: { action: 'approve a gate', permission: gate },
    rejectFlowGate: { action: 'reject at a gate', permission: gate },
} as const satisfies Readonly<Record<string, OperationRights>>;

/** What starts runs, and whose permissions these have. */
export const RUN_STARTS = {
    'a person, also by replaying records': 'the person',
    'a schedule': 'the publisher of the revision',
    'an event': 'the publisher of the revision',
    'a webhook': 'the publisher of the revision',
    'a message': 'the publisher of the revision',
    'a file': 'the publisher of the revision',
    "another pipeline's hook":
        'the publisher of the started revision; the user of the starting run needs the rights of publishing it',
} as const;

/** Allows an operation for users with the permission in the table. */
export function AllowOperation(operation: keyof typeof OPERATION_RIGHTS): MethodDecorator {
    return Allow(OPERATION_RIGHTS[operation].permission.Permission) as MethodDecorator;
}

function named(
    name: string,
    { Permission }: { readonly Permission: Parameters<typeof Allow>[0] },
): OperationRights['permission'] {
    return { name, Permission };
}
