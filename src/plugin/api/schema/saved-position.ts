import gql from 'graphql-tag';

/**
 * Where completed runs have left the sources of a pipeline, and what people may do about it.
 */
export const savedPositionSchema = gql`
    "Where the runs of a pipeline that have completed have left a source; the next one begins there."
    type FlowSavedPosition {
        "The extract step."
        stepKey: String!
        "What the row that the next run begins behind has in the column that orders the rows; null where the position is no row, and unless the caller may read records."
        trackingValue: String
        "What tells this row from others that are alike in that column; null unless the caller may read records."
        primaryKey: String
        "The run that has left it there; null where somebody has set it."
        runId: ID
        movedAt: DateTime!
    }

    extend type Query {
        "The saved positions of a pipeline, one for each source that has one."
        flowSavedPositions(pipelineId: ID!): [FlowSavedPosition!]!
        "The extract steps of the published pipeline that reseedFlowSavedPosition can have begin behind a row, also where they have no position yet."
        flowReseedableSteps(pipelineId: ID!): [String!]!
    }

    extend type Mutation {
        "Takes the saved position of a source away: the next run reads from the beginning. A run that is under way does not bring it back. Stands in the history of the pipeline."
        resetFlowSavedPosition(pipelineId: ID!, stepKey: String!, comment: String): [FlowSavedPosition!]!
        "Has the next run of a source of changed rows begin behind the row with these values, as the database writes them: both are needed, since the first may be the same in several rows. Stands in the history of the pipeline."
        reseedFlowSavedPosition(pipelineId: ID!, stepKey: String!, trackingValue: String!, primaryKey: String!, comment: String): [FlowSavedPosition!]!
    }
`;
