import { graphql, type ResultOf } from '../../gql/graphql';
import { endedRuns } from '../../gql/selections';

export const pipelineDocument = graphql(`
    query FlowPipelinePage($id: ID!) {
        flowPipeline(id: $id) {
            id
            code
            name
            description
            enabled
            archived
            codeFirst
            status
            version
            hasChanges
            openErrors
            publicationIssues {
                path
                message
                facts
                severity
            }
            workingCopy {
                updatedAt
                issues {
                    code
                    path
                    stepKey
                    message
                    facts
                    severity
                }
            }
            revision {
                id
                number
                createdAt
                triggers {
                    key
                    type
                    enabled
                    text
                    config
                    webhook {
                        path
                        url
                        curl
                    }
                    warnings {
                        code
                        message
                        facts
                    }
                }
            }
        }
    }
`);

export const pipelineRunsDocument = graphql(`
    query FlowPipelinePageRuns($pipelineId: ID!, $options: FlowPipelineRunListOptions) {
        flowPipelineRuns(pipelineId: $pipelineId, options: $options) {
            totalItems
            items {
                id
                createdAt
                status
                outcome
                dryRun
                triggerType
                startedAt
                finishedAt
                recordsRead
                recordsLoaded
                recordsRejected
                warnings
                progress {
                    elapsedMs
                }
                revision {
                    id
                    number
                }
            }
        }
    }
`);

export const dryRunPipelineDocument = graphql(`
    mutation FlowPipelinePageDryRun($pipelineId: ID!, $workingCopy: Boolean) {
        dryRunFlowPipeline(pipelineId: $pipelineId, workingCopy: $workingCopy) {
            id
        }
    }
`);

export const enableDocument = graphql(`
    mutation FlowPipelinePageEnable($id: ID!, $allowSecretHosts: [FlowSecretHostInput!]) {
        enableFlowPipeline(id: $id, allowSecretHosts: $allowSecretHosts) {
            id
        }
    }
`);

export const restoreDocument = graphql(`
    mutation FlowPipelinePageRestore($id: ID!, $allowSecretHosts: [FlowSecretHostInput!]) {
        restoreFlowPipeline(id: $id, allowSecretHosts: $allowSecretHosts) {
            id
        }
    }
`);

export const disableDocument = graphql(`
    mutation FlowPipelinePageDisable($id: ID!) {
        disableFlowPipeline(id: $id) {
            id
        }
    }
`);

export const revisionsDocument = graphql(`
    query FlowPipelinePageRevisions($pipelineId: ID!, $options: FlowPipelineRevisionListOptions) {
        flowPipelineRevisions(pipelineId: $pipelineId, options: $options) {
            totalItems
            items {
                id
                number
                createdAt
                message
                publishedBy {
                    id
                    identifier
                }
                submittedBy {
                    id
                    identifier
                }
            }
        }
    }
`);

export const selectRevisionDocument = graphql(`
    mutation FlowPipelinePageSelectRevision($id: ID!, $revisionId: ID!, $allowSecretHosts: [FlowSecretHostInput!]) {
        selectFlowPipelineRevision(id: $id, revisionId: $revisionId, allowSecretHosts: $allowSecretHosts) {
            id
        }
    }
`);

export const revisionDifferencesDocument = graphql(`
    query FlowPipelinePageDifferences($pipelineId: ID!, $from: ID!, $to: ID, $shown: ID!, $isWorkingCopy: Boolean!) {
        from: flowPipelineRevision(id: $from) {
            id
            definition
        }
        to: flowPipelineRevision(id: $shown) @skip(if: $isWorkingCopy) {
            id
            definition
        }
        flowPipeline(id: $pipelineId) @include(if: $isWorkingCopy) {
            id
            workingCopy {
                definition
            }
        }
        flowPipelineDifferences(pipelineId: $pipelineId, from: $from, to: $to) {
            kind
            subject
            stepKey
            path
            before
            after
        }
    }
`);

export const historyDocument = graphql(`
    query FlowPipelinePageHistory($pipelineId: ID!, $options: FlowPipelineEventListOptions) {
        flowPipelineHistory(pipelineId: $pipelineId, options: $options) {
            totalItems
            items {
                id
                createdAt
                action
                comment
                actor {
                    id
                    identifier
                }
                revision {
                    id
                    number
                }
            }
        }
    }
`);

export const textDocument = graphql(`
    query FlowPipelinePageText($id: ID!, $revisionId: ID, $format: FlowDocumentFormat) {
        exportFlowPipeline(id: $id, revisionId: $revisionId, format: $format) {
            content
        }
    }
`);

export const numbersDocument = graphql(
    `
    query FlowPipelinePageNumbers($pipelineId: ID!, $from: DateTime!) {
        flowAnalytics(from: $from, pipelineId: $pipelineId, period: DAY) {
            total {
                ...FlowEndedRuns
                recordsRead
                medianMs
                p95Ms
            }
            periods {
                start
                figures {
                    ...FlowEndedRuns
                }
            }
        }
    }
`,
    [endedRuns],
);

/** A pipeline as its page shows it. */
export type Pipeline = NonNullable<ResultOf<typeof pipelineDocument>['flowPipeline']>;
/** What starts its runs. */
export type PipelineTrigger = NonNullable<Pipeline['revision']>['triggers'][number];
/** One thing that differs between two of its revisions. */
export type RevisionDifference = ResultOf<typeof revisionDifferencesDocument>['flowPipelineDifferences'][number];
/** A published revision. */
export type Revision = ResultOf<typeof revisionsDocument>['flowPipelineRevisions']['items'][number];
