import type { z } from 'zod';
import type { Clock } from '../work/clock';
import type { JsonObject, JsonValue } from '../value/json';
import type { Batch, FlowRecord } from '../data/record';
import type { FlowError } from '../errors/flow-error';
import type { MemoryScope } from '../progress/memos';
import type { OperatorCall } from '../schema/operator-calls';
import type { Bounds, RecordLimits } from './bounds';
import type { AdapterContext } from './context';
import { type AdapterBase, erased } from './base';

/** A record operator's answer for "this record ends here". */
export const DROP: unique symbol = Symbol('drop');

/** Which record an operator has before it. Good for this one call. */
export interface RecordPlace {
    /** The record's number at its source, which other records of the run may have, too: those of other sources, and what became of this one. */
    readonly seq: number;
    /** Tells this record at this operator from all others of the run; the same when its batch comes again after a crash. */
    readonly id: string;
    /**
     * Writes a warning about a field into the run's log, where those that are alike are counted; the record goes on. `problem` goes on
     * behind the field: `is "n/a", which …`.
     */
    warn(path: string, problem: string): void;
}

/** What becomes of a record: another one, none, or several. */
export type RecordResult = JsonObject | typeof DROP | readonly JsonObject[];

/** Synchronous and pure: never changes its argument; a throw rejects that record alone. */
export type RecordFn = (data: JsonObject, place: RecordPlace) => RecordResult;

export interface CompileEnv {
    /** Stands still at the run's first start, so that a batch that comes again comes out the same. */
    readonly clock: Clock;
    readonly runId: string;
    readonly stepKey: string;
}

/** Where in a record a part stands that is given to inner operators. */
export interface PartPlace {
    /** Of the record. */
    readonly outer: RecordPlace;
    /** Tells the part from the others of the record. */
    readonly index: number;
    /** So many parts may come of it; one more rejects the record. */
    readonly most: number;
    /** The path in the record of a path in the part; that of the part itself without one. */
    pathOf(inner: string | undefined): string;
}

/** Operators that another one works with on parts of its record. */
export interface InnerOperators {
    /** What becomes of one part: none, one or several. Stops before each piece of the work. A throw names its path in the record. */
    pass(part: JsonObject, at: PartPlace): Generator<void, readonly JsonObject[], void>;
}

/** What a record operator is compiled with. */
export interface OperatorEnv extends CompileEnv {
    /** To be asked by an operator that makes texts and lists, before and while it makes them. */
    readonly bounds: Bounds;
    /** Compiles the calls of a field that `operatorCalls` has made. */
    inner(calls: readonly OperatorCall[]): InnerOperators;
}

/** Runs as a test and stands in the reference. `out: 'drop'` = the record ends; `error` = part of the message it is rejected with. */
export interface OperatorExample<A> {
    readonly args: A;
    readonly in: JsonObject;
    readonly out?: JsonObject | readonly JsonObject[] | 'drop';
    readonly error?: string;
    readonly note?: string;
}

/** As OperatorExample, for a batch. `errors` are parts of the messages of the rejected records, in the order in which they were rejected. */
export interface BatchExample<A> {
    readonly args: A;
    readonly in: readonly JsonObject[];
    /** A text in it that ends with "…" is the beginning of a longer one. */
    readonly out: readonly JsonObject[];
    readonly errors?: readonly string[];
    readonly note?: string;
}

/** Works on one record at a time; those in a row are fused into one loop. */
export interface RecordOperator<C extends string = string, S extends z.ZodObject = z.ZodObject> extends AdapterBase<
    C,
    S
> {
    readonly kind: 'operator';
    readonly form: 'record';
    readonly examples: ReadonlyArray<OperatorExample<z.input<S>>>;
    /**
     * Which paths it reads of every record. One that was in no record of a run is likely mistyped, and the run's log says so; a path that may
     * as well be missing, since the operator asks for just that or has something in its place, is none of them.
     */
    reads?(args: z.output<S>): readonly string[];
    /** Called once a step and run; what can be decided from the arguments is decided here. */
    compile(args: z.output<S>, env: OperatorEnv): RecordFn;
}

/** What a batch operator has of the run beside what every adapter has. Good for one call of its function. */
export interface OperatorContext<P = unknown> extends AdapterContext<P> {
    /**
     * What this operator has remembered for these keys in earlier batches and, unless the scope is the run, in earlier runs of the pipeline; keys
     * without anything are left out. Waits until that is settled, so that it is answered alike whatever the concurrency, and after a crash:
     * whatever a later batch must know of an earlier one belongs here, since any worker may go on with a run.
     */
    recall(keys: readonly string[], scope?: MemoryScope): Promise<ReadonlyMap<string, JsonValue>>;
    /**
     * Kept in the scope of the recall once the record has settled well; of a record that fails, what is of the run is kept, and nothing else. The
     * key must have been recalled in the same call.
     */
    remember(record: FlowRecord, key: string, value: JsonValue): void;
    /**
     * Which of some records a later load has hidden or deleted, since their source did not have them (`missing`): they may look as they did before, and
     * have to be loaded again.
     */
    gone(records: Batch): Promise<ReadonlySet<FlowRecord>>;
    /** The record ends here with this error; in the answer it is ignored. */
    reject(record: FlowRecord, error: FlowError): void;
    /** The record goes on, and this is listed among the run's record errors as a warning: something that it was to get could not be made. */
    warn(record: FlowRecord, error: FlowError): void;
    /** A record made from one or several others; from several, it has a joint origin: what fails it fails them all. */
    derive(data: JsonObject, from: readonly FlowRecord[]): FlowRecord;
    /** To be awaited now and then in long loops: gives other work of the process its turn when that is due. */
    turn(): Promise<void>;
    readonly place: BatchPlace;
    /** How large a text, a list or a record that it makes may become: `records` of the plugin's options. */
    readonly limits: RecordLimits;
}

/** Which batch of the run this is and which visit, equal when it comes again after a crash: what generated ids are made of. */
export interface BatchPlace {
    readonly runId: string;
    readonly stepKey: string;
    readonly sourceKey: string;
    readonly batchNo: number;
    /** 0, or more where several ways lead a batch to the same step. */
    readonly visit: number;
}

/**
 * Answers the batch that goes on; changes none of its arguments. A throw that is `transient` is tried again, a `config` error fails the
 * run; any other rejects the whole batch. May be called for several batches at the same time.
 */
export type BatchFn = (batch: Batch, cx: OperatorContext) => Batch | Promise<Batch>;

/** Works on a batch at a time; may wait. */
export interface BatchOperator<C extends string = string, S extends z.ZodObject = z.ZodObject> extends AdapterBase<
    C,
    S
> {
    readonly kind: 'operator';
    readonly form: 'batch';
    readonly examples: ReadonlyArray<BatchExample<z.input<S>>>;
    /** As a record operator's. */
    reads?(args: z.output<S>): readonly string[];
    /** Once a step and run. Throws `config` errors (a missing secret …). */
    open(args: z.output<S>, cx: AdapterContext): BatchFn | Promise<BatchFn>;
}

export type Operator<C extends string = string, S extends z.ZodObject = z.ZodObject> =
    RecordOperator<C, S> | BatchOperator<C, S>;

export function recordOperator<const C extends string, S extends z.ZodObject>(
    definition: AdapterBase<C, S> & Pick<RecordOperator<C, S>, 'examples' | 'compile' | 'reads'>,
): RecordOperator<C, S> & RecordOperator {
    return erased<RecordOperator, RecordOperator<C, S>>({ ...definition, kind: 'operator', form: 'record' });
}

export function batchOperator<const C extends string, S extends z.ZodObject>(
    definition: AdapterBase<C, S> & Pick<BatchOperator<C, S>, 'examples' | 'open' | 'reads'>,
): BatchOperator<C, S> & BatchOperator {
    return erased<BatchOperator, BatchOperator<C, S>>({ ...definition, kind: 'operator', form: 'batch' });
}
