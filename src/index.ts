import type { extractors, outsideOperators as ioOperators, remoteLoaders, sinks } from './adapters';
import type { pimOperators } from './connectors/pim/operators';
import type { operators } from './core/operators';
import { createPipelineBuilder } from './core/pipeline/builder';
import type { rules } from './core/rules';
import type { triggers } from './core/triggers';
import type { loaders, shopExtractors, shopRules as platformRules } from './platform';

/** The adapters that come with Flow, as the builder's types know them. */
export interface BuiltinCatalogue {
    readonly triggers: typeof triggers;
    readonly operators: readonly [...typeof operators, ...typeof ioOperators, ...typeof pimOperators];
    readonly extractors: readonly [...typeof extractors, ...typeof shopExtractors];
    readonly loaders: readonly [...typeof loaders, ...typeof remoteLoaders];
    readonly sinks: typeof sinks;
    readonly rules: readonly [...typeof rules, ...typeof platformRules];
}

/** Builds a code-first pipeline from the built-in adapters: `pipeline('supplier-import').trigger(…).extract(…).load(…).build()`. */
export const pipeline = createPipelineBuilder<BuiltinCatalogue>();

export { createPipelineBuilder } from './core/pipeline/builder';
export { checkpointRejected, defineExtractor } from './core/adapter/extractor';
export { defineConnection } from './core/adapter/connection';
export { defineConnector } from './core/pipeline/connector';
export { pimConnector } from './connectors/pim/connector';
export type { PimConnectorOptions } from './connectors/pim/options';
export { buildTranslations, extractLocalizedValue, generateSlug } from './connectors/pim/localized';
export { transformAsset, transformCategory, transformProduct } from './connectors/pim/transform';
export { defineOperator } from './core/adapter/define-operator';
export { defineLoader, defineRemoteLoader, defineServiceLoader } from './core/adapter/loader';
export { batchOperator, DROP, recordOperator } from './core/adapter/operator';
export { noSecretIsSent, secretsSentTo, secretTargetOf } from './core/adapter/secret-hosts';
export { defineSink } from './core/adapter/sink';
export { defineRule, reporting } from './core/adapter/rule';
export { flowError, isFlowError } from './core/errors/flow-error';
export {
    connectionCode,
    json,
    path,
    pathMapping,
    paths,
    secretCode,
    template,
    wholeNumber,
} from './core/schema/fields';
export { hostAddress, urlAddress } from './core/schema/address-fields';
export { seedMode } from './core/schema/seed-mode';
export { sinkFields } from './core/schema/sink-fields';
export { missingArgument, missingWithFilters } from './core/adapter/missing';
export { recordInvalid, valueInvalid } from './core/errors/record-invalid';
// Authentication for the requests of your own adapters; the value stays a secret.
export { apiKey, basic, bearer } from './io/outbound/auth';
export { FlowEntitiesChanged } from './platform/effects/events';
// For your own loaders.
export { column, join, name, select, send, sql } from './database/statement';
export { joinTableOf, tableOf } from './database/table';
export { deleteRows, insertNumbered, insertRows, updateRows } from './database/write';
export {
    FlowGateApproved,
    FlowGateRejected,
    FlowPipelinePublished,
    FlowRunCancelled,
    FlowRunCompleted,
    FlowRunFailed,
    FlowRunPaused,
    FlowRunStarted,
    ScheduleDeactivated,
} from './plugin/events';
export { FlowAdapterRegistry } from './plugin/adapter-registry';
export { FlowPlugin } from './plugin/flow.plugin';
export {
    approveFlowGatePermission,
    editFlowScriptPermission,
    flowPipelinePermission,
    manageFlowConnectionsPermission,
    manageFlowFilesPermission,
    manageFlowSecretsPermission,
    publishFlowPipelinePermission,
    readFlowFilesPermission,
    manageFlowFeedsPermission,
    readFlowRecordPermission,
    readFlowRunPermission,
    reviewFlowPipelinePermission,
    retryFlowRecordPermission,
    runFlowPipelinePermission,
} from './plugin/permissions';

/** The zod that Flow checks configurations with: a schema of another version would not be understood. */
export { z } from 'zod';

export type { AdapterContext, AdapterRun, LogLevel, Resources, RunMode, StepLog } from './core/adapter/context';
export type { RecordLimits } from './core/adapter/bounds';
export type { Connection, ConnectionExample, ConnectionType } from './core/adapter/connection';
export type { ConnectionSource, Connector } from './core/pipeline/connector';
export type { PipelineTemplate, TemplateGroup } from './core/templates/pipeline-template';
export type { AdapterDefinition } from './core/adapter/definition';
export type {
    ExampleCell,
    ExampleFile,
    ExtractContext,
    Extractor,
    ExtractorExample,
    LookedUp,
    LookUp,
    NextRun,
    Page,
    PageIssue,
} from './core/adapter/extractor';
export type { ListedPage, ListPage, Missing, MissingAction, MissingRule } from './core/adapter/missing';
export type { OutboundAuth, OutboundHttp, OutboundRequest, OutboundResponse, StreamedBody } from './core/adapter/http';
export type {
    BatchMemo,
    BatchMemory,
    Change,
    Effect,
    KnownFields,
    Loader,
    LoaderExample,
    LoaderFixture,
    LoadNote,
    LoadPlan,
    Outcome,
    RemoteSession,
    StatementProgram,
    ServiceSession,
    TableSession,
    Trimmed,
} from './core/adapter/loader';
export type {
    BatchExample,
    BatchFn,
    BatchOperator,
    BatchLocation,
    CompileEnv,
    InnerOperators,
    Operator,
    OperatorContext,
    OperatorEnv,
    OperatorExample,
    PartLocation,
    RecordFn,
    RecordOperator,
    RecordLocation,
    RecordResult,
} from './core/adapter/operator';
export type {
    BatchRule,
    BatchRuleExample,
    BatchRuleFn,
    RecordRule,
    Rule,
    RuleContext,
    RuleExample,
    RuleFn,
    RuleProblem,
    Severity,
} from './core/adapter/rule';
export type {
    HookContext,
    HookError,
    HookRecordError,
    ScriptResult,
    ScriptFunction,
    ScriptRecord,
} from './core/adapter/script';
export type {
    Outbound,
    OutboundSocket,
    OutboundSockets,
    OutboundStream,
    OutboundStreamRequest,
    OutboundStreams,
    PinnedHost,
    SocketTarget,
    SocketTls,
} from './core/adapter/outbound';
export type { Secret } from './core/adapter/secret';
export type { SavedConnections, SecretTarget, SecretUse } from './core/adapter/secret-hosts';
export type { CustomSink, SinkContext, SinkField, SinkRecordError, SinkResult } from './core/adapter/custom-sink';
export type { Sink, SinkExample, SinkOperation, SinkSession, SinkRunContext } from './core/adapter/sink';
export type { JsonObject, JsonValue } from './core/value/json';
export type { Batch, FlowRecord } from './core/data/record';
export type { ErrorCode } from './core/errors/catalogue';
export type { FlowError } from './core/errors/flow-error';
export type { Catalogue } from './core/pipeline/catalogue';
export type { DefinitionInput, PipelineDefinition, PipelineSource } from './core/pipeline/definition';
export type { HookDefinition, Hooks } from './core/pipeline/hook-definition';
export type { HookStage } from './core/adapter/hook-stages';
export type { RunOutcome, RunStatus } from './core/progress/state';
export type { VendurePlatform } from './platform/context';
export type { EventScope, EventSource, SeedFields, EventRecords } from './platform/events/event-source';
export type { FlowRunFacts } from './plugin/events';
export type { FlowPluginOptions, SecretSource } from './plugin/options/options';
export type { OwnAdapter } from './plugin/options/own-adapters';
