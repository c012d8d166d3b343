import type { Extractor } from '../adapter/extractor';
import type { BatchFn, CompileEnv } from '../adapter/operator';
import type { RecordLimits } from '../adapter/bounds';
import type { StepLog } from '../adapter/context';
import type { JsonObject } from '../value/json';
import type { Batch } from '../data/record';
import type { FlowError } from '../errors/flow-error';
import type { OperatorCall } from '../schema/operator-calls';
import type { PathsReport } from './read-paths';
import type { Invocation } from './step';

/** Operators that are compiled where they run: their calls, and the arguments for compiling them. */
export interface CalledOperators {
    readonly calls: ReadonlyArray<{ readonly call: OperatorCall; readonly position: number }>;
    readonly env: Pick<CompileEnv, 'runId' | 'stepKey'> & { readonly startedAt: number };
    readonly limits: RecordLimits | undefined;
}

/** One batch for record operators in a row. */
export interface OffloadRequest extends CalledOperators {
    readonly batch: Batch;
    readonly visit: Invocation;
    readonly log: StepLog;
    /** Called for each rejected record. */
    reject(index: number, error: FlowError): void;
}

/** The outcome of the batch. */
export interface OffloadResult {
    /** Each with the index of its input record in the batch. An unchanged record is that input's own data. */
    readonly out: ReadonlyArray<{ readonly from: number; readonly data: JsonObject }>;
    readonly expanded: number;
    readonly filtered: number;
    /** Which paths the operators and their inner operators have found. */
    readonly reads: readonly PathsReport[];
}

/** A source with its configuration, as the definition has it. */
export interface SourceCall {
    readonly stepKey: string;
    readonly extractor: Extractor;
    readonly config: JsonObject;
}

/** Where operators work that may be lost with the process that they work in, as in a step test: the same operators, in another process. */
export interface OffloadedOperators {
    /** Whether this one can work there: its arguments are JSON, and it needs nothing but its records. */
    takes(call: OperatorCall): boolean;
    records(request: OffloadRequest): Promise<OffloadResult>;
    /** How a source is read there; undefined if it is not. */
    source(step: SourceCall): Extractor['extract'] | undefined;
    /** A batch operator that works there. */
    batch(called: CalledOperators): BatchFn;
}
