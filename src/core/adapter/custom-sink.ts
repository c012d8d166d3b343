import type { JsonObject } from '../value/json';
import type { ErrorHandling, Throughput } from '../schema/settings';
import type { ListedField } from '../schema/field-list';
import type { AdapterContext, StepLog } from './context';
import type { SecretUse } from './secret-hosts';

/** The neutral names of search engines that custom sinks may use, and what they stand for. */
export const SINK_TYPE_ALIASES = {
    SEARCH_A: 'MEILISEARCH',
    SEARCH_B: 'ELASTICSEARCH',
    SEARCH_B2: 'OPENSEARCH',
    SEARCH_C: 'ALGOLIA',
    SEARCH_D: 'TYPESENSE',
} as const;
type SinkTypeAlias = keyof typeof SINK_TYPE_ALIASES;

/** What a custom sink delivers to, under all names. */
export const SINK_TYPES = [
    ...(Object.values(SINK_TYPE_ALIASES) as ReadonlyArray<(typeof SINK_TYPE_ALIASES)[SinkTypeAlias]>),
    ...(Object.keys(SINK_TYPE_ALIASES) as readonly SinkTypeAlias[]),
    'WEBHOOK',
    'CUSTOM',
] as const;
type SinkType = (typeof SINK_TYPES)[number];

/** One field of the form that a sink is configured with. */
export type SinkField = ListedField;

/** The run that a sink delivers for. */
export interface SinkPipelineContext {
    readonly pipelineCode: string;
    readonly revision: number;
    readonly runId: string;
    readonly channelId: string;
    readonly channelToken: string;
    readonly languageCode: string;
    readonly currencyCode: string;
    readonly throughput: Throughput;
    readonly errorHandling: ErrorHandling;
    readonly dryRun: boolean;
    readonly signal: AbortSignal;
}

/** What a sink receives with its records. `C` is the platform's request context. */
export interface SinkContext<C = unknown> extends Pick<AdapterContext, 'secrets' | 'connections' | 'outbound'> {
    readonly ctx: C;
    readonly pipelineId: string;
    readonly stepKey: string;
    readonly pipelineContext: SinkPipelineContext;
    readonly logger: StepLog;
    /** No request is made, and what would be delivered is only counted. */
    readonly dryRun: boolean;
}

/** A record that the target has rejected. */
export interface SinkRecordError {
    readonly record: JsonObject;
    readonly message: string;
    readonly statusCode?: number;
}

/**
 * What became of the records, or of the ids, that a sink was given; together they are as many. Records that failed and are not among `errors` are counted as
 * rejected, but Flow cannot know which ones they are and takes the last ones of the call.
 */
export interface SinkResult {
    readonly indexed: number;
    readonly deleted: number;
    readonly failed: number;
    readonly errors?: readonly SinkRecordError[];
}

/** A custom target for records. The HTTP status of an exception decides how it is handled: see `sinkFailure`. */
export interface CustomSink<C = unknown> {
    readonly type: 'SINK';
    readonly code: string;
    readonly name: string;
    readonly description?: string;
    readonly category?: string;
    /** One of SINK_ICONS; any other icon is rejected at registration. */
    readonly icon?: string;
    readonly sinkType: SinkType;
    readonly schema: { readonly fields: readonly SinkField[] };
    /** Where the sink sends the secrets that its fields name. Required if a field names one. */
    secretUses?(config: JsonObject): readonly SecretUse[];
    index(context: SinkContext<C>, config: JsonObject, records: readonly JsonObject[]): Promise<SinkResult>;
    delete?(context: SinkContext<C>, config: JsonObject, ids: readonly string[]): Promise<SinkResult>;
    refresh?(context: SinkContext<C>, config: JsonObject): Promise<void>;
}
