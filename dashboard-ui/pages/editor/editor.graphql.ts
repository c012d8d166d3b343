import { graphql, type ResultOf } from '../../gql/graphql';

export const editedPipelineDocument = graphql(`
    query FlowEditorPipeline($id: ID!) {
        flowPipeline(id: $id) {
            id
            code
            name
            archived
            enabled
            codeFirst
            status
            version
            hasChanges
            workingCopy {
                definition
                updatedAt
                reviewComment
                updatedBy {
                    id
                    identifier
                }
                submittedBy {
                    id
                    identifier
                }
            }
            revision {
                id
                number
                definition
                triggers {
                    key
                    type
                    enabled
                }
            }
        }
    }
`);

export const standingDocument = graphql(`
    query FlowEditorStanding($id: ID!) {
        flowPipeline(id: $id) {
            id
            version
            workingCopy {
                updatedAt
                updatedBy {
                    id
                    identifier
                }
            }
        }
    }
`);

export const definitionFormatDocument = graphql(`
    query FlowEditorFormat {
        flowDefinitionFormat {
            kinds {
                kind
                summary
                remarks
                schema
                behind
                hasBranches
                furtherBranches
                adapters {
                    kind
                    field
                    list
                    value
                }
            }
            retry
            settings
            hookStages
            hooks
        }
    }
`);

export const editorAdaptersDocument = graphql(`
    query FlowEditorAdapters {
        flowAdapters {
            kind
            code
            aliases
            title
            summary
            category
            icon
            sinkType
            notes
            requires
            schema
            canBeTried
            examples
        }
    }
`);

export const checkDocument = graphql(`
    query FlowEditorCheck($definition: FlowJSON!) {
        validateFlowPipeline(definition: $definition) {
            code
            path
            stepKey
            message
            facts
            severity
        }
    }
`);

export const saveDocument = graphql(`
    mutation FlowEditorSave($id: ID!, $version: Int!, $definition: FlowJSON!) {
        updateFlowPipeline(input: { id: $id, version: $version, definition: $definition }) {
            id
            version
        }
    }
`);

export const submitDocument = graphql(`
    mutation FlowEditorSubmit($id: ID!, $version: Int!) {
        submitFlowPipeline(id: $id, version: $version) {
            id
            version
        }
    }
`);

export const rejectDocument = graphql(`
    mutation FlowEditorReject($id: ID!, $version: Int!, $comment: String!) {
        rejectFlowPipeline(id: $id, version: $version, comment: $comment) {
            id
            version
        }
    }
`);

export const publishDocument = graphql(`
    mutation FlowEditorPublish($id: ID!, $version: Int!, $message: String, $allowSecretHosts: [FlowSecretHostInput!]) {
        publishFlowPipeline(id: $id, version: $version, message: $message, allowSecretHosts: $allowSecretHosts) {
            id
            version
            revision {
                id
                number
                triggers {
                    key
                    type
                    enabled
                    text
                    config
                }
            }
        }
    }
`);

export const olderRevisionDocument = graphql(`
    query FlowEditorRevision($id: ID!) {
        flowPipelineRevision(id: $id) {
            id
            number
            definition
        }
    }
`);

export const unpublishedDocument = graphql(`
    query FlowEditorUnpublished($pipelineId: ID!, $from: ID) {
        flowPipelineDifferences(pipelineId: $pipelineId, from: $from) {
            kind
            subject
            stepKey
            path
            before
            after
        }
    }
`);

export const dryRunDocument = graphql(`
    mutation FlowEditorDryRun($pipelineId: ID!) {
        dryRunFlowPipeline(pipelineId: $pipelineId, workingCopy: true) {
            id
        }
    }
`);

/** A pipeline as the editor opens it. */
export type EditedPipeline = NonNullable<ResultOf<typeof editedPipelineDocument>['flowPipeline']>;
/** A revision that has just been published. */
export type PublishedRevision = NonNullable<ResultOf<typeof publishDocument>['publishFlowPipeline']['revision']>;
/** The format of definitions. */
export type DefinitionFormat = ResultOf<typeof definitionFormatDocument>['flowDefinitionFormat'];
/** An adapter, with its schema and examples, and its title before it is translated. */
export type AdapterView = ResultOf<typeof editorAdaptersDocument>['flowAdapters'][number] & {
    readonly englishTitle: string;
};

export const stepTestDocument = graphql(`
    mutation FlowEditorStepTest($input: TestFlowStepInput!) {
        testFlowStep(input: $input) {
            stepKey
            kind
            in
            out
            branches {
                name
                records
            }
            operators {
                position
                op
                before
                after
                faults {
                    seq
                    severity
                    code
                    message
                    facts
                }
            }
            rejected {
                seq
                stepKey
                path
                code
                message
                facts
                record
            }
            changes {
                action
                key
                before
                after
            }
            counters {
                in
                out
                filtered
                rejected
                created
                updated
                unchanged
            }
            log {
                level
                code
                message
                facts
            }
            error {
                code
                message
                facts
                stepKey
            }
        }
    }
`);

export const refusedDocument = graphql(`
    query FlowEditorRefused($selection: FlowRecordErrorSelectionInput, $options: FlowRecordErrorListOptions) {
        flowRecordErrors(selection: $selection, options: $options) {
            items {
                id
                payload
            }
        }
    }
`);

export const lastRunDocument = graphql(`
    query FlowEditorLastRun($pipelineId: ID!, $options: FlowPipelineRunListOptions) {
        flowPipelineRuns(pipelineId: $pipelineId, options: $options) {
            items {
                id
                startedAt
                steps {
                    stepKey
                    source {
                        fileId
                        filename
                    }
                }
            }
        }
    }
`);

export const refusedInRunDocument = graphql(`
    query FlowEditorRefusedInRun($runId: ID!, $options: FlowRecordErrorListOptions) {
        flowRecordErrors(runId: $runId, options: $options) {
            items {
                id
                payload
            }
        }
    }
`);

/** The result of a step for sample records. */
export type StepTest = ResultOf<typeof stepTestDocument>['testFlowStep'];

export const triggerPreviewDocument = graphql(`
    query FlowEditorTrigger($pipelineId: ID!, $config: FlowJSON!) {
        flowTriggerPreview(pipelineId: $pipelineId, config: $config) {
            text
            webhook {
                url
                curl
            }
        }
    }
`);
