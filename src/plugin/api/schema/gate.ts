import gql from 'graphql-tag';

/** Gates of runs: which records they hold, and who decides about them. */
export const gateSchema = gql`
    "A decision about a gate."
    enum FlowGateVerdict {
        "Its records continue."
        APPROVED
        "Its records are dropped, and the run is CANCELLED."
        REJECTED
    }

    "Who decided about a gate."
    enum FlowGateDecider {
        PERSON
        "Its timeout has expired."
        TIMEOUT
        "Fewer records were rejected than it allows."
        THRESHOLD
    }

    "The decision about a gate of a run; each gate has at most one."
    type FlowGateDecision implements Node {
        id: ID!
        "When it was decided."
        createdAt: DateTime!
        "The gate."
        stepKey: String!
        verdict: FlowGateVerdict!
        decider: FlowGateDecider!
        "Null if it was not decided by a user."
        decidedBy: FlowActor
        comment: String
        "How many records the gate held."
        records: Int!
    }

    "How many records a gate holds."
    type FlowHeldRecords {
        stepKey: String!
        records: Int!
    }

    "Why a held record would be rejected after the gate."
    type FlowForeseenReject {
        stepKey: String!
        code: String!
        "Values of records are masked as ••• if the caller lacks ReadFlowRecord."
        message: String!
        "What the message consists of; null without placeholders, and if the caller lacks ReadFlowRecord and a part of the message is masked."
        facts: FlowJSON
        path: String
    }

    "A record that a gate holds, and what would happen to it."
    type FlowHeldRecord {
        "The step that read it."
        sourceKey: String!
        "The record's number in that source, from 0."
        seq: Int!
        "Where the record is in its source, if known: line 17 of a text, Sheet1!A17 of a workbook."
        place: String
        "The record as it would continue. Null unless the caller may read records."
        record: FlowJSON
        "What the loads and sinks after the gate would do with it; empty if that changes nothing."
        changes: [FlowPlannedChange!]!
        rejected: [FlowForeseenReject!]!
    }

    "A page of the records that a gate holds."
    type FlowGatePreview {
        items: [FlowHeldRecord!]!
        "How many records the gate holds."
        totalItems: Int!
        "Why the steps after the gate cannot be planned: the error that would fail the run."
        error: FlowRunError
    }

    extend type Query {
        "The records that a gate of a run holds, and what would happen to them. Each page is passed through the steps after the gate separately, with the permissions of the run, and nothing is written. skip is 0 to 10,000; take is 1 to 100, by default the gate's previewCount."
        flowGatePreview(runId: ID!, stepKey: String!, skip: Int, take: Int): FlowGatePreview!
    }

    extend type Mutation {
        "Approves the held records: the run becomes PENDING. The first decision counts; any further one is a RUN_STATE_CONFLICT."
        approveFlowGate(runId: ID!, stepKey: String!, comment: String): FlowPipelineRun!
        "Drops the held records: the run becomes CANCELLED, and the next run reads the records again. Records that were loaded before the gate stay loaded."
        rejectFlowGate(runId: ID!, stepKey: String!, comment: String): FlowPipelineRun!
    }
`;
