import gql from 'graphql-tag';

/** Pending actions on remote files. */
export const remoteActionSchema = gql`
    "A pending action on a remote file, whose run is COMPLETED. It is tried until it succeeds or is given up."
    type FlowRemoteAction implements Node {
        id: ID!
        "When its run completed."
        createdAt: DateTime!
        updatedAt: DateTime!
        pipelineId: ID!
        "Null if the pipeline was deleted."
        pipeline: FlowPipeline
        "The run that read the file."
        runId: ID!
        stepKey: String!
        kind: FlowRemoteActionKind!
        "The path of the file on the server."
        path: String!
        "The path to which it is moved."
        to: String
        "The number of failed attempts."
        attempts: Int!
        "Why the last attempt failed."
        lastError: String
        nextTryAt: DateTime!
    }

    "What is to be done to a file."
    enum FlowRemoteActionKind {
        DELETE
        MOVE
    }

    "A page of pending actions."
    type FlowRemoteActionList implements PaginatedList {
        items: [FlowRemoteAction!]!
        totalItems: Int!
    }

    input FlowRemoteActionListOptions

    extend type Query {
        "The pending actions on files that runs of the active channel's pipelines have read, or of one pipeline if its id is given. Default order: newest first."
        flowRemoteActions(options: FlowRemoteActionListOptions, pipelineId: ID): FlowRemoteActionList!
    }

    extend type Mutation {
        "Gives up deleting or moving a file. The next run reads it again unless it is removed from the server."
        giveUpFlowRemoteAction(id: ID!): FlowRemoteAction!
    }
`;
