import gql from 'graphql-tag';

/** Gates of runs: what they hold, and who decides. */
export const gateSchema = gql`
    "What was decided about a gate."
    enum FlowGateVerdict {
        "Its records go on."
        APPROVED
        "Its records are dropped, and the run is CANCELLED."
        REJECTED
    }

    "Who has decided about a gate."
    enum FlowGateDecider {
        PERSON
        "Its time was over."
        TIMEOUT
        "Fewer records were rejected than it allows."
        THRESHOLD
    }

    "What was decided about a gate of a run; one decision a gate."
    type FlowGateDecision implements Node {
        id: ID!
        "When it was decided."
        createdAt: DateTime!
        "The gate."
        stepKey: String!
        verdict: FlowGateVerdict!
        decider: FlowGateDecider!
        "Null where no person has decided."
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

    "Why a record that a gate holds would be rejected behind it."
    type FlowForeseenReject {
        stepKey: String!
        code: String!
        "Values of records are masked as ••• where the caller lacks ReadFlowRecord."
        message: String!
        path: String
    }

    "A record that a gate holds, and what would become of it."
    type FlowHeldRecord {
        "The step that read it."
        sourceKey: String!
        "Its number among the records of that source, from 0."
        seq: Int!
        "Where the record stands at its source, where that is known: line 17 of a text, Sheet1!A17 of a workbook."
        place: String
        "The record as it goes on. Null unless the caller may read records."
        record: FlowJSON
        "What the loads and sinks behind the gate would do about it; nothing where that changes nothing."
        changes: [FlowPlannedChange!]!
        rejected: [FlowForeseenReject!]!
    }

    "Records that a gate holds, a page of them."
    type FlowGatePreview {
        items: [FlowHeldRecord!]!
        "How many records the gate holds."
        totalItems: Int!
        "What keeps the steps behind the gate from being planned: in the run, what would fail it."
        error: FlowRunError
    }

    extend type Query {
        "What a gate of a run holds, with what would become of it: each page goes through the steps behind the gate by itself, with the rights of the run, and nothing is written. skip is 0 to 10,000; take 1 to 100, by default the gate's previewCount."
        flowGatePreview(runId: ID!, stepKey: String!, skip: Int, take: Int): FlowGatePreview!
    }

    extend type Mutation {
        "Lets what a gate holds go on: the run is PENDING. The first decision counts; any other is a RUN_STATE_CONFLICT."
        approveFlowGate(runId: ID!, stepKey: String!, comment: String): FlowPipelineRun!
        "Drops what a gate holds: the run is CANCELLED, and the next run reads the records again. What was loaded before the gate stays."
        rejectFlowGate(runId: ID!, stepKey: String!, comment: String): FlowPipelineRun!
    }
`;
