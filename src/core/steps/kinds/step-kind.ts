import type { z } from 'zod';
import type { RecordLimits } from '../../adapter/bounds';
import type { Advice } from '../../adapter/base';
import type { Kind } from '../../adapter/definition';
import type { CompileEnv } from '../../adapter/operator';
import type { Registry } from '../../adapter/registry';
import type { SourceReference } from '../../adapter/source-reference';
import type { JsonObject } from '../../value/json';
import type { YieldingTask } from '../../concurrency/yielding-task';
import type { OffloadedOperators } from '../offloaded-operators';
import type { BatchSize } from '../batcher';
import type { SourceStep } from '../extract';
import type { StepTap } from '../step-tap';
import type { Step } from '../step';

/** The step uses one adapter: `field` contains its code, and the adapter's fields are at the same level. */
export interface OneAdapter {
    readonly form: 'one';
    /** A kind of adapters. */
    readonly kind: Kind;
    readonly field: string;
    /** Codes of adapters that are not there yet, but will be. */
    readonly planned?: readonly string[];
}

/** The step is a list of calls of adapters, each with the adapter's code and its arguments. */
export interface AdapterCalls {
    readonly form: 'calls';
    readonly kind: 'operator' | 'rule';
    /** The field that holds the list. */
    readonly list: string;
    /** One call, without the fields that its adapter requires. */
    readonly frame: z.ZodObject;
    readonly code: string;
    readonly value: string;
    /** What a call is made with that says nothing; without it a call must say it. */
    readonly absent?: JsonObject;
    /** Which fields of `value` come first in a document. */
    readonly first?: readonly string[];
}

/** The step calls no adapter: all that it has is its own. */
interface NoAdapter {
    readonly form: 'none';
}

/** Which adapters a step names, and where in its configuration. Whatever looks into steps looks at them by this. */
export type NamedAdapters = OneAdapter | AdapterCalls | NoAdapter;

/** A compiled step. */
export interface StepToCompile {
    readonly key: string;
    readonly config: JsonObject;
}

/** What a step is compiled with. */
export interface CompileJob {
    readonly registry: Registry;
    readonly env: CompileEnv;
    readonly limits: RecordLimits | undefined;
    readonly elsewhere: OffloadedOperators | undefined;
    /** Looks on at this step. */
    readonly probe: StepTap | undefined;
    /** Of a source. */
    readonly cut: BatchSize;
    /** Of a source: the one file that the run is about. */
    readonly reference: SourceReference | undefined;
    /** The branches by which its records reach active steps. Known once all steps are compiled. */
    branches(): readonly string[];
}

/** How steps of a kind take part in a run. */
type StepRole =
    /** Starts runs, and does nothing with records. */
    | { readonly as: 'start' }
    /** Reads records directly after a trigger; elsewhere it passes records through, or looks them up. */
    | {
          readonly as: 'source';
          compile(step: StepToCompile, job: CompileJob): SourceStep;
          /** Whether it reads what the incoming records refer to. The configuration may be invalid. */
          looksUp(config: JsonObject): boolean;
          /** Of one that does. */
          compileLookup(step: StepToCompile, job: CompileJob): Step;
      }
    | {
          readonly as: 'work';
          /** It writes into the shop: its records count as loaded by the run. */
          readonly loads?: true;
          /** Checked in turns, if a step may have thousands of parts. */
          compile(step: StepToCompile, job: CompileJob): Step | YieldingTask<Step>;
      };

/**
 * Everything that Flow knows about a kind of step. The following are derived from it, so that a kind is added in one
 * place: the check of a definition, its normal form and its key order, the permissions, secrets, connections, files and
 * code that it needs, the types of the builder, and the compiled run.
 */
export interface StepKindDeclaration<
    K extends string = string,
    S extends z.ZodObject = z.ZodObject,
    N extends NamedAdapters = NamedAdapters,
> {
    readonly kind: K;
    /** What its steps do, in the reference, with its full stop. */
    readonly summary: string;
    /** Follows the field tables in the reference. */
    readonly remarks?: string;
    /** Its own fields; of calls of adapters no more than that there are some. */
    readonly frame: S;
    readonly adapters: N;
    /** Warns about fields that probably do not have the intended meaning. */
    advise?(config: z.output<S>): readonly Advice[];
    /** What may precede it: `nothing`, any step that supplies `records`, or `anything`, as for a source (core/pipeline/passed-sources). */
    readonly behind: 'nothing' | 'records' | 'anything';
    /**
     * The allowed names of the edges that leave a step of this kind; undefined if its configuration does not determine them. Absent: its edges have
     * no names.
     */
    readonly branches?: (config: JsonObject | undefined) => readonly string[] | undefined;
    readonly role: StepRole;
}

/** Declares a kind of steps with the types that the builder takes. */
export function defineStepKind<const K extends string, S extends z.ZodObject, const N extends NamedAdapters>(
    declaration: StepKindDeclaration<K, S, N>,
): StepKindDeclaration<K, S, N> {
    return declaration;
}
