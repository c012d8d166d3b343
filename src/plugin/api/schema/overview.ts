import gql from 'graphql-tag';

/** The overview page, and the columns that lists of pipelines need. */
export const overviewSchema = gql`
    "What may be wrong with a trigger."
    enum FlowTriggerWarningCode {
        "Anyone who knows the address of the webhook can start runs."
        WEBHOOK_OPEN
        "The webhook rejects all requests, because a secret that it names does not exist."
        SECRET_MISSING
        "Events have not started a run and are not tried any more: see flowGivenUpEvents."
        EVENTS_GIVEN_UP
        "Runs could not be created several times in a row. The schedule is suspended until the process that reports this restarts or the pipeline is changed."
        SCHEDULE_RESTS
        "No messages arrive: the broker is unreachable or rejects the connection."
        MESSAGES_STOPPED
        "Messages have not started a run within the last 24 hours: they are not JSON objects, or could not be stored."
        MESSAGES_REFUSED
        "The trigger is inactive, because its type does not allow the stored configuration."
        TRIGGER_INVALID
        "The folder of the trigger is not watched, because too many folders are."
        FILES_NOT_WATCHED
        "The folder of the trigger could not be listed when it was last polled."
        FILES_UNREACHABLE
        "Some of the files in the folder of the trigger are not considered."
        FILES_LEFT_OUT
        "Files of the folder have not been loaded yet, because their runs failed or were cancelled. They are tried again."
        FILES_FAILED
    }

    "A trigger that needs attention."
    type FlowTriggerWarning {
        pipelineId: ID!
        pipeline: FlowPipeline
        triggerKey: String!
        code: FlowTriggerWarningCode!
        message: String!
        "What the message consists of."
        facts: FlowJSON
    }

    "The address at which a webhook accepts requests."
    type FlowWebhookAddress {
        path: String!
        "As this server received the request. With a proxy, the address may differ."
        url: String!
        authentication: String!
        "A command for a terminal. It reads the secret from the environment variable FLOW_SECRET, or a token from FLOW_TOKEN; it contains neither."
        curl: String!
    }

    "What needs attention, what is in progress, and statistics of the last 24 hours."
    type FlowOverview {
        asOf: DateTime!
        "The last runs of pipelines whose last run failed, the newest first, at most 20. Dry runs, replays and cancelled runs do not count."
        failures: [FlowPipelineRun!]!
        failuresTotal: Int!
        "Runs that wait at a gate, the longest wait first, at most 20."
        waitingGates: [FlowPipelineRun!]!
        waitingGatesTotal: Int!
        "Runs that are being executed, the longest one first, at most 20."
        running: [FlowPipelineRun!]!
        runningTotal: Int!
        openRecordErrors: Int!
        "The five most frequent causes of these record errors."
        causes: [FlowRecordErrorGroup!]!
        triggerWarnings: [FlowTriggerWarning!]!
        "Runs that ended in the last 24 hours."
        lastDay: FlowRunFigures!
        "The same statistics per hour; hours in which no run ended are omitted."
        hours: [FlowPeriodFigures!]!
        "Whether any run exists that is not a dry run."
        hasRuns: Boolean!
    }

    "The order of a list of pipelines."
    enum FlowPipelineOrder {
        "The most recent run first; pipelines without runs last."
        LAST_RUN
        "The most open record errors first."
        OPEN_ERRORS
    }

    "Selects pipelines. A pipeline must meet all conditions that are given. All except search and triggerType need ReadFlowRun."
    input FlowPipelineSelectionInput {
        "Text that the code or the name must contain, ignoring case."
        search: String
        "MANUAL, SCHEDULE, WEBHOOK, EVENT, FILE or MESSAGE: pipelines that have an active trigger of this type, according to this server."
        triggerType: String
        "The status of the newest run."
        lastRunStatus: [FlowRunStatus!]
        hasOpenErrors: Boolean
        "Replaces options.sort."
        orderBy: FlowPipelineOrder
    }

    extend type Query {
        "The overview of the active channel. Uses a constant number of SQL statements."
        flowOverview: FlowOverview!
    }
`;
