import { graphql, type ResultOf } from '../../../gql/graphql';

export const importRunDocument = graphql(`
    query FlowImportRunPage($id: ID!) {
        flowPipelineRun(id: $id) {
            id
            status
            outcome
            recordsRead
            recordsProcessed
            recordsLoaded
            recordsUnchanged
            recordsRejected
            counters {
                stepKey
                created
                updated
                deleted
                unchanged
            }
            cancelRequestedAt
            waitsFor {
                reason
            }
            progress {
                recordsPerSecond
            }
            error {
                message
            }
        }
    }
`);

export const importedPipelineDocument = graphql(`
    query FlowImportedPipelinePage($id: ID!) {
        flowPipeline(id: $id) {
            id
            code
            name
            version
        }
    }
`);

export const renameImportDocument = graphql(`
    mutation FlowRenameImport($input: UpdateFlowPipelineInput!) {
        updateFlowPipeline(input: $input) {
            id
            version
            name
        }
    }
`);

export const scheduleImportDocument = graphql(`
    mutation FlowScheduleImport($input: ScheduleFlowImportInput!) {
        scheduleFlowImport(input: $input) {
            id
            version
        }
    }
`);

export const stopImportDocument = graphql(`
    mutation FlowStopImport($id: ID!) {
        cancelFlowPipelineRun(id: $id) {
            id
            status
        }
    }
`);

export const continueImportDocument = graphql(`
    mutation FlowContinueImport($id: ID!) {
        resumeFlowPipelineRun(id: $id) {
            id
            status
        }
    }
`);

/** The run that imports the file. */
export type ImportRun = NonNullable<ResultOf<typeof importRunDocument>['flowPipelineRun']>;
/** The pipeline that was made of the import. */
export type ImportedPipeline = NonNullable<ResultOf<typeof importedPipelineDocument>['flowPipeline']>;
