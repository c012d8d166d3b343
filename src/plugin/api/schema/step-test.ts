import gql from 'graphql-tag';

/** Trying a step on a few records. */
export const stepTestSchema = gql`
    "What is tried. The definition may have faults elsewhere: only the step and what leads to it has to be sound."
    input TestFlowStepInput {
        definition: FlowJSON!
        stepKey: String!
        "How many records each source reads, 1 to 1,000; default 10. Of given records, how many of them; default all."
        limit: Int
        "Records to try the step on by itself, at most 1,000. Without them the steps before it are run as well, from their sources."
        records: [FlowJSON!]
        "The pipeline that the definition is of: code that it has already may be tried by those who may not write new code."
        pipelineId: ID
    }

    "What one operator of a transform step made of the records that came to it."
    type FlowOperatorTest {
        "Its place in the step, from 1."
        position: Int!
        op: String!
        before: [FlowJSON!]!
        after: [FlowJSON!]!
        "What it rejected, and what it warned of."
        faults: [FlowOperatorFault!]!
    }

    "What an operator found wrong with a record."
    type FlowOperatorFault {
        "The record's number in its source, from 0."
        seq: Int!
        code: String!
        "WARNING where the record went on."
        severity: FlowFaultSeverity!
        message: String!
        path: String
        "Where the record stands at its source, where that is known: line 17, Sheet1!A17."
        place: String
    }

    "The records that left a route step by one of its branches."
    type FlowBranchTest {
        name: String!
        records: [FlowJSON!]!
    }

    "A record that was rejected while a step was tried, at this step or before it."
    type FlowRejectedRecord {
        stepKey: String!
        sourceKey: String!
        "Its number among the records of that source, from 0."
        seq: Int!
        code: String!
        message: String!
        path: String
        "Where the record stands at its source, where that is known: line 17, Sheet1!A17."
        place: String
        "All that was found wrong with it, where a validate step refused it."
        faults: [FlowRecordFault!]
        record: FlowJSON!
    }

    "A line that a step wrote while it was tried."
    type FlowTestLogLine {
        level: FlowLogLevel!
        stepKey: String
        message: String!
        facts: FlowJSON
    }

    "What a step makes of a few records. Nothing was written, and nothing was sent but look-ups."
    type FlowStepTest {
        stepKey: String!
        kind: String!
        "What came to it; empty for an extract step."
        in: [FlowJSON!]!
        out: [FlowJSON!]!
        "Of a route step."
        branches: [FlowBranchTest!]!
        "Of a transform step, in their order."
        operators: [FlowOperatorTest!]!
        rejected: [FlowRejectedRecord!]!
        "Of a load step: what it would write, with the fields that differ."
        changes: [FlowPlannedChange!]!
        counters: FlowStepCounters!
        log: [FlowTestLogLine!]!
        "What ended the test before its end: in a run, what would fail it."
        error: FlowRunError
    }

    extend type Mutation {
        "Tries a step on a few records, with the caller's rights: those that a run of it needs, and ReadFlowRecord."
        testFlowStep(input: TestFlowStepInput!): FlowStepTest!
    }
`;
