import type { HookError, HookRecordError } from '../adapter/script';
import type { FlowError } from '../errors/flow-error';
import type { Reject } from '../ports/ports';

/** The data that hooks receive about a failure. */
export function hookError({ code, message }: FlowError, stepKey: string | undefined): HookError {
    return { code, message, stepKey };
}

/** The data that hooks receive about a rejected record. */
export function hookRecordError({ code, message, path, place, stepKey, sourceKey, seq }: Reject): HookRecordError {
    return { code, message, path, place, stepKey, sourceKey, seq };
}
