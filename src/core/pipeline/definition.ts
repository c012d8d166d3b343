import type { JsonObject } from '../value/json';
import type { Hooks } from './hook-definition';
import type { Capabilities, ErrorHandling, StepRetry, Throughput } from '../schema/settings';
import type { StepKind } from '../steps/kinds';

export interface StepDefinition {
    readonly key: string;
    readonly kind: StepKind;
    readonly name?: string;
    readonly disabled?: boolean;
    /** Replaces the retries of `errorHandling`. */
    readonly retry?: StepRetry;
    /**
     * TRIGGER `{type, enabled?, …}` · EXTRACT `{adapterCode, …}` · TRANSFORM `{operators: [{op, args}]}` · LOAD `{adapterCode, strategy?, …}`:
     * flat, without a separate object for the adapter's fields.
     */
    readonly config: JsonObject;
}

export interface EdgeDefinition {
    readonly from: string;
    readonly to: string;
    readonly branch?: string;
}

/** A checked definition: everything optional in the JSON has its default here, aliases are replaced. */
export interface PipelineDefinition {
    readonly version: 1;
    readonly steps: readonly StepDefinition[];
    readonly edges: readonly EdgeDefinition[];
    readonly capabilities: Capabilities;
    readonly throughput: Throughput;
    readonly errorHandling: ErrorHandling;
    readonly hooks: Hooks;
}

/** A definition as code or a file gives it, before `parseDefinition`. */
export interface DefinitionInput {
    readonly version: 1;
    readonly steps: readonly StepDefinition[];
    readonly edges: readonly EdgeDefinition[];
    readonly capabilities?: Partial<Capabilities>;
    readonly throughput?: Partial<Throughput>;
    readonly errorHandling?: Partial<ErrorHandling>;
    readonly hooks?: Hooks;
}

/** What `pipeline(…).build()` gives and the plugin option `pipelines` takes. */
export interface PipelineSource {
    readonly code: string;
    readonly name: string;
    readonly description: string;
    readonly enabled: boolean;
    /** Token of the channel that the pipeline belongs to. Default: the default channel. */
    readonly channel?: string;
    readonly definition: DefinitionInput;
}
