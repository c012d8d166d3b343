import { graphql, type ResultOf } from '../../gql/graphql';

export const exportPreviewDocument = graphql(`
    mutation FlowExportPreview($input: TestFlowStepInput!) {
        testFlowStep(input: $input) {
            out
            error {
                code
                message
                facts
            }
        }
    }
`);

export const createExportDocument = graphql(`
    mutation FlowCreateExport($input: CreateFlowPipelineInput!) {
        createFlowPipeline(input: $input) {
            id
            code
            version
        }
    }
`);

export const updateExportDocument = graphql(`
    mutation FlowUpdateExport($input: UpdateFlowPipelineInput!) {
        updateFlowPipeline(input: $input) {
            id
            code
            version
        }
    }
`);

export const publishExportDocument = graphql(`
    mutation FlowPublishExport($id: ID!, $version: Int!, $allowSecretHosts: [FlowSecretHostInput!]) {
        publishFlowPipeline(id: $id, version: $version, allowSecretHosts: $allowSecretHosts) {
            id
            version
        }
    }
`);

export const submitExportDocument = graphql(`
    mutation FlowSubmitExport($id: ID!, $version: Int!) {
        submitFlowPipeline(id: $id, version: $version) {
            id
            version
        }
    }
`);

export const startExportDocument = graphql(`
    mutation FlowStartExport($id: ID!) {
        startFlowPipelineRun(pipelineId: $id) {
            id
        }
    }
`);

export const exportFeedDocument = graphql(`
    mutation FlowExportFeed($input: CreateFlowFeedInput!) {
        createFlowFeed(input: $input) {
            path
        }
    }
`);

export const exportRunDocument = graphql(`
    query FlowExportRun($id: ID!) {
        flowPipelineRun(id: $id) {
            id
            status
            outcome
            recordsRead
            recordsRejected
            counters {
                stepKey
                out
            }
            error {
                message
            }
        }
    }
`);

export const exportedFileDocument = graphql(`
    query FlowExportedFile($exportCode: String!) {
        flowFiles(options: { take: 1, sort: { createdAt: DESC }, filter: { exportCode: { eq: $exportCode } } }) {
            items {
                id
                filename
                size
                path
            }
        }
    }
`);

/** The run that writes the file. */
export type ExportRun = NonNullable<ResultOf<typeof exportRunDocument>['flowPipelineRun']>;
/** The file that was written. */
export type ExportedFile = ResultOf<typeof exportedFileDocument>['flowFiles']['items'][number];
