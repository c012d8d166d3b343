import gql from 'graphql-tag';

/** What was rejected, what is wrong with it, and what is done about it. */
export const recordErrorSchema = gql`
    "What is done about a rejected record."
    enum FlowRecordErrorState {
        "Nothing yet, or what was done has not helped."
        OPEN
        "It is on its way in a run that has not ended."
        REPLAYED
        "A run has brought it to its end: it is loaded, or there was nothing left to do."
        LOADED
        "A run has refused it again; refusedAgainAs is what there is to do now."
        REJECTED
        "Somebody has said that it can be left."
        IGNORED
    }

    "A record that left its run with an error, the others went on; or with severity WARNING, one that went on without something."
    type FlowRecordError implements Node {
        id: ID!
        createdAt: DateTime!
        runId: ID!
        pipelineId: ID!
        pipeline: FlowPipeline
        "The step that refused it."
        stepKey: String!
        "The step that read it."
        sourceKey: String!
        "Its number among the records of that source, from 0."
        seq: Int!
        code: String!
        "WARNING where the record went on all the same, without what the message says."
        severity: FlowFaultSeverity!
        "Values of records are masked as ••• where the caller lacks ReadFlowRecord."
        message: String!
        "The field at fault, where there is one."
        path: String
        "Where the record stands at its source, where that is known: line 17 of a text, Sheet1!A17 of a workbook. Null where the record was made of several."
        place: String
        "All that the rules of a VALIDATE step have found; null where another step refused the record."
        faults: [FlowRecordFault!]
        "The record as it came to the step. Null unless the caller may read records."
        payload: FlowJSON
        "The group of those that are wrong in the same way."
        groupId: String!
        "Null where there is nothing to be done: for a warning, for what a dry run has refused, and for what a run has taken over from an earlier one, where it is done."
        state: FlowRecordErrorState
        "Why it is ignored."
        note: String
        "Who has replayed, ignored or reopened it last."
        decidedBy: FlowActor
        decidedAt: DateTime
        "The run that replays it, or has replayed it last; it may be past its retention, and gone."
        replayRunId: ID
        replayRun: FlowPipelineRun
        "The record as that run was given it, where it was corrected. Null unless the caller may read records."
        correction: FlowJSON
        "Of a record that was refused again: what there is of it now."
        refusedAgainAs: FlowRecordError
        "When it is deleted; null where it is kept for ever."
        keptUntil: DateTime
    }

    "How much a fault of a record matters."
    enum FlowFaultSeverity {
        "The record was rejected."
        ERROR
        "The record went on."
        WARNING
    }

    "One thing that a rule has found wrong with a record."
    type FlowRecordFault {
        "The field at fault; empty where the rule itself has failed."
        path: String!
        "The type of the rule."
        rule: String!
        "Values of records are masked as ••• where the caller lacks ReadFlowRecord."
        message: String!
        severity: FlowFaultSeverity!
    }

    "Rejected records, a page of them."
    type FlowRecordErrorList implements PaginatedList {
        items: [FlowRecordError!]!
        totalItems: Int!
    }

    "How many records of a group are in a state."
    type FlowRecordErrorStateCount {
        state: FlowRecordErrorState!
        records: Int!
    }

    "How many records of a group are a pipeline's."
    type FlowRecordErrorPipelineCount {
        pipelineId: ID!
        pipeline: FlowPipeline
        records: Int!
    }

    "Rejected records that are wrong in the same way: refused by one step of one pipeline, with one code, for one field."
    type FlowRecordErrorGroup {
        id: String!
        stepKey: String!
        code: String!
        "Elements of lists are not told apart: lines.*.sku."
        path: String
        "How many were asked for; those that are open where nothing else was said."
        records: Int!
        firstSeenAt: DateTime!
        lastSeenAt: DateTime!
        "What has become of all of them, whatever states were asked for."
        states: [FlowRecordErrorStateCount!]!
        "Whose they are, of the states that were asked for: one pipeline, or those of records that an earlier version has stored; the one of most records first."
        pipelines: [FlowRecordErrorPipelineCount!]!
        "The newest."
        example: FlowRecordError!
        "What can be done about such records, in a sentence."
        remedy: String!
        "False where no records were refused, but files that could not be read: they can be ignored, and not be replayed."
        isReplayable: Boolean!
    }

    "Groups, a page of them."
    type FlowRecordErrorGroupList {
        items: [FlowRecordErrorGroup!]!
        totalItems: Int!
        "Of all groups together."
        totalRecords: Int!
    }

    "Which rejected records are meant: all that is given must hold."
    input FlowRecordErrorSelectionInput {
        ids: [ID!]
        groupIds: [String!]
        pipelineId: ID
        "The run that has refused them."
        runId: ID
        "The run that replays them, or has replayed them last."
        replayRunId: ID
        stepKey: String
        code: String
        "Default: OPEN."
        states: [FlowRecordErrorState!]
        "Stands in the message, in whatever case; needs ReadFlowRecord."
        text: String
    }

    "A record in the place of one that was refused."
    input FlowRecordCorrectionInput {
        "Of the record error."
        id: ID!
        "All of it, as it is to come to the step."
        payload: FlowJSON!
    }

    "What is changed in many records."
    enum FlowRecordEditOperation {
        "The value stands at the path then."
        SET
        "The path is gone then."
        REMOVE
        "In the text at the path, each piece that is found is replaced; what is no text stays."
        REPLACE
    }

    "One change that each of the records gets."
    input FlowRecordEditInput {
        operation: FlowRecordEditOperation!
        path: String!
        "SET: default null."
        value: FlowJSON
        "REPLACE: the text that is looked for, as it stands."
        find: String
        "REPLACE: what comes in its place; default nothing."
        with: String
    }

    "Which revision of a pipeline replays its records."
    enum FlowReplayRevision {
        "The one that its runs take now."
        CURRENT
        "The one whose run has refused the record."
        ORIGINAL
    }

    "Records that cannot be replayed."
    type FlowRetryRefusal {
        pipelineCode: String!
        stepKey: String!
        records: Int!
        "The end of a sentence."
        reason: String!
    }

    "What has come of replaying."
    type FlowRecordRetry {
        "The runs that were started for it, pipeline by pipeline."
        runs: [FlowPipelineRun!]!
        "How many records are on their way."
        records: Int!
        "How many of those that were named are not open, or not any more."
        notOpen: Int!
        refused: [FlowRetryRefusal!]!
        "How many more are open: one call takes 10,000."
        remaining: Int!
    }

    "A row of a file of corrected records that says nothing that can be done."
    type FlowCorrectionFault {
        "Its number in the file, the header being 1."
        row: Int!
        message: String!
    }

    "A record that was corrected in a file."
    type FlowCorrectedRecord {
        error: FlowRecordError!
        before: FlowJSON!
        after: FlowJSON!
    }

    "What a file of corrected records says."
    type FlowCorrectedRecords {
        rows: Int!
        "How many are open and were changed."
        corrected: Int!
        "How many are open and were left as they were."
        unchanged: Int!
        "The first 50."
        faults: [FlowCorrectionFault!]!
        faultsTotal: Int!
        "The first 50 that were changed."
        examples: [FlowCorrectedRecord!]!
    }

    extend type Query {
        "What a stored file says that was downloaded as record-errors.csv and corrected; nothing is done. Needs ReadFlowRecord, and ReadFlowFiles or ManageFlowFiles."
        flowCorrectedRecords(fileId: ID!): FlowCorrectedRecords!
        "Rejected records of the active channel's runs, of one run where its id is given. With a selection: those that something can be done about, the open ones where it names no states. Filtering and sorting by message needs ReadFlowRecord."
        flowRecordErrors(options: FlowRecordErrorListOptions, runId: ID, selection: FlowRecordErrorSelectionInput): FlowRecordErrorList!
        "What is wrong with rejected records of the active channel, the cause of most of them first. take is 1 to 100, by default 50."
        flowRecordErrorGroups(selection: FlowRecordErrorSelectionInput, skip: Int, take: Int): FlowRecordErrorGroupList!
    }

    input FlowRecordErrorListOptions

    extend type Mutation {
        "Replays open records, each from the step that has refused it, in runs of their pipelines that act for the caller. What is given of each record wins over what was refused, and edits change that. Corrections and edits need ReadFlowRecord."
        retryFlowRecordErrors(
            selection: FlowRecordErrorSelectionInput!
            corrections: [FlowRecordCorrectionInput!]
            edits: [FlowRecordEditInput!]
            revision: FlowReplayRevision
        ): FlowRecordRetry!
        "Replays the open records of such a file as they stand in it. Needs ReadFlowRecord, and ReadFlowFiles or ManageFlowFiles."
        retryFlowCorrectedRecords(fileId: ID!, revision: FlowReplayRevision): FlowRecordRetry!
        "Sets open records aside; answers how many."
        ignoreFlowRecordErrors(selection: FlowRecordErrorSelectionInput!, note: String!): Int!
        "Takes back what was ignored; answers how many."
        reopenFlowRecordErrors(selection: FlowRecordErrorSelectionInput!): Int!
    }
`;
