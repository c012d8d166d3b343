import type { FlowError } from '../../core/errors/flow-error';

/** Refused before anything was sent. That is never taken for "no answer". */
const NEVER_SENT: ReadonlySet<string> = new Set(['OUTBOUND_BLOCKED', 'OUTBOUND_ORIGIN']);
/** The server is away, busy or too slow: 408, 429, 5xx, a timeout, a refused or cut connection. */
const UNANSWERED: ReadonlySet<string> = new Set(['REMOTE_BUSY', 'OUTBOUND_TIMEOUT']);

/**
 * Whether it says something about the record alone. A server that is away or busy, has a name that nobody knows or a certificate that cannot be
 * trusted has said nothing about any.
 */
export function isOfRecord({ treat, code, cause }: FlowError): boolean {
    const isUnanswered = code === 'REMOTE_REFUSED' && cause !== undefined;
    // A secret that may not be sent there keeps every record from being looked up.
    const isOfStep = code === 'SECRET_HOST_NOT_ALLOWED';
    return treat === 'record' || (treat === 'config' && !isUnanswered && !isOfStep);
}

interface LookupRules {
    readonly failOnError: boolean;
    /** Of the run: one that ends cuts its connections itself, which says nothing about the server. */
    readonly signal: AbortSignal;
}

/** What a failed look-up means, once its own retries are spent. */
export function consequenceOf(
    error: FlowError,
    { failOnError, signal }: LookupRules,
): 'fails the batch' | 'rejects the record' | 'gives the default' {
    const getsDefault = !failOnError && !signal.aborted && UNANSWERED.has(error.code);
    if (!isOfRecord(error)) return getsDefault ? 'gives the default' : 'fails the batch';
    const isRejected = error.treat === 'record' || failOnError || NEVER_SENT.has(error.code);
    return isRejected ? 'rejects the record' : 'gives the default';
}
