import gql from 'graphql-tag';

/** Runs, their logs and what they rejected. */
export const runSchema = gql`
    "Where a run is. COMPLETED, FAILED and CANCELLED are final."
    enum FlowRunStatus {
        "Stored, waits for a worker."
        PENDING
        "A worker is at it, or will take it over from one that died."
        RUNNING
        "Waits for a person: for an approval, or to be resumed."
        PAUSED
        COMPLETED
        FAILED
        CANCELLED
    }

    "How a completed run went."
    enum FlowRunOutcome {
        "Every record was dealt with."
        SUCCESS
        "Some records were rejected, or a source was not read completely."
        PARTIAL
        "The sources held no record."
        EMPTY
    }

    "How much a line in a log matters."
    enum FlowLogLevel {
        DEBUG
        INFO
        WARN
        ERROR
    }

    "What happened to the records of one step. Always: in + expanded = out + filtered + rejected + held."
    type FlowStepCounters {
        stepKey: String!
        in: Int!
        out: Int!
        "How many records more came out of the records that came in."
        expanded: Int!
        filtered: Int!
        rejected: Int!
        held: Int!
        "Of a load or sink step: what became of its records; what a sink has delivered is updated. In a dry run, what would."
        created: Int!
        updated: Int!
        deleted: Int!
        unchanged: Int!
    }

    "Why a run failed, or paused without a gate."
    type FlowRunError {
        "A code of Flow's error catalogue."
        code: String!
        "Values of records are masked as ••• where the caller lacks ReadFlowRecord."
        message: String!
        "The step at which it happened, where it was one."
        stepKey: String
        "What can be done about it, in a sentence or two."
        remedy: String!
    }

    "How fast a run is."
    type FlowRunProgress {
        "Milliseconds from its start to its end, or to now."
        elapsedMs: Float!
        recordsPerSecond: Float!
    }

    "A run that led to another one."
    type FlowRunCause {
        pipelineCode: String!
        "It may be past its retention, and gone."
        runId: ID!
    }

    "One execution of a pipeline."
    type FlowPipelineRun implements Node {
        id: ID!
        createdAt: DateTime!
        updatedAt: DateTime!
        pipelineId: ID!
        "Null for a dry run of the working copy."
        revisionId: ID
        channelId: ID!
        pipeline: FlowPipeline!
        "What it executes, whatever has been published since; null for a dry run of the working copy."
        revision: FlowPipelineRevision
        "The number of that revision, which costs less; null as well where it is not there any more."
        revisionNumber: Int
        status: FlowRunStatus!
        "Null until the run has completed."
        outcome: FlowRunOutcome
        dryRun: Boolean!
        "How many rejected records it replays; null for a run that replays none."
        replays: Int
        "Of a replay: replay, which is no step."
        triggerKey: String!
        "Of a replay: REPLAY."
        triggerType: String!
        "What it was started for, where that may start one run alone: a minute of a schedule, a message, a file."
        occurrenceKey: String
        "The runs that led to it, the first one first."
        causes: [FlowRunCause!]!
        "The user that it acts for; null for the configured superadmin."
        startedBy: FlowActor
        "Of a paused run: the gate at which it waits."
        gateStepKey: String
        "Of a paused run: when the gate opens by itself."
        gateTimeoutAt: DateTime
        "Whether later runs of the pipeline wait until this paused run has gone on: it has read what they would read again."
        holdsBack: Boolean!
        "What its gates hold now."
        held: [FlowHeldRecords!]!
        "What was decided about its gates, the first decision first."
        gateDecisions: [FlowGateDecision!]!
        "When a cancel was asked for."
        cancelRequestedAt: DateTime
        startedAt: DateTime
        finishedAt: DateTime
        "How often a worker took the run up: more than once behind a gate, and after a crash."
        attempt: Int!
        "What the sources held so far."
        recordsRead: Int!
        "Records that reached an end so far: of the pipeline, by a filter, or by being rejected."
        recordsProcessed: Int!
        "Created, updated or deleted so far."
        recordsLoaded: Int!
        recordsUnchanged: Int!
        recordsFiltered: Int!
        recordsRejected: Int!
        "Null until it has started."
        progress: FlowRunProgress
        counters: [FlowStepCounters!]!
        error: FlowRunError
        "Null for a run that is no dry run, and until the dry run has ended."
        report: FlowDryRunReport
        "All steps of what it executes, in the order of the definition, behind those that a replay begins with. As the worker has told last, a second ago at most."
        steps: [FlowRunStep!]!
        "What the run as a whole waits for. Null where it is at work, or over."
        waitsFor: FlowRunWait
    }

    "Runs, a page of them."
    type FlowPipelineRunList implements PaginatedList {
        items: [FlowPipelineRun!]!
        totalItems: Int!
    }

    "A line in the log of a run."
    type FlowLog implements Node {
        id: ID!
        createdAt: DateTime!
        runId: ID!
        level: FlowLogLevel!
        "Values of records are masked as ••• where the caller lacks ReadFlowRecord, as is a line that a script or an adapter has written without a code."
        message: String!
        stepKey: String
        "What the line is about, for machines; where the caller lacks ReadFlowRecord, without facts that may be values of records."
        facts: FlowJSON
    }

    "Log lines, a page of them."
    type FlowLogList implements PaginatedList {
        items: [FlowLog!]!
        totalItems: Int!
    }

    "A stored file that an EXTRACT step right behind the trigger reads in the place of its own."
    input FlowStepFileInput {
        stepKey: String!
        fileId: ID!
    }

    input FlowPipelineRunListOptions
    input FlowLogListOptions

    extend type Query {
        "The runs of the active channel's pipelines, of one pipeline where its id is given; the newest first unless sorted otherwise."
        flowPipelineRuns(options: FlowPipelineRunListOptions, pipelineId: ID): FlowPipelineRunList!
        "A run of the active channel's pipelines."
        flowPipelineRun(id: ID!): FlowPipelineRun
        "Log lines of the active channel's runs, of one run where its id is given; the newest first unless sorted otherwise. Filtering and sorting by message needs ReadFlowRecord."
        flowLogs(options: FlowLogListOptions, runId: ID): FlowLogList!
    }

    extend type Mutation {
        "Starts a run. The trigger must be named only where the pipeline has several MANUAL ones. With records the run has these, and no source of its own is read; with files the named steps read these in the place of their own."
        startFlowPipelineRun(pipelineId: ID!, triggerKey: String, records: [FlowJSON!], files: [FlowStepFileInput!]): FlowPipelineRun!
        "Ends a run. What is being loaded is finished or undone, never left in half."
        cancelFlowPipelineRun(id: ID!): FlowPipelineRun!
        "Resumes a run that is PAUSED since its workers died one after the other (waitsFor.reason is RESUME). It continues after the last batch that was committed."
        resumeFlowPipelineRun(id: ID!): FlowPipelineRun!
    }
`;
