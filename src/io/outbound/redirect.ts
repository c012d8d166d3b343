import type { OutboundMethod, OutboundRequest } from '../../core/adapter/http';
import { flowError } from '../../core/errors/flow-error';
import { harmless, type Headers } from './headers';
import { blocked, type OutboundPolicy, type OutboundTarget } from './policy';

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** One request on the wire: the first one, or the one after a redirect. */
export interface RedirectHop {
    readonly target: OutboundTarget;
    readonly method: OutboundMethod;
    readonly headers: Headers;
    readonly body: OutboundRequest['body'];
    /** How many redirects came before. */
    readonly number: number;
}

export function isRedirect(status: number): boolean {
    return REDIRECTS.has(status);
}

/**
 * The target of a redirect, checked like the first request. With an origin lock it must stay at that origin. Without
 * one it may leave it, but then neither a body nor configured headers are sent, and never from https to http. Throws
 * OUTBOUND_BLOCKED, OUTBOUND_ORIGIN and REMOTE_REFUSED.
 */
export function redirected(
    redirectHop: RedirectHop,
    answer: { readonly status: number; readonly headers: Headers },
    { policy, lock }: { readonly policy: OutboundPolicy; readonly lock: string | undefined },
): RedirectHop {
    const {
        status,
        headers: { location },
    } = answer;
    const { host } = redirectHop.target.url;
    if (redirectHop.number >= MAX_REDIRECTS)
        throw flowError('REMOTE_REFUSED', { host, problem: `redirects more than ${MAX_REDIRECTS} times` });
    if (location === undefined || location === '')
        throw flowError('REMOTE_REFUSED', { host, problem: `answered ${status} without saying where to` });
    const target = policy.target(location, { base: redirectHop.target.url });
    checkLock(target, lock);
    if (redirectHop.target.url.protocol === 'https:' && target.url.protocol === 'http:')
        throw blocked(target.url.host, `${host} redirects to it from https to http`);
    const isGet = (status === 303 && redirectHop.method !== 'HEAD') || (status < 303 && redirectHop.method === 'POST');
    const body = isGet ? undefined : redirectHop.body;
    const isElsewhere = target.origin !== redirectHop.target.origin;
    if (isElsewhere && body !== undefined)
        throw flowError('OUTBOUND_ORIGIN', {
            host: target.url.host,
            problem: `${host} redirects a request with a body to it; bodies stay with the origin that they were meant for`,
        });
    const { 'content-type': contentType, ...bare } = isElsewhere ? harmless(redirectHop.headers) : redirectHop.headers;
    const headers = body === undefined || contentType === undefined ? bare : { ...bare, 'content-type': contentType };
    return { target, method: isGet ? 'GET' : redirectHop.method, headers, body, number: redirectHop.number + 1 };
}

/** Throws OUTBOUND_ORIGIN for another origin than that of the lock. */
export function checkLock({ origin, url }: OutboundTarget, lock: string | undefined): void {
    if (lock !== undefined && origin !== lock)
        throw flowError('OUTBOUND_ORIGIN', {
            host: url.host,
            problem: `requests and redirects of this step stay at ${lock}, the origin of its address or of its connection's base URL`,
        });
}
