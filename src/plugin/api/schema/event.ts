import gql from 'graphql-tag';

/** Events of the shop for which a run was to be started. */
export const eventSchema = gql`
    "An event of the shop that should have started a run and never did: it was tried 25 times, and is kept as long as runs are."
    type FlowGivenUpEvent implements Node {
        id: ID!
        "When it happened."
        createdAt: DateTime!
        "When it was given up."
        updatedAt: DateTime!
        "The name of its class."
        event: String!
        pipelineId: ID!
        "Null where it is deleted."
        pipeline: FlowPipeline
        "The revision that was in force when it happened."
        revisionId: ID!
        triggerKey: String!
        "How often its run was tried to be stored."
        attempts: Int!
        "Why the last attempt has failed. Values are masked as ••• where the caller lacks ReadFlowRecord."
        lastError: String
    }

    "Events that were given up, a page of them."
    type FlowGivenUpEventList implements PaginatedList {
        items: [FlowGivenUpEvent!]!
        totalItems: Int!
    }

    input FlowGivenUpEventListOptions

    extend type Query {
        "Events that have started no run of the active channel's pipelines, of one pipeline where its id is given; the newest first unless sorted otherwise. Filtering and sorting by lastError needs ReadFlowRecord."
        flowGivenUpEvents(options: FlowGivenUpEventListOptions, pipelineId: ID): FlowGivenUpEventList!
    }
`;
