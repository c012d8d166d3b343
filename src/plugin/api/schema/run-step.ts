import gql from 'graphql-tag';

/** The progress of a run, step by step. */
export const runStepSchema = gql`
    "Why a run or step waits."
    enum FlowWaitReason {
        "No worker has taken it yet."
        WORKER
        "An earlier run of the pipeline must end first."
        EARLIER_RUN
        "An approval."
        GATE
        "A person must resume or cancel the run, because its workers died repeatedly."
        RESUME
        "The next attempt after a temporary error."
        RETRY
    }

    "What a run or a step waits for."
    type FlowRunWait {
        reason: FlowWaitReason!
        "The step, if a step waits."
        stepKey: String
        "EARLIER_RUN: that run."
        runId: ID
        "When it continues automatically, if known."
        until: DateTime
        "RETRY: why the last attempt failed."
        code: String
        "RETRY: the number of the next attempt."
        retry: Int
        "RETRY: the number of allowed attempts."
        of: Int
    }

    "The progress in a source."
    type FlowRunSource {
        "The id of the stored file that it reads, as in definitions; null if it reads none, or if the file was deleted."
        fileId: String
        "The name of the stored file that it reads."
        filename: String
        "Where the last read record is in the source, if the source reports it: line 17."
        place: String
        "How many records it has read."
        records: Int!
        "How many records there are, if they have been counted."
        total: Int
    }

    "Where the records of a step continue."
    type FlowRunEdge {
        stepKey: String!
        "The branch of a ROUTE step."
        branch: String
    }

    "A step that a run executes, and what has happened to its records so far."
    type FlowRunStep {
        stepKey: String!
        "Its name; its key if it has no name."
        name: String!
        kind: String!
        "The code of the adapter, if the step has one; for a trigger its type."
        adapterCode: String
        disabled: Boolean!
        counters: FlowStepCounters!
        "How long it has been working since a worker last started or continued the run, in milliseconds. Null before."
        ms: Float
        "Records received, divided by that time."
        recordsPerSecond: Float
        next: [FlowRunEdge!]!
        "For a step that reads."
        source: FlowRunSource
        "For a step that exports a managed file: the file that a completed run has written; null if it was replaced or deleted since."
        file: FlowFile
        "Null if it waits for nothing but its records."
        waitsFor: FlowRunWait
    }

    "How often a dry run would apply an action at one step."
    type FlowDryRunDifferenceGroup {
        stepKey: String!
        "CREATE, UPDATE or DELETE."
        action: String!
        records: Int!
    }

    extend type Query {
        "The number of differences of a dry run, by step and action."
        flowDryRunDifferenceGroups(runId: ID!): [FlowDryRunDifferenceGroup!]!
    }
`;
