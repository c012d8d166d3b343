import gql from 'graphql-tag';

/** Events of the shop for which no run could be started. */
export const eventSchema = gql`
    "An event of the shop that should have started a run but never did. It was tried 25 times, and is kept as long as runs are."
    type FlowGivenUpEvent implements Node {
        id: ID!
        "When it happened."
        createdAt: DateTime!
        "When it was given up."
        updatedAt: DateTime!
        "The name of its class."
        event: String!
        pipelineId: ID!
        "Null if the pipeline was deleted."
        pipeline: FlowPipeline
        "The revision that was live when it happened."
        revisionId: ID!
        triggerKey: String!
        "How many times Flow tried to store its run."
        attempts: Int!
        "Why the last attempt failed. Values are masked as ••• if the caller lacks ReadFlowRecord."
        lastError: String
    }

    "A page of events that were given up."
    type FlowGivenUpEventList implements PaginatedList {
        items: [FlowGivenUpEvent!]!
        totalItems: Int!
    }

    input FlowGivenUpEventListOptions

    extend type Query {
        "Events that have not started a run, for the active channel's pipelines, or for one pipeline if its id is given. Default order: newest first. Filtering and sorting by lastError needs ReadFlowRecord."
        flowGivenUpEvents(options: FlowGivenUpEventListOptions, pipelineId: ID): FlowGivenUpEventList!
    }
`;
