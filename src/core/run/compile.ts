import { z } from 'zod';
import type { RecordLimits } from '../adapter/bounds';
import type { AdapterContext, Resources, RunMode } from '../adapter/context';
import type { ExtractContext } from '../adapter/extractor';
import type { CompileEnv } from '../adapter/operator';
import type { Outbound } from '../adapter/outbound';
import type { Registry } from '../adapter/registry';
import { reporting } from '../adapter/rule';
import type { Clock } from '../work/clock';
import type { JsonObject } from '../value/json';
import { compilePatiently } from '../steps/patient-condition';
import type { EdgeDefinition, PipelineDefinition, StepDefinition } from '../pipeline/definition';
import { buildGraph, type Graph } from '../pipeline/graph';
import { DEFAULT_BRANCH, routeConfig } from '../pipeline/route-config';
import { validateConfig } from '../pipeline/validate-config';
import { operatorCalls } from '../schema/operator-calls';
import { atOnce, type Work } from '../work/work';
import type { Elsewhere } from '../steps/elsewhere';
import { extractStep, type SourceStep } from '../steps/extract';
import { type CompiledHooks, compileHooks } from '../hooks/compile-hooks';
import { loadStep } from '../steps/load';
import { routeStep } from '../steps/route';
import type { Node } from '../steps/step';
import { type CompiledOperator, transformStep } from '../steps/transform';
import { type CompiledRule, validateStep } from '../steps/validate';
import { compilingOperators, partNames } from '../steps/compile-operators';
import type { PipelineShape } from '../progress/outcome';
import { invalidConfig, parseConfig } from '../steps/parse-config';
import type { StepProbe } from '../steps/probe';

/** What compiling needs of the process. */
export interface CompileKit {
    readonly registry: Registry;
    readonly clock: Clock;
    readonly platform: unknown;
    readonly resources: Resources;
    /** Without one, whatever asks for the network is refused. */
    readonly outbound?: Outbound;
    /** How large records may become by operators; 4 Mi characters a text and 16 Mi a record where absent. */
    readonly limits?: RecordLimits;
    /** Where operators work that can work in another process; here where absent. */
    readonly elsewhere?: Elsewhere;
}

/** Which run it is compiled for. */
export interface RunInput {
    readonly runId: string;
    /** For hooks; the executor has no use for it. */
    readonly pipelineCode?: string | undefined;
    readonly mode: RunMode;
    /** Which version of the definition it is: where a run that did not complete has left its sources holds for no other one. */
    readonly revision?: string;
    readonly triggerKey: string;
    /** When the run first started, in ms: the time that its operators see, so that a batch that comes again comes out the same. */
    readonly startedAt: number;
    /** Preview: how many records of each source. */
    readonly limit?: number;
    /** Preview: looks on at one step. */
    readonly probe?: StepProbe;
    /** Preview: hears of each record that is read, and throws where they are too much to be held. */
    readonly held?: (record: JsonObject) => void;
}

export interface Source {
    readonly step: SourceStep;
    readonly next: readonly Node[];
}

/** A pipeline as functions. Good for one execution at a time; it holds no connection and needs no closing. */
export interface CompiledPipeline {
    readonly definition: PipelineDefinition;
    readonly input: RunInput;
    readonly kit: CompileKit;
    /** One after another, in the order of the edges. */
    readonly sources: readonly Source[];
    /** Every step behind a source, once. */
    readonly nodes: readonly Node[];
    readonly shape: PipelineShape;
    readonly hooks: CompiledHooks;
}

/** Parses every configuration and builds the functions. Throws DEFINITION_INVALID or ADAPTER_NOT_FOUND. */
export function compilePipeline(definition: PipelineDefinition, input: RunInput, kit: CompileKit): CompiledPipeline {
    return atOnce(compilingPipeline(definition, input, kit));
}

/** As `compilePipeline`, for whoever must not hold others up: a step may have thousands of operators. */
export function* compilingPipeline(
    definition: PipelineDefinition,
    input: RunInput,
    kit: CompileKit,
): Work<CompiledPipeline> {
    const graph = buildGraph(definition);
    const cycle = graph.cycles()[0];
    if (cycle) throw invalidConfig([{ path: 'edges', message: `The steps ${cycle.join(' → ')} lead in a circle` }]);
    yield;
    const compiler = new Compiler(graph, { definition, input, kit });
    yield* compiler.shape();
    const sources = graph
        .sourcesOf(input.triggerKey)
        .filter(step => !step.disabled)
        .map(step => compiler.source(step));
    const nodes = compiler.compiled();
    const shape: PipelineShape = {
        sources: sources.map(source => source.step.key),
        loads: nodes.map(node => node.step.key).filter(key => graph.step(key).kind === 'LOAD'),
        leaves: [...sources, ...nodes].filter(({ next }) => next.length === 0).map(({ step }) => step.key),
    };
    return { definition, input, kit, sources, nodes, shape, hooks: compileHooks(definition.hooks, kit.registry) };
}

/** A step without operators hands on what comes to it. */
const shaping = z.strictObject({ operators: operatorCalls('Operators', 'What is done with each record.', 0) });

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
    private readonly operators = new Map<string, readonly CompiledOperator[]>();
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

    /** Compiles the operators, of which there may be many, of all TRANSFORM steps that records can come to. */
    *shape(): Work<void> {
        for (const key of this.graph.reachable(this.job.input.triggerKey)) {
            const step = this.graph.step(key);
            if (step.kind !== 'TRANSFORM' || step.disabled === true) continue;
            const { operators } = parseConfig(key, shaping, step.config);
            yield;
            const { registry, limits, elsewhere } = this.job.kit;
            const kit = { registry, limits, elsewhere, env: this.envOf(key), place: `${key}.operators` };
            this.operators.set(key, yield* compilingOperators(operators, kit));
        }
    }

    compiled(): readonly Node[] {
        return [...this.nodes.values()];
    }

    source(step: StepDefinition): Source {
        const { definition, input, kit } = this.job;
        const { code, rest } = adapterOf(step);
        const extractor = kit.registry.get('extractor', code);
        const config = parseConfig(step.key, extractor.config, rest);
        const away = kit.elsewhere?.source({ stepKey: step.key, extractor, config: rest });
        const reading = {
            extract: (cx: ExtractContext) => (away ? away({}, cx) : extractor.extract(config, cx)),
            ...(extractor.saved && { saved: (cx: AdapterContext) => extractor.saved!(config, cx) }),
        };
        const cut = {
            batchSize: definition.throughput.batchSize,
            limit: input.limit,
            ...(input.held && { held: input.held }),
        };
        return { step: extractStep(step.key, reading, cut), next: this.after(step.key) };
    }

    /** Where the edges of a step lead. Disabled steps, and EXTRACT steps behind a source, hand on what comes (spec 1, rule 9). */
    private after(key: string): readonly Node[] {
        const known = this.next.get(key);
        if (known) return known;
        const next: Node[] = [];
        for (const step of this.graph.next(key)) {
            next.push(...this.reached(step));
            // Ways past steps that hand on multiply, and each of them is a way of its own.
            if (next.length > MAX_WAYS) throw invalidConfig([{ path: 'edges', message: tooManyWays(key) }]);
        }
        this.next.set(key, next);
        return next;
    }

    private reached(step: StepDefinition): readonly Node[] {
        return step.disabled === true || step.kind === 'EXTRACT' ? this.after(step.key) : [this.node(step)];
    }

    private node(step: StepDefinition): Node {
        const known = this.nodes.get(step.key);
        if (known) return known;
        const node = step.kind === 'ROUTE' ? this.route(step) : { ...this.step(step), next: this.after(step.key) };
        this.nodes.set(step.key, node);
        return node;
    }

    private route(step: StepDefinition): Node {
        const { key, config } = step;
        const ways = (this.leaving.get(key) ?? []).flatMap(({ to, branch = DEFAULT_BRANCH }) =>
            this.reached(this.graph.step(to)).map(node => ({ branch, node })),
        );
        const branches = ways.map(({ branch }) => branch);
        const { mode, branches: asked } = parseConfig(key, routeConfig, config);
        const tests = asked.map(({ name, when }) => ({ name, test: compilePatiently(when) }));
        // One that is looked at shows all of its branches, also those that lead nowhere yet.
        const shown = this.probeOf(step) ? [...asked.map(({ name }) => name), DEFAULT_BRANCH] : branches;
        return {
            kind: 'ROUTE',
            step: routeStep(key, { mode, branches: tests, ways: new Set(shown) }),
            next: ways.map(({ node }) => node),
            branches,
        };
    }

    private step(step: StepDefinition): Pick<Node, 'step' | 'kind'> {
        const { kind } = step;
        if (kind === 'VALIDATE') {
            const { errorHandlingMode: mode, rules } = parseConfig(step.key, validateConfig, step.config);
            return { kind, step: validateStep(step.key, { mode, rules: this.rules(step.key, rules) }) };
        }
        if (kind === 'TRANSFORM')
            return {
                kind,
                step: transformStep(step.key, this.operators.get(step.key)!, this.probeOf(step)),
            };
        if (kind === 'LOAD') {
            const { code, rest } = adapterOf(step);
            const loader = this.job.kit.registry.get('loader', code);
            return { kind, step: loadStep(step.key, loader, parseConfig(step.key, loader.config, rest)) };
        }
        throw invalidConfig([
            { path: step.key, message: `Step "${step.key}": steps of kind ${kind} cannot be executed here` },
        ]);
    }

    private probeOf({ key }: StepDefinition): StepProbe | undefined {
        const { probe } = this.job.input;
        return probe?.stepKey === key ? probe : undefined;
    }

    private rules(stepKey: string, calls: z.output<typeof validateConfig>['rules']): readonly CompiledRule[] {
        const partOf = partNames();
        return calls.map(({ type, spec }, index): CompiledRule => {
            const rule = this.job.kit.registry.get('rule', type);
            const parsed = parseConfig(`${stepKey}.rules.${index}.spec`, rule.config, spec);
            const { error, severity } = reported.parse(parsed);
            const frame = { type: rule.code, severity, error };
            if (rule.form === 'record')
                return { ...frame, form: 'record', check: rule.compile(parsed, this.envOf(stepKey)) };
            return { ...frame, form: 'batch', part: partOf(rule.code), open: cx => rule.open(parsed, cx) };
        });
    }

    private envOf(stepKey: string): CompileEnv {
        const { clock } = this.job.kit;
        const { startedAt, runId } = this.job.input;
        return { clock: { now: () => startedAt, sleep: clock.sleep.bind(clock) }, runId, stepKey };
    }
}

/** What every rule is told beside its own fields. */
const reported = z.object(reporting());

/** A step's adapter and what is left of the flat configuration for it. */
function adapterOf(step: StepDefinition): { readonly code: string; readonly rest: JsonObject } {
    const { adapterCode, ...rest } = step.config;
    if (typeof adapterCode === 'string') return { code: adapterCode, rest };
    throw invalidConfig([{ path: `${step.key}.adapterCode`, message: `Step "${step.key}" names no adapterCode` }]);
}
