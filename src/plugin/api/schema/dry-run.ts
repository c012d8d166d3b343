import gql from 'graphql-tag';

/** Dry runs: what loads would change. */
export const dryRunSchema = gql`
    "What a load would do with one record. before and after contain only the fields that differ."
    type FlowPlannedChange {
        stepKey: String!
        "The record's number in its source, from 0."
        seq: Int!
        "CREATE, UPDATE or DELETE."
        action: String!
        "The business key: an SKU, a slug; ••• if the caller lacks ReadFlowRecord."
        key: String!
        "Null if the record would be created, and unless the caller may read records."
        before: FlowJSON
        "Null if the record would be deleted, and unless the caller may read records."
        after: FlowJSON
    }

    "What a load or sink step would do."
    type FlowDryRunStep {
        stepKey: String!
        created: Int!
        updated: Int!
        deleted: Int!
        unchanged: Int!
        rejected: Int!
    }

    "The result of a dry run: counts over all records, and the first changes field by field."
    type FlowDryRunReport {
        "The load and sink steps."
        steps: [FlowDryRunStep!]!
        "The first 50 changes; flowDryRunDifferences has all of them."
        differences: [FlowPlannedChange!]!
        "How many changes there would be."
        differencesTotal: Int!
    }

    "What a load step of a dry run would do with one record. before and after contain only the fields that differ."
    type FlowDryRunDifference implements Node {
        id: ID!
        createdAt: DateTime!
        runId: ID!
        "The load step."
        stepKey: String!
        "The step that read the record."
        sourceKey: String!
        "The record's number in its source, from 0."
        seq: Int!
        "CREATE, UPDATE or DELETE."
        action: String!
        "The business key: an SKU, a slug; ••• if the caller lacks ReadFlowRecord."
        key: String!
        "Null if the record would be created, and unless the caller may read records."
        before: FlowJSON
        "Null if the record would be deleted, and unless the caller may read records."
        after: FlowJSON
    }

    "A page of differences of a dry run."
    type FlowDryRunDifferenceList implements PaginatedList {
        items: [FlowDryRunDifference!]!
        totalItems: Int!
    }

    input FlowDryRunDifferenceListOptions

    extend type Query {
        "What a dry run of one of the active channel's pipelines would change, in the order in which it was found. Also available while the dry run is in progress. With field: only the changes of this field, named as in before and after. Filtering and sorting by key needs ReadFlowRecord."
        flowDryRunDifferences(runId: ID!, options: FlowDryRunDifferenceListOptions, field: String): FlowDryRunDifferenceList!
    }

    extend type Mutation {
        "Starts a run that processes all records and plans every load, but writes nothing. It executes the selected revision, or the current working copy."
        dryRunFlowPipeline(pipelineId: ID!, triggerKey: String, workingCopy: Boolean, records: [FlowJSON!], files: [FlowStepFileInput!]): FlowPipelineRun!
    }
`;
