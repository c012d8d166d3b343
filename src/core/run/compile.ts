import type { RecordLimits } from '../adapter/bounds';
import type { Resources, RunMode } from '../adapter/context';
import type { Outbound } from '../adapter/outbound';
import type { Registry } from '../adapter/registry';
import type { SourceReference } from '../adapter/source-reference';
import type { Clock } from '../concurrency/clock';
import type { JsonObject } from '../value/json';
import type { EdgeDefinition, PipelineDefinition, StepDefinition } from '../pipeline/definition';
import { buildGraph, type Graph } from '../pipeline/graph';
import { DEFAULT_BRANCH } from '../steps/route-config';
import { runAtOnce, type YieldingTask } from '../concurrency/yielding-task';
import type { OffloadedOperators } from '../steps/offloaded-operators';
import type { SourceStep } from '../steps/extract';
import { readsRecords, stepKind } from '../steps/kinds';
import type { CompileJob } from '../steps/kinds/step-kind';
import { type CompiledHooks, compileHooks } from '../hooks/compile-hooks';
import type { PipelineStarts } from '../hooks/pipeline-starts';
import type { Node, Step } from '../steps/step';
import type { PipelineShape } from '../progress/outcome';
import type { FlowError } from '../errors/flow-error';
import { invalidConfig } from '../steps/parse-config';
import type { StepTap } from '../steps/step-tap';

/** What the compiler needs from the process. */
export interface CompileKit {
    readonly registry: Registry;
    readonly clock: Clock;
    readonly platform: unknown;
    readonly resources: Resources;
    /** Without it, every network access is rejected. */
    readonly outbound?: Outbound;
    /** The languages of the run's channel, its default language first. Default: there is no shop. */
    readonly languages?: () => Promise<readonly string[]>;
    /** Lets hooks start other pipelines. Default: hooks cannot start any. */
    readonly pipelines?: PipelineStarts;
    /** The maximum record size that operators may produce. Default: 4 Mi characters for a text and 16 Mi for a record. */
    readonly limits?: RecordLimits;
    /** Runs operators in another process where they support it. Default: they run in this process. */
    readonly elsewhere?: OffloadedOperators;
}

/** The run for which the pipeline is compiled. */
export interface RunInput {
    readonly runId: string;
    /** Used by hooks only; the executor does not read it. */
    readonly pipelineCode?: string | undefined;
    /** For sinks, which may pass it to other systems. */
    readonly pipelineId?: string;
    /** The number of the revision; absent for a working copy. */
    readonly revisionNumber?: number;
    readonly mode: RunMode;
    /** Identifies the version of the definition: saved source positions of an incomplete run are valid only for the same version. */
    readonly revision?: string;
    readonly triggerKey: string;
    /** The single file of this run, which replaces what its sources would read by themselves. */
    readonly reference?: SourceReference;
    /**
     * Steps that receive records which they rejected in an earlier run, mapped by the source that supplies them. Hooks have already transformed
     * these records on their way to the step.
     */
    readonly returning?: Readonly<Record<string, string>>;
    /** When the run first started, in ms. Operators see this time, so that a repeated batch has the same result. */
    readonly startedAt: number;
    /** Preview: the maximum number of records of each source. */
    readonly limit?: number;
    /** Preview: observes one step. */
    readonly probe?: StepTap;
    /** Preview: called with each record that is read; throws when the records exceed the memory limit. */
    readonly held?: (record: JsonObject) => void;
}

export interface Source {
    readonly step: SourceStep;
    readonly next: readonly Node[];
    /** The keys of the downstream loads that change the shop again when a record is loaded twice. */
    readonly adds: readonly string[];
}

/** A compiled pipeline. Use it for one execution at a time; it holds no connection and needs no closing. */
export interface CompiledPipeline {
    readonly definition: PipelineDefinition;
    readonly input: RunInput;
    readonly kit: CompileKit;
    /** In the order of the edges; they run one after another. */
    readonly sources: readonly Source[];
    /** Every downstream step of the sources, once each. */
    readonly nodes: readonly Node[];
    readonly shape: PipelineShape;
    readonly hooks: CompiledHooks;
}

/** Parses every configuration and builds the functions. Throws DEFINITION_INVALID or ADAPTER_NOT_FOUND. */
export function compilePipeline(definition: PipelineDefinition, input: RunInput, kit: CompileKit): CompiledPipeline {
    return runAtOnce(compilingPipeline(definition, input, kit));
}

/** Like `compilePipeline`, but yields between the parts, for callers that must not block others: a step may have thousands of operators. */
export function* compilingPipeline(
    definition: PipelineDefinition,
    input: RunInput,
    kit: CompileKit,
): YieldingTask<CompiledPipeline> {
    const graph = buildGraph(definition);
    const cycle = graph.cycles()[0];
    if (cycle) throw invalidConfig([{ path: 'edges', message: `The steps ${cycle.join(' → ')} lead in a circle` }]);
    yield;
    const compiler = new Compiler(graph, { definition, input, kit });
    const reading = graph.sourcesOf(input.triggerKey).filter(step => !step.disabled);
    yield* compiler.steps(reading.map(({ key }) => key));
    const sources = reading.map(step => compiler.source(step));
    const nodes = compiler.compiled();
    const shape: PipelineShape = {
        sources: sources.map(source => source.step.key),
        loads: nodes.map(node => node.step.key).filter(key => writesIntoShop(graph.step(key).kind)),
        leaves: [...sources, ...nodes].filter(({ next }) => next.length === 0).map(({ step }) => step.key),
    };
    return { definition, input, kit, sources, nodes, shape, hooks: compileHooks(definition.hooks, kit.registry) };
}

/** From one step to the next that work. */
const MAX_WAYS = 10_000;

function tooManyWays(key: string): string {
    return `More than ${MAX_WAYS} ways lead from the step "${key}" past disabled steps; at most ${MAX_WAYS} are allowed`;
}

interface Job {
    readonly definition: PipelineDefinition;
    readonly input: RunInput;
    readonly kit: CompileKit;
}

class Compiler {
    private readonly nodes = new Map<string, Node>();
    private readonly compiledSteps = new Map<string, Step>();
    private readonly next = new Map<string, readonly Node[]>();
    private readonly leaving = new Map<string, EdgeDefinition[]>();

    constructor(
        private readonly graph: Graph,
        private readonly job: Job,
    ) {
        for (const edge of job.definition.edges) {
            const edges = this.leaving.get(edge.from) ?? [];
            edges.push(edge);
            this.leaving.set(edge.from, edges);
        }
    }

    /** Compiles all steps that records can come to from these sources. */
    *steps(sources: readonly string[]): YieldingTask<void> {
        for (const key of this.graph.reachable(...sources)) {
            const step = this.graph.step(key);
            const { role } = stepKind(step.kind);
            if (step.disabled === true) continue;
            if (role.as === 'source') {
                if (role.looksUp(step.config)) this.compiledSteps.set(key, role.compileLookup(step, this.jobOf(step)));
                continue;
            }
            if (role.as !== 'work') throw cannotBeExecuted(step);
            const made = role.compile(step, this.jobOf(step));
            this.compiledSteps.set(key, 'open' in made ? made : yield* made);
            yield;
        }
    }

    compiled(): readonly Node[] {
        return [...this.nodes.values()];
    }

    source(step: StepDefinition): Source {
        const { role } = stepKind(step.kind);
        if (role.as !== 'source') throw cannotBeExecuted(step);
        const next = this.after(step.key);
        return { step: role.compile(step, this.jobOf(step)), next, adds: addingBehind(next) };
    }

    /** The targets of a step's edges. A disabled step, and a source that other steps lead to, passes its records through. */
    private after(key: string): readonly Node[] {
        const known = this.next.get(key);
        if (known) return known;
        const next: Node[] = [];
        for (const step of this.graph.next(key)) {
            next.push(...this.reached(step));
            // Each way through such a step counts separately, so their number can multiply.
            if (next.length > MAX_WAYS) throw invalidConfig([{ path: 'edges', message: tooManyWays(key) }]);
        }
        this.next.set(key, next);
        return next;
    }

    private reached(step: StepDefinition): readonly Node[] {
        // A source has a compiled step if it looks up the records that reach it.
        const handsOn = step.disabled === true || (readsRecords(step.kind) && !this.compiledSteps.has(step.key));
        return handsOn ? this.after(step.key) : [this.node(step)];
    }

    private node(step: StepDefinition): Node {
        const { key, kind } = step;
        const known = this.nodes.get(key);
        if (known) return known;
        const node = { kind, step: this.compiledSteps.get(key)!, ...this.onwards(step) };
        this.nodes.set(key, node);
        return node;
    }

    private onwards({ key, kind }: StepDefinition): Pick<Node, 'next' | 'branches'> {
        if (!stepKind(kind).branches) return { next: this.after(key) };
        const ways = (this.leaving.get(key) ?? []).flatMap(({ to, branch = DEFAULT_BRANCH }) =>
            this.reached(this.graph.step(to)).map(node => ({ branch, node })),
        );
        return { next: ways.map(({ node }) => node), branches: ways.map(({ branch }) => branch) };
    }

    private jobOf({ key }: StepDefinition): CompileJob {
        const { definition, input, kit } = this.job;
        const { registry, limits, elsewhere, clock } = kit;
        const { startedAt, runId, probe, limit, held, reference } = input;
        return {
            registry,
            limits,
            elsewhere,
            env: { clock: { now: () => startedAt, sleep: clock.sleep.bind(clock) }, runId, stepKey: key },
            probe: probe?.stepKey === key ? probe : undefined,
            cut: { batchSize: definition.throughput.batchSize, limit, ...(held && { held }) },
            reference,
            branches: () => this.nodes.get(key)?.branches ?? [],
        };
    }
}

/** The keys of the steps that write something, into the shop or elsewhere. */
export function targetsOf({ nodes }: Pick<CompiledPipeline, 'nodes'>): readonly string[] {
    return nodes.filter(({ step }) => step.touches === 'shop' || step.touches === 'remote').map(({ step }) => step.key);
}

function addingBehind(next: readonly Node[]): readonly string[] {
    const after = new Set(next);
    // The set grows during the iteration.
    for (const node of after) for (const following of node.next) after.add(following);
    return [...after].flatMap(({ step }) => (step.adds ? [step.key] : []));
}

/** Whether steps of this kind load into the shop. */
export function writesIntoShop(kind: string): boolean {
    const { role } = stepKind(kind);
    return role.as === 'work' && role.loads === true;
}

function cannotBeExecuted({ key, kind }: StepDefinition): FlowError {
    return invalidConfig([{ path: key, message: `Step "${key}": steps of kind ${kind} cannot be executed here` }]);
}
