import { z } from 'zod';
import type { JsonObject, JsonValue } from '../value/json';
import type { Batch, FlowRecord } from '../data/record';
import { flowError } from '../errors/flow-error';
import type { ExplainedProblem } from '../errors/record-invalid';
import type { StateScope } from '../progress/state-entries';
import { type AdapterBase, erased } from './base';
import type { AdapterContext } from './context';
import type { BatchLocation, CompileEnv } from './operator';

/** How much a broken rule matters: an ERROR rejects the record, a WARNING is a line in the log. */
const SEVERITIES = ['ERROR', 'WARNING'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What is wrong with a field, as the end of `Field "sku": …`. */
export interface RuleProblem extends ExplainedProblem {
    readonly path: string;
}

/** Synchronous and pure; undefined if the record is valid. */
export type RuleFn = (data: JsonObject) => RuleProblem | undefined;

/** The context of a batch rule, in addition to that of every adapter. Valid for one call of its function. */
export interface RuleContext<P = unknown> extends AdapterContext<P> {
    /**
     * What this rule has remembered for these keys, in earlier batches and, unless the scope is the run, in earlier runs; waits until the
     * earlier batches have had their turn. What is remembered of the run goes with it.
     */
    recall(keys: readonly string[], scope?: StateScope): Promise<ReadonlyMap<string, JsonValue>>;
    /** Kept whatever becomes of the record, in the scope of the recall. The key must have been recalled in the same call. */
    remember(record: FlowRecord, key: string, value: JsonValue): void;
    /** To be awaited now and then in long loops. */
    turn(): Promise<void>;
    readonly place: BatchLocation;
    /** What this batch brought to the step before, where several ways lead there. */
    readonly earlier: readonly Batch[];
}

/**
 * Returns a result for each record of the batch, in their order. A `transient` error is retried, a `config` error fails the run; any other is an
 * error of every record. May be called for several batches at the same time.
 */
export type BatchRuleFn = (
    batch: Batch,
    cx: RuleContext,
) => ReadonlyArray<RuleProblem | undefined> | Promise<ReadonlyArray<RuleProblem | undefined>>;

/** Runs as a test and appears in the reference. `problem` is part of the message about the record; without it, the record is valid. */
export interface RuleExample<A> {
    readonly spec: A;
    readonly in: JsonObject;
    readonly problem?: string;
    readonly note?: string;
}

/** As RuleExample, for a batch: for each record part of what is said of it, or null. */
export interface BatchRuleExample<A> {
    readonly spec: A;
    readonly in: readonly JsonObject[];
    readonly problems: ReadonlyArray<string | null>;
    readonly note?: string;
}

/** The fields that every rule has in addition to its own; to be spread into its config. */
export function reporting(): {
    readonly error: z.ZodOptional<z.ZodString>;
    readonly severity: z.ZodDefault<z.ZodEnum<{ ERROR: 'ERROR'; WARNING: 'WARNING' }>>;
} {
    return {
        error: z
            .string()
            .min(1)
            .max(1000)
            .meta({
                title: 'Message',
                description: 'The message for a record that breaks the rule, instead of the default message.',
            })
            .optional(),
        severity: z.enum(SEVERITIES).default('ERROR').meta({
            title: 'Severity',
            description: "ERROR rejects the record; WARNING only writes a line to the run's log.",
            aliases: {},
        }),
    };
}

/** Checks each record by itself. */
export interface RecordRule<C extends string = string, S extends z.ZodObject = z.ZodObject> extends AdapterBase<C, S> {
    readonly kind: 'rule';
    readonly form: 'record';
    readonly examples: ReadonlyArray<RuleExample<z.input<S>>>;
    /** Called once a step and run; what can be decided from the configuration is decided here. */
    compile(spec: z.output<S>, env: CompileEnv): RuleFn;
}

/** Looks at other records, or outside. */
export interface BatchRule<C extends string = string, S extends z.ZodObject = z.ZodObject> extends AdapterBase<C, S> {
    readonly kind: 'rule';
    readonly form: 'batch';
    readonly examples: ReadonlyArray<BatchRuleExample<z.input<S>>>;
    /** Once a step and run. Throws `config` errors. */
    open(spec: z.output<S>, cx: AdapterContext): BatchRuleFn | Promise<BatchRuleFn>;
}

/** What the rules of a VALIDATE step are made of. */
export type Rule<C extends string = string, S extends z.ZodObject = z.ZodObject> = RecordRule<C, S> | BatchRule<C, S>;

type RecordDefinition<C extends string, S extends z.ZodObject> = AdapterBase<C, S> &
    Pick<RecordRule<C, S>, 'examples' | 'compile'>;
type BatchDefinition<C extends string, S extends z.ZodObject> = AdapterBase<C, S> &
    Pick<BatchRule<C, S>, 'examples' | 'open'>;

/** Defines a rule: with `compile` it checks one record at a time, with `open` a batch. Its config has the fields of `reporting()`. */
export function defineRule<const C extends string, S extends z.ZodObject>(
    definition: RecordDefinition<C, S>,
): RecordRule<C, S> & RecordRule;
export function defineRule<const C extends string, S extends z.ZodObject>(
    definition: BatchDefinition<C, S>,
): BatchRule<C, S> & BatchRule;
export function defineRule<const C extends string, S extends z.ZodObject>(
    definition: RecordDefinition<C, S> | BatchDefinition<C, S>,
): Rule {
    const { code, config } = definition;
    const issue = (problem: string) =>
        flowError('OPTION_INVALID', { option: 'adapters', problem: `the rule "${code}" ${problem}` });
    if (!('error' in config.shape) || !('severity' in config.shape))
        throw issue('lacks the fields error and severity; spread reporting() into its config');
    if ('compile' in definition && !('open' in definition))
        return erased<RecordRule, RecordRule<C, S>>({ ...definition, kind: 'rule', form: 'record' });
    if ('open' in definition && !('compile' in definition))
        return erased<BatchRule, BatchRule<C, S>>({ ...definition, kind: 'rule', form: 'batch' });
    throw issue(
        `has ${'compile' in definition ? 'both compile and open' : 'neither compile nor open'}; one of them is needed`,
    );
}
