import gql from 'graphql-tag';

/** Pipelines, their working copies and their revisions. */
export const pipelineSchema = gql`
    "The review state of a working copy."
    enum FlowWorkingCopyStatus {
        "Being edited; may contain errors."
        DRAFT
        "Submitted; waits to be published or rejected. It was valid when it was submitted; every edit makes it a draft again."
        REVIEW
    }

    "What happened to a pipeline."
    enum FlowPipelineAction {
        CREATED
        EDITED
        SUBMITTED
        "Rejected by a reviewer, with a comment."
        REJECTED
        PUBLISHED
        "Another revision was selected for future runs."
        REVISION_SELECTED
        ENABLED
        DISABLED
        ARCHIVED
        RESTORED
        "The saved position of a source was deleted."
        POSITION_RESET
        "The saved position of a source was set manually."
        POSITION_SET
        "Someone who manages secrets allowed the hosts to which the revision sends secrets. The comment lists them."
        SECRET_HOSTS_ALLOWED
    }

    "The text format of a pipeline document."
    enum FlowDocumentFormat {
        JSON
        YAML
    }

    "How an element differs between two definitions."
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
        "False if the step is disabled; it then starts nothing."
        enabled: Boolean!
        "What it waits for, in a few English words: daily at 06:00 (Europe/Berlin)."
        text: String!
        "Its configuration. Null unless the caller may read pipelines."
        config: FlowJSON
        "For a webhook: its address. Null unless the caller may read pipelines."
        webhook: FlowWebhookAddress
        "For an active trigger: what needs attention."
        warnings: [FlowTriggerWarning!]!
    }

    "A user."
    type FlowActor {
        id: ID!
        identifier: String!
    }

    "A problem of a definition."
    type FlowIssue {
        "The rule that is violated."
        code: String!
        "The path in the definition: steps[2].config.operators[0].args.source"
        path: String!
        stepKey: String
        "What is wrong and what is allowed, in English."
        message: String!
        "What the message consists of, for texts in another language: problem is its text with a placeholder for each other fact."
        facts: FlowJSON
        severity: FlowIssueSeverity!
    }

    "ERROR: the definition cannot be published. WARNING: it can, but is probably not what was meant."
    enum FlowIssueSeverity {
        ERROR
        WARNING
    }

    "The editable definition of a pipeline. Triggers never run from it."
    type FlowWorkingCopy {
        status: FlowWorkingCopyStatus!
        "The definition as it was saved, including errors."
        definition: FlowJSON!
        "The problems that prevent submitting and publishing it."
        issues: [FlowIssue!]!
        updatedAt: DateTime!
        updatedBy: FlowActor
        submittedAt: DateTime
        submittedBy: FlowActor
        "Why the last review rejected it; null once it is submitted or published again."
        reviewComment: String
        reviewedBy: FlowActor
    }

    "A pipeline of the active channel."
    type FlowPipeline implements Node {
        id: ID!
        createdAt: DateTime!
        updatedAt: DateTime!
        "Unique in the whole system. Cannot be changed after the first publication."
        code: String!
        name: String!
        description: String!
        "Only an enabled pipeline can be started."
        enabled: Boolean!
        archived: Boolean!
        "True if it is defined in the shop's code, and read-only here."
        codeFirst: Boolean!
        "The status of the working copy."
        status: FlowWorkingCopyStatus!
        "Increases with every change. Callers that change the pipeline send the version that they have read, so that they do not overwrite changes of others."
        version: Int!
        "True if the working copy differs from the newest revision."
        hasChanges: Boolean!
        "Null for a pipeline from the shop's code, and unless the caller may read pipelines."
        workingCopy: FlowWorkingCopy
        "For a pipeline from the shop's code: the problems that prevent publishing its definition. It is published once they are resolved. Null unless the caller may read pipelines."
        publicationIssues: [FlowIssue!]
        "The live revision, which its runs execute: the newest one unless another one was selected; null if nothing is published."
        revision: FlowPipelineRevision
        "Its newest run. Null unless the caller may read runs."
        lastRun: FlowPipelineRun
        "How many of its rejected records are open. Null unless the caller may read runs."
        openErrors: Int
        "Statistics of its runs for each of the last 30 days (UTC) on which runs have ended, without durations. Null unless the caller may read runs."
        days: [FlowPeriodFigures!]
    }

    "A page of pipelines."
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
        "The message that the publisher entered."
        message: String
        "Null if the shop's code published it."
        publishedBy: FlowActor
        "Null if it was published without a review."
        submittedBy: FlowActor
        "Steps, edges, throughput, error handling. Null unless the caller may read pipelines."
        definition: FlowJSON
        triggers: [FlowTrigger!]!
    }

    "A page of revisions."
    type FlowPipelineRevisionList implements PaginatedList {
        items: [FlowPipelineRevision!]!
        totalItems: Int!
    }

    "An entry of a pipeline's history."
    type FlowPipelineEvent implements Node {
        id: ID!
        createdAt: DateTime!
        action: FlowPipelineAction!
        "Null if the shop's code did it."
        actor: FlowActor
        "For a publication or selection: the revision."
        revision: FlowPipelineRevision
        "The message of a publication, or the comment of a review."
        comment: String
    }

    "A page of history entries."
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

    "One difference between two definitions. The order of keys, explicit defaults and aliases do not count as differences."
    type FlowDifference {
        kind: FlowDifferenceKind!
        subject: FlowDifferenceSubject!
        "The step that differs, if the difference is about a step."
        stepKey: String
        "The path in the newer definition; for a removed element, in the older one."
        path: String!
        "Null if it was added."
        before: FlowJSON
        "Null if it was removed."
        after: FlowJSON
    }

    input FlowPipelineListOptions
    input FlowPipelineRevisionListOptions
    input FlowPipelineEventListOptions

    "A new pipeline of the active channel."
    input CreateFlowPipelineInput {
        "Lowercase letters and digits with single hyphens between them, at most 64 characters, unique in the whole system."
        code: String!
        "Default: the code."
        name: String
        description: String
        "Default true."
        enabled: Boolean
        "May still contain errors. Default: only a manual trigger."
        definition: FlowJSON
    }

    "Omitted fields stay unchanged."
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

    "A secret, and a host to which it may be sent from now on."
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
        "The revisions of a pipeline. Default order: newest first."
        flowPipelineRevisions(pipelineId: ID!, options: FlowPipelineRevisionListOptions): FlowPipelineRevisionList!
        "A revision of one of the active channel's pipelines."
        flowPipelineRevision(id: ID!): FlowPipelineRevision
        "The history of a pipeline. Default order: newest first."
        flowPipelineHistory(pipelineId: ID!, options: FlowPipelineEventListOptions): FlowPipelineEventList!
        "The problems of a definition; nothing is stored."
        validateFlowPipeline(definition: FlowJSON!): [FlowIssue!]!
        "The differences between two revisions of a pipeline. from: default the live revision; to: default the working copy."
        flowPipelineDifferences(pipelineId: ID!, from: ID, to: ID): [FlowDifference!]!
        "A pipeline as text: the working copy, or the given revision. The order of keys is always the same. Default format: JSON."
        exportFlowPipeline(id: ID!, revisionId: ID, format: FlowDocumentFormat): FlowPipelineDocument!
    }

    extend type Mutation {
        "Creates a pipeline with a working copy and no revision."
        createFlowPipeline(input: CreateFlowPipelineInput!): FlowPipeline!
        "Changes the working copy and the name and description of the pipeline. A changed definition is a DRAFT; the live revision stays in use."
        updateFlowPipeline(input: UpdateFlowPipelineInput!): FlowPipeline!
        "Deletes a pipeline that was never published, with the dry runs of its working copy; other pipelines can be archived. Rejected until all its dry runs have ended."
        deleteFlowPipeline(id: ID!, version: Int!): DeletionResponse!
        "DRAFT to REVIEW. The definition must be valid."
        submitFlowPipeline(id: ID!, version: Int!): FlowPipeline!
        "REVIEW back to DRAFT, with the reason."
        rejectFlowPipeline(id: ID!, version: Int!, comment: String!): FlowPipeline!
        "Makes the working copy the next revision and selects it. The definition must be valid, and the caller must have all permissions that its runs need. If it sends a secret to a host that is not allowed, the error SECRET_HOST_NOT_ALLOWED lists these hosts in secretHosts. allowSecretHosts allows the hosts that it lists, which needs ManageFlowSecrets."
        publishFlowPipeline(id: ID!, version: Int!, message: String, allowSecretHosts: [FlowSecretHostInput!]): FlowPipeline!
        "Selects the revision that new runs execute from now on. Runs that have already started keep their revision. For allowSecretHosts see publishFlowPipeline."
        selectFlowPipelineRevision(id: ID!, revisionId: ID!, allowSecretHosts: [FlowSecretHostInput!]): FlowPipeline!
        "Allows new runs of it again. For allowSecretHosts see publishFlowPipeline."
        enableFlowPipeline(id: ID!, allowSecretHosts: [FlowSecretHostInput!]): FlowPipeline!
        "Prevents new runs of it. Runs that are already stored, including waiting ones, are still executed."
        disableFlowPipeline(id: ID!): FlowPipeline!
        "Archives a pipeline: it cannot be started or changed until it is restored."
        archiveFlowPipeline(id: ID!): FlowPipeline!
        "Restores an archived pipeline. For allowSecretHosts see publishFlowPipeline."
        restoreFlowPipeline(id: ID!, allowSecretHosts: [FlowSecretHostInput!]): FlowPipeline!
        "Imports a pipeline from text (see exportFlowPipeline). It creates the pipeline, or changes the working copy of the one with its code, whose version must then be given. Creating needs CreateFlowPipeline, changing needs UpdateFlowPipeline."
        importFlowPipeline(document: String!, format: FlowDocumentFormat!, version: Int): FlowPipeline!
    }
`;
