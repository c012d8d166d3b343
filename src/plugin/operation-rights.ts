import { Allow } from '@vendure/core';
import {
    approveFlowGatePermission,
    publishFlowPipelinePermission,
    retryFlowRecordPermission,
    runFlowPipelinePermission,
} from './permissions';

/** Who needs what to let a revision run, or to end what runs. */
export interface OperationRights {
    /** What the person does, for the reference. */
    readonly action: string;
    /** The permission of the operation itself. */
    readonly permission: { readonly name: string; readonly Permission: Parameters<typeof Allow>[0] };
    /** Permissions that the operation needs in addition, which its resolver checks. */
    readonly also?: readonly string[];
    /**
     * The rights of the revision that will run. PUBLISH: of what it needs for any record, asked of the person at once (`PublishingRights`). RUN: of what it
     * needs for every record, asked of the user that the run acts for when the run starts (`Actors`).
     */
    readonly revision?: 'PUBLISH' | 'RUN';
}

const publish = named('PublishFlowPipeline', publishFlowPipelinePermission);
const run = named('RunFlowPipeline', runFlowPipelinePermission);
const retry = named('RetryFlowRecord', retryFlowRecordPermission);
const gate = named('ApproveFlowGate', approveFlowGatePermission);

/** The operations that decide what runs. The resolvers and the table in docs/reference/security.md are made from it. */
export const OPERATION_RIGHTS = {
    publishFlowPipeline: { action: 'publish', permission: publish, revision: 'PUBLISH' },
    selectFlowPipelineRevision: { action: 'select a revision', permission: publish, revision: 'PUBLISH' },
    enableFlowPipeline: { action: 'enable', permission: publish, revision: 'PUBLISH' },
    restoreFlowPipeline: { action: 'restore an archived pipeline', permission: publish, revision: 'PUBLISH' },
    disableFlowPipeline: { action: 'disable', permission: publish },
    archiveFlowPipeline: { action: 'archive', permission: publish },
    startFlowPipelineRun: { action: 'start a run', permission: run, revision: 'RUN' },
    dryRunFlowPipeline: { action: 'start a dry run', permission: run, revision: 'RUN' },
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

/** What starts runs, and whom these act for. */
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

/** Opens an operation to those who have the permission that the table names. */
export function AllowOperation(operation: keyof typeof OPERATION_RIGHTS): MethodDecorator {
    return Allow(OPERATION_RIGHTS[operation].permission.Permission) as MethodDecorator;
}

function named(
    name: string,
    { Permission }: { readonly Permission: Parameters<typeof Allow>[0] },
): OperationRights['permission'] {
    return { name, Permission };
}
