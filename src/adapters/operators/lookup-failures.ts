import type { FlowError } from '../../core/errors/flow-error';

/** The request was blocked before anything was sent. That never counts as a missing response. */
const NEVER_SENT: ReadonlySet<string> = new Set(['OUTBOUND_BLOCKED', 'OUTBOUND_ORIGIN']);
/** The server is unreachable, busy or too slow: 408, 429, 5xx, a timeout, a rejected or broken connection. */
const UNANSWERED: ReadonlySet<string> = new Set(['REMOTE_BUSY', 'OUTBOUND_TIMEOUT']);

/**
 * Whether the failure concerns only the record. An unreachable or busy server, an unknown host name or an untrusted
 * certificate does not concern any record.
 */
export function isOfRecord({ treat, code, cause }: FlowError): boolean {
    const isUnanswered = code === 'REMOTE_REFUSED' && cause !== undefined;
    // If a secret may not be sent to the server, no record can be looked up.
    const isOfStep = code === 'SECRET_HOST_NOT_ALLOWED';
    return treat === 'record' || (treat === 'config' && !isUnanswered && !isOfStep);
}

interface LookupRules {
    readonly failOnError: boolean;
    /** The signal of the run. A run that ends closes its connections, which says nothing about the server. */
    readonly signal: AbortSignal;
}

/** The consequence of a failed look-up, once its own retries are spent. */
export function consequenceOf(
    error: FlowError,
    { failOnError, signal }: LookupRules,
): 'fails the batch' | 'rejects the record' | 'gives the default' {
    const getsDefault = !failOnError && !signal.aborted && UNANSWERED.has(error.code);
    if (!isOfRecord(error)) return getsDefault ? 'gives the default' : 'fails the batch';
    const isRejected = error.treat === 'record' || failOnError || NEVER_SENT.has(error.code);
    return isRejected ? 'rejects the record' : 'gives the default';
}
