import type { JsonObject, JsonValue } from '../../../core/value/json';
import { asFlowError, FlowError } from '../../../core/errors/flow-error';
import type { ErrorTextFacts } from '../../../core/errors/rendered';
import type { ErrorCode } from '../../../core/errors/catalogue';

/** A job for the process that runs step tests and previews. Its settings, items and results are JSON. */
export interface Job {
    readonly kind: 'records' | 'batch' | 'extract' | 'preview' | 'profile' | 'convert';
    readonly settings: JsonObject;
}

/** What a job works with: its settings, its items, and where its results are sent. */
export interface JobContext {
    readonly settings: JsonObject;
    readonly items: readonly JsonValue[];
    /** Resolves when the item has been sent, so that results do not accumulate in memory. */
    send(item: JsonObject): Promise<void>;
}

/** A FlowError as it is sent between two processes. */
export interface ErrorMessage extends JsonObject {
    readonly code: string;
    readonly message: string;
    readonly facts: JsonObject | null;
    readonly details: JsonObject | null;
    readonly waitMs: number | null;
    /** The code of the underlying system error: ENOENT. */
    readonly cause: string | null;
}

/** Messages to the process. */
export type JobMessage = { readonly job: Job } | { readonly item: JsonValue } | { readonly go: true };

/** Messages from the process. */
export type JobResponse =
    | { readonly ready: true }
    /** The job was received. */
    | { readonly taken: true }
    | { readonly item: JsonObject }
    | { readonly done: JsonObject }
    | { readonly failed: ErrorMessage };

/** The error as it is sent. Any other error becomes a BUG. */
export function errorMessage(thrown: unknown): ErrorMessage {
    const { code, message, facts = null, details = null, waitMs = null, cause } = asFlowError(thrown);
    const system = (cause as NodeJS.ErrnoException | undefined)?.code;
    return { code, message, facts, details, waitMs, cause: typeof system === 'string' ? system : null };
}

/** The error that was sent. */
export function readError({ code, message, facts, details, waitMs, cause }: ErrorMessage): FlowError {
    return new FlowError(code as ErrorCode, message, {
        ...(facts && { facts: facts as ErrorTextFacts }),
        ...(details && { details }),
        ...(waitMs !== null && { waitMs }),
        ...(cause !== null && { cause: Object.assign(new Error(cause), { code: cause }) }),
    });
}
