import { z } from 'zod';
import { SYNONYMS } from '../../core/import/synonyms';
import type { Connector } from '../../core/pipeline/connector';
import type { CustomSink } from '../../core/adapter/custom-sink';
import type { AdapterDefinition } from '../../core/adapter/definition';
import type { ScriptFunction } from '../../core/adapter/script';
import type { PipelineSource } from '../../core/pipeline/definition';
import { type PipelineTemplate, TEMPLATE_GROUPS } from '../../core/templates/pipeline-template';
import { CODE_ALLOWED, jsonObject, RESOURCE_CODE } from '../../core/schema/fields';
import { normalHost } from '../../io/outbound/policy';
import type { EventSource } from '../../platform/events/event-source';
import { allowedHostsProblem, secretValueProblem } from './secret-input';
import { addIssue } from '../../core/schema/issues';

const ADAPTER_KINDS: ReadonlyArray<AdapterDefinition['kind']> = [
    'trigger',
    'extractor',
    'operator',
    'loader',
    'sink',
    'connection',
    'rule',
];
const PIPELINE_CODE = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_DAYS = 3650;
/** Applies to the list of the code and to that of a file separately. */
const MAX_HOSTNAMES = 1000;
const MAX_PORTS = 1_000;
const MAX_SYNONYM = 100;
/** Of one field. */
const MAX_SYNONYMS = 200;

const code = z.string().regex(RESOURCE_CODE);
const channel = z.string().min(1).max(255).optional();

const adapter = z.custom<AdapterDefinition>(isAdapter, {
    message:
        'allowed: what defineExtractor, recordOperator, defineLoader, defineSink, defineRule and defineConnection answer',
});

const adapterOrSink = z.custom<AdapterDefinition | CustomSink>(isOwnAdapter, {
    message:
        'allowed: what defineExtractor, recordOperator, defineLoader, defineSink, defineRule and defineConnection answer, and sinks of the type SINK with fields and index',
});

const eventSource = z.custom<EventSource>(isEventSource, {
    message: 'allowed: { event, seed } with the class of an event and a function that returns the records of its runs',
});

const script = z.custom<ScriptFunction>(value => typeof value === 'function', {
    message: 'allowed: a function (records, context, args)',
});

// Its issues are reported together, with step and path, when the definition itself is checked.
const definition = z.custom<PipelineSource['definition']>(value => typeof value === 'object' && value !== null, {
    message: 'allowed: an object',
});
const pipelineCode = z.string().max(64).regex(PIPELINE_CODE);
const pipelineName = z.string().min(1).max(255);

/** A pipeline as `pipeline(…).build()` returns it. */
const pipelineSource = z.strictObject({
    code: pipelineCode,
    name: pipelineName,
    description: z.string(),
    enabled: z.boolean(),
    channel,
    definition,
});

/** A pipeline in a file, where only code and definition are required. */
const writtenPipeline = z.strictObject({
    code: pipelineCode,
    name: pipelineName.optional(),
    description: z.string().default(''),
    enabled: z.boolean().default(true),
    channel,
    definition,
});

const MAX_SAMPLE = 100;

/** A template of pipelines in the code or in a file. */
const pipelineTemplate = z.strictObject({
    code: pipelineCode,
    group: z.enum(TEMPLATE_GROUPS),
    title: pipelineName,
    description: z.string().min(1).max(1000),
    definition,
    sample: z.array(jsonObject()).max(MAX_SAMPLE),
    notes: z.array(z.string().min(1).max(1000)).max(20).optional(),
}) satisfies z.ZodType<PipelineTemplate>;

const connectionSource = z.strictObject({
    code,
    type: z.string().min(1),
    name: z.string().min(1).max(255).optional(),
    settings: jsonObject(),
    channel,
});

// The schema's own messages do not quote the value, since it may be a secret.
const hidden = (allowed: string): string => `wrong (not shown here); allowed: ${allowed}`;
const hiddenKind = (allowed: string) => (issue: { readonly code?: string }) =>
    issue.code === 'invalid_type' ? hidden(allowed) : undefined;

const secretSource = z
    .strictObject(
        {
            code,
            provider: z.enum(['ENV', 'INLINE']),
            value: z.string({ error: hidden('text') }),
            channel,
            allowedHosts: z.array(z.string()).optional(),
        },
        { error: hiddenKind('an object with code, provider and value') },
    )
    .superRefine(({ provider, value, allowedHosts = [] }, cx) => {
        const wrong = allowedHostsProblem(allowedHosts);
        if (wrong !== undefined) addIssue(cx, wrong, ['allowedHosts']);
        const problem = secretValueProblem(provider, value);
        if (problem !== undefined) addIssue(cx, problem, ['value']);
    });

/** The secrets of the options or of a file. */
const secretSources = z.array(secretSource, { error: hiddenKind('a list of secrets') });

const connector = z.strictObject({
    kind: z.literal('connector', { error: 'allowed: what defineConnector answers' }),
    code,
    title: z.string().min(1),
    adapters: z.array(adapter),
    connections: z.array(connectionSource),
    pipelines: z.array(pipelineSource),
}) satisfies z.ZodType<Connector>;

const allowedHostname = z
    .string()
    .min(1)
    .max(255)
    .refine(
        host => normalHost(host) !== undefined,
        'allowed: the exact name or address of a host, without scheme, port, path and wildcards',
    );

const fileStorage = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('local'), directory: z.string().min(1).max(4096).optional() }),
    z.strictObject({
        type: z.literal('objectStorage'),
        bucket: z.string().min(3).max(255),
        prefix: z
            .string()
            .max(512)
            .regex(/^(?!\/)[\x21-\x7e]*$/, 'allowed: printable ASCII without spaces, not beginning with "/"')
            .optional(),
        region: z.string().min(1).max(64).optional(),
        endpoint: z
            .url({ protocol: /^https?$/, error: 'allowed: an address that begins with http:// or https://' })
            .optional(),
        forcePathStyle: z.boolean().optional(),
        credentials: z
            .strictObject(
                {
                    accessKeyId: z.string({ error: hidden('text') }).min(1),
                    secretAccessKey: z.string({ error: hidden('text') }).min(1),
                    sessionToken: z
                        .string({ error: hidden('text') })
                        .min(1)
                        .optional(),
                },
                { error: hiddenKind('an object with accessKeyId and secretAccessKey') },
            )
            .optional(),
        requestChecksumCalculation: z.enum(['WHEN_REQUIRED', 'WHEN_SUPPORTED']).optional(),
    }),
]);

/** The name of an environment variable, or its beginning and a star. */
const VARIABLES = /^[A-Za-z_][A-Za-z0-9_]*\*?$/;
const days = z.int().min(0).max(MAX_DAYS).optional();

/** What both the code and a file may set: everything that JSON can represent. Defaults are added after the two have been joined. */
const shared = {
    registerBuiltinAdapters: z.boolean().optional(),
    security: z
        .strictObject({
            allowedHostnames: z.array(allowedHostname).max(MAX_HOSTNAMES).optional(),
            allowedPorts: z.array(z.int().min(1).max(65_535)).max(MAX_PORTS).optional(),
            maxResponseBytes: z.int().min(1024).max(1_073_741_824).optional(),
            maxRemoteFileBytes: z.int().min(1024).max(1_099_511_627_776).optional(),
            secretVariables: z.array(z.string().regex(VARIABLES)).max(MAX_HOSTNAMES).optional(),
            inlineScripts: z.boolean().optional(),
            unknownHostKeys: z.boolean().optional(),
            cloudCredentialChain: z.boolean().optional(),
        })
        .optional(),
    files: z
        .strictObject({
            storage: fileStorage.optional(),
            maxFileSize: z.int().min(1).max(1_099_511_627_776).optional(),
            maxFiles: z.int().min(1).max(1_000_000).optional(),
        })
        .optional(),
    debug: z.boolean().optional(),
    logging: z
        .strictObject({
            level: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']).optional(),
            logQueries: z.boolean().optional(),
            logSteps: z.boolean().optional(),
        })
        .optional(),
    runtime: z
        .strictObject({
            leaseMs: z.int().min(1000).max(600_000).optional(),
            heartbeatMs: z.int().min(100).max(300_000).optional(),
            sweepMs: z.int().min(500).max(600_000).optional(),
            sliceMs: z.int().min(100).max(3_600_000).optional(),
            stepTestMs: z.int().min(100).max(600_000).optional(),
            scheduler: z
                .strictObject({
                    checkIntervalMs: z.int().min(1_000).max(30_000).optional(),
                    minIntervalMs: z.int().min(1_000).max(86_400_000).optional(),
                    refreshIntervalMs: z.int().min(1_000).max(3_600_000).optional(),
                })
                .optional(),
        })
        .optional(),
    definitions: z
        .strictObject({
            maxValues: z.int().min(1_000).max(1_000_000).optional(),
            maxConfigValues: z.int().min(1_000).max(1_000_000).optional(),
            maxPatterns: z.int().min(1).max(10_000).optional(),
        })
        .optional(),
    records: z
        .strictObject({
            maxValueChars: z.int().min(1024).max(67_108_864).optional(),
            maxRecordChars: z.int().min(1024).max(268_435_456).optional(),
        })
        .optional(),
    locking: z.enum(['database', 'redis', 'process']).optional(),
    // As a whole: an address of the file does not match a prefix of the code. The address may contain a password.
    redis: z
        .strictObject({
            url: z
                .string({ error: hidden('text') })
                .max(2048)
                .regex(/^rediss?:\/\/\S+$/, hidden('an address that begins with redis:// or rediss://')),
            keyPrefix: z
                .string()
                .max(128)
                .regex(/^[\w:.-]+$/, 'allowed: letters, digits, and "_", ":", ".", "-"')
                .optional(),
        })
        .readonly()
        .optional(),
    webhooks: z
        .strictObject({
            failuresPerAddress: z.int().min(0).max(100_000).optional(),
            maxRecords: z.int().min(1).max(1_000_000).optional(),
        })
        .optional(),
    api: z.strictObject({ maxCost: z.int().min(1_000).max(1_000_000).optional() }).optional(),
    hooks: z.strictObject({ maxChain: z.int().min(2).max(50).optional() }).optional(),
    lookupIndexes: z.boolean().optional(),
    importSynonyms: z
        .record(
            z.string().refine(field => Object.hasOwn(SYNONYMS, field), `allowed: ${Object.keys(SYNONYMS).join(', ')}`),
            z.array(z.string().min(1).max(MAX_SYNONYM)).max(MAX_SYNONYMS),
        )
        .optional(),
    publishing: z.strictObject({ requireReview: z.boolean().optional() }).optional(),
    retention: z
        .strictObject({ runsDays: days, recordErrorsDays: days, logsDays: days, analyticsDays: days })
        .optional(),
};

/** `FlowPlugin.init({ … })`. */
export const optionsSchema = z.strictObject({
    pipelines: z.array(pipelineSource).default([]),
    secrets: secretSources.default([]),
    connections: z.array(connectionSource).default([]),
    connectors: z.array(connector).default([]),
    templates: z.array(pipelineTemplate).default([]),
    adapters: z.array(adapterOrSink).default([]),
    scripts: z.record(z.string().regex(RESOURCE_CODE, CODE_ALLOWED), script).default({}),
    events: z.array(eventSource).default([]),
    configPath: z.string().min(1).max(4096).optional(),
    ...shared,
});

/** The object in the file of `configPath`. */
export const fileSchema = z.strictObject({
    pipelines: z.array(writtenPipeline).default([]),
    secrets: secretSources.default([]),
    connections: z.array(connectionSource).default([]),
    templates: z.array(pipelineTemplate).default([]),
    ...shared,
});
export type FileOptions = z.output<typeof fileSchema>;

function isAdapter(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return false;
    const { kind, code: own, config } = value as Partial<AdapterDefinition>;
    return (
        ADAPTER_KINDS.some(known => known === kind) &&
        typeof own === 'string' &&
        own !== '' &&
        typeof config === 'object'
    );
}

/** Whether a value is an adapter, or a sink that implements `CustomSink`. */
export function isOwnAdapter(value: unknown): boolean {
    return isAdapter(value) || isCustomSink(value);
}

/** Its parts are checked when it is adapted. */
function isCustomSink(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return false;
    const { type, schema, index } = value as Partial<CustomSink>;
    return type === 'SINK' && typeof index === 'function' && Array.isArray(schema?.fields);
}

function isEventSource(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return false;
    const { event, seed, concerns } = value as Partial<EventSource>;
    const isClass = typeof event === 'function' && event.name !== '';
    return isClass && typeof seed === 'function' && ['function', 'undefined'].includes(typeof concerns);
}
