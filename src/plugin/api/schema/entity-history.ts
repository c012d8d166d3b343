import gql from 'graphql-tag';
import { WRITTEN_ENTITIES } from '../../stores/entity-history';

/** Which runs have written an entity of the shop. */
export const entityHistorySchema = gql`
    "An entity of the shop that loads write."
    enum FlowWrittenEntity {
        ${WRITTEN_ENTITIES.join('\n')}
    }

    "What one load step of a run has written of an entity."
    type FlowEntityWrite {
        "Null where it is deleted."
        run: FlowPipelineRun
        runId: ID!
        pipeline: FlowPipeline
        pipelineId: ID!
        "The load step."
        stepKey: String!
        "CREATE, UPDATE or DELETE; UPDATE where the run has written variants of a product alone."
        action: String!
        "When the run has written it last."
        at: DateTime!
        "Of a product: how many of its variants the run has written."
        variants: Int!
    }

    "Which load steps have written an entity last, the latest first."
    type FlowEntityHistory {
        items: [FlowEntityWrite!]!
        "How many are kept."
        totalItems: Int!
    }

    extend type Query {
        "Which runs of the active channel have written an entity, a product with its variants: of load steps with history: true, for as long as runs are kept. take is 1 to 100, by default 10."
        flowEntityHistory(entity: FlowWrittenEntity!, id: ID!, take: Int): FlowEntityHistory!
    }
`;
