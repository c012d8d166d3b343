import gql from 'graphql-tag';

/** Rejected records, why they were rejected, and what was done about them. */
export const recordErrorSchema = gql`
    "What was done about a rejected record."
    enum FlowRecordErrorState {
        "Nothing yet, or the replay did not help."
        OPEN
        "It is being replayed by a run that has not ended."
        REPLAYED
        "A run has processed it: it is loaded, or there was nothing left to do."
        LOADED
        "A run has rejected it again; refusedAgainAs is the new record error."
        REJECTED
        "A user has decided to ignore it."
        IGNORED
    }

    "A record that was rejected with an error; other records continued. With severity WARNING: a record that continued, but lacks something."
    type FlowRecordError implements Node {
        id: ID!
        createdAt: DateTime!
        runId: ID!
        pipelineId: ID!
        pipeline: FlowPipeline
        "The step that rejected it."
        stepKey: String!
        "The step that read it."
        sourceKey: String!
        "The record's number in that source, from 0."
        seq: Int!
        code: String!
        "WARNING if the record continued, without what the message describes."
        severity: FlowFaultSeverity!
        "Values of records are masked as ••• if the caller lacks ReadFlowRecord."
        message: String!
        "What the message consists of; null without placeholders, and if the caller lacks ReadFlowRecord and a part of the message is masked."
        facts: FlowJSON
        "The field with the problem, if there is one."
        path: String
        "Where the record is in its source, if known: line 17 of a text, Sheet1!A17 of a workbook. Null if the record was made from several."
        place: String
        "All issues that the rules of a VALIDATE step have found; null if another step rejected the record."
        faults: [FlowRecordFault!]
        "The record as the step received it. Null unless the caller may read records."
        payload: FlowJSON
        "The group of record errors with the same cause."
        groupId: String!
        "Null if nothing can be done: for a warning, for records that a dry run rejected, and for those that a later run has copied from an earlier one, where they are handled."
        state: FlowRecordErrorState
        "Why it is ignored."
        note: String
        "The user who last replayed, ignored or reopened it."
        decidedBy: FlowActor
        decidedAt: DateTime
        "The run that replays it, or replayed it last. It may have been deleted after its retention period."
        replayRunId: ID
        replayRun: FlowPipelineRun
        "The corrected record, as it was passed to that run. Null if it was not corrected, and unless the caller may read records."
        correction: FlowJSON
        "For a record that was rejected again: the newest record error about it."
        refusedAgainAs: FlowRecordError
        "When it is deleted; null if it is kept forever."
        keptUntil: DateTime
    }

    "The severity of an issue of a record."
    enum FlowFaultSeverity {
        "The record was rejected."
        ERROR
        "The record continued."
        WARNING
    }

    "One issue that a rule has found in a record."
    type FlowRecordFault {
        "The field with the problem; empty if the rule itself has failed."
        path: String!
        "The type of the rule."
        rule: String!
        "Values of records are masked as ••• if the caller lacks ReadFlowRecord."
        message: String!
        severity: FlowFaultSeverity!
    }

    "A page of rejected records."
    type FlowRecordErrorList implements PaginatedList {
        items: [FlowRecordError!]!
        totalItems: Int!
    }

    "How many records of a group have a state."
    type FlowRecordErrorStateCount {
        state: FlowRecordErrorState!
        records: Int!
    }

    "How many records of a group belong to a pipeline."
    type FlowRecordErrorPipelineCount {
        pipelineId: ID!
        pipeline: FlowPipeline
        records: Int!
    }

    "Rejected records with the same cause: rejected by the same step of the same pipeline, with the same code, for the same field."
    type FlowRecordErrorGroup {
        id: String!
        stepKey: String!
        code: String!
        "Without the numbers of list elements: lines.*.sku."
        path: String
        "The number of matching records. If the selection names no states, these are the open ones."
        records: Int!
        firstSeenAt: DateTime!
        lastSeenAt: DateTime!
        "The states of all records of the group, including states that were not requested."
        states: [FlowRecordErrorStateCount!]!
        "The pipelines of the matching records, the one with most records first. There is one pipeline, except for records that an earlier version has stored."
        pipelines: [FlowRecordErrorPipelineCount!]!
        "The newest record error."
        example: FlowRecordError!
        "What you can do about such records, in one sentence."
        remedy: String!
        "False if the group is about files that could not be read: you can ignore them, but not replay them."
        isReplayable: Boolean!
    }

    "A page of groups."
    type FlowRecordErrorGroupList {
        items: [FlowRecordErrorGroup!]!
        totalItems: Int!
        "In all groups together."
        totalRecords: Int!
    }

    "Selects rejected records. A record must meet all conditions that are given."
    input FlowRecordErrorSelectionInput {
        ids: [ID!]
        groupIds: [String!]
        pipelineId: ID
        "The run that rejected them."
        runId: ID
        "The run that replays them, or replayed them last."
        replayRunId: ID
        stepKey: String
        code: String
        "Default: OPEN."
        states: [FlowRecordErrorState!]
        "Text that the message must contain, ignoring case; needs ReadFlowRecord."
        text: String
    }

    "A corrected record that replaces a rejected one."
    input FlowRecordCorrectionInput {
        "The id of the record error."
        id: ID!
        "The complete record, as the step shall receive it."
        payload: FlowJSON!
    }

    "The kinds of changes to many records."
    enum FlowRecordEditOperation {
        "Writes a value at the path."
        SET
        "Removes the field at the path."
        REMOVE
        "Replaces all occurrences in the text at the path. Values that are not texts stay unchanged."
        REPLACE
    }

    "One change that is applied to each of the records."
    input FlowRecordEditInput {
        operation: FlowRecordEditOperation!
        path: String!
        "SET: the value. Default null."
        value: FlowJSON
        "REPLACE: the exact text to search for."
        find: String
        "REPLACE: the replacement. Default: an empty text."
        with: String
    }

    "Which revision of a pipeline replays its records."
    enum FlowReplayRevision {
        "The revision that new runs use now."
        CURRENT
        "The revision whose run rejected the record."
        ORIGINAL
    }

    "Records that cannot be replayed."
    type FlowRetryRefusal {
        pipelineCode: String!
        stepKey: String!
        records: Int!
        "The reason, as the end of a sentence."
        reason: String!
    }

    "The result of a replay."
    type FlowRecordRetry {
        "The runs that were started, grouped by pipeline."
        runs: [FlowPipelineRun!]!
        "How many records are being replayed."
        records: Int!
        "How many of the named records are not open, or are no longer open."
        notOpen: Int!
        refused: [FlowRetryRefusal!]!
        "How many more are open: one call replays at most 10,000."
        remaining: Int!
    }

    "A row in a file of corrected records that cannot be used."
    type FlowCorrectionFault {
        "Its number in the file; the header is row 1."
        row: Int!
        message: String!
    }

    "A record that was corrected in a file."
    type FlowCorrectedRecord {
        error: FlowRecordError!
        before: FlowJSON!
        after: FlowJSON!
    }

    "The contents of a file of corrected records."
    type FlowCorrectedRecords {
        rows: Int!
        "How many open records were changed."
        corrected: Int!
        "How many open records were left unchanged."
        unchanged: Int!
        "The first 50 rows with problems."
        faults: [FlowCorrectionFault!]!
        faultsTotal: Int!
        "The first 50 records that were changed."
        examples: [FlowCorrectedRecord!]!
    }

    extend type Query {
        "Checks a stored file that was downloaded as record-errors.csv and corrected; changes nothing. Needs ReadFlowRecord, and ReadFlowFiles or ManageFlowFiles."
        flowCorrectedRecords(fileId: ID!): FlowCorrectedRecords!
        "Rejected records of the active channel's runs, or of one run if its id is given. With a selection: only records about which you can do something; if it names no states, the open ones. Filtering and sorting by message needs ReadFlowRecord."
        flowRecordErrors(options: FlowRecordErrorListOptions, runId: ID, selection: FlowRecordErrorSelectionInput): FlowRecordErrorList!
        "The groups of the active channel's rejected records, the largest one first. take is 1 to 100, default 50."
        flowRecordErrorGroups(selection: FlowRecordErrorSelectionInput, skip: Int, take: Int): FlowRecordErrorGroupList!
    }

    input FlowRecordErrorListOptions

    extend type Mutation {
        "Replays open records, each from the step that rejected it, in runs of their pipelines with the permissions of the caller. Given corrections replace the stored records; edits are applied to them. Corrections and edits need ReadFlowRecord."
        retryFlowRecordErrors(
            selection: FlowRecordErrorSelectionInput!
            corrections: [FlowRecordCorrectionInput!]
            edits: [FlowRecordEditInput!]
            revision: FlowReplayRevision
        ): FlowRecordRetry!
        "Replays the open records in such a file as they are in the file. Needs ReadFlowRecord, and ReadFlowFiles or ManageFlowFiles."
        retryFlowCorrectedRecords(fileId: ID!, revision: FlowReplayRevision): FlowRecordRetry!
        "Ignores open records; returns how many."
        ignoreFlowRecordErrors(selection: FlowRecordErrorSelectionInput!, note: String!): Int!
        "Reopens ignored records; returns how many."
        reopenFlowRecordErrors(selection: FlowRecordErrorSelectionInput!): Int!
    }
`;
