import gql from 'graphql-tag';

/** Pipelines from their working copy to their revisions. */
export const pipelineSchema = gql`
    "Where a working copy is on its way to a revision."
    enum FlowWorkingCopyStatus {
        "Being edited; may have faults."
        DRAFT
        "Submitted, waits to be published or sent back. Sound when it was submitted; every edit makes it a draft again."
        REVIEW
    }

    "What happened to a pipeline."
    enum FlowPipelineAction {
        CREATED
        EDITED
        SUBMITTED
        "Sent back by a review, with a comment."
        REJECTED
        PUBLISHED
        "Another revision was picked for the runs to come."
        REVISION_SELECTED
        ENABLED
        DISABLED
        ARCHIVED
        RESTORED
        "The saved position of a source was taken away."
        POSITION_RESET
        "The saved position of a source was set by hand."
        POSITION_SET
        "Someone who manages secrets allowed hosts that the revision sends secrets to. The comment lists them."
        SECRET_HOSTS_ALLOWED
    }

    "How a pipeline is written as text."
    enum FlowDocumentFormat {
        JSON
        YAML
    }

    "What became of something between two definitions."
    enum FlowDifferenceKind {
        ADDED
        REMOVED
        CHANGED
    }

    "What a difference is about."
    enum FlowDifferenceSubject {
        STEP
        "An operator of a transform step, as a whole."
        OPERATOR
        "One argument of a step or of an operator."
        ARGUMENT
        EDGE
        "Throughput, error handling, capabilities, hooks."
        SETTING
    }

    "A step that starts runs."
    type FlowTrigger {
        "Key of the step."
        key: String!
        "MANUAL, SCHEDULE, WEBHOOK, EVENT, FILE or MESSAGE."
        type: String!
        "False when the step is disabled; it then starts nothing."
        enabled: Boolean!
        "What it waits for, in a few words of English: daily at 06:00 (Europe/Berlin)."
        text: String!
        "What it is set to. Null unless the caller may read pipelines."
        config: FlowJSON
        "Of a webhook. Null unless the caller may read pipelines."
        webhook: FlowWebhookAddress
        "Of a trigger in force."
        warnings: [FlowTriggerWarning!]!
    }

    "A user."
    type FlowActor {
        id: ID!
        identifier: String!
    }

    "A fault of a definition."
    type FlowIssue {
        "Which rule it breaks."
        code: String!
        "Where: steps[2].config.operators[0].args.source"
        path: String!
        stepKey: String
        "What is wrong and what is allowed."
        message: String!
        severity: FlowIssueSeverity!
    }

    "ERROR: it cannot be published. WARNING: it can, and is hardly what was meant."
    enum FlowIssueSeverity {
        ERROR
        WARNING
    }

    "The editable definition of a pipeline. Triggers never run from it."
    type FlowWorkingCopy {
        status: FlowWorkingCopyStatus!
        "As it was saved, faults included."
        definition: FlowJSON!
        "What keeps it from being submitted and published."
        issues: [FlowIssue!]!
        updatedAt: DateTime!
        updatedBy: FlowActor
        submittedAt: DateTime
        submittedBy: FlowActor
        "Why the last review sent it back; null once it is submitted or published again."
        reviewComment: String
        reviewedBy: FlowActor
    }

    "A pipeline of the active channel."
    type FlowPipeline implements Node {
        id: ID!
        createdAt: DateTime!
        updatedAt: DateTime!
        "Unique in the whole system; fixed after the first publication."
        code: String!
        name: String!
        description: String!
        "Only an enabled pipeline can be started."
        enabled: Boolean!
        archived: Boolean!
        "True when it is defined in the shop's code, and read-only here."
        codeFirst: Boolean!
        "Of the working copy."
        status: FlowWorkingCopyStatus!
        "Goes up with every change. Whoever changes the pipeline says which version was read, so that nobody's change is lost."
        version: Int!
        "True when the working copy differs from the newest revision."
        hasChanges: Boolean!
        "Null for a pipeline from the shop's code, and unless the caller may read pipelines."
        workingCopy: FlowWorkingCopy
        "Of a pipeline from the shop's code: what keeps its definition from being published. It is published once this is resolved. Null unless the caller may read pipelines."
        publicationIssues: [FlowIssue!]
        "What its runs execute: the newest revision unless another one was selected; null when nothing is published."
        revision: FlowPipelineRevision
        "Its newest run. Null unless the caller may read runs."
        lastRun: FlowPipelineRun
        "How many of its rejected records are open. Null unless the caller may read runs."
        openErrors: Int
        "What its runs have come to on each of the last 30 days of UTC that had some, without durations. Null unless the caller may read runs."
        days: [FlowPeriodFigures!]
    }

    "Pipelines, a page of them."
    type FlowPipelineList implements PaginatedList {
        items: [FlowPipeline!]!
        totalItems: Int!
    }

    "An immutable published definition."
    type FlowPipelineRevision implements Node {
        id: ID!
        createdAt: DateTime!
        "1, 2, 3 … within its pipeline."
        number: Int!
        "What its publisher said about it."
        message: String
        "Null when the shop's code published it."
        publishedBy: FlowActor
        "Null where it was published without a review."
        submittedBy: FlowActor
        "Steps, edges, throughput, error handling. Null unless the caller may read pipelines."
        definition: FlowJSON
        triggers: [FlowTrigger!]!
    }

    "Revisions, a page of them."
    type FlowPipelineRevisionList implements PaginatedList {
        items: [FlowPipelineRevision!]!
        totalItems: Int!
    }

    "A line of a pipeline's history."
    type FlowPipelineEvent implements Node {
        id: ID!
        createdAt: DateTime!
        action: FlowPipelineAction!
        "Null when the shop's code did it."
        actor: FlowActor
        "Of a publication or selection."
        revision: FlowPipelineRevision
        "The message of a publication, the comment of a review."
        comment: String
    }

    "Lines of a history, a page of them."
    type FlowPipelineEventList implements PaginatedList {
        items: [FlowPipelineEvent!]!
        totalItems: Int!
    }

    "A pipeline as text."
    type FlowPipelineDocument {
        "A name for the file."
        filename: String!
        mimeType: String!
        content: String!
    }

    "One thing that differs between two definitions. Order of keys, defaults that are spelled out and aliases are no differences."
    type FlowDifference {
        kind: FlowDifferenceKind!
        subject: FlowDifferenceSubject!
        "The step that it is about, where it is one."
        stepKey: String
        "Where, in the newer definition, or in the older one for what was removed."
        path: String!
        "Null for what was added."
        before: FlowJSON
        "Null for what was removed."
        after: FlowJSON
    }

    input FlowPipelineListOptions
    input FlowPipelineRevisionListOptions
    input FlowPipelineEventListOptions

    "A new pipeline of the active channel."
    input CreateFlowPipelineInput {
        "Small letters and digits with single hyphens between, at most 64 characters, unique in the whole system."
        code: String!
        "Default: the code."
        name: String
        description: String
        "Default true."
        enabled: Boolean
        "May still have faults. Default: a manual trigger and nothing else."
        definition: FlowJSON
    }

    "What is left out stays as it is."
    input UpdateFlowPipelineInput {
        id: ID!
        "The version that the caller has read."
        version: Int!
        "Only before the first publication."
        code: String
        name: String
        description: String
        definition: FlowJSON
    }

    "A secret, and a host that it is sent to from now on."
    input FlowSecretHostInput {
        secretCode: String!
        "With its port, as the error SECRET_HOST_NOT_ALLOWED lists it: erp.example.com:443."
        host: String!
    }

    extend type Query {
        "The pipelines of the active channel."
        flowPipelines(options: FlowPipelineListOptions, selection: FlowPipelineSelectionInput): FlowPipelineList!
        "A pipeline of the active channel, by its id or its code."
        flowPipeline(id: ID, code: String): FlowPipeline
        "The revisions of a pipeline, the newest first unless sorted otherwise."
        flowPipelineRevisions(pipelineId: ID!, options: FlowPipelineRevisionListOptions): FlowPipelineRevisionList!
        "A revision of one of the active channel's pipelines."
        flowPipelineRevision(id: ID!): FlowPipelineRevision
        "Who did what to a pipeline, the newest first unless sorted otherwise."
        flowPipelineHistory(pipelineId: ID!, options: FlowPipelineEventListOptions): FlowPipelineEventList!
        "What is wrong with a definition; nothing is stored."
        validateFlowPipeline(definition: FlowJSON!): [FlowIssue!]!
        "What differs between two revisions of a pipeline. from: default the revision that its runs take; to: default the working copy."
        flowPipelineDifferences(pipelineId: ID!, from: ID, to: ID): [FlowDifference!]!
        "A pipeline as text, always with the same order of keys: the working copy, or the revision that is named. Default format JSON."
        exportFlowPipeline(id: ID!, revisionId: ID, format: FlowDocumentFormat): FlowPipelineDocument!
    }

    extend type Mutation {
        "Makes a pipeline with a working copy and nothing published."
        createFlowPipeline(input: CreateFlowPipelineInput!): FlowPipeline!
        "Changes the working copy and what the pipeline is called. A changed definition is a DRAFT; the published revision goes on running."
        updateFlowPipeline(input: UpdateFlowPipelineInput!): FlowPipeline!
        "Deletes a pipeline that was never published, with the dry runs of its working copy; others can be archived. Refused while one of its dry runs has not ended."
        deleteFlowPipeline(id: ID!, version: Int!): DeletionResponse!
        "DRAFT to REVIEW. The definition must be sound."
        submitFlowPipeline(id: ID!, version: Int!): FlowPipeline!
        "REVIEW back to DRAFT, with the reason."
        rejectFlowPipeline(id: ID!, version: Int!, comment: String!): FlowPipeline!
        "Makes the working copy the next revision and selects it. The definition must be sound and the caller have all rights that its runs need. Where it sends a secret to a host that is not allowed, the error SECRET_HOST_NOT_ALLOWED lists these in secretHosts; allowSecretHosts allows those that it lists, which needs ManageFlowSecrets."
        publishFlowPipeline(id: ID!, version: Int!, message: String, allowSecretHosts: [FlowSecretHostInput!]): FlowPipeline!
        "Picks the revision that runs take from now on. Runs that have started end with theirs. For allowSecretHosts see publishFlowPipeline."
        selectFlowPipelineRevision(id: ID!, revisionId: ID!, allowSecretHosts: [FlowSecretHostInput!]): FlowPipeline!
        "Lets runs of it start again. For allowSecretHosts see publishFlowPipeline."
        enableFlowPipeline(id: ID!, allowSecretHosts: [FlowSecretHostInput!]): FlowPipeline!
        "Nobody can start a run of it any more; runs that are stored already, waiting ones too, are worked off."
        disableFlowPipeline(id: ID!): FlowPipeline!
        "Puts a pipeline away: nothing starts it and nothing can be changed about it until it is restored."
        archiveFlowPipeline(id: ID!): FlowPipeline!
        "Brings an archived pipeline back. For allowSecretHosts see publishFlowPipeline."
        restoreFlowPipeline(id: ID!, allowSecretHosts: [FlowSecretHostInput!]): FlowPipeline!
        "Takes a pipeline from text (see exportFlowPipeline): makes it, or changes the working copy of the one with its code, whose version must then be given. The former needs CreateFlowPipeline, the latter UpdateFlowPipeline."
        importFlowPipeline(document: String!, format: FlowDocumentFormat!, version: Int): FlowPipeline!
    }
`;
