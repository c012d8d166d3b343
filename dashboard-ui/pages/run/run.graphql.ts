import { graphql, type ResultOf } from '../../gql/graphql';
import { whatItWaitsFor } from '../../gql/selections';

export const runDocument = graphql(
    `
    query FlowRunPage($id: ID!) {
        flowPipelineRun(id: $id) {
            id
            createdAt
            revisionId
            status
            outcome
            dryRun
            triggerKey
            triggerType
            startedAt
            finishedAt
            attempt
            cancelRequestedAt
            gateStepKey
            gateTimeoutAt
            replays
            recordsRead
            recordsProcessed
            recordsLoaded
            recordsUnchanged
            recordsFiltered
            recordsRejected
            warnings
            pipeline {
                id
                code
                name
            }
            revisionNumber
            startedBy {
                id
                identifier
            }
            causes {
                pipelineCode
                runId
            }
            held {
                stepKey
                records
            }
            gateDecisions {
                id
                createdAt
                stepKey
                verdict
                decider
                comment
                records
                decidedBy {
                    id
                    identifier
                }
            }
            progress {
                elapsedMs
                recordsPerSecond
            }
            waitsFor {
                ...FlowWhatItWaitsFor
            }
            error {
                code
                message
                facts
                stepKey
                remedy
            }
            steps {
                stepKey
                kind
                adapterCode
                name
                disabled
                next {
                    stepKey
                    branch
                }
                recordsPerSecond
                ms
                counters {
                    in
                    out
                    expanded
                    filtered
                    rejected
                    held
                    created
                    updated
                    deleted
                    unchanged
                }
                file {
                    id
                    filename
                    path
                }
                source {
                    filename
                    place
                    records
                    total
                }
                waitsFor {
                    ...FlowWhatItWaitsFor
                }
            }
        }
    }
`,
    [whatItWaitsFor],
);

export const cancelRunDocument = graphql(`
    mutation FlowCancelRun($id: ID!) {
        cancelFlowPipelineRun(id: $id) {
            id
            status
        }
    }
`);

export const resumeRunDocument = graphql(`
    mutation FlowResumeRun($id: ID!) {
        resumeFlowPipelineRun(id: $id) {
            id
            status
        }
    }
`);

export const dryRunAgainDocument = graphql(`
    mutation FlowDryRunAgain($pipelineId: ID!, $triggerKey: String, $workingCopy: Boolean) {
        dryRunFlowPipeline(pipelineId: $pipelineId, triggerKey: $triggerKey, workingCopy: $workingCopy) {
            id
        }
    }
`);

export const runLogDocument = graphql(`
    query FlowRunLog($runId: ID!, $options: FlowLogListOptions) {
        flowLogs(runId: $runId, options: $options) {
            items {
                id
                createdAt
                level
                message
                stepKey
                facts
                code
            }
            totalItems
        }
    }
`);

export const runRecordsDocument = graphql(`
    query FlowRunRecords($runId: ID!, $options: FlowRecordErrorListOptions) {
        flowRecordErrors(runId: $runId, options: $options) {
            items {
                id
                stepKey
                sourceKey
                seq
                code
                severity
                message
                facts
                path
                place
                payload
            }
            totalItems
        }
    }
`);

export const differenceGroupsDocument = graphql(`
    query FlowRunDifferenceGroups($runId: ID!) {
        flowDryRunDifferenceGroups(runId: $runId) {
            stepKey
            action
            records
        }
    }
`);

export const differencesDocument = graphql(`
    query FlowRunDifferences($runId: ID!, $field: String, $options: FlowDryRunDifferenceListOptions) {
        flowDryRunDifferences(runId: $runId, field: $field, options: $options) {
            items {
                id
                stepKey
                seq
                action
                key
                before
                after
            }
            totalItems
        }
    }
`);

export const gatePreviewDocument = graphql(`
    query FlowRunGatePreview($runId: ID!, $stepKey: String!, $skip: Int, $take: Int) {
        flowGatePreview(runId: $runId, stepKey: $stepKey, skip: $skip, take: $take) {
            totalItems
            error {
                code
                message
                facts
            }
            items {
                sourceKey
                seq
                place
                record
                changes {
                    stepKey
                    action
                    key
                    before
                    after
                }
                rejected {
                    stepKey
                    code
                    message
                    facts
                    path
                }
            }
        }
    }
`);

export const approveGateDocument = graphql(`
    mutation FlowApproveGate($runId: ID!, $stepKey: String!, $comment: String) {
        approveFlowGate(runId: $runId, stepKey: $stepKey, comment: $comment) {
            id
            status
        }
    }
`);

export const rejectGateDocument = graphql(`
    mutation FlowRejectGate($runId: ID!, $stepKey: String!, $comment: String) {
        rejectFlowGate(runId: $runId, stepKey: $stepKey, comment: $comment) {
            id
            status
        }
    }
`);

export const runPipelineDocument = graphql(`
    query FlowRunPipeline($id: ID!) {
        flowPipeline(id: $id) {
            id
            version
            hasChanges
            workingCopy {
                updatedAt
            }
            revision {
                id
                number
            }
        }
    }
`);

export const publishDryRunDocument = graphql(`
    mutation FlowPublishDryRun($id: ID!, $version: Int!) {
        publishFlowPipeline(id: $id, version: $version) {
            id
        }
    }
`);

/** A run as its page shows it. */
export type Run = NonNullable<ResultOf<typeof runDocument>['flowPipelineRun']>;
/** A step of that run. */
export type RunStep = Run['steps'][number];
/** What a dry run would do about one record. */
export type Difference = ResultOf<typeof differencesDocument>['flowDryRunDifferences']['items'][number];
