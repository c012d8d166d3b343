import gql from 'graphql-tag';

/** Testing a step with a few records. */
export const stepTestSchema = gql`
    "What is tested. Only the step and the steps that lead to it must be valid; the rest of the definition may contain errors."
    input TestFlowStepInput {
        definition: FlowJSON!
        stepKey: String!
        "How many records each source reads, 1 to 1,000; default 10. With given records: how many of them are used; default all."
        limit: Int
        "Records with which the step is tested alone, at most 1,000. Without them the preceding steps are executed too, from their sources."
        records: [FlowJSON!]
        "The pipeline of the definition. Users who may not write new code can test the code that this pipeline already contains."
        pipelineId: ID
    }

    "What one operator of a transform step did with the records that it received."
    type FlowOperatorTest {
        "Its position in the step, from 1."
        position: Int!
        op: String!
        before: [FlowJSON!]!
        after: [FlowJSON!]!
        "The records that it rejected, and its warnings."
        faults: [FlowOperatorFault!]!
    }

    "An issue that an operator found in a record."
    type FlowOperatorFault {
        "The record's number in its source, from 0."
        seq: Int!
        code: String!
        "WARNING if the record continued."
        severity: FlowFaultSeverity!
        message: String!
        "What the message consists of; null without placeholders."
        facts: FlowJSON
        path: String
        "Where the record is in its source, if known: line 17, Sheet1!A17."
        place: String
    }

    "The records that left a route step through one of its branches."
    type FlowBranchTest {
        name: String!
        records: [FlowJSON!]!
    }

    "A record that was rejected during the test, by this step or one before it."
    type FlowRejectedRecord {
        stepKey: String!
        sourceKey: String!
        "The record's number in that source, from 0."
        seq: Int!
        code: String!
        message: String!
        "What the message consists of; null without placeholders."
        facts: FlowJSON
        path: String
        "Where the record is in its source, if known: line 17, Sheet1!A17."
        place: String
        "All issues that were found, if a validate step rejected it."
        faults: [FlowRecordFault!]
        record: FlowJSON!
    }

    "A line that a step wrote during the test."
    type FlowTestLogLine {
        level: FlowLogLevel!
        stepKey: String
        "The event that the message and the facts belong to; null for a line of a script or of a custom adapter."
        code: String
        message: String!
        facts: FlowJSON
    }

    "What a step does with a few records. Nothing is written, and only look-ups are sent to other systems."
    type FlowStepTest {
        stepKey: String!
        kind: String!
        "The records that it received; empty for an extract step."
        in: [FlowJSON!]!
        out: [FlowJSON!]!
        "For a route step."
        branches: [FlowBranchTest!]!
        "For a transform step, in the order of the step."
        operators: [FlowOperatorTest!]!
        rejected: [FlowRejectedRecord!]!
        "For a load step: what it would write, with the fields that differ."
        changes: [FlowPlannedChange!]!
        counters: FlowStepCounters!
        log: [FlowTestLogLine!]!
        "The error that ended the test early. In a run it would fail the run."
        error: FlowRunError
    }

    extend type Mutation {
        "Tests a step with a few records. The caller needs the permissions that a run of the step needs, and ReadFlowRecord."
        testFlowStep(input: TestFlowStepInput!): FlowStepTest!
    }
`;
