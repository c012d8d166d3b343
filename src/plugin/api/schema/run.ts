import gql from 'graphql-tag';

/** Runs, their logs and the records that they rejected. */
export const runSchema = gql`
    "The state of a run. COMPLETED, FAILED and CANCELLED are final."
    enum FlowRunStatus {
        "Stored; waits for a worker."
        PENDING
        "A worker executes it, or will take it over from a worker that died."
        RUNNING
        "Waits for a person: for an approval, or to be resumed."
        PAUSED
        COMPLETED
        FAILED
        CANCELLED
    }

    "How a completed run ended."
    enum FlowRunOutcome {
        "Every record was processed."
        SUCCESS
        "Some records were rejected, or a source was not read completely."
        PARTIAL
        "The sources had no records."
        EMPTY
    }

    "The severity of a log line."
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
        "How many records were added when records were expanded into several."
        expanded: Int!
        filtered: Int!
        rejected: Int!
        held: Int!
        "For load and sink steps: what happened to the records. Records that a sink delivered count as updated. In a dry run: what would happen."
        created: Int!
        updated: Int!
        deleted: Int!
        unchanged: Int!
    }

    "Why a run failed, or paused without a gate."
    type FlowRunError {
        "A code of Flow's error catalogue."
        code: String!
        "Values of records are masked as ••• if the caller lacks ReadFlowRecord."
        message: String!
        "What the message consists of; null without placeholders, and if the caller lacks ReadFlowRecord and a part of the message is masked."
        facts: FlowJSON
        "The step that failed, if the error belongs to a step."
        stepKey: String
        "What you can do about it, in one or two sentences."
        remedy: String!
    }

    "The speed of a run."
    type FlowRunProgress {
        "Milliseconds from the start of the run to its end, or to now."
        elapsedMs: Float!
        recordsPerSecond: Float!
    }

    "A run that led to another one."
    type FlowRunCause {
        pipelineCode: String!
        "The run may have been deleted after its retention period."
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
        "The revision that it executes, even if another one has been published since; null for a dry run of the working copy."
        revision: FlowPipelineRevision
        "The number of that revision. Costs less than revision; also null if the revision was deleted."
        revisionNumber: Int
        status: FlowRunStatus!
        "Null until the run has completed."
        outcome: FlowRunOutcome
        dryRun: Boolean!
        "How many rejected records it replays; null for other runs."
        replays: Int
        "For a replay: replay, which is not the key of a step."
        triggerKey: String!
        "For a replay: REPLAY."
        triggerType: String!
        "What it was started for, if that may start only one run: a minute of a schedule, a message, a file."
        occurrenceKey: String
        "The runs that led to it, the first one first."
        causes: [FlowRunCause!]!
        "The user whose permissions it has; null for the configured superadmin."
        startedBy: FlowActor
        "For a paused run: the gate at which it waits."
        gateStepKey: String
        "For a paused run: when the gate opens automatically."
        gateTimeoutAt: DateTime
        "Whether later runs of the pipeline wait until this paused run has continued, because they would read the same records again."
        holdsBack: Boolean!
        "How many records its gates hold now."
        held: [FlowHeldRecords!]!
        "The decisions about its gates, the first one first."
        gateDecisions: [FlowGateDecision!]!
        "When cancellation was requested."
        cancelRequestedAt: DateTime
        startedAt: DateTime
        finishedAt: DateTime
        "How many times a worker has started or continued the run: more than once after a gate, and after a crash."
        attempt: Int!
        "Records read from the sources so far."
        recordsRead: Int!
        "Records that are finished so far: they passed the whole pipeline, or were filtered or rejected."
        recordsProcessed: Int!
        "Records created, updated or deleted so far."
        recordsLoaded: Int!
        recordsUnchanged: Int!
        recordsFiltered: Int!
        recordsRejected: Int!
        "The number of warnings in its log so far. The records of most warnings continued."
        warnings: Int!
        "Null until it has started."
        progress: FlowRunProgress
        counters: [FlowStepCounters!]!
        error: FlowRunError
        "Null for a run that is not a dry run, and until the dry run has ended."
        report: FlowDryRunReport
        "All steps that it executes, in the order of the definition, after the steps with which a replay begins. As last reported by the worker, at most a second ago."
        steps: [FlowRunStep!]!
        "What the run as a whole waits for. Null if it is being executed, or has ended."
        waitsFor: FlowRunWait
    }

    "A page of runs."
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
        "The event that the message and the facts belong to; null for a line of a script or of a custom adapter."
        code: String
        "In English. Values of records are masked as ••• if the caller lacks ReadFlowRecord. So is a line that a script or an adapter has written without a code."
        message: String!
        stepKey: String
        "What the message consists of, and more details of the line. If the caller lacks ReadFlowRecord, values of records are masked or omitted."
        facts: FlowJSON
    }

    "A page of log lines."
    type FlowLogList implements PaginatedList {
        items: [FlowLog!]!
        totalItems: Int!
    }

    "A stored file that an EXTRACT step directly after the trigger reads instead of its configured source."
    input FlowStepFileInput {
        stepKey: String!
        fileId: ID!
    }

    input FlowPipelineRunListOptions
    input FlowLogListOptions

    extend type Query {
        "The runs of the active channel's pipelines, or of one pipeline if its id is given. Default order: newest first."
        flowPipelineRuns(options: FlowPipelineRunListOptions, pipelineId: ID): FlowPipelineRunList!
        "A run of one of the active channel's pipelines."
        flowPipelineRun(id: ID!): FlowPipelineRun
        "Log lines of the active channel's runs, or of one run if its id is given. Default order: newest first. Filtering and sorting by message needs ReadFlowRecord."
        flowLogs(options: FlowLogListOptions, runId: ID): FlowLogList!
    }

    extend type Mutation {
        "Starts a run. Name the trigger only if the pipeline has several MANUAL ones. With records, the run processes these instead of reading its sources. With files, the named steps read these instead of their configured sources."
        startFlowPipelineRun(pipelineId: ID!, triggerKey: String, records: [FlowJSON!], files: [FlowStepFileInput!]): FlowPipelineRun!
        "Cancels a run. A batch that is being loaded is either completed or rolled back."
        cancelFlowPipelineRun(id: ID!): FlowPipelineRun!
        "Resumes a run that is PAUSED because its workers died repeatedly (waitsFor.reason is RESUME). It continues after the last committed batch."
        resumeFlowPipelineRun(id: ID!): FlowPipelineRun!
    }
`;
