import type { extractors } from './adapters';
import type { operators } from './core/operators';
import { createPipelineBuilder } from './core/pipeline/builder';
import type { triggers } from './core/triggers';
import type { loaders } from './platform';

/** The adapters that come with Flow, as the builder's types know them. */
export interface BuiltinCatalogue {
    readonly triggers: typeof triggers;
    readonly operators: typeof operators;
    readonly extractors: typeof extractors;
    readonly loaders: typeof loaders;
}

/** Builds a code-first pipeline from the built-in adapters: `pipeline('supplier-import').trigger(…).extract(…).load(…).build()`. */
export const pipeline = createPipelineBuilder<BuiltinCatalogue>();

export { createPipelineBuilder } from './core/pipeline/builder';
export { defineExtractor } from './core/adapter/extractor';
export { defineLoader } from './core/adapter/loader';
export { DROP, recordOperator } from './core/adapter/operator';
export { flowError, isFlowError } from './core/errors/flow-error';
export { recordInvalid, valueInvalid } from './core/errors/record-invalid';
export { FlowEntitiesChanged } from './platform/effects/events';
// What a loader of one's own is written with.
export { column, join, name, select, send, sql } from './platform/sql/statement';
export { joinTableOf, tableOf } from './platform/sql/table';
export { deleteRows, insertNumbered, insertRows, updateRows } from './platform/sql/write';
export { FlowRunCancelled, FlowRunCompleted, FlowRunFailed, FlowRunStarted } from './plugin/events';
export { FlowPlugin } from './plugin/flow.plugin';
export { flowPipelinePermission, readFlowRecordPermission, readFlowRunPermission, runFlowPipelinePermission } from './plugin/permissions';

export type { AdapterContext, LogLevel, RunMode, StepLog } from './core/adapter/context';
export type { AdapterDefinition } from './core/adapter/definition';
export type { ExtractContext, Extractor, Page, PageFault } from './core/adapter/extractor';
export type { Change, Effect, Loader, LoadPlan, LoadSession, Script } from './core/adapter/loader';
export type { Operator, OperatorExample, RecordFn } from './core/adapter/operator';
export type { JsonObject, JsonValue } from './core/data/json';
export type { ErrorCode } from './core/errors/catalogue';
export type { FlowError } from './core/errors/flow-error';
export type { Catalogue } from './core/pipeline/catalogue';
export type { DefinitionInput, PipelineDefinition, PipelineSource } from './core/pipeline/definition';
export type { RunOutcome, RunStatus } from './core/run/state';
export type { VendurePlatform } from './platform/context';
export type { FlowRunFacts } from './plugin/events';
export type { FlowPluginOptions } from './plugin/options';
