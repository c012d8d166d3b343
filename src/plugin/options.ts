import { z } from 'zod';
import type { LogLevel } from '../core/adapter/context';
import type { AdapterDefinition } from '../core/adapter/definition';
import { flowError } from '../core/errors/flow-error';
import type { PipelineSource } from '../core/pipeline/definition';
import { type Issue, parseWith } from '../core/schema/issues';

/** What `FlowPlugin.init` takes (spec 1, plugin configuration options). Every field is optional. */
export interface FlowPluginOptions {
    /** Code-first pipelines, as `pipeline(…).build()` gives them. */
    readonly pipelines?: readonly PipelineSource[];
    /** Operators, extractors and loaders of your own, beside the built-in ones. */
    readonly adapters?: readonly AdapterDefinition[];
    /** False leaves the built-in operators, extractors and loaders out (triggers stay). Default true. */
    readonly registerBuiltinAdapters?: boolean;
    /** Turns on all of `logging` that is not set by itself. Default false. */
    readonly debug?: boolean;
    readonly logging?: {
        /** The least level that a run's log keeps. Default INFO, with `debug` DEBUG. */
        readonly level?: LogLevel;
        /** Each SQL statement of Flow goes to Vendure's log at level Debug, without its values. */
        readonly logQueries?: boolean;
        /** A line in the run's log for each step when the run ends. */
        readonly logSteps?: boolean;
    };
    readonly runtime?: {
        /** How long a worker that has died keeps its run, in milliseconds: 1,000 to 600,000, default 30,000. */
        readonly leaseMs?: number;
        /** How often a living worker renews it: 100 to half of `leaseMs`, default a third of it. */
        readonly heartbeatMs?: number;
        /** How often runs that nobody works on are looked for: 500 to 600,000, default 15,000. */
        readonly sweepMs?: number;
        /** After how long a run gives its queue slot to others and queues itself again: 100 to 3,600,000, default 60,000. */
        readonly sliceMs?: number;
    };
}

/** The options with everything that was left out. */
export interface FlowOptions {
    readonly pipelines: readonly PipelineSource[];
    readonly adapters: readonly AdapterDefinition[];
    readonly registerBuiltinAdapters: boolean;
    readonly logging: { readonly level: LogLevel; readonly logQueries: boolean; readonly logSteps: boolean };
    readonly runtime: { readonly leaseMs: number; readonly heartbeatMs: number; readonly sweepMs: number; readonly sliceMs: number };
}

const KINDS = ['trigger', 'extractor', 'operator', 'loader'] as const;
const CODE_PATTERN = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const adapter = z.custom<AdapterDefinition>(isAdapter, {
    message: `allowed: what defineExtractor, recordOperator and defineLoader answer`,
});

const pipelineSource = z.strictObject({
    code: z.string().max(64).regex(CODE_PATTERN),
    name: z.string(),
    description: z.string(),
    enabled: z.boolean(),
    channel: z.string().optional(),
    // Its faults are told all at once, with step and place, when the definition itself is checked at start.
    definition: z.custom<PipelineSource['definition']>(value => typeof value === 'object' && value !== null, { message: 'allowed: an object' }),
});

const schema = z.strictObject({
    pipelines: z.array(pipelineSource).default([]),
    adapters: z.array(adapter).default([]),
    registerBuiltinAdapters: z.boolean().default(true),
    debug: z.boolean().default(false),
    logging: z.strictObject({
        level: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR']).optional(),
        logQueries: z.boolean().optional(),
        logSteps: z.boolean().optional(),
    }).default({}),
    runtime: z.strictObject({
        leaseMs: z.int().min(1000).max(600_000).default(30_000),
        heartbeatMs: z.int().min(100).max(300_000).optional(),
        sweepMs: z.int().min(500).max(600_000).default(15_000),
        sliceMs: z.int().min(100).max(3_600_000).default(60_000),
    }).prefault({}),
});

/** Checks the options and fills in what was left out. Throws OPTION_INVALID, which names option, value and what is allowed. */
export function parseOptions(input: FlowPluginOptions): FlowOptions {
    const parsed = parseWith(schema, input);
    if (!parsed.ok) throw refused(parsed.issues);
    const { pipelines, adapters, registerBuiltinAdapters, debug, logging, runtime } = parsed.value;
    const twice = pipelines.find((source, i) => pipelines.findIndex(({ code }) => code === source.code) < i);
    if (twice) throw refused([{ path: 'pipelines', message: `the code "${twice.code}" comes twice; each pipeline needs a code of its own` }]);
    const heartbeatMs = runtime.heartbeatMs ?? Math.floor(runtime.leaseMs / 3);
    if (heartbeatMs > runtime.leaseMs / 2) {
        const allowed = `at most half of runtime.leaseMs, ${Math.floor(runtime.leaseMs / 2)}`;
        throw refused([{ path: 'runtime.heartbeatMs', message: `runtime.heartbeatMs is ${heartbeatMs}; allowed: ${allowed}` }]);
    }
    return {
        pipelines, adapters, registerBuiltinAdapters,
        logging: {
            level: logging.level ?? (debug ? 'DEBUG' : 'INFO'),
            logQueries: logging.logQueries ?? debug,
            logSteps: logging.logSteps ?? debug,
        },
        runtime: { ...runtime, heartbeatMs },
    };
}

function refused(issues: readonly Issue[]): Error {
    const option = [...new Set(issues.map(issue => issue.path || 'object'))].join(', ');
    return flowError('OPTION_INVALID', { option, problem: issues.map(issue => issue.message).join('; ') });
}

function isAdapter(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return false;
    const { kind, code, config } = value as Partial<AdapterDefinition>;
    return KINDS.some(known => known === kind) && typeof code === 'string' && code !== '' && typeof config === 'object';
}
