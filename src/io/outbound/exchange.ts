import type { Agent } from 'undici';
import { Readable } from 'node:stream';
import type { OutboundAuth, OutboundRequest, OutboundResponse, StreamedBody } from '../../core/adapter/http';
import type { Clock } from '../../core/concurrency/clock';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import type { Breaker, ClosedCircuit, CircuitPass } from './breaker';
import { Deadline } from './deadline';
import { failureOf, timedOut, type TryFacts } from './failures';
import { type Headers, headersOf, received, withAuth } from './headers';
import type { OutboundPolicy } from './policy';
import { checkLock, type RedirectHop, isRedirect, redirected } from './redirect';
import { decodedBody, firstChunks } from './body';
import { type FailedTry, isTooLong, retryAfterMs, waitBefore } from './retry';

/** Of a body. */
export const MAX_REQUEST_BYTES = 32 * 1024 * 1024;
/** So much is read of the body of a redirect or an error, for its reason and to keep the connection; with more, the connection is closed. */
const MAX_IGNORED_BYTES = 16_384;

/** The request, independent of how the response's body is read. */
export interface ExchangeRequest extends Omit<OutboundRequest, 'timeoutMs' | 'idleMs' | 'maxBytes' | 'auth'> {
    /** The credential to send, including one that had to be requested first. */
    readonly auth?: OutboundAuth | undefined;
}

/** An answer before its body is read. */
export interface Head {
    readonly status: number;
    readonly headers: Headers;
    readonly host: string;
    readonly stream: Readable;
}

/** The try that an answer belongs to. */
export interface ResponseTry {
    readonly facts: TryFacts;
    readonly deadline: Deadline;
    readonly pass: CircuitPass;
}

/** How a successful response is read. */
interface ResponseHandler<T> {
    /** For one try. */
    readonly timeoutMs: number;
    /** Without a sign of life. */
    readonly idleMs?: number;
    /** The deadline is the taker's from here on, and what becomes of the server's good name as well. */
    take(head: Head, answered: ResponseTry): Promise<T | FailedExchange>;
}

/** Waits until a request to a host may go out. */
export type RateLimitWait = (host: string, signal: AbortSignal) => Promise<void>;

interface Try<T> {
    readonly request: ExchangeRequest;
    readonly facts: TryFacts;
    readonly lock: string | undefined;
    readonly deadline: Deadline;
    readonly turn: RateLimitWait;
    readonly taking: ResponseHandler<T>;
}

interface ExchangeDeps {
    readonly agent: Agent;
    readonly policy: OutboundPolicy;
    readonly breaker: Breaker;
    readonly clock: Clock;
    /** Of a body that is read as it is sent. */
    readonly maxStreamedBytes: number;
}

/** A redirect, or a response with an error status. */
interface Refusal {
    readonly status: number;
    readonly headers: Headers;
    /** In the server's words. */
    readonly reason: string | undefined;
}

/** Marks a failure among the results of tries. */
class FailedExchange {
    constructor(readonly failure: FailedTry) {}
}

/** Requests and the heads of their answers: policy, credentials, redirects, tries, breaker. */
export class Exchange {
    constructor(private readonly deps: ExchangeDeps) {}

    async ask<T>(
        given: ExchangeRequest,
        rateLimitWait: RateLimitWait,
        responseHandler: ResponseHandler<T>,
    ): Promise<T> {
        const { body } = given;
        // Bytes once, however often they are sent.
        const request = typeof body === 'string' ? { ...given, body: Buffer.from(body) } : given;
        for (let tried = 1; ; tried++) {
            const result = await this.attempt(request, { tried, turn: rateLimitWait, taking: responseHandler });
            if (!(result instanceof FailedExchange)) return result;
            const waitMs = waitBefore(request, result.failure, tried);
            if (waitMs === undefined) throw result.failure.error;
            await this.deps.clock.sleep(waitMs, request.signal);
        }
    }

    /** The response, or why there is none. Errors for which a retry is useless are thrown. */
    private async attempt<T>(
        request: ExchangeRequest,
        {
            tried,
            turn,
            taking,
        }: { readonly tried: number; readonly turn: RateLimitWait; readonly taking: ResponseHandler<T> },
    ): Promise<T | FailedExchange> {
        const { signal: stop, body, method } = request;
        stop.throwIfAborted();
        const target = this.deps.policy.target(request.url, { usualPorts: request.usualPorts });
        const lock = lockOf(request, this.deps.policy);
        checkLock(target, lock);
        const { host } = target.url;
        const maxBytes = isStreamed(body) ? this.deps.maxStreamedBytes : MAX_REQUEST_BYTES;
        if (bytesOf(body) > maxBytes) throw flowError('OUTBOUND_TOO_LARGE', { host, what: 'a request', maxBytes });
        const headers = withAuth(headersOf(request, host), request, target.url);
        await turn(target.host, stop);
        const { timeoutMs, idleMs } = taking;
        const facts: TryFacts = { host, tried, timeoutMs, ...(idleMs !== undefined && { idleMs }) };
        const deadline = new Deadline(timeoutMs, stop);
        try {
            const first = { target, method, headers, body, number: 0 };
            const answer = await this.follow(first, { request, facts, lock, turn, deadline, taking });
            if (answer instanceof FailedExchange) deadline.end();
            return answer;
        } catch (thrown) {
            deadline.end();
            if (stop.aborted) throw stop.reason;
            return new FailedExchange(deadline.isLate ? timedOut(facts) : failureOf(thrown, facts));
        }
    }

    private async follow<T>(first: RedirectHop, call: Try<T>): Promise<T | FailedExchange> {
        for (let hop = first; ;) {
            const answer = await this.exchange(hop, call);
            if ('taken' in answer) return answer.taken;
            if (!isRedirect(answer.status)) return this.judged(answer, hop, call.facts);
            hop = redirected(hop, answer, { policy: this.deps.policy, lock: call.lock });
            await call.turn(hop.target.host, call.deadline.signal);
        }
    }

    /** One request and its response; the breaker counts the outcome. */
    private async exchange<T>(
        redirectHop: RedirectHop,
        { request, facts, deadline, taking }: Try<T>,
    ): Promise<{ readonly taken: T | FailedExchange } | Refusal> {
        const { origin, url } = redirectHop.target;
        const pass = this.circuitPass(origin, { host: url.host, tried: facts.tried });
        const { stop } = deadline;
        try {
            const silenceMs = facts.idleMs ?? facts.timeoutMs;
            const answer = await this.deps.agent.request({
                origin,
                path: url.pathname + url.search,
                method: redirectHop.method,
                ...sentOf(redirectHop),
                signal: stop,
                headersTimeout: silenceMs,
                bodyTimeout: silenceMs,
            });
            const { statusCode: status, body: stream } = answer;
            const headers = received(answer.headers);
            if (isAnswer(status, request)) {
                const taken = await taking.take({ status, headers, host: url.host, stream }, { facts, deadline, pass });
                return { taken };
            }
            const reasonIn = isRedirect(status) ? undefined : request.reasonIn;
            let reason: string | undefined;
            if (reasonIn) reason = reasonIn({ status, headers, body: await bodyBegin(stream, { headers, url, stop }) });
            else await stream.dump({ limit: MAX_IGNORED_BYTES, signal: deadline.signal });
            if (status >= 500) pass.failed(status);
            else pass.succeeded();
            return { status, headers, reason };
        } catch (thrown) {
            if (request.signal.aborted) pass.abandoned();
            else if (stop.aborted || isTrouble(thrown, facts)) pass.failed();
            else pass.abandoned();
            throw thrown;
        }
    }

    /** Throws REMOTE_BUSY for a server whose circuit is open. */
    private circuitPass(origin: string, { host, tried }: Pick<TryFacts, 'host' | 'tried'>): CircuitPass {
        const pass = this.deps.breaker.enter(origin);
        if ('waitMs' in pass) throw remoteBusy({ host, tried, ...pass });
        return pass;
    }

    /** Handles a status: 408, 429 and 5xx may be tried again, all others not. */
    private judged(
        { status, headers, reason }: Refusal,
        { target: { url } }: RedirectHop,
        { tried }: TryFacts,
    ): FailedExchange {
        const { host } = url;
        const said = reason === undefined ? '' : `: ${reason}`;
        if (status !== 408 && status !== 429 && status < 500)
            throw flowError('REMOTE_REFUSED', { host, problem: `answered ${status}${said}` }, { details: { status } });
        const waitMs = retryAfterMs(headers['retry-after'], this.deps.clock.now());
        const problem = `answered ${status}${isTooLong(waitMs) ? ` and requests a pause of ${Math.ceil(waitMs / 1000)} s` : ''}${said}`;
        const error = flowError(
            'REMOTE_BUSY',
            { host, problem, attempts: tried },
            { details: { status }, ...(waitMs !== undefined && { waitMs }) },
        );
        const isUnheard = status === 408 || status === 429 || (status === 503 && waitMs !== undefined);
        return new FailedExchange({ error, isUnheard, isTrouble: true });
    }
}

/** Checks a complete response by its body, if its request has a check: a server that requests a later retry counts as a failure. */
export function unlessBusy(
    answer: OutboundResponse,
    { busyIn }: Pick<ExchangeRequest, 'busyIn'>,
    { host, tried }: TryFacts,
): FailedExchange | undefined {
    const busy = busyIn?.(answer);
    if (!busy) return undefined;
    const { problem, waitMs } = busy;
    const facts = { host, problem, attempts: tried };
    const error = flowError('REMOTE_BUSY', facts, {
        details: { status: answer.status },
        ...(waitMs !== undefined && { waitMs }),
    });
    return new FailedExchange({ error, isUnheard: true, isTrouble: false });
}

interface LeftAlone extends Pick<TryFacts, 'host' | 'tried'>, ClosedCircuit {}

/** REMOTE_BUSY, for what the breaker does not let through. */
export function remoteBusy({ host, tried, waitMs, status }: LeftAlone): FlowError {
    const last = status === undefined ? '' : `, the last time with the status ${status},`;
    const problem = `has failed again and again${last} and is left alone for ${Math.ceil(waitMs / 1000)} s`;
    return flowError('REMOTE_BUSY', { host, problem, attempts: tried }, { waitMs, details: { isLeftAlone: true } });
}

/**
 * The bytes of a body; a streamed one is opened again for each hop. Its length is sent first, because not every server accepts a body without one.
 */
function sentOf({ headers, body }: RedirectHop): {
    readonly headers: Record<string, string>;
    readonly body: string | Uint8Array | Readable | null;
} {
    if (!isStreamed(body)) return { headers: { ...headers }, body: body ?? null };
    return { headers: { ...headers, 'content-length': String(body.bytes) }, body: Readable.from(whole(body)) };
}

/** Throws BUG for a body whose length differs from the declared one: the server must not accept an incomplete body as complete. */
async function* whole(body: StreamedBody): AsyncGenerator<Uint8Array, void, void> {
    let bytes = 0;
    for await (const piece of body.open()) {
        bytes += piece.length;
        if (bytes > body.bytes) break;
        yield piece;
    }
    if (bytes !== body.bytes)
        throw flowError('BUG', { problem: `a body of ${body.bytes} bytes has ${bytes > body.bytes ? 'more' : bytes}` });
}

function isStreamed(body: ExchangeRequest['body']): body is StreamedBody {
    return typeof body === 'object' && !(body instanceof Uint8Array);
}

function bytesOf(body: ExchangeRequest['body'] = ''): number {
    return isStreamed(body) ? body.bytes : Buffer.byteLength(body);
}

function isAnswer(status: number, { expected = [] }: ExchangeRequest): boolean {
    return (status >= 200 && status < 300) || expected.includes(status);
}

/** The beginning of an error's body; empty if it cannot be read, since the status is enough. */
async function bodyBegin(
    stream: Readable,
    { headers, url: { host }, stop }: { readonly headers: Headers; readonly url: URL; readonly stop: Deadline['stop'] },
): Promise<Buffer> {
    const incoming = { stream, headers, host, maxBytes: Infinity };
    try {
        const decoded = decodedBody(incoming).on('error', () => undefined);
        const { pieces, isWhole } = await firstChunks(decoded, incoming, MAX_IGNORED_BYTES);
        if (!isWhole) decoded.destroy();
        return Buffer.concat(pieces);
    } catch (thrown) {
        if (stop.aborted) throw thrown;
        return Buffer.alloc(0);
    }
}

function isTrouble(thrown: unknown, facts: TryFacts): boolean {
    try {
        return failureOf(thrown, facts).isTrouble;
    } catch {
        // It is not an error of the network, so it shows nothing about the server.
        return false;
    }
}

/** Written as the origins of targets are, which it is compared with. */
function lockOf({ auth, signed, originLock }: ExchangeRequest, policy: OutboundPolicy): string | undefined {
    if (originLock !== undefined) return policy.origin(originLock);
    if (auth || signed)
        throw flowError('BUG', { problem: 'a request with a credential says no origin that it is for' });
    return undefined;
}
