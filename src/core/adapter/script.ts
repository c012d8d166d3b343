import { z } from 'zod';
import type { JsonObject, JsonValue } from '../value/json';
import type { ErrorCode } from '../errors/catalogue';
import type { HookStage } from './hook-stages';
import type { RunTotals } from '../progress/outcome';
import type { RunOutcome } from '../progress/state';
import type { AdapterBase } from './base';
import type { RunMode, StepLog } from './context';

/** A record as a script receives it: a copy, which the script may change. */
export interface ScriptRecord {
    [field: string]: JsonValue;
}

/** An error in the form that a script receives. */
export interface HookError {
    readonly code: ErrorCode;
    readonly message: string;
    /** The failing step, if it is known. */
    readonly stepKey: string | undefined;
}

/** Why a record was rejected. */
export interface HookRecordError extends HookError {
    readonly stepKey: string;
    readonly sourceKey: string;
    /** The record's number at its source, from 0. */
    readonly seq: number;
    /** The invalid field, if there is one. */
    readonly path: string | undefined;
    /** Where the record is in its source, if that is known: `line 17`. */
    readonly place: string | undefined;
}

/** What a script receives with its records. Each call gets a separate object, so other hooks do not see what a script writes into it. */
export interface HookContext {
    readonly stage: HookStage;
    /** The step around which the hook runs; at ON_ stages the failing step, if there is one. */
    readonly stepKey: string | undefined;
    /**
     * The source and the number of the batch, at the stages that have one. Together with the run's id, they are a
     * stable name for the work done here.
     */
    readonly sourceKey: string | undefined;
    readonly batchNo: number | undefined;
    /** At a step: 0, or more where several ways lead the batch there. */
    readonly visit?: number;
    readonly runId: string;
    readonly pipelineCode: string | undefined;
    /** A script that reaches outside must leave that be unless the mode is `live`. */
    readonly mode: RunMode;
    /** Aborted when the hook's time is over or the run stops. */
    readonly signal: AbortSignal;
    readonly log: StepLog;
    /** AFTER_ROUTE: the branch that the records go by. */
    readonly branch?: string;
    /** RUN_COMPLETED, RUN_FAILED, RUN_CANCELLED. */
    readonly totals?: RunTotals;
    /** RUN_COMPLETED. */
    readonly outcome?: RunOutcome;
    /** RUN_FAILED, ON_RETRY. */
    readonly error?: HookError;
    /** ON_RECORD_ERROR: one for each of the records. */
    readonly errors?: readonly HookRecordError[];
    /** ON_RETRY: which of how many retries comes, and how long it is waited for. */
    readonly retry?: { readonly number: number; readonly of: number; readonly waitMs: number };
}

/** The result of a script at the stages that have a batch: its new records, or nothing to keep the batch. */
export type ScriptResult = readonly JsonObject[] | undefined | void;

/**
 * A function of the shop that SCRIPT hooks call. At BEFORE_ and AFTER_ stages its result replaces the batch; at RUN_ and ON_ stages it only
 * observes. For a batch that is repeated after a crash, it must return the same result.
 */
export type ScriptFunction = (
    records: ScriptRecord[],
    context: HookContext,
    args: JsonObject,
) => ScriptResult | Promise<ScriptResult>;

/** A script in the registry; its code is the name that hooks give. */
export interface HookScript extends AdapterBase {
    readonly kind: 'script';
    readonly run: ScriptFunction;
}

/** The scripts of the plugin option `scripts`, as the registry takes them. */
export function hookScripts(scripts: Readonly<Record<string, ScriptFunction>>): readonly HookScript[] {
    return Object.entries(scripts).map(([name, run]) => ({
        kind: 'script',
        code: name,
        title: name,
        summary: 'A function of the shop that hooks call.',
        config: z.looseObject({}),
        run,
    }));
}
