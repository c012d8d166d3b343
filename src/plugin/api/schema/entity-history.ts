import gql from 'graphql-tag';
import { WRITTEN_ENTITIES } from '../../stores/entity-history';

/** The runs that have written an entity of the shop. */
export const entityHistorySchema = gql`
    "An entity of the shop that loads write."
    enum FlowWrittenEntity {
        ${WRITTEN_ENTITIES.join('\n')}
    }

    "What one load step of a run has written to an entity."
    type FlowEntityWrite {
        "Null if the run was deleted."
        run: FlowPipelineRun
        runId: ID!
        pipeline: FlowPipeline
        pipelineId: ID!
        "The load step."
        stepKey: String!
        "CREATE, UPDATE or DELETE; UPDATE if the run has written only variants of a product."
        action: String!
        "When the run last wrote it."
        at: DateTime!
        "For a product: how many of its variants the run has written."
        variants: Int!
    }

    "The load steps that have written an entity, the most recent first."
    type FlowEntityHistory {
        items: [FlowEntityWrite!]!
        "How many entries are kept."
        totalItems: Int!
    }

    extend type Query {
        "The runs of the active channel that have written an entity; for a product also its variants. Includes load steps with history: true, for as long as runs are kept. take is 1 to 100, default 10."
        flowEntityHistory(entity: FlowWrittenEntity!, id: ID!, take: Int): FlowEntityHistory!
    }
`;
