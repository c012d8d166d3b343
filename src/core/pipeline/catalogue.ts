import type { z } from 'zod';
import type { Extractor } from '../adapter/extractor';
import type { Loader } from '../adapter/loader';
import type { Operator } from '../adapter/operator';
import type { Rule } from '../adapter/rule';
import type { Sink } from '../adapter/sink';
import type { TriggerType } from '../adapter/trigger';
import type { JsonObject, JsonValue } from '../value/json';
import type { IsOperatorCalls } from '../schema/operator-calls';
import type { DeclaredKind, StepKind } from '../steps/kinds';
import type { NamedAdapters } from '../steps/kinds/step-kind';

/** The adapters that a builder knows: tuples of definitions, so that each one's code and configuration are known as types. */
export interface Catalogue {
    readonly triggers: readonly TriggerType[];
    readonly operators: readonly Operator[];
    readonly extractors: readonly Extractor[];
    readonly loaders: readonly Loader[];
    readonly rules: readonly Rule[];
    /** Without it, a sink with any code is accepted as written. */
    readonly sinks?: readonly Sink[];
}

/** Lists and objects may be read-only, as those of a constant are that several steps share (`as const`). */
type Given<T> = JsonValue extends T ? T : { readonly [K in keyof T]: Given<T[K]> };

/** A definition's type says "and any adapter" too; only the fields that it names are its configuration. */
type Named<T> = { [K in keyof T as string extends K ? never : K]: Given<T[K]> };

type ConfigOf<D> = D extends { readonly config: infer S extends z.ZodObject } ? Named<z.input<S>> : never;

type Flat<T> = { [K in keyof T]: T[K] };

type Coded<D, Field extends string> = D extends { readonly code: infer Code }
    ? Flat<{ [K in Field]: Code } & ConfigOf<D>>
    : never;

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
type InnerCall<C extends Catalogue> = CallOf<Extract<C['operators'][number], { readonly form: 'record' }>, C>;

type RuleOf<D> = D extends { readonly code: infer Code } ? { readonly type: Code; readonly spec: ConfigOf<D> } : never;

/** `{type, spec}` of one of the rules. */
type RuleCall<C extends Catalogue> = RuleOf<C['rules'][number]>;

interface Calls<C extends Catalogue> {
    readonly operator: Call<C>;
    readonly rule: RuleCall<C>;
}

/** The adapters of a kind that a catalogue has; `never` of a kind that it does not list. */
type Listed<C extends Catalogue, K extends string> = `${K}s` extends keyof C
    ? C[`${K}s`] extends ReadonlyArray<infer D>
        ? D
        : never
    : never;

/** `{adapterCode, …}` of one of the catalogue's adapters; for kinds that the catalogue does not list, any code with any other fields. */
type OneOf<D, Field extends string> = [D] extends [never]
    ? JsonObject & { readonly [K in Field]: string }
    : Coded<D, Field>;

type WithCalls<Own, List extends string, Of> = Flat<Omit<Own, List> & { readonly [K in List]: readonly Of[] }>;

type ConfigBy<C extends Catalogue, D> = D extends {
    readonly frame: infer S extends z.ZodObject;
    readonly adapters: infer N extends NamedAdapters;
}
    ? N extends { readonly form: 'one'; readonly kind: infer A extends string; readonly field: infer F extends string }
        ? OneOf<Listed<C, A>, F>
        : N extends {
                readonly form: 'calls';
                readonly kind: infer A extends keyof Calls<C>;
                readonly list: infer L extends string;
            }
          ? WithCalls<Named<z.input<S>>, L, Calls<C>[A]>
          : Named<z.input<S>>
    : never;

/** What a step of a kind is configured with, as its declaration says, with adapters of the catalogue. */
export type StepConfig<C extends Catalogue, K extends StepKind> = ConfigBy<C, DeclaredKind<K>>;
