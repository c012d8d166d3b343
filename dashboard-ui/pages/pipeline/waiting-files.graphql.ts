import { graphql, type ResultOf } from '../../gql/graphql';

export const waitingFilesDocument = graphql(`
    query FlowPipelinePageWaitingFiles($pipelineId: ID!, $options: FlowRemoteActionListOptions) {
        flowRemoteActions(pipelineId: $pipelineId, options: $options) {
            totalItems
            items {
                id
                createdAt
                runId
                kind
                path
                to
                attempts
                lastError
                nextTryAt
            }
        }
    }
`);

export const giveUpFileDocument = graphql(`
    mutation FlowPipelinePageGiveUpFile($id: ID!) {
        giveUpFlowRemoteAction(id: $id) {
            id
        }
    }
`);

/** A file that a run has read, and that is still to be deleted or moved. */
export type WaitingFile = ResultOf<typeof waitingFilesDocument>['flowRemoteActions']['items'][number];
