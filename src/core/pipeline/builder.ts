import type { JsonObject } from '../value/json';
import { flowError } from '../errors/flow-error';
import { startsRuns, type StepKind } from '../steps/kinds';
import type { Call, Catalogue, StepConfig } from './catalogue';
import type { ErrorHandling, StepRetry, Throughput } from '../schema/settings';
import type { EdgeDefinition, PipelineSource, StepDefinition } from './definition';
import type { Hooks } from './hook-definition';
import { issueFacts } from '../schema/issues';
import { type Issue, issueAsJson } from './issues';
import { pipelineCodeProblem } from './pipeline-code';

/** The options that every step has in addition to its configuration. */
interface StepOptions {
    readonly name?: string;
    /** A disabled step passes its input on; a disabled EXTRACT step reads nothing. */
    readonly disabled?: boolean;
    /** The maximum number of retries of its work, and the waits before them; replaces `errorHandling`. */
    readonly retry?: StepRetry;
}

/** The `pipeline()` of a catalogue: types know its adapters, and nothing is looked up before the definition is checked. */
export function createPipelineBuilder<C extends Catalogue>(): (code?: string) => PipelineBuilder<C> {
    return code => {
        const builder = new PipelineBuilder<C>();
        return code === undefined ? builder : builder.code(code);
    };
}

/**
 * Builds a pipeline in code; each configuration is what the stored definition contains. Without `edge()`, the steps are chained in the order in
 * which they were added, and adjacent triggers all lead to the step after them. If you call `edge()`, you must add every edge.
 */
export class PipelineBuilder<C extends Catalogue> {
    private pipelineCode: string | undefined;
    private title: string | undefined;
    private about = '';
    private active = true;
    private channelToken: string | undefined;
    private readonly steps = new Map<string, StepDefinition>();
    private readonly edges: EdgeDefinition[] = [];
    private required: readonly string[] | undefined;
    private pace: Partial<Throughput> | undefined;
    private issues: Partial<ErrorHandling> | undefined;
    private stages: Hooks | undefined;

    /** Lower case letters, digits and single hyphens, at most 64; fixed after the first publication. */
    code(code: string): this {
        const problem = pipelineCodeProblem(code);
        if (problem !== undefined)
            throw wrong({ code: 'VALUE_INVALID', path: 'code', message: problem.message, facts: problem.facts });
        this.pipelineCode = code;
        return this;
    }

    /** The display name. Default: the code. */
    name(name: string): this {
        this.title = name;
        return this;
    }

    description(description: string): this {
        this.about = description;
        return this;
    }

    /** Token of the channel that the pipeline belongs to; the default channel without it. */
    channel(token: string): this {
        this.channelToken = token;
        return this;
    }

    /** Triggers are active only while the pipeline is enabled. Default: true. */
    enabled(enabled: boolean): this {
        this.active = enabled;
        return this;
    }

    /** Platform permissions that a run needs in addition to those of its adapters. */
    capabilities(capabilities: { readonly requires: readonly string[] }): this {
        this.required = capabilities.requires;
        return this;
    }

    trigger(key: string, config: StepConfig<C, 'TRIGGER'>, options?: StepOptions): this {
        return this.add('TRIGGER', key, { config, options });
    }

    extract(key: string, config: StepConfig<C, 'EXTRACT'>, options?: StepOptions): this {
        return this.add('EXTRACT', key, { config, options });
    }

    transform(key: string, operators: ReadonlyArray<Call<C>>, options?: StepOptions): this {
        return this.add('TRANSFORM', key, { config: { operators }, options });
    }

    validate(key: string, config: StepConfig<C, 'VALIDATE'>, options?: StepOptions): this {
        return this.add('VALIDATE', key, { config, options });
    }

    route(key: string, config: StepConfig<C, 'ROUTE'>, options?: StepOptions): this {
        return this.add('ROUTE', key, { config, options });
    }

    load(key: string, config: StepConfig<C, 'LOAD'>, options?: StepOptions): this {
        return this.add('LOAD', key, { config, options });
    }

    sink(key: string, config: StepConfig<C, 'SINK'>, options?: StepOptions): this {
        return this.add('SINK', key, { config, options });
    }

    gate(key: string, config: StepConfig<C, 'GATE'>, options?: StepOptions): this {
        return this.add('GATE', key, { config, options });
    }

    /** A step of any kind, written as the stored definition has it; the methods named after kinds are short for it. */
    step<K extends StepKind>(step: StepOptions & Keyed<K, StepConfig<C, K>>): this {
        const { kind, key, config, ...options } = step;
        return this.add(kind, key, { config, options });
    }

    /** Joins two steps; `branch` names the branch of a ROUTE step that the edge leaves by. */
    edge(from: string, to: string, branch?: string): this {
        this.edges.push({ from, to, ...(branch !== undefined && { branch }) });
        return this;
    }

    /** What is done before and after steps and at the turns of a run; the plugin option `scripts` has the functions of SCRIPT hooks. */
    hooks(hooks: Hooks): this {
        this.stages = hooks;
        return this;
    }

    throughput(throughput: Partial<Throughput>): this {
        this.pace = throughput;
        return this;
    }

    errorHandling(errorHandling: Partial<ErrorHandling>): this {
        this.issues = errorHandling;
        return this;
    }

    /** The pipeline as the plugin option `pipelines` takes it. It is checked against the adapters when the shop starts. */
    build(): PipelineSource {
        const code = this.pipelineCode;
        if (code === undefined) {
            const message = "The pipeline has no code; give one with pipeline('my-code') or .code('my-code')";
            throw wrong({ code: 'VALUE_INVALID', path: 'code', message });
        }
        return {
            code,
            name: this.title ?? code,
            description: this.about,
            enabled: this.active,
            ...(this.channelToken !== undefined && { channel: this.channelToken }),
            definition: {
                version: 1,
                steps: [...this.steps.values()],
                edges: this.edges.length > 0 ? [...this.edges] : chained([...this.steps.values()]),
                ...(this.required && { capabilities: { requires: this.required } }),
                ...(this.pace && { throughput: this.pace }),
                ...(this.issues && { errorHandling: this.issues }),
                ...(this.stages && { hooks: this.stages }),
            },
        };
    }

    private add(kind: StepKind, key: string, { config, options = {} }: Given): this {
        if (this.steps.has(key)) {
            const message = `The step key "${key}" is used twice; step keys must be unique`;
            throw wrong({ code: 'STEP_KEY_DUPLICATE', path: `steps[${this.steps.size}].key`, message });
        }
        const { name, disabled, retry } = options;
        const extras = {
            ...(name !== undefined && { name }),
            ...(disabled !== undefined && { disabled }),
            ...(retry && { retry }),
        };
        // Configurations are inputs of schemas that take JSON only; the check of the definition looks at each value again.
        this.steps.set(key, { key, kind, ...extras, config: config as JsonObject });
        return this;
    }
}

interface Keyed<K extends StepKind, Config> {
    readonly kind: K;
    readonly key: string;
    readonly config: Config & object;
}

interface Given {
    readonly config: object;
    readonly options?: StepOptions;
}

function chained(steps: readonly StepDefinition[]): readonly EdgeDefinition[] {
    return steps.slice(0, -1).flatMap((step, index) => {
        const starts = startsRuns(step.kind);
        const next = steps.slice(index + 1).find(({ kind }) => !starts || !startsRuns(kind));
        return next ? [{ from: step.key, to: next.key }] : [];
    });
}

/** An error in the code that builds a pipeline, thrown where the code causes it. */
function wrong(issue: Issue): Error {
    return flowError(
        'DEFINITION_INVALID',
        { count: 1, summary: issueFacts([issue]) },
        { details: { issues: [issueAsJson(issue)] } },
    );
}
