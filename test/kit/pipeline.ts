import type { Resources } from '../../src/core/adapter/context';
import type { AdapterDefinition } from '../../src/core/adapter/definition';
import type { Outbound } from '../../src/core/adapter/outbound';
import { noResources } from '../../src/core/adapter/no-resources';
import type { JsonObject } from '../../src/core/value/json';
import type { PipelineDefinition, StepDefinition } from '../../src/core/pipeline/definition';
import type { StepKind } from '../../src/core/steps/kinds';
import type { PipelineStarts } from '../../src/core/hooks/pipeline-starts';
import type { Hooks } from '../../src/core/pipeline/hook-definition';
import { type CompiledPipeline, compilePipeline, type RunInput } from '../../src/core/run/compile';
import { endedBy, executeRun, type RunEnd } from '../../src/core/run/execute';
import { EventLoopYield } from '../../src/core/concurrency/event-loop-yield';
import type { Node, Step, StepEnv, StepFn } from '../../src/core/steps/step';
import type { ErrorHandling, Throughput } from '../../src/core/schema/settings';
import { callEndHooks } from '../../src/core/run/run-hooks';
import { memoryPorts, type MemoryOptions, MemoryState } from './memory-ports';
import { toyRegistry } from './toy-adapters';
import { VirtualClock } from './virtual-clock';

export interface Sketch {
    /** `key: [kind, config]`; a key that begins with `!` is a disabled step. */
    readonly steps: Readonly<Record<string, readonly [StepKind, JsonObject]>>;
    /** `'a > b > c'`; `'a [x] > b'` is an edge by the branch x. */
    readonly edges: readonly string[];
    readonly throughput?: Partial<Throughput>;
    readonly errorHandling?: Partial<ErrorHandling>;
    readonly hooks?: Hooks;
}

/** A definition from a short notation. */
export function sketched({ steps, edges, throughput, errorHandling, hooks = {} }: Sketch): PipelineDefinition {
    return {
        version: 1,
        steps: Object.entries(steps).map(([key, [kind, config]]): StepDefinition => ({
            key: key.replace('!', ''),
            kind,
            config,
            ...(key.startsWith('!') && { disabled: true }),
        })),
        edges: edges.flatMap(edge => {
            const way = edge.split('>').map(key => key.trim());
            return way.slice(1).map((to, i) => {
                const [, from, branch] = /^([^ ]+)(?: \[(.+)\])?$/.exec(way[i]!)!;
                return { from: from!, to: to.split(' ')[0]!, ...(branch !== undefined && { branch }) };
            });
        }),
        capabilities: { requires: [] },
        throughput: { batchSize: 100, concurrency: 1, rateLimitRps: 0, ...throughput },
        errorHandling: { maxRetries: 3, retryDelayMs: 1_000, backoffMultiplier: 2, ...errorHandling },
        hooks,
    };
}

/** Records with consecutive ids. */
export const ids = (count: number, from = 0): JsonObject[] =>
    Array.from({ length: count }, (_, i) => ({ id: from + i }));
/** A source of these pages. */
export const pages = (...records: JsonObject[][]): JsonObject => ({
    adapterCode: 'toyPages',
    pages: records.map(page => ({ records: page })),
});
/** A load into the fake shop. */
export const LOAD: JsonObject = { adapterCode: 'toyUpsert' };

/** A source, and a load that writes its records. */
export function straight(source: JsonObject, more: Partial<Sketch> = {}): Sketch {
    return {
        steps: { start: ['TRIGGER', { type: 'MANUAL' }], read: ['EXTRACT', source], write: ['LOAD', LOAD] },
        edges: ['start > read > write'],
        ...more,
    };
}

export interface RunOptions extends MemoryOptions {
    readonly adapters?: readonly AdapterDefinition[];
    /** Resources of the run, in addition to the empty ones. */
    readonly resources?: Partial<Resources>;
    readonly outbound?: Outbound;
    readonly pipelines?: PipelineStarts;
    readonly state?: MemoryState;
    readonly clock?: VirtualClock;
    readonly input?: Partial<RunInput>;
    readonly signal?: AbortSignal;
    readonly yieldSignal?: AbortSignal;
    /** The keys of steps that hold the records that arrive. */
    readonly holding?: readonly string[];
}

export function compiled(definition: PipelineDefinition, options: RunOptions = {}): CompiledPipeline {
    const { adapters = [], resources, outbound, pipelines, clock = new VirtualClock(), input, holding = [] } = options;
    const run = { runId: 'run', mode: 'live' as const, triggerKey: 'start', startedAt: clock.now(), ...input };
    const pipeline = compilePipeline(definition, run, {
        registry: toyRegistry(...adapters),
        clock,
        platform: undefined,
        resources: { ...noResources, ...resources },
        ...(outbound && { outbound }),
        ...(pipelines && { pipelines }),
    });
    return withHolding(pipeline, holding);
}

/** The same pipeline with steps that hold their output in a live run, as a GATE does until someone has approved it. */
export function withHolding(pipeline: CompiledPipeline, keys: readonly string[]): CompiledPipeline {
    for (const node of pipeline.nodes as ReadonlyArray<Mutable<Node>>) {
        const { step } = node;
        if (keys.includes(step.key)) node.step = { ...step, holds: () => undefined, open: env => holding(step, env) };
    }
    return pipeline;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

async function holding(step: Step, env: StepEnv): Promise<StepFn> {
    const body = await step.open(env);
    if (env.adapter.mode !== 'live') return body;
    return async (batch, visit) => {
        const result = await body(batch, visit);
        return { ...result, out: [], held: result.out };
    };
}

export interface Finished {
    readonly end: RunEnd;
    readonly state: MemoryState;
}

/** Compiles and executes on memory ports and a virtual clock, and calls the hooks for the end. Returns how the run ended and its state. */
export async function runPipeline(definition: PipelineDefinition, options: RunOptions = {}): Promise<Finished> {
    const { state = new MemoryState(), clock = new VirtualClock() } = options;
    const pipeline = compiled(definition, { ...options, clock });
    const { signal = new AbortController().signal, yieldSignal } = options;
    const ports = memoryPorts(state, options);
    const execute = async (): Promise<RunEnd> => {
        const end = await executeRun(pipeline, ports, { signal, ...(yieldSignal && { yieldSignal }) });
        const ended = endedBy(end, pipeline.shape);
        const parts = {
            journal: ports.journal,
            pace: new EventLoopYield({ clock }),
            signal: new AbortController().signal,
        };
        if (ended && ended.status !== 'PAUSED' && pipeline.input.mode === 'live') state.end(ended.status);
        if (ended) await callEndHooks(pipeline, ended, parts);
        return end;
    };
    return { end: await clock.drive(execute()), state };
}
