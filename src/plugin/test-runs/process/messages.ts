import type { JsonObject, JsonValue } from '../../../core/value/json';
import { asFlowError, FlowError } from '../../../core/errors/flow-error';
import type { ErrorCode } from '../../../core/errors/catalogue';

/** Work for the process that step tests and previews work in. Its settings and items are JSON, and so is whatever it answers. */
export interface Job {
    readonly kind: 'records' | 'batch' | 'extract' | 'preview';
    readonly settings: JsonObject;
}

/** What a job is done with: its settings, what came with it, and where its answers go. */
export interface JobContext {
    readonly settings: JsonObject;
    readonly items: readonly JsonValue[];
    /** Resolves when it is on its way, so that answers do not pile up. */
    send(item: JsonObject): Promise<void>;
}

/** A FlowError on its way between two processes. */
export interface ErrorMessage extends JsonObject {
    readonly code: string;
    readonly message: string;
    readonly details: JsonObject | null;
    readonly waitMs: number | null;
    /** Of the system's error behind it: ENOENT. */
    readonly cause: string | null;
}

/** To the process. */
export type JobMessage = { readonly job: Job } | { readonly item: JsonValue } | { readonly go: true };

/** From the process. */
export type JobResponse =
    | { readonly ready: true }
    /** The job has come. */
    | { readonly taken: true }
    | { readonly item: JsonObject }
    | { readonly done: JsonObject }
    | { readonly failed: ErrorMessage };

/** The error as it is sent; anything that is none of ours is a BUG. */
export function errorMessage(thrown: unknown): ErrorMessage {
    const { code, message, details = null, waitMs = null, cause } = asFlowError(thrown);
    const system = (cause as NodeJS.ErrnoException | undefined)?.code;
    return { code, message, details, waitMs, cause: typeof system === 'string' ? system : null };
}

/** The error that was sent. */
export function readError({ code, message, details, waitMs, cause }: ErrorMessage): FlowError {
    return new FlowError(code as ErrorCode, message, {
        ...(details && { details }),
        ...(waitMs !== null && { waitMs }),
        ...(cause !== null && { cause: Object.assign(new Error(cause), { code: cause }) }),
    });
}
