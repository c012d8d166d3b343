import type { z } from 'zod';
import type { Extractor } from '../adapter/extractor';
import type { Loader } from '../adapter/loader';
import type { Operator } from '../adapter/operator';
import type { Rule } from '../adapter/rule';
import type { TriggerType } from '../adapter/trigger';
import type { JsonObject } from '../value/json';
import type { IsOperatorCalls } from '../schema/operator-calls';
import type { RouteMode } from './route-config';
import type { ValidateMode } from './validate-config';

/** The adapters that a builder knows: tuples of definitions, so that each one's code and configuration are known as types. */
export interface Catalogue {
    readonly triggers: readonly TriggerType[];
    readonly operators: readonly Operator[];
    readonly extractors: readonly Extractor[];
    readonly loaders: readonly Loader[];
    readonly rules: readonly Rule[];
}

/** A definition's type says "and any adapter" too; only the fields that it names are its configuration. */
type Named<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

type ConfigOf<D> = D extends { readonly config: infer S extends z.ZodObject } ? Named<z.input<S>> : never;

type Flat<T> = { [K in keyof T]: T[K] };

type Coded<D, Field extends string> = D extends { readonly code: infer Code }
    ? Flat<{ [K in Field]: Code } & ConfigOf<D>>
    : never;

/** `{type, enabled?, …}` of one of the triggers. */
export type TriggerConfig<C extends Catalogue> = Coded<C['triggers'][number], 'type'>;

/** `{adapterCode, …}` of one of the extractors. */
export type ExtractConfig<C extends Catalogue> = Coded<C['extractors'][number], 'adapterCode'>;

/** `{adapterCode, strategy?, …}` of one of the loaders. */
export type LoadConfig<C extends Catalogue> = Coded<C['loaders'][number], 'adapterCode'>;

/** Arguments in which calls of operators are calls of the catalogue's, of those that may work within others. */
type ArgsOf<A, C extends Catalogue> = true extends { [K in keyof A]-?: IsOperatorCalls<NonNullable<A[K]>> }[keyof A]
    ? { [K in keyof A]: IsOperatorCalls<NonNullable<A[K]>> extends true ? ReadonlyArray<InnerCall<C>> : A[K] }
    : A;

type CallOf<D, C extends Catalogue> = D extends { readonly code: infer Code }
    ? { readonly op: Code; readonly args: ArgsOf<ConfigOf<D>, C> }
    : never;

/** `{op, args}` of one of the operators. */
export type Call<C extends Catalogue> = CallOf<C['operators'][number], C>;

/** Of one that works on one record at a time. */
export type InnerCall<C extends Catalogue> = CallOf<Extract<C['operators'][number], { readonly form: 'record' }>, C>;

/** A comparison of a record's field, or several of them (spec 4, "conditions"). */
export type Condition =
    | { readonly field: string; readonly cmp?: string; readonly value?: unknown }
    | { readonly all: readonly Condition[] }
    | { readonly any: readonly Condition[] }
    | { readonly not: Condition };

type RuleOf<D> = D extends { readonly code: infer Code } ? { readonly type: Code; readonly spec: ConfigOf<D> } : never;

/** `{type, spec}` of one of the rules. */
export type RuleCall<C extends Catalogue> = RuleOf<C['rules'][number]>;

/** A VALIDATE step (spec 3, "Other step kinds"; spec 4, "validate rules"). */
export interface ValidateConfig<C extends Catalogue> {
    readonly errorHandlingMode?: ValidateMode;
    readonly rules: ReadonlyArray<RuleCall<C>>;
}

/** A ROUTE step (spec 4, "definition JSON"): a record goes to the first branch that it matches, or to all of them. */
export interface RouteConfig {
    readonly mode?: RouteMode;
    readonly branches: ReadonlyArray<{ readonly name: string; readonly when: readonly Condition[] }>;
}

/** A SINK step (spec 3, "Sink step"): the adapter's code and its configuration. */
export interface SinkConfig extends JsonObject {
    readonly adapterCode: string;
}

/** A GATE step (spec 1, "State-dependent rules" 4; spec 4, "gate"). */
export interface GateConfig {
    readonly approvalType: 'MANUAL' | 'TIMEOUT' | 'THRESHOLD';
    readonly timeoutSeconds?: number;
    readonly errorThresholdPercent?: number;
    readonly notifyWebhook?: { readonly connectionCode: string; readonly path: string };
    readonly previewCount?: number;
}
