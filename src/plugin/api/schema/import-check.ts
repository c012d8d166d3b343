import gql from 'graphql-tag';

/** Drafts of imports, their checks, and what becomes of them. */
export const importCheckSchema = gql`
    "The screens of the import wizard."
    enum FlowImportStep {
        FILE
        TARGET
        MAPPING
        CHECK
        IMPORT
    }

    "Why rows were rejected."
    enum FlowImportCauseCode {
        "A required field is empty."
        EMPTY
        NOT_A_NUMBER
        "A new product has no price."
        NO_PRICE
        UNKNOWN_FACET_VALUE
        UNKNOWN_TAX_CATEGORY
        UNKNOWN_SKU
        "A country, group, location, collection or customer does not exist."
        UNKNOWN
        "Another row has the same key."
        DUPLICATE
        "Another variant of the product has the same options."
        SAME_OPTIONS
        "A picture cannot be loaded."
        PICTURE
        "A number is negative."
        NEGATIVE
        "A date does not exist or has another format."
        DATE
        "The row is too short or too long, or its group contains such a row."
        ROW
        "The channel does not have the language."
        LANGUAGE
        "The channel does not have the currency."
        CURRENCY
        "The e-mail address is invalid or is used twice."
        EMAIL
        "The user decided to skip the row."
        SKIPPED
        OTHER
    }

    "An unfinished import of a user."
    type FlowImportDraft implements Node {
        id: ID!
        createdAt: DateTime!
        updatedAt: DateTime!
        "Increases with every change."
        version: Int!
        "The screen to which the user returns."
        step: FlowImportStep!
        filename: String!
        fileId: ID!
        "The profile of the file with the facts of the plan. It is read on request; null if the file no longer exists."
        profile: FlowImportProfile
        plan: FlowJSON!
        "The pipeline that the import repeats with another file; null for a new one."
        pipeline: FlowPipeline
        "The last check; null if there was none. Null unless the caller may read runs."
        check: FlowImportCheck
        "When it is deleted, unless it is changed before."
        expiresAt: DateTime!
    }

    "An unfinished import in a list."
    type FlowImportDraftSummary implements Node {
        id: ID!
        createdAt: DateTime!
        updatedAt: DateTime!
        version: Int!
        "The screen to which the user returns."
        step: FlowImportStep!
        filename: String!
        fileId: ID!
        "When it is deleted, unless it is changed before."
        expiresAt: DateTime!
    }

    "A new draft, or a change of one."
    input SaveFlowImportDraftInput {
        "Null for a new draft."
        id: ID
        "The version that the caller has read. Required with id."
        version: Int
        profileId: String!
        plan: FlowJSON!
        step: FlowImportStep!
        "For a new draft: the pipeline that it repeats with another file."
        pipelineId: ID
    }

    "Rows that were rejected for the same reason."
    type FlowImportCause {
        "Stable as long as the cause is the same, for lists."
        id: String!
        code: FlowImportCauseCode!
        "The field of the plan, its column and its value, if they are known. If many values have the same problem, there is one cause for the most frequent ones each, and one without a value for all others."
        field: String
        column: String
        "Masked as ••• if the caller lacks ReadFlowRecord."
        value: String
        rows: Int!
        "Where the first rows are in the file: line 17, Sheet1!A17."
        places: [String!]!
        "The newest of the rejected rows, at most 3."
        examples: [FlowRecordError!]!
        "The group of record errors that contains these rows, for their list."
        groupId: String!
        "Remedies of the plan that fit, the likeliest first: applyFlowImportRemedy takes one of them."
        remedies: [FlowJSON!]!
    }

    "The result of a check: a dry run of the whole file. flowDryRunDifferences and flowRecordErrors list its changes and rejected rows."
    type FlowImportCheck {
        runId: ID!
        run: FlowPipelineRun!
        "False if the plan was changed after the check was started."
        isCurrent: Boolean!
        "How many rows were read so far."
        rows: Int!
        "How many rows the file contains."
        totalRows: Int!
        created: Int!
        updated: Int!
        deleted: Int!
        unchanged: Int!
        rejected: Int!
        warnings: Int!
        "The one with most rows first. Empty until the dry run has ended."
        causes: [FlowImportCause!]!
        "False if there are more rejected rows than were read for causes: the first 10,000."
        isCausesComplete: Boolean!
        "Remedies of the plan that were applied, in their order: undoFlowImportRemedy takes one of them."
        applied: [FlowJSON!]!
        "Unusual changes. Empty until the dry run has ended."
        unusual: [FlowImportWarning!]!
    }

    "How a file differs from the file that a pipeline was made for."
    enum FlowImportDifferenceCode {
        "A column that a field uses is missing. suggestion is a column that could replace it."
        COLUMN_MISSING
        "A column is new. suggestion is a field that it could fill."
        COLUMN_ADDED
        "The type of a column is another one. Arguments: before, after."
        TYPE_CHANGED
        "The file has less than half or more than twice as many rows. Arguments: before, after."
        ROWS_CHANGED
        "The file is read in another way. Arguments: fact, before, after."
        FACT_CHANGED
    }

    "One difference of a file from the file that a pipeline was made for."
    type FlowImportDifference {
        code: FlowImportDifferenceCode!
        column: String
        field: String
        suggestion: String
        args: FlowJSON!
    }

    "A pipeline that was made by an import and whose columns fit a file."
    type FlowImportFit {
        pipeline: FlowPipeline!
        "The share of the columns that are the same, 0 to 1."
        score: Float!
        "True if the columns that it uses are all there. Their order does not matter."
        isExact: Boolean!
        "True if the pipeline was changed in the editor: its plan no longer describes it."
        isEdited: Boolean!
        differences: [FlowImportDifference!]!
        "Its plan for this file, with suggestions for missing columns applied; for saveFlowImportDraft."
        plan: FlowJSON!
    }

    "What happens to the pipeline of an import."
    enum FlowImportOutcome {
        "It is created with a working copy."
        CREATED
        "It is submitted for review."
        SUBMITTED
        "It is published; its triggers are active."
        PUBLISHED
        "It is published and a run is started."
        STARTED
    }

    "A folder that is watched or read at a time of day."
    input FlowImportFolderTriggerInput {
        "A saved SFTP, FTP or object storage connection."
        connectionCode: String!
        "The folder."
        path: String!
        "Names of files: mueller*.csv."
        pattern: String!
    }

    "When an import is repeated. Without folder, the source of the plan must be a URL or a file on a server."
    input FlowImportTriggerInput {
        "A cron expression with five fields: 0 3 * * *"
        cron: String!
        "An IANA time zone. Default: the time zone of the shop's server."
        timezone: String
        folder: FlowImportFolderTriggerInput
    }

    "Makes the pipeline of a draft, or changes the pipeline that the draft repeats."
    input CreateFlowImportPipelineInput {
        draftId: ID!
        "The version of the draft that the caller has read."
        version: Int!
        "Default: from the name of the file."
        name: String
        outcome: FlowImportOutcome!
        "Default: it is started manually."
        trigger: FlowImportTriggerInput
        "For the reading of a URL: see publishFlowPipeline."
        allowSecretHosts: [FlowSecretHostInput!]
    }

    "Repeats the import of a pipeline that was made by an import."
    input ScheduleFlowImportInput {
        pipelineId: ID!
        "The version of the pipeline that the caller has read."
        version: Int!
        "Null: it is started manually."
        trigger: FlowImportTriggerInput
        "Replaces the source of the import by an address."
        url: String
        "With url: a saved HTTP connection, for its authentication."
        connectionCode: String
        allowSecretHosts: [FlowSecretHostInput!]
    }

    "A pipeline, and the run that was started."
    type FlowImportResult {
        pipeline: FlowPipeline!
        run: FlowPipelineRun
    }

    "The permissions that imports need."
    type FlowImportAccess {
        "All permissions that a role for imports of the catalogue needs, to be created with Vendure's createRole."
        permissions: [String!]!
        "Those that the caller lacks in the active channel."
        missing: [String!]!
    }
`;
