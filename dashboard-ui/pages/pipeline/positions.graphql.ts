import { graphql, type ResultOf } from '../../gql/graphql';

export const positionsDocument = graphql(`
    query FlowPipelinePagePositions($pipelineId: ID!) {
        flowSavedPositions(pipelineId: $pipelineId) {
            stepKey
            trackingValue
            primaryKey
            runId
            movedAt
        }
        flowReseedableSteps(pipelineId: $pipelineId)
    }
`);

export const resetPositionDocument = graphql(`
    mutation FlowPipelinePageResetPosition($pipelineId: ID!, $stepKey: String!, $comment: String) {
        resetFlowSavedPosition(pipelineId: $pipelineId, stepKey: $stepKey, comment: $comment) {
            stepKey
        }
    }
`);

export const reseedPositionDocument = graphql(`
    mutation FlowPipelinePageReseedPosition(
        $pipelineId: ID!
        $stepKey: String!
        $trackingValue: String!
        $primaryKey: String!
        $comment: String
    ) {
        reseedFlowSavedPosition(
            pipelineId: $pipelineId
            stepKey: $stepKey
            trackingValue: $trackingValue
            primaryKey: $primaryKey
            comment: $comment
        ) {
            stepKey
        }
    }
`);

/** The positions of its sources, and which of them can be moved. */
export type Positions = ResultOf<typeof positionsDocument>;
/** Where completed runs have left a source. */
export type SavedPosition = Positions['flowSavedPositions'][number];

/** The sources that have a position, or could have one. */
export function sourcesOf({ flowSavedPositions: saved, flowReseedableSteps: settable }: Positions): readonly string[] {
    return [...new Set([...settable, ...saved.map(({ stepKey }) => stepKey)])];
}
