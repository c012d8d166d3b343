import gql from 'graphql-tag';

/** What is to be done to files elsewhere. */
export const remoteActionSchema = gql`
    "Something that is to be done to a file elsewhere, whose run is COMPLETED. It is tried until it works or is given up."
    type FlowRemoteAction implements Node {
        id: ID!
        "When its run has completed."
        createdAt: DateTime!
        updatedAt: DateTime!
        pipelineId: ID!
        "Null where it is deleted."
        pipeline: FlowPipeline
        "The run that has read the file."
        runId: ID!
        stepKey: String!
        kind: FlowRemoteActionKind!
        "Of the file, as the server knows it."
        path: String!
        "Where it is moved."
        to: String
        "How often it was tried without success."
        attempts: Int!
        "Why the last attempt has failed."
        lastError: String
        nextTryAt: DateTime!
    }

    "What is to be done to a file."
    enum FlowRemoteActionKind {
        DELETE
        MOVE
    }

    "What is still to be done, a page of it."
    type FlowRemoteActionList implements PaginatedList {
        items: [FlowRemoteAction!]!
        totalItems: Int!
    }

    input FlowRemoteActionListOptions

    extend type Query {
        "What is still to be done to files that runs of the active channel's pipelines have read, of one pipeline where its id is given; the newest first unless sorted otherwise."
        flowRemoteActions(options: FlowRemoteActionListOptions, pipelineId: ID): FlowRemoteActionList!
    }

    extend type Mutation {
        "Forgets that a file is to be deleted or moved. The next run reads it again unless somebody takes it away."
        giveUpFlowRemoteAction(id: ID!): FlowRemoteAction!
    }
`;
