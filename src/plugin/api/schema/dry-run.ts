import gql from 'graphql-tag';

/** Dry runs: what loads would change. */
export const dryRunSchema = gql`
    "What a load would do about one record. before and after hold the fields that differ, nothing else."
    type FlowPlannedChange {
        stepKey: String!
        "The record's number in its source, from 0."
        seq: Int!
        "CREATE, UPDATE or DELETE."
        action: String!
        "The business key: an SKU, a slug; ••• where the caller lacks ReadFlowRecord."
        key: String!
        "Null for what would be created, and unless the caller may read records."
        before: FlowJSON
        "Null for what would be deleted, and unless the caller may read records."
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

    "What a dry run found: counts over all records, and the first changes field by field."
    type FlowDryRunReport {
        "The load and sink steps."
        steps: [FlowDryRunStep!]!
        "The first 50 changes; flowDryRunDifferences has all of them."
        differences: [FlowPlannedChange!]!
        "How many changes there would be."
        differencesTotal: Int!
    }

    "What a load step of a dry run would do about one record. before and after hold the fields that differ, nothing else."
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
        "The business key: an SKU, a slug; ••• where the caller lacks ReadFlowRecord."
        key: String!
        "Null for what would be created, and unless the caller may read records."
        before: FlowJSON
        "Null for what would be deleted, and unless the caller may read records."
        after: FlowJSON
    }

    "Differences of a dry run, a page of them."
    type FlowDryRunDifferenceList implements PaginatedList {
        items: [FlowDryRunDifference!]!
        totalItems: Int!
    }

    input FlowDryRunDifferenceListOptions

    extend type Query {
        "What a dry run of the active channel's pipelines would change, in the order in which it was found; also while it is under way; with a field those that change it, as before and after name it. Filtering and sorting by key needs ReadFlowRecord."
        flowDryRunDifferences(runId: ID!, options: FlowDryRunDifferenceListOptions, field: String): FlowDryRunDifferenceList!
    }

    extend type Mutation {
        "Starts a run over all records that plans every load and writes none of them: of the selected revision, or of the working copy as it is now."
        dryRunFlowPipeline(pipelineId: ID!, triggerKey: String, workingCopy: Boolean, records: [FlowJSON!], files: [FlowStepFileInput!]): FlowPipelineRun!
    }
`;
