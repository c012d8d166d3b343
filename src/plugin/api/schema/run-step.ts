import gql from 'graphql-tag';

/** A run step by step, for whoever watches it. */
export const runStepSchema = gql`
    "Why something does not go on."
    enum FlowWaitReason {
        "No worker has taken it yet."
        WORKER
        "A run of the pipeline that comes first."
        EARLIER_RUN
        "An approval."
        GATE
        "A person, who resumes or cancels the run: its workers died one after the other."
        RESUME
        "The next try of something that has failed for a reason that passes."
        RETRY
    }

    "What a run or a step waits for."
    type FlowRunWait {
        reason: FlowWaitReason!
        "The step, where it is one."
        stepKey: String
        "EARLIER_RUN: that run."
        runId: ID
        "When it goes on by itself, where that is known."
        until: DateTime
        "RETRY: why the last try has failed."
        code: String
        "RETRY: which one comes."
        retry: Int
        "RETRY: how many there are."
        of: Int
    }

    "Where a source is."
    type FlowRunSource {
        "The stored file that it reads, as definitions name it; null where it reads none, or that is not there any more."
        fileId: String
        "The name of the stored file that it reads."
        filename: String
        "Where the last record that it has read stands, where the source says so: line 17."
        place: String
        "How many records it has read."
        records: Int!
        "How many there are, where somebody has counted."
        total: Int
    }

    "Where the records of a step go on to."
    type FlowRunEdge {
        stepKey: String!
        "Of a ROUTE step."
        branch: String
    }

    "A step of what a run executes, and what has become of its records so far."
    type FlowRunStep {
        stepKey: String!
        "What people call it; its key where it has no name."
        name: String!
        kind: String!
        "Of the adapter, where the step has one; of a trigger its type."
        adapterCode: String
        disabled: Boolean!
        counters: FlowStepCounters!
        "How long it has been at work, in milliseconds, since a worker took the run up last. Null before."
        ms: Float
        "What came to it, by that time."
        recordsPerSecond: Float
        next: [FlowRunEdge!]!
        "Of a step that reads."
        source: FlowRunSource
        "Null where it waits for nothing but its records."
        waitsFor: FlowRunWait
    }

    "How often a dry run would do something at one step."
    type FlowDryRunDifferenceGroup {
        stepKey: String!
        "CREATE, UPDATE or DELETE."
        action: String!
        records: Int!
    }

    extend type Query {
        "How many differences of a dry run there are, by step and action."
        flowDryRunDifferenceGroups(runId: ID!): [FlowDryRunDifferenceGroup!]!
    }
`;
