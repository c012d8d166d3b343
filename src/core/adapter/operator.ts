import type { z } from 'zod';
import type { Clock } from '../concurrency/clock';
import type { JsonObject, JsonValue } from '../value/json';
import type { Batch, FlowRecord } from '../data/record';
import type { FlowError } from '../errors/flow-error';
import type { StateScope } from '../progress/state-entries';
import type { OperatorCall } from '../schema/operator-calls';
import type { Bounds, RecordLimits } from './bounds';
import type { AdapterContext } from './context';
import { type AdapterBase, erased } from './base';

/** A record operator returns this if the record ends here. */
export const DROP: unique symbol = Symbol('drop');

/** Which record an operator has before it. Good for this one call. */
export interface RecordLocation {
    /**
     * The record's number at its source. Records of other sources, and records derived from this one, may have the same
     * number.
     */
    readonly seq: number;
    /** Identifies this record at this operator among all others of the run; the same when its batch is repeated after a crash. */
    readonly id: string;
    /**
     * Logs a warning about a field in the run's log, which counts similar warnings; the record continues. `problem` follows the field in the
     * message: `is "n/a", which …`.
     */
    warn(path: string, problem: string): void;
}

/** What becomes of a record: another one, none, or several. */
export type RecordResult = JsonObject | typeof DROP | readonly JsonObject[];

/** Synchronous and pure: never changes its argument; a throw rejects that record alone. */
export type RecordFn = (data: JsonObject, location: RecordLocation) => RecordResult;

export interface CompileEnv {
    /** Always returns the time of the run's first start, so that a repeated batch has the same result. */
    readonly clock: Clock;
    readonly runId: string;
    readonly stepKey: string;
}

/** The position of a part in its record, for inner operators. */
export interface PartLocation {
    /** Of the record. */
    readonly outer: RecordLocation;
    /** Distinguishes the part from the others of the record. */
    readonly index: number;
    /** The maximum number of results from it; one more rejects the record. */
    readonly most: number;
    /** The path in the record of a path in the part; that of the part itself without one. */
    pathOf(inner: string | undefined): string;
}

/** Operators that another operator applies to parts of its record. */
export interface InnerOperators {
    /**
     * The results for one part: none, one or several. Stops before each piece of the work. An exception names its path
     * in the record.
     */
    pass(part: JsonObject, at: PartLocation): Generator<void, readonly JsonObject[], void>;
}

/** What a record operator is compiled with. */
export interface OperatorEnv extends CompileEnv {
    /** The limits that an operator checks before and while it makes texts and lists. */
    readonly bounds: Bounds;
    /** Compiles the calls of a field that `operatorCalls` has made. */
    inner(calls: readonly OperatorCall[]): InnerOperators;
}

/** Runs as a test and appears in the reference. `out: 'drop'` = the record ends; `error` = part of the message with which it is rejected. */
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
     * The paths that it reads from every record. A path that no record of a run contains is probably misspelled, and the run's log reports it.
     * Paths that may legitimately be missing are not listed, for example because the operator tests for them or has a default.
     */
    reads?(args: z.output<S>): readonly string[];
    /** Called once a step and run; what can be decided from the arguments is decided here. */
    compile(args: z.output<S>, env: OperatorEnv): RecordFn;
}

/** The context of a batch operator, in addition to that of every adapter. Valid for one call of its function. */
export interface OperatorContext<P = unknown> extends AdapterContext<P> {
    /**
     * The values that this operator stored for these keys in earlier batches and, unless the scope is the run, in earlier runs of the pipeline;
     * keys without a value are omitted. Waits until those batches are settled, so the result is the same at any concurrency and after a crash. Use
     * it for everything that a later batch must know about an earlier one, because any worker may continue a run.
     */
    recall(keys: readonly string[], scope?: StateScope): Promise<ReadonlyMap<string, JsonValue>>;
    /**
     * Stored in the scope of the recall once the record has settled successfully. For a record that fails, only values
     * in the scope of the run are stored. The key must have been recalled in the same call.
     */
    remember(record: FlowRecord, key: string, value: JsonValue): void;
    /**
     * The given records that a later load has hidden or deleted because they were missing from their source
     * (`missing`): they may be unchanged, but must be loaded again.
     */
    gone(records: Batch): Promise<ReadonlySet<FlowRecord>>;
    /** The record ends here with this error, and is ignored in the returned batch. */
    reject(record: FlowRecord, error: FlowError): void;
    /** The record continues, and the error is listed among the run's record errors as a warning: a part of its data could not be produced. */
    warn(record: FlowRecord, error: FlowError): void;
    /** A record made from one or several others; from several, it has a joint origin: what fails it fails them all. */
    derive(data: JsonObject, from: readonly FlowRecord[]): FlowRecord;
    /** To be awaited now and then in long loops: gives other work of the process its turn when that is due. */
    turn(): Promise<void>;
    readonly place: BatchLocation;
    /** How large a text, a list or a record that it makes may become: `records` of the plugin's options. */
    readonly limits: RecordLimits;
}

/** Identifies the batch of the run and the visit, and is the same when the batch is repeated after a crash. Generated ids are derived from it. */
export interface BatchLocation {
    readonly runId: string;
    readonly stepKey: string;
    readonly sourceKey: string;
    readonly batchNo: number;
    /** 0, or more where several ways lead a batch to the same step. */
    readonly visit: number;
}

/**
 * Returns the batch that continues; changes none of its arguments. A `transient` error is retried, a `config` error fails the run; any other error
 * rejects the whole batch. May be called for several batches at the same time.
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
