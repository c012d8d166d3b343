import gql from 'graphql-tag';

/** What people look at first, and what lists show of each pipeline. */
export const overviewSchema = gql`
    "What may be wrong with a trigger."
    enum FlowTriggerWarningCode {
        "Whoever knows the address of the webhook starts runs."
        WEBHOOK_OPEN
        "The webhook lets nobody in, since a secret that it names is not there."
        SECRET_MISSING
        "Events have started no run, and are tried no more: see flowGivenUpEvents."
        EVENTS_GIVEN_UP
        "Runs could not be created several times in a row, and the schedule rests until the process that tells it starts anew or the pipeline is changed."
        SCHEDULE_RESTS
        "No messages come in: the broker is away, or refuses something."
        MESSAGES_STOPPED
        "Messages have started no run within the last 24 hours: they are no JSON objects, or could not be stored."
        MESSAGES_REFUSED
        "The trigger is not in force, since its type does not allow what is stored."
        TRIGGER_INVALID
        "The folder of the trigger is not watched, since too many are."
        FILES_NOT_WATCHED
        "The folder of the trigger could not be listed when it was last polled."
        FILES_UNREACHABLE
        "Not all that lies in the folder of the trigger is seen."
        FILES_LEFT_OUT
        "Files of the folder have not been loaded yet, since their runs have failed or were cancelled. They come again."
        FILES_FAILED
    }

    "A trigger that somebody should look at."
    type FlowTriggerWarning {
        pipelineId: ID!
        pipeline: FlowPipeline
        triggerKey: String!
        code: FlowTriggerWarningCode!
        message: String!
    }

    "Where a webhook takes posts."
    type FlowWebhookAddress {
        path: String!
        "As this server was asked; another one where a proxy says so."
        url: String!
        authentication: String!
        "A call for a terminal, which reads the secret from the environment variable FLOW_SECRET, or a token from FLOW_TOKEN; it holds none."
        curl: String!
    }

    "What needs somebody, what is under way, and what the last 24 hours have come to."
    type FlowOverview {
        asOf: DateTime!
        "Of each pipeline whose last run has failed: that run, the latest first, 20 at most. Dry runs, replays and cancelled runs do not count."
        failures: [FlowPipelineRun!]!
        failuresTotal: Int!
        "Runs that wait at a gate, the longest first, 20 at most."
        waitingGates: [FlowPipelineRun!]!
        waitingGatesTotal: Int!
        "Runs at work, the longest first, 20 at most."
        running: [FlowPipelineRun!]!
        runningTotal: Int!
        openRecordErrors: Int!
        "What is wrong with most of these: five causes."
        causes: [FlowRecordErrorGroup!]!
        triggerWarnings: [FlowTriggerWarning!]!
        "Runs that have ended in the last 24 hours."
        lastDay: FlowRunFigures!
        "The same hour by hour; hours in which no run has ended are left out."
        hours: [FlowPeriodFigures!]!
        "Whether there is a run that was no dry run."
        hasRuns: Boolean!
    }

    "What a list of pipelines begins with."
    enum FlowPipelineOrder {
        "The one that has run last; those that have never run last of all."
        LAST_RUN
        "The one with most open record errors."
        OPEN_ERRORS
    }

    "Which pipelines are listed, by what belongs to them; all that is given must hold. All but search and triggerType need ReadFlowRun."
    input FlowPipelineSelectionInput {
        "Stands in the code or the name, in whatever case."
        search: String
        "MANUAL, SCHEDULE, WEBHOOK, EVENT, FILE or MESSAGE: those that have such a trigger in force, as this server knows it."
        triggerType: String
        "What its newest run is."
        lastRunStatus: [FlowRunStatus!]
        hasOpenErrors: Boolean
        "In place of options.sort."
        orderBy: FlowPipelineOrder
    }

    extend type Query {
        "What a person looks at first, of the active channel; by a constant number of statements."
        flowOverview: FlowOverview!
    }
`;
