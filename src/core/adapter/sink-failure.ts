import { type FlowError, flowError, isFlowError } from '../errors/flow-error';

/** Statuses that are the same for every record: the credential is wrong, or lacks a permission. */
const CREDENTIAL: ReadonlySet<number> = new Set([401, 403, 407]);
/** Codes of Node and of HTTP clients for a target that is not reached, or is lost on the way. */
const UNREACHED =
    /^(ECONN[A-Z]*|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOTFOUND|EAI_AGAIN|UND_ERR_[A-Z_]+)$/;
/** The maximum depth of wrapped exceptions that is searched. */
const MAX_CAUSES = 5;

/** Where an exception of a sink comes from. */
interface FailedSink {
    /** The sink's code. */
    readonly code: string;
    /** The sink was delivering or deleting records, so some of them may be the cause. */
    readonly hasRecords: boolean;
}

/**
 * Classifies an exception of a sink. Errors of Flow stay unchanged. An HTTP status decides: 408, 429 and 5xx are retried, a rejected credential
 * fails the run, and any other 4xx concerns the records. Everything else is retried, and never rejects a record.
 */
export function sinkFailure(thrown: unknown, { code, hasRecords }: FailedSink): FlowError {
    if (isFlowError(thrown)) return thrown;
    const options = { cause: thrown };
    const host = `The target of ${code}`;
    const problem = messageOf(thrown);
    const status = firstOf(thrown, statusOf);
    if (status !== undefined) {
        const answered = `answered ${status}: ${problem}`;
        if (isPassing(status)) return flowError('REMOTE_BUSY', { host, problem: answered, attempts: 1 }, options);
        if (status >= 400 && (!hasRecords || CREDENTIAL.has(status)))
            return flowError('REMOTE_REFUSED', { host, problem: answered }, options);
        if (status >= 400) return flowError('TARGET_REFUSED', { problem: `it ${answered}` }, options);
    }
    if (firstOf(thrown, networkCodeOf) !== undefined)
        return flowError('REMOTE_BUSY', { host, problem: `is not reached: ${problem}`, attempts: 1 }, options);
    return flowError('SINK_FAILED', { code, problem }, options);
}

/** Whether a status means that the target is down or busy, and has not decided about the records. */
export function isPassing(status: number): boolean {
    return status === 408 || status === 429 || status >= 500;
}

/** An exception's message, as the end of a sentence. */
export function messageOf(thrown: unknown): string {
    const { message } = (thrown ?? {}) as { readonly message?: unknown };
    const text = typeof message === 'string' && message !== '' ? message : String(thrown);
    return text.replace(/[.\s]+$/, '');
}

/** The properties of an exception, or of those that it wraps: `fetch` has the network's code in its cause. */
function firstOf<T>(thrown: unknown, read: (error: object) => T | undefined): T | undefined {
    let error = thrown;
    for (let depth = 0; depth < MAX_CAUSES && typeof error === 'object' && error !== null; depth++) {
        const found = read(error);
        if (found !== undefined) return found;
        error = (error as { readonly cause?: unknown }).cause;
    }
    return undefined;
}

/** As axios, fetch wrappers, the clients of AWS and most others have it. */
function statusOf(error: object): number | undefined {
    const { status, statusCode, response, $metadata } = error as {
        readonly status?: unknown;
        readonly statusCode?: unknown;
        readonly response?: { readonly status?: unknown; readonly statusCode?: unknown } | null;
        readonly $metadata?: { readonly httpStatusCode?: unknown } | null;
    };
    const found = [status, statusCode, response?.status, response?.statusCode, $metadata?.httpStatusCode];
    return found.find((one): one is number => Number.isInteger(one) && (one as number) >= 100);
}

function networkCodeOf(error: object): string | undefined {
    const { code } = error as { readonly code?: unknown };
    return typeof code === 'string' && UNREACHED.test(code) ? code : undefined;
}
