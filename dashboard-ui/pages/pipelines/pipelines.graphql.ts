import { graphql } from '../../gql/graphql';

export const pipelineListDocument = graphql(`
    query FlowPipelineList($options: FlowPipelineListOptions, $selection: FlowPipelineSelectionInput) {
        flowPipelines(options: $options, selection: $selection) {
            items {
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
                createdAt
                updatedAt
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
                openErrors
                days {
                    start
                    figures {
                        success
                        partial
                        empty
                        failed
                        cancelled
                    }
                }
                lastRun {
                    id
                    status
                    outcome
                    dryRun
                    createdAt
                    finishedAt
                    recordsLoaded
                    recordsRejected
                    error {
                        code
                        message
                        facts
                    }
                }
            }
            totalItems
        }
    }
`);

export const enablePipelineDocument = graphql(`
    mutation FlowEnablePipeline($id: ID!) {
        enableFlowPipeline(id: $id) {
            id
        }
    }
`);

export const disablePipelineDocument = graphql(`
    mutation FlowDisablePipeline($id: ID!) {
        disableFlowPipeline(id: $id) {
            id
        }
    }
`);

export const startRunDocument = graphql(`
    mutation FlowStartRun($pipelineId: ID!) {
        startFlowPipelineRun(pipelineId: $pipelineId) {
            id
        }
    }
`);

export const exportPipelineDocument = graphql(`
    query FlowExportPipeline($id: ID!, $format: FlowDocumentFormat) {
        exportFlowPipeline(id: $id, format: $format) {
            filename
            mimeType
            content
        }
    }
`);

export const importPipelineDocument = graphql(`
    mutation FlowImportPipeline($document: String!, $format: FlowDocumentFormat!, $version: Int) {
        importFlowPipeline(document: $document, format: $format, version: $version) {
            id
            code
            name
        }
    }
`);

export const pipelineVersionDocument = graphql(`
    query FlowPipelineVersion($code: String!) {
        flowPipeline(code: $code) {
            id
            name
            version
            codeFirst
        }
    }
`);

export const anyPipelineDocument = graphql(`
    query FlowAnyPipeline {
        flowPipelines(options: { take: 1 }) {
            totalItems
        }
    }
`);
