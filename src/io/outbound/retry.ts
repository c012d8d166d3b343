import type { OutboundRequest } from '../../core/adapter/http';
import type { FlowError } from '../../core/errors/flow-error';

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 10_000;
/** The maximum requested wait. For a longer one, the error contains the wait, and the caller that repeats the step decides. */
const MAX_ASKED_MS = 60_000;
/** Methods that may be repeated without changing anything twice. */
const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/** Why a try has failed. */
export interface FailedTry {
    readonly error: FlowError;
    /** True when the server cannot have acted on it: no connection came about, or it answered that it did not. */
    readonly isUnheard: boolean;
    /** True when the server has a problem, rather than rejecting the request. */
    readonly isTrouble: boolean;
}

type Repeated = Pick<OutboundRequest, 'method' | 'attempts' | 'isRepeatable'>;

/** How long to wait before the next try; undefined when there is to be none. `tried` counts from one. */
export function waitBefore(request: Repeated, { error, isUnheard }: FailedTry, tried: number): number | undefined {
    if (error.treat !== 'transient' || tried >= (request.attempts ?? 1)) return undefined;
    if (!isUnheard && !request.isRepeatable && !REPEATABLE.has(request.method)) return undefined;
    const requested = error.waitMs ?? 0;
    if (isTooLong(requested)) return undefined;
    // Full jitter, so that requests that failed together are not repeated together.
    return Math.max(requested, Math.round(Math.random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (tried - 1))));
}

/** Whether a server requests a longer wait than the maximum. */
export function isTooLong(askedMs: number | undefined): askedMs is number {
    return askedMs !== undefined && askedMs > MAX_ASKED_MS;
}

/** RFC 9110: a number of seconds or a date. Undefined for anything else. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
    const text = value?.trim() ?? '';
    if (/^\d{1,15}$/.test(text)) return Number(text) * 1000;
    // Every form of an HTTP date begins with the day's name; Date.parse would take much else.
    const at = /^(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(text) ? Date.parse(text) : Number.NaN;
    return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
