import type { JsonObject } from '../value/json';
import type { FlowError } from '../errors/flow-error';
import type { AdapterBase } from './base';
import type { LogLevel, StepLog } from './context';
import type { FactText } from '../errors/rendered';

/** A line that a script has written to its console. */
export interface ScriptLine {
    readonly level: LogLevel;
    readonly text: string;
}

/** How much more than its input a script may return in all of its calls. */
export interface ResultLimits {
    readonly chars: number;
    readonly values: number;
    /** The error for a result over the limit; without it, the result is an error of its record or batch. */
    exceeded?(): Error;
}

interface Order {
    /** The body of a function. */
    readonly code: string;
    readonly records: readonly JsonObject[];
    readonly context: JsonObject;
    /** For each call of the function. */
    readonly timeoutMs: number;
    /** Ends the work, with its reason. */
    readonly signal: AbortSignal;
    /** Default: as much as the engine allows. */
    readonly limits?: ResultLimits | undefined;
}

/** Calls `(record, index, context)` once for each record. */
export interface ScriptEachRequest extends Order {
    /** The index that the script receives for each record. */
    readonly indexes: readonly number[];
}

/** Calls `(records, context)` once. */
export interface ScriptBatchRequest extends Order {
    /** False if the result is not used. */
    readonly isRead: boolean;
}

/** What a script has said. */
export interface ScriptConsole {
    readonly lines: readonly ScriptLine[];
    /** How many more lines it has written. */
    readonly unsaid: number;
}

export interface EachReport extends ScriptConsole {
    /** In the order of the records: what each has become, or SCRIPT_FAILED or SCRIPT_TIMEOUT. */
    readonly results: ReadonlyArray<JsonObject | FlowError>;
}

/**
 * New records, and for each of them the index of the given record that it is, changed or not; -1 for records that the
 * script created.
 */
export interface ScriptBatchResult {
    readonly records: readonly JsonObject[];
    readonly from: readonly number[];
}

export interface BatchReport extends ScriptConsole {
    /** Undefined if the script returned nothing. */
    readonly answer: ScriptBatchResult | FlowError | undefined;
}

/**
 * Runs code from definitions in complete isolation. Calls throw SCRIPT_INVALID, SCRIPT_PROCESS_FAILED, the signal's
 * reason and the errors of the limits.
 */
export interface InlineScripts {
    /** Why the code is not a valid function body; undefined if it is valid. Never runs the code. */
    syntaxProblem(code: string, mode: 'record' | 'batch'): FactText | undefined;
    each(request: ScriptEachRequest): Promise<EachReport>;
    batch(request: ScriptBatchRequest): Promise<BatchReport>;
}

/** The code of the registry's only engine, if the shop allows inline code. */
export const INLINE_ENGINE = 'javascript';

/** An engine in the registry. */
export interface ScriptEngine extends AdapterBase, InlineScripts {
    readonly kind: 'engine';
}

const WRITERS = { DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error' } as const satisfies Record<
    LogLevel,
    keyof StepLog
>;

/** Writes a line of a level that only the run knows. */
export function writeLine(log: StepLog, level: LogLevel, ...line: Parameters<StepLog['info']>): void {
    log[WRITERS[level]](...line);
}
