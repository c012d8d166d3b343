import gql from 'graphql-tag';

/** The positions up to which completed runs have read the sources of a pipeline, and how users can change them. */
export const savedPositionSchema = gql`
    "The position up to which completed runs have read a source. The next run starts there."
    type FlowSavedPosition {
        "The extract step."
        stepKey: String!
        "The next run starts after this row: its value in the column that orders the rows. Null if the position is not a row, and unless the caller may read records."
        trackingValue: String
        "Distinguishes this row from others with the same value in that column; null unless the caller may read records."
        primaryKey: String
        "The run that moved the position there; null if a user has set it."
        runId: ID
        movedAt: DateTime!
    }

    extend type Query {
        "The saved positions of a pipeline, one for each source that has one."
        flowSavedPositions(pipelineId: ID!): [FlowSavedPosition!]!
        "The extract steps of the published pipeline for which reseedFlowSavedPosition can set a position, including those that have no position yet."
        flowReseedableSteps(pipelineId: ID!): [String!]!
    }

    extend type Mutation {
        "Deletes the saved position of a source: the next run reads from the beginning. A run that is in progress does not restore it. The history of the pipeline shows the reset."
        resetFlowSavedPosition(pipelineId: ID!, stepKey: String!, comment: String): [FlowSavedPosition!]!
        "Sets the position of a source that reads changed rows: its next run starts after the row with these values, written as in the database. Both are needed, because several rows may have the same tracking value. The history of the pipeline shows the change."
        reseedFlowSavedPosition(pipelineId: ID!, stepKey: String!, trackingValue: String!, primaryKey: String!, comment: String): [FlowSavedPosition!]!
    }
`;
