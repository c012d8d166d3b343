import type { Fixture } from './role-fixture';

/**
 * The result for things of another channel: an error code; `null`; `nothing`: a list without them; `own`: the call names nothing that
 * exists, and returns the same as in its own channel.
 */
export type Foreign = 'null' | 'nothing' | 'own' | `${string}_${'NOT_FOUND' | 'TAKEN' | 'INVALID'}`;

/** One call of one operation: who may make it, and its result. */
export interface OperationRow {
    /** `flowPipeline`; if an operation has several rows, a colon and the object of the call follow. */
    readonly name: string;
    /** Any one of these is enough. All other users get FORBIDDEN. */
    readonly allow: readonly string[];
    /** Permissions that each of these needs as well. */
    readonly beside?: readonly string[];
    /** A call must not change anything that a fixture needs afterwards, however often it is made. */
    readonly args: (of: Fixture) => Readonly<Record<string, unknown>>;
    /** The error code of a permitted call. Default: it succeeds. */
    readonly answer?: string;
    readonly foreign: Foreign;
    /** The permissions for things of another channel, if they differ. */
    readonly allowForeign?: readonly string[];
    /** Arguments that mix the caller's pipeline with a revision of another channel: REVISION_NOT_FOUND. */
    readonly mixed?: (own: Fixture, foreign: Fixture) => Readonly<Record<string, unknown>>;
}

const READ = ['ReadFlowPipeline'];
const CREATE = ['CreateFlowPipeline'];
const PUBLISH = ['PublishFlowPipeline'];
const RUN = ['RunFlowPipeline'];
const APPROVE = ['ApproveFlowGate'];
const READ_RUN = ['ReadFlowRun'];
const RETRY = ['RetryFlowRecord'];
const CONNECTIONS = ['ManageFlowConnections'];
const SECRETS = ['ManageFlowSecrets'];
const UPLOAD = ['ManageFlowFiles'];
const FEEDS = ['ManageFlowFeeds'];
const READ_FILE = ['ReadFlowFiles', ...UPLOAD];

/** A version that no object has reached. */
const STALE = 1_000_000;
/** The id of a draft that does not exist. */
const NO_DRAFT = 'T_1000000';
const options = { take: 100 };
let documents = 0;

/** Every query and mutation of Flow. One without a row fails the suite. */
export const OPERATIONS: readonly OperationRow[] = [
    { name: 'flowPipelines', allow: READ, args: () => ({ options }), foreign: 'nothing' },
    { name: 'flowPipeline: by id', allow: READ, args: ({ pipelineId: id }) => ({ id }), foreign: 'null' },
    { name: 'flowPipeline: by code', allow: READ, args: ({ code }) => ({ code }), foreign: 'null' },
    {
        name: 'flowPipelineRevisions',
        allow: READ,
        args: ({ pipelineId }) => ({ pipelineId, options }),
        foreign: 'PIPELINE_NOT_FOUND',
    },
    { name: 'flowPipelineRevision', allow: READ, args: ({ revisionId: id }) => ({ id }), foreign: 'null' },
    {
        name: 'flowPipelineHistory',
        allow: READ,
        args: ({ pipelineId }) => ({ pipelineId, options }),
        foreign: 'PIPELINE_NOT_FOUND',
    },
    { name: 'validateFlowPipeline', allow: READ, args: () => ({ definition: {} }), foreign: 'own' },
    {
        name: 'flowPipelineDifferences',
        allow: READ,
        args: ({ pipelineId }) => ({ pipelineId }),
        foreign: 'PIPELINE_NOT_FOUND',
        mixed: ({ pipelineId }, { revisionId }) => ({ pipelineId, from: revisionId }),
    },
    {
        name: 'flowPipelineDifferences: to a revision',
        allow: READ,
        foreign: 'PIPELINE_NOT_FOUND',
        args: ({ pipelineId, revisionId }) => ({ pipelineId, to: revisionId }),
        mixed: ({ pipelineId }, { revisionId }) => ({ pipelineId, to: revisionId }),
    },
    {
        name: 'exportFlowPipeline',
        allow: READ,
        args: ({ pipelineId: id }) => ({ id }),
        foreign: 'PIPELINE_NOT_FOUND',
        mixed: ({ pipelineId: id }, { revisionId }) => ({ id, revisionId }),
    },
    {
        // Further permissions depend on the definition: e2e/step-test.
        name: 'testFlowStep',
        allow: ['UpdateFlowPipeline'],
        args: ({ pipelineId }) => ({ input: { definition: {}, stepKey: 'none', pipelineId } }),
        answer: 'INPUT_INVALID',
        foreign: 'PIPELINE_NOT_FOUND',
    },
    { name: 'flowAdapters', allow: [...READ, ...CONNECTIONS], args: () => ({}), foreign: 'own' },
    { name: 'flowDefinitionFormat', allow: READ, args: () => ({}), foreign: 'own' },
    { name: 'flowLoaderFields', allow: READ, args: () => ({ adapterCode: 'productUpsert' }), foreign: 'own' },
    { name: 'flowPipelineTemplates', allow: [...READ, 'CreateFlowPipeline'], args: () => ({}), foreign: 'own' },
    {
        name: 'flowTriggerPreview',
        allow: READ,
        args: ({ pipelineId }) => ({ pipelineId, config: { type: 'MANUAL' } }),
        foreign: 'PIPELINE_NOT_FOUND',
    },

    { name: 'flowPipelineRuns', allow: READ_RUN, args: () => ({ options }), foreign: 'nothing' },
    {
        name: 'flowPipelineRuns: of a pipeline',
        allow: READ_RUN,
        args: ({ pipelineId }) => ({ pipelineId, options }),
        foreign: 'nothing',
    },
    { name: 'flowPipelineRun', allow: READ_RUN, args: ({ runId: id }) => ({ id }), foreign: 'null' },
    {
        name: 'flowGatePreview',
        allow: [...READ_RUN, ...APPROVE],
        args: ({ heldRunId: runId }) => ({ runId, stepKey: 'gate' }),
        foreign: 'RUN_NOT_FOUND',
    },
    {
        name: 'flowSavedPositions',
        allow: READ,
        args: ({ pipelineId }) => ({ pipelineId }),
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'flowReseedableSteps',
        allow: READ,
        args: ({ pipelineId }) => ({ pipelineId }),
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'resetFlowSavedPosition',
        allow: RUN,
        args: ({ pipelineId }) => ({ pipelineId, stepKey: 'nothing' }),
        answer: 'INPUT_INVALID',
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'reseedFlowSavedPosition',
        allow: RUN,
        args: ({ pipelineId }) => ({ pipelineId, stepKey: 'nothing', trackingValue: '1', primaryKey: '1' }),
        answer: 'INPUT_INVALID',
        foreign: 'PIPELINE_NOT_FOUND',
    },
    { name: 'flowLogs', allow: READ_RUN, args: () => ({ options }), foreign: 'nothing' },
    { name: 'flowGivenUpEvents', allow: READ_RUN, args: () => ({ options }), foreign: 'nothing' },
    {
        name: 'flowGivenUpEvents: of a pipeline',
        allow: READ_RUN,
        args: ({ pipelineId }) => ({ pipelineId, options }),
        foreign: 'nothing',
    },
    { name: 'flowAnalytics', allow: READ_RUN, args: () => ({ from: '2026-01-01T00:00:00Z' }), foreign: 'own' },
    { name: 'flowLogs: of a run', allow: READ_RUN, args: ({ runId }) => ({ runId, options }), foreign: 'nothing' },
    { name: 'flowRecordErrors', allow: READ_RUN, args: () => ({ options }), foreign: 'nothing' },
    {
        name: 'flowRecordErrors: of a run',
        allow: READ_RUN,
        args: ({ runId }) => ({ runId, options }),
        foreign: 'nothing',
    },

    {
        name: 'flowRecordErrors: that are open',
        allow: READ_RUN,
        args: ({ pipelineId }) => ({ selection: { pipelineId }, options }),
        foreign: 'nothing',
    },
    {
        name: 'flowRecordErrorGroups',
        allow: READ_RUN,
        args: ({ pipelineId }) => ({ selection: { pipelineId } }),
        foreign: 'own',
    },
    {
        name: 'flowCorrectedRecords',
        allow: RETRY,
        beside: ['ReadFlowRecord', 'ReadFlowFiles'],
        args: ({ fileId }) => ({ fileId: fileId }),
        answer: 'INPUT_INVALID',
        foreign: 'FILE_NOT_FOUND',
    },
    { name: 'retryFlowRecordErrors', allow: RETRY, args: () => ({ selection: { ids: [] } }), foreign: 'own' },
    {
        name: 'retryFlowCorrectedRecords',
        allow: RETRY,
        beside: ['ReadFlowRecord', 'ReadFlowFiles'],
        args: ({ fileId }) => ({ fileId: fileId }),
        answer: 'INPUT_INVALID',
        foreign: 'FILE_NOT_FOUND',
    },
    {
        name: 'ignoreFlowRecordErrors',
        allow: RETRY,
        args: () => ({ selection: { ids: [] }, note: 'none' }),
        foreign: 'own',
    },
    { name: 'reopenFlowRecordErrors', allow: RETRY, args: () => ({ selection: { ids: [] } }), foreign: 'own' },
    { name: 'flowOverview', allow: READ_RUN, args: () => ({}), foreign: 'own' },
    {
        name: 'flowEntityHistory',
        allow: READ_RUN,
        args: () => ({ entity: 'Product', id: 'T_1' }),
        foreign: 'own',
    },
    { name: 'flowSettings', allow: CONNECTIONS, args: () => ({}), foreign: 'own' },
    {
        name: 'flowDryRunDifferenceGroups',
        allow: READ_RUN,
        args: ({ dryRunId: runId }) => ({ runId }),
        foreign: 'own',
    },

    {
        name: 'flowDryRunDifferences',
        allow: READ_RUN,
        args: ({ dryRunId: runId }) => ({ runId, options }),
        foreign: 'nothing',
    },

    { name: 'flowConnections', allow: [...READ, ...CONNECTIONS], args: () => ({ options }), foreign: 'nothing' },
    {
        name: 'flowConnection: by id',
        allow: [...READ, ...CONNECTIONS],
        args: ({ connectionId: id }) => ({ id }),
        foreign: 'null',
    },
    {
        name: 'flowConnection: by code',
        allow: [...READ, ...CONNECTIONS],
        args: ({ connectionCode: code }) => ({ code }),
        foreign: 'null',
    },
    { name: 'flowSecrets', allow: [...READ, ...SECRETS], args: () => ({ options }), foreign: 'nothing' },
    { name: 'flowSecret: by id', allow: [...READ, ...SECRETS], args: ({ secretId: id }) => ({ id }), foreign: 'null' },
    {
        name: 'flowSecret: by code',
        allow: [...READ, ...SECRETS],
        args: ({ secretCode: code }) => ({ code }),
        foreign: 'null',
    },

    { name: 'flowFiles', allow: READ_FILE, args: () => ({ options }), foreign: 'nothing' },
    { name: 'flowFeeds', allow: FEEDS, args: () => ({ options }), foreign: 'nothing' },
    { name: 'flowExports', allow: FEEDS, args: () => ({}), foreign: 'own' },
    {
        name: 'createFlowFeed',
        allow: FEEDS,
        args: () => ({ input: { exportCode: 'products', name: 'Somebody' } }),
        foreign: 'own',
    },
    {
        name: 'revokeFlowFeed',
        allow: FEEDS,
        args: ({ feedId: id }) => ({ id }),
        foreign: 'FEED_NOT_FOUND',
    },
    { name: 'flowRemoteActions', allow: READ_RUN, args: () => ({ options }), foreign: 'nothing' },
    {
        // This gives up none, since only the first permitted user would find it.
        name: 'giveUpFlowRemoteAction',
        allow: ['RunFlowPipeline'],
        args: () => ({ id: 'T_999999' }),
        answer: 'REMOTE_ACTION_NOT_FOUND',
        foreign: 'REMOTE_ACTION_NOT_FOUND',
    },
    { name: 'flowFile', allow: READ_FILE, args: ({ fileId }) => ({ id: fileId }), foreign: 'null' },

    { name: 'flowImportProfile', allow: READ_FILE, args: ({ fileId }) => ({ fileId }), foreign: 'FILE_NOT_FOUND' },
    {
        name: 'flowImportSuggestion',
        allow: CREATE,
        beside: ['ReadFlowFiles'],
        args: () => ({ profileId: 'none' }),
        answer: 'INPUT_INVALID',
        foreign: 'INPUT_INVALID',
    },
    {
        name: 'flowImportMatches',
        allow: CREATE,
        beside: ['ReadFlowFiles'],
        args: () => ({ profileId: 'none', plan: {} }),
        answer: 'INPUT_INVALID',
        foreign: 'INPUT_INVALID',
    },
    {
        name: 'flowImportSamples',
        allow: CREATE,
        beside: ['ReadFlowFiles'],
        args: () => ({ profileId: 'none', plan: {} }),
        answer: 'INPUT_INVALID',
        foreign: 'INPUT_INVALID',
    },
    {
        name: 'flowImportConversions',
        allow: CREATE,
        beside: ['ReadFlowFiles'],
        args: () => ({ profileId: 'none', target: 'PRODUCTS', field: 'name', column: 'Name' }),
        answer: 'INPUT_INVALID',
        foreign: 'INPUT_INVALID',
    },
    {
        name: 'flowImportFits',
        allow: CREATE,
        beside: ['ReadFlowFiles'],
        args: () => ({ profileId: 'none' }),
        answer: 'INPUT_INVALID',
        foreign: 'INPUT_INVALID',
    },
    // Drafts belong to users: e2e/suites/imports.suite.ts.
    { name: 'flowImportDrafts', allow: CREATE, args: () => ({}), foreign: 'own' },
    { name: 'flowImportDraft', allow: CREATE, args: () => ({ id: NO_DRAFT }), foreign: 'null' },
    {
        name: 'flowImportCheck',
        allow: READ_RUN,
        args: () => ({ draftId: NO_DRAFT }),
        answer: 'IMPORT_DRAFT_NOT_FOUND',
        foreign: 'IMPORT_DRAFT_NOT_FOUND',
    },
    { name: 'flowImportAccess', allow: [...CREATE, ...READ_FILE], args: () => ({}), foreign: 'own' },
    {
        // An address or a file of a server also needs CreateFlowPipeline: e2e/suites/imports.suite.ts.
        name: 'storeFlowImportSource',
        allow: UPLOAD,
        args: () => ({ input: { text: 'sku', url: 'https://example.com' } }),
        answer: 'INPUT_INVALID',
        foreign: 'INPUT_INVALID',
    },
    {
        name: 'listFlowImportFolder',
        allow: CREATE,
        args: () => ({ connectionCode: 'none' }),
        answer: 'CONNECTION_NOT_FOUND',
        foreign: 'CONNECTION_NOT_FOUND',
    },
    {
        name: 'saveFlowImportDraft',
        allow: CREATE,
        beside: ['ReadFlowFiles'],
        args: () => ({ input: { profileId: 'none', plan: {}, step: 'MAPPING' } }),
        answer: 'INPUT_INVALID',
        foreign: 'INPUT_INVALID',
    },
    { name: 'discardFlowImportDraft', allow: CREATE, args: () => ({ id: NO_DRAFT }), foreign: 'own' },
    {
        name: 'checkFlowImport',
        allow: RUN,
        beside: ['ReadFlowFiles'],
        args: () => ({ draftId: NO_DRAFT }),
        answer: 'IMPORT_DRAFT_NOT_FOUND',
        foreign: 'IMPORT_DRAFT_NOT_FOUND',
    },
    {
        name: 'applyFlowImportRemedy',
        allow: CREATE,
        args: () => ({ draftId: NO_DRAFT, version: 1, remedy: { type: 'SKIP_PICTURES' } }),
        answer: 'IMPORT_DRAFT_NOT_FOUND',
        foreign: 'IMPORT_DRAFT_NOT_FOUND',
    },
    {
        name: 'undoFlowImportRemedy',
        allow: CREATE,
        args: () => ({ draftId: NO_DRAFT, version: 1, remedy: { type: 'SKIP_PICTURES' } }),
        answer: 'IMPORT_DRAFT_NOT_FOUND',
        foreign: 'IMPORT_DRAFT_NOT_FOUND',
    },
    {
        // The outcome decides on further permissions: e2e/suites/imports.suite.ts.
        name: 'createFlowImportPipeline',
        allow: CREATE,
        beside: ['ReadFlowFiles'],
        args: () => ({ input: { draftId: NO_DRAFT, version: 1, outcome: 'CREATED' } }),
        answer: 'IMPORT_DRAFT_NOT_FOUND',
        foreign: 'IMPORT_DRAFT_NOT_FOUND',
    },
    {
        name: 'scheduleFlowImport',
        allow: PUBLISH,
        beside: ['UpdateFlowPipeline'],
        args: ({ pipelineId }) => ({ input: { pipelineId, version: STALE } }),
        answer: 'PIPELINE_STATE_CONFLICT',
        foreign: 'PIPELINE_NOT_FOUND',
    },

    // A pipeline's code is unique in the whole system, so the code of another channel is taken.
    {
        name: 'createFlowPipeline',
        allow: ['CreateFlowPipeline'],
        args: ({ code }) => ({ input: { code } }),
        answer: 'CODE_TAKEN',
        foreign: 'CODE_TAKEN',
    },
    {
        name: 'updateFlowPipeline',
        allow: ['UpdateFlowPipeline'],
        args: ({ pipelineId: id }) => ({ input: { id, version: STALE, name: 'Other' } }),
        answer: 'REVISION_CONFLICT',
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'deleteFlowPipeline',
        allow: ['DeleteFlowPipeline'],
        args: ({ pipelineId: id }) => ({ id, version: STALE }),
        answer: 'REVISION_CONFLICT',
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'submitFlowPipeline',
        allow: ['UpdateFlowPipeline'],
        args: ({ pipelineId: id }) => ({ id, version: STALE }),
        answer: 'REVISION_CONFLICT',
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'rejectFlowPipeline',
        allow: ['ReviewFlowPipeline'],
        args: ({ pipelineId: id }) => ({ id, version: STALE, comment: 'No' }),
        answer: 'REVISION_CONFLICT',
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'publishFlowPipeline',
        allow: PUBLISH,
        args: ({ pipelineId: id }) => ({ id, version: STALE }),
        answer: 'REVISION_CONFLICT',
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'selectFlowPipelineRevision',
        allow: PUBLISH,
        args: ({ pipelineId: id, revisionId }) => ({ id, revisionId }),
        foreign: 'PIPELINE_NOT_FOUND',
        mixed: ({ pipelineId: id }, { revisionId }) => ({ id, revisionId }),
    },
    {
        name: 'enableFlowPipeline',
        allow: PUBLISH,
        args: ({ pipelineId: id }) => ({ id }),
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'disableFlowPipeline',
        allow: PUBLISH,
        args: ({ parkedId: id }) => ({ id }),
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'archiveFlowPipeline',
        allow: PUBLISH,
        args: ({ archivedId: id }) => ({ id }),
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'restoreFlowPipeline',
        allow: PUBLISH,
        args: ({ pipelineId: id }) => ({ id }),
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'importFlowPipeline: of a new pipeline',
        allow: ['CreateFlowPipeline'],
        foreign: 'own',
        args: ({ code, document }) => ({ document: document(`${code}-${documents++}`), format: 'JSON' }),
    },
    {
        name: 'importFlowPipeline: of an existing pipeline',
        allow: ['UpdateFlowPipeline'],
        args: ({ code, document }) => ({ document: document(code), format: 'JSON', version: STALE }),
        // If the channel has no such code, there is nothing to have a version of.
        answer: 'REVISION_CONFLICT',
        foreign: 'INPUT_INVALID',
        allowForeign: ['CreateFlowPipeline'],
    },

    {
        name: 'startFlowPipelineRun',
        allow: RUN,
        args: ({ parkedId: pipelineId }) => ({ pipelineId }),
        answer: 'PIPELINE_NOT_RUNNABLE',
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'dryRunFlowPipeline',
        allow: RUN,
        args: ({ parkedId: pipelineId }) => ({ pipelineId }),
        answer: 'PIPELINE_NOT_RUNNABLE',
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'dryRunFlowPipeline: of a working copy',
        allow: RUN,
        args: ({ parkedId: pipelineId }) => ({ pipelineId, workingCopy: true }),
        answer: 'PIPELINE_NOT_RUNNABLE',
        foreign: 'PIPELINE_NOT_FOUND',
    },
    {
        name: 'cancelFlowPipelineRun',
        allow: RUN,
        args: ({ runId: id }) => ({ id }),
        answer: 'RUN_STATE_CONFLICT',
        foreign: 'RUN_NOT_FOUND',
    },
    {
        name: 'resumeFlowPipelineRun',
        allow: RUN,
        args: ({ runId: id }) => ({ id }),
        answer: 'RUN_STATE_CONFLICT',
        foreign: 'RUN_NOT_FOUND',
    },

    {
        name: 'approveFlowGate',
        allow: APPROVE,
        // The run waits at another gate.
        args: ({ heldRunId: runId }) => ({ runId, stepKey: 'out' }),
        answer: 'RUN_STATE_CONFLICT',
        foreign: 'RUN_NOT_FOUND',
    },
    {
        name: 'rejectFlowGate',
        allow: APPROVE,
        args: ({ heldRunId: runId }) => ({ runId, stepKey: 'out' }),
        answer: 'RUN_STATE_CONFLICT',
        foreign: 'RUN_NOT_FOUND',
    },

    {
        name: 'createFlowConnection',
        allow: CONNECTIONS,
        args: () => ({ input: { code: '!', type: 'HTTP', settings: {} } }),
        answer: 'INPUT_INVALID',
        foreign: 'own',
    },
    {
        name: 'updateFlowConnection',
        allow: CONNECTIONS,
        args: ({ connectionId: id }) => ({ input: { id, version: STALE, name: 'Other' } }),
        answer: 'REVISION_CONFLICT',
        foreign: 'CONNECTION_NOT_FOUND',
    },
    {
        name: 'deleteFlowConnection',
        allow: CONNECTIONS,
        args: ({ connectionId: id }) => ({ id }),
        answer: 'IN_USE',
        foreign: 'CONNECTION_NOT_FOUND',
    },
    {
        name: 'testFlowConnection',
        allow: CONNECTIONS,
        args: ({ connectionId: id }) => ({ id }),
        foreign: 'CONNECTION_NOT_FOUND',
    },
    {
        name: 'createFlowSecret',
        allow: SECRETS,
        args: () => ({ input: { code: '!', provider: 'ENV', value: 'NOT_SET' } }),
        answer: 'INPUT_INVALID',
        foreign: 'own',
    },
    {
        name: 'updateFlowSecret',
        allow: SECRETS,
        args: ({ secretId: id }) => ({ input: { id, version: STALE, value: 'OTHER' } }),
        answer: 'REVISION_CONFLICT',
        foreign: 'SECRET_NOT_FOUND',
    },
    {
        name: 'deleteFlowSecret',
        allow: SECRETS,
        args: ({ secretId: id }) => ({ id }),
        answer: 'IN_USE',
        foreign: 'SECRET_NOT_FOUND',
    },
    { name: 'rotateFlowSecrets', allow: SECRETS, args: () => ({}), foreign: 'own' },
];

/** Fields that are null unless the caller has an additional permission, whatever leads to the type. */
export const GUARDED_FIELDS: Readonly<Record<string, string>> = {
    'FlowImportDraft.check': 'ReadFlowRun',
    'FlowPipeline.workingCopy': 'ReadFlowPipeline',
    'FlowTrigger.config': 'ReadFlowPipeline',
    'FlowTrigger.webhook': 'ReadFlowPipeline',
    'FlowPipeline.lastRun': 'ReadFlowRun',
    'FlowPipeline.openErrors': 'ReadFlowRun',
    'FlowPipeline.publicationIssues': 'ReadFlowPipeline',
    'FlowPipeline.days': 'ReadFlowRun',
    'FlowPipelineRevision.definition': 'ReadFlowPipeline',
    'FlowPlannedChange.before': 'ReadFlowRecord',
    'FlowPlannedChange.after': 'ReadFlowRecord',
    'FlowRecordError.payload': 'ReadFlowRecord',
    'FlowRecordError.correction': 'ReadFlowRecord',
    'FlowHeldRecord.record': 'ReadFlowRecord',
    'FlowSavedPosition.trackingValue': 'ReadFlowRecord',
    'FlowSavedPosition.primaryKey': 'ReadFlowRecord',
    'FlowDryRunDifference.before': 'ReadFlowRecord',
    'FlowDryRunDifference.after': 'ReadFlowRecord',
    'FlowConnection.settings': 'ManageFlowConnections',
    'FlowSecret.environmentVariable': 'ManageFlowSecrets',
    'FlowSecret.problem': 'ManageFlowSecrets',
    'FlowSecret.effectiveHosts': 'ManageFlowSecrets',
};

/**
 * Fields that are visible to all users who may see the object itself. A field of a type of Flow that is neither here nor guarded fails the
 * suite.
 */
export const OPEN_FIELDS: Readonly<Record<string, string>> = {
    FlowTrigger: 'key type enabled text warnings',
    FlowTriggerWarning: 'pipelineId pipeline triggerKey code message facts',
    FlowWebhookAddress: 'path url authentication curl',
    FlowActor: 'id identifier',
    FlowIssue: 'code path stepKey message facts severity',
    FlowWorkingCopy: 'status definition issues updatedAt updatedBy submittedAt submittedBy reviewComment reviewedBy',
    FlowPipeline:
        'id createdAt updatedAt code name description enabled archived codeFirst status version hasChanges revision',
    FlowPipelineList: 'items totalItems',
    FlowPipelineRevision: 'id createdAt number message publishedBy submittedBy triggers',
    FlowPipelineRevisionList: 'items totalItems',
    FlowPipelineEvent: 'id createdAt action actor revision comment',
    FlowPipelineEventList: 'items totalItems',
    FlowSavedPosition: 'stepKey runId movedAt',
    FlowPipelineDocument: 'filename mimeType content',
    FlowDifference: 'kind subject stepKey path before after',
    FlowStepCounters: 'stepKey in out expanded filtered rejected held created updated deleted unchanged',
    FlowRunError: 'code message facts stepKey remedy',
    FlowRunWait: 'reason stepKey runId until code retry of',
    FlowRunSource: 'fileId filename place records total',
    FlowRunEdge: 'stepKey branch',
    FlowRunStep: 'stepKey name kind adapterCode disabled counters ms recordsPerSecond next source waitsFor file',
    FlowDryRunDifferenceGroup: 'stepKey action records',
    FlowSetting: 'path value',
    FlowEntityHistory: 'items totalItems',
    FlowEntityWrite: 'run runId pipeline pipelineId stepKey action at variants',
    FlowOverview:
        'asOf failures failuresTotal waitingGates waitingGatesTotal running runningTotal openRecordErrors causes triggerWarnings lastDay hours hasRuns',
    FlowRecordErrorStateCount: 'state records',
    FlowRecordErrorPipelineCount: 'pipelineId pipeline records',
    FlowRecordErrorGroup:
        'id stepKey code path records firstSeenAt lastSeenAt states pipelines example remedy isReplayable',
    FlowRecordErrorGroupList: 'items totalItems totalRecords',
    FlowRetryRefusal: 'pipelineCode stepKey records reason',
    FlowRecordRetry: 'runs records notOpen refused remaining',
    FlowCorrectionFault: 'row message',
    FlowCorrectedRecord: 'error before after',
    FlowCorrectedRecords: 'rows corrected unchanged faults faultsTotal examples',
    FlowPlannedChange: 'stepKey seq action key',
    FlowDryRunStep: 'stepKey created updated deleted unchanged rejected',
    FlowDryRunReport: 'steps differences differencesTotal',
    FlowRunProgress: 'elapsedMs recordsPerSecond',
    FlowRunCause: 'pipelineCode runId',
    FlowPipelineRun:
        'id createdAt updatedAt pipelineId revisionId channelId pipeline revision revisionNumber status outcome dryRun triggerKey triggerType occurrenceKey causes startedBy' +
        ' cancelRequestedAt startedAt finishedAt attempt recordsRead recordsProcessed recordsLoaded recordsUnchanged recordsFiltered recordsRejected' +
        ' gateStepKey gateTimeoutAt holdsBack held gateDecisions progress counters error report replays steps waitsFor warnings',
    FlowPipelineRunList: 'items totalItems',
    FlowGateDecision: 'id createdAt stepKey verdict decider decidedBy comment records',
    FlowHeldRecords: 'stepKey records',
    FlowForeseenReject: 'stepKey code message facts path',
    FlowHeldRecord: 'sourceKey seq place changes rejected',
    FlowGatePreview: 'items totalItems error',
    FlowLog: 'id createdAt runId level code message stepKey facts',
    FlowLogList: 'items totalItems',
    FlowGivenUpEvent: 'id createdAt updatedAt event pipelineId pipeline revisionId triggerKey attempts lastError',
    FlowGivenUpEventList: 'items totalItems',
    FlowRecordError:
        'id createdAt runId pipelineId pipeline stepKey sourceKey seq code severity message facts path place faults groupId state note' +
        ' decidedBy decidedAt replayRunId replayRun refusedAgainAs keptUntil',
    FlowDryRunDifference: 'id createdAt runId stepKey sourceKey seq action key',
    FlowDryRunDifferenceList: 'items totalItems',
    FlowRecordFault: 'path rule message severity',
    FlowAnalytics: 'from to total pipelines periods',
    FlowPeriodFigures: 'start figures',
    FlowPipelineFigures: 'pipeline figures',
    FlowRunFigures:
        'runs success partial empty failed cancelled recordsRead recordsLoaded recordsRejected medianMs p95Ms p99Ms',
    FlowStepTest: 'stepKey kind in out branches operators rejected changes counters log error',
    FlowOperatorTest: 'position op before after faults',
    FlowOperatorFault: 'seq code severity message facts path place',
    FlowBranchTest: 'name records',
    FlowRejectedRecord: 'stepKey sourceKey seq code message facts path place faults record',
    FlowTestLogLine: 'level stepKey code message facts',
    FlowRecordErrorList: 'items totalItems',
    FlowConnection: 'id createdAt updatedAt code name type enabled codeFirst version usedBy',
    FlowConnectionList: 'items totalItems',
    FlowConnectionTest: 'result message status code durationMs hostKeyFingerprint',
    FlowSecret: 'id createdAt updatedAt code provider isReadable allowedHosts enabled codeFirst version usedBy',
    FlowEffectiveHost: 'host connectionCode pipelineCode',
    FlowSecretList: 'items totalItems',
    FlowSecretRotation: 'rotated current unreadable',
    FlowFile:
        'id createdAt updatedAt filename mimeType format encoding size sha256 rows path uploadedBy expiresAt usedBy exportCode',
    FlowFileList: 'items totalItems',
    FlowFeed: 'id createdAt updatedAt exportCode name expiresAt createdBy revokedAt revokedBy file',
    FlowFeedList: 'items totalItems',
    FlowCreatedFeed: 'feed path',
    FlowExport: 'exportCode file',
    FlowDefinitionFormat: 'kinds settings retry hookStages hooks',
    FlowStepKind: 'kind summary schema adapters hasBranches furtherBranches behind remarks',
    FlowStepAdapters: 'kind field list value',
    FlowTriggerPreview: 'text webhook',
    FlowPipelineTemplate: 'code group title description definition sample notes connections secrets',
    FlowTemplateConnection: 'code types',
    FlowRemoteAction:
        'id createdAt updatedAt pipelineId pipeline runId stepKey kind path to attempts lastError nextTryAt',
    FlowRemoteActionList: 'items totalItems',
    FlowImportFacts:
        'format encoding delimiter quote trim decimals headerRow skipAfterHeader footerRows sheet recordPath',
    FlowImportAlternatives: 'encodings delimiters headerRows recordPaths',
    FlowImportSheet: 'name rows isHidden',
    FlowImportWarning: 'code column args',
    FlowImportColumn:
        'index name type exceptions filled empties distinct examples unit currency language decimals dateFormat separator',
    FlowImportProfile:
        'id fileId filename size facts alternatives sheets rows columns head headNumbers language warnings knownExport',
    FlowImportServerFile: 'path name size modifiedAt',
    FlowImportFolder: 'folders files isCut',
    FlowImportTargetScore: 'target score columns missingPermissions existing',
    FlowImportAlternative: 'column score',
    FlowImportFieldSuggestion:
        'field label isRequired columns score confidence reasonCode reasonArgs alternatives conversions',
    FlowImportColumnUse: 'column uses',
    FlowImportCustomField: 'field label type',
    FlowImportShop:
        'languages defaultLanguage currencies defaultCurrency pricesIncludeTax taxCategories facets customFields',
    FlowImportTaxCategory: 'name percent isDefault',
    FlowImportSuggestion: 'targets isTargetClear plan fields unused shop',
    FlowImportMatches: 'field column existing missing empty isSample',
    FlowImportSample: 'row kind before after causeCode',
    FlowImportFieldSamples: 'field total samples',
    FlowImportDraftSummary: 'id createdAt updatedAt version step filename fileId expiresAt',
    FlowImportDraft: 'id createdAt updatedAt version step filename fileId profile plan pipeline expiresAt',
    FlowImportCause: 'id code field column value rows places examples groupId remedies',
    FlowImportCheck:
        'runId run isCurrent rows totalRows created updated deleted unchanged rejected warnings causes isCausesComplete applied unusual',
    FlowImportDifference: 'code column field suggestion args',
    FlowImportFit: 'pipeline score isExact isEdited differences plan',
    FlowImportResult: 'pipeline run',
    FlowImportAccess: 'permissions missing',
    FlowAdapter: 'kind code aliases title summary category icon sinkType notes requires schema examples canBeTried',
};

/** One route: who may call it, and the result. */
export interface RouteRow {
    /** As `GET /flow/files/:id`. */
    readonly name: string;
    /** Any one of these is enough. All other users get 403, and 401 without a session. */
    readonly allow: readonly string[];
    readonly path: (of: Fixture) => string;
    /** The status of a permitted call. A body is never sent: an upload without one is malformed. */
    readonly status: number;
    /** A path for permitted users that names something they may delete. */
    readonly dispensable?: string;
    /** The status for things of another channel. Default: the path names nothing that exists. */
    readonly foreign?: 404;
}

/** Every route of Flow. One that is not here fails the suite. */
export const ROUTES: readonly RouteRow[] = [
    { name: 'POST /flow/upload', allow: UPLOAD, path: () => '/flow/upload', status: 415 },
    { name: 'GET /flow/files', allow: READ_FILE, path: () => '/flow/files', status: 200 },
    {
        name: 'GET /flow/files/:id',
        allow: READ_FILE,
        path: ({ fileId }) => `/flow/files/${fileId}`,
        status: 200,
        foreign: 404,
    },
    {
        name: 'GET /flow/files/:id/download',
        allow: READ_FILE,
        path: ({ fileId }) => `/flow/files/${fileId}/download`,
        status: 200,
        foreign: 404,
    },
    {
        name: 'GET /flow/files/:id/preview',
        allow: READ_FILE,
        path: ({ fileId }) => `/flow/files/${fileId}/preview`,
        status: 200,
        foreign: 404,
    },
    {
        name: 'DELETE /flow/files/:id',
        allow: UPLOAD,
        path: ({ fileId }) => `/flow/files/${fileId}`,
        foreign: 404,
        dispensable: '/flow/files/1000000',
        status: 404,
    },
    // It needs ReadFlowRun and ReadFlowRecord together: e2e/file-extract.
    {
        name: 'GET /flow/runs/:id/rejects.csv',
        allow: [],
        path: ({ runId }) => `/flow/runs/${runId}/rejects.csv`,
        status: 200,
        foreign: 404,
    },
    // It needs both as well: e2e/suites/record-errors.
    { name: 'GET /flow/record-errors.csv', allow: [], path: () => '/flow/record-errors.csv', status: 200 },
];

/** Everyone may call these: each webhook defines how a request authenticates (e2e/suites/webhooks.suite.ts). */
export const OPEN_ROUTES: readonly string[] = ['POST /flow/webhook/:code', 'GET /flow/feeds/:token'];
