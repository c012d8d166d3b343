import { graphql, type ResultOf, type VariablesOf } from '../../gql/graphql';

export const causesDocument = graphql(`
    query FlowRecordErrorCauses($selection: FlowRecordErrorSelectionInput, $skip: Int, $take: Int) {
        flowRecordErrorGroups(selection: $selection, skip: $skip, take: $take) {
            totalItems
            totalRecords
            items {
                id
                stepKey
                code
                path
                records
                firstSeenAt
                lastSeenAt
                remedy
                isReplayable
                states {
                    state
                    records
                }
                pipelines {
                    pipelineId
                    records
                    pipeline {
                        id
                        name
                    }
                }
                example {
                    id
                    code
                    message
                    facts
                }
            }
        }
    }
`);

export const causeRecordsDocument = graphql(`
    query FlowRecordErrorRecords($selection: FlowRecordErrorSelectionInput, $options: FlowRecordErrorListOptions) {
        flowRecordErrors(selection: $selection, options: $options) {
            totalItems
            items {
                id
                createdAt
                runId
                pipelineId
                stepKey
                sourceKey
                seq
                code
                message
                facts
                path
                place
                payload
                correction
                state
                note
                decidedAt
                decidedBy {
                    id
                    identifier
                }
                replayRunId
                refusedAgainAs {
                    id
                    code
                    message
                    facts
                }
                keptUntil
                faults {
                    path
                    message
                }
            }
        }
    }
`);

export const pipelineNamesDocument = graphql(`
    query FlowPipelineNames {
        flowPipelines(options: { take: 100, sort: { name: ASC } }) {
            items {
                id
                name
            }
        }
    }
`);

export const retryDocument = graphql(`
    mutation FlowRetryRecordErrors(
        $selection: FlowRecordErrorSelectionInput!
        $corrections: [FlowRecordCorrectionInput!]
        $edits: [FlowRecordEditInput!]
    ) {
        retryFlowRecordErrors(selection: $selection, corrections: $corrections, edits: $edits) {
            records
            notOpen
            remaining
            runs {
                id
            }
            refused {
                pipelineCode
                stepKey
                records
                reason
            }
        }
    }
`);

export const ignoreDocument = graphql(`
    mutation FlowIgnoreRecordErrors($selection: FlowRecordErrorSelectionInput!, $note: String!) {
        ignoreFlowRecordErrors(selection: $selection, note: $note)
    }
`);

export const reopenDocument = graphql(`
    mutation FlowReopenRecordErrors($selection: FlowRecordErrorSelectionInput!) {
        reopenFlowRecordErrors(selection: $selection)
    }
`);

export const replayRunDocument = graphql(`
    query FlowReplayRun($id: ID!) {
        flowPipelineRun(id: $id) {
            id
            status
            outcome
            replays
            recordsRead
            recordsProcessed
            recordsRejected
            error {
                code
                message
                facts
                remedy
            }
        }
    }
`);

export const definitionDocument = graphql(`
    query FlowDefinitionToTry($id: ID!) {
        flowPipeline(id: $id) {
            id
            revision {
                id
                definition
            }
        }
    }
`);

export const tryDocument = graphql(`
    mutation FlowTryRecords($input: TestFlowStepInput!) {
        testFlowStep(input: $input) {
            stepKey
            in
            out
            rejected {
                seq
                code
                message
                facts
                path
            }
            changes {
                seq
                action
                key
                before
                after
            }
            error {
                code
                message
                facts
            }
        }
    }
`);

export const correctedDocument = graphql(`
    query FlowCorrectedRecordsOf($fileId: ID!) {
        flowCorrectedRecords(fileId: $fileId) {
            rows
            corrected
            unchanged
            faultsTotal
            faults {
                row
                message
            }
            examples {
                before
                after
                error {
                    id
                    place
                    seq
                }
            }
        }
    }
`);

export const retryCorrectedDocument = graphql(`
    mutation FlowRetryCorrectedRecords($fileId: ID!) {
        retryFlowCorrectedRecords(fileId: $fileId) {
            records
            notOpen
            remaining
            runs {
                id
            }
            refused {
                pipelineCode
                stepKey
                records
                reason
            }
        }
    }
`);

/** Records with the same problem. */
export type Cause = ResultOf<typeof causesDocument>['flowRecordErrorGroups']['items'][number];
/** A record with this problem. */
export type RefusedRecord = ResultOf<typeof causeRecordsDocument>['flowRecordErrors']['items'][number];
/** The selected records. */
export type Selection = NonNullable<VariablesOf<typeof retryDocument>['selection']>;
/** The result of a replay. */
export type Retry = ResultOf<typeof retryDocument>['retryFlowRecordErrors'];
/** What was done about a record. */
export type RecordErrorState = NonNullable<RefusedRecord['state']>;
