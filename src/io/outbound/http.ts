import { setMaxListeners } from 'node:events';
import { randomUUID } from 'node:crypto';
import { Agent, buildConnector } from 'undici';
import type { OutboundHttp, OutboundRequest, OutboundResponse } from '../../core/adapter/http';
import { type Clock, systemClock } from '../../core/data/clock';
import { flowError } from '../../core/errors/flow-error';
import { readBody } from './body';
import { Breaker } from './breaker';
import { failureOf, MAX_HEADER_BYTES, timedOut, type TryFacts } from './faults';
import { headersOf, received, withAuth } from './headers';
import { type Allowed, OutboundPolicy } from './policy';
import { HostLimits, RateLimit } from './rate-limit';
import { checkLock, type Hop, isRedirect, redirected } from './redirect';
import { type Failure, retryAfterMs, waitBefore } from './retry';
import { guardedConnector, type MakeConnector, type Resolve, systemResolve } from './socket';

const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;
const MAX_REQUEST_BYTES = 32 * 1024 * 1024;
/** To one origin at the same time; more wait. */
const MAX_CONNECTIONS = 128;
const KEEP_ALIVE_MS = 10_000;
/** So much of a redirect's body is read to keep its connection; with more, the connection is closed. */
const MAX_IGNORED_BYTES = 16_384;

export interface DoorOptions extends Allowed {
    readonly clock?: Clock;
    /** For tests: a resolver, a maker of sockets and an authority of their own. */
    readonly resolve?: Resolve;
    readonly makeConnector?: MakeConnector;
    readonly ca?: string;
}

/** Waits until a request to a host may go out. */
type Turn = (host: string, signal: AbortSignal) => Promise<void>;

interface Try {
    readonly request: OutboundRequest;
    readonly facts: TryFacts;
    readonly lock: string | undefined;
    /** Goes off when the caller stops, or when the time is up. */
    readonly signal: AbortSignal;
    readonly turn: Turn;
}

/** The one door to the network. One for a process: connections, breakers and host limits are shared by its runs. */
export class OutboundDoor {
    private readonly id = randomUUID();
    private readonly clock: Clock;
    private readonly policy: OutboundPolicy;
    private readonly agent: Agent;
    private readonly breaker: Breaker;
    private readonly hosts: HostLimits;

    constructor({
        clock = systemClock,
        resolve = systemResolve,
        makeConnector = buildConnector,
        ca,
        ...allowed
    }: DoorOptions) {
        this.clock = clock;
        this.policy = new OutboundPolicy(allowed);
        this.breaker = new Breaker(clock);
        this.hosts = new HostLimits(clock);
        this.agent = new Agent({
            connect: guardedConnector({ policy: this.policy, resolve, makeConnector, ca }),
            connections: MAX_CONNECTIONS,
            pipelining: 1,
            allowH2: false,
            maxHeaderSize: MAX_HEADER_BYTES,
            keepAliveTimeout: KEEP_ALIVE_MS,
            keepAliveMaxTimeout: KEEP_ALIVE_MS,
        });
    }

    /** The door as one run sees it, with a rate limit of its own (0 = none). */
    forRun({ scope, rateLimitRps }: { readonly scope: string; readonly rateLimitRps: number }): OutboundHttp {
        const limit = new RateLimit(this.clock);
        return {
            // Two doors in one process may stand for two servers.
            scope: `${this.id}/${scope}`,
            send: request =>
                this.send(request, async (host, signal) => {
                    if (rateLimitRps > 0) await limit.turn(rateLimitRps, signal);
                    if (request.perSecond !== undefined) await this.hosts.turn(host, request.perSecond, signal);
                }),
        };
    }

    /** Breaks off whatever is still going on. */
    async close(): Promise<void> {
        await this.agent.destroy();
    }

    private async send(request: OutboundRequest, turn: Turn): Promise<OutboundResponse> {
        // All requests under way wait on the signal of their run, and each takes its listener off again: many are no leak.
        setMaxListeners(0, request.signal);
        for (let tried = 1; ; tried++) {
            const result = await this.attempt(request, tried, turn);
            if (!('error' in result)) return result;
            const waitMs = waitBefore(request, result, tried);
            if (waitMs === undefined) throw result.error;
            await this.clock.sleep(waitMs, request.signal);
        }
    }

    /** The answer, or why there is none. What cannot be mended by another try is thrown. */
    private async attempt(request: OutboundRequest, tried: number, turn: Turn): Promise<OutboundResponse | Failure> {
        const { timeoutMs, signal: stop, body, method } = request;
        stop.throwIfAborted();
        const target = this.policy.target(request.url);
        const lock = lockOf(request);
        checkLock(target, lock);
        const { host } = target.url;
        if (body !== undefined && Buffer.byteLength(body) > MAX_REQUEST_BYTES)
            throw flowError('OUTBOUND_TOO_LARGE', { host, what: 'a request', maxBytes: MAX_REQUEST_BYTES });
        const headers = withAuth(headersOf(request, host), request.auth, host);
        await turn(target.host, stop);
        const over = new AbortController();
        const abort = (): void => over.abort(stop.reason);
        const facts = { host, tried, timeoutMs };
        const isLate = { yes: false };
        const timer = setTimeout(() => {
            isLate.yes = true;
            over.abort();
        }, timeoutMs);
        stop.addEventListener('abort', abort, { once: true });
        try {
            return await this.follow(
                { target, method, headers, body, number: 0 },
                { request, facts, lock, turn, signal: over.signal },
            );
        } catch (thrown) {
            if (stop.aborted) throw stop.reason;
            if (isLate.yes) return timedOut(facts);
            return failureOf(thrown, facts);
        } finally {
            clearTimeout(timer);
            stop.removeEventListener('abort', abort);
        }
    }

    private async follow(first: Hop, call: Try): Promise<OutboundResponse | Failure> {
        for (let hop = first; ;) {
            const answer = await this.exchange(hop, call);
            if (isAnswer(answer.status, call.request)) return answer;
            if (!isRedirect(answer.status)) return this.judged(answer, hop, call);
            hop = redirected(hop, answer, { policy: this.policy, lock: call.lock });
            await call.turn(hop.target.host, call.signal);
        }
    }

    /** One request and its answer; the breaker hears what came of it. */
    private async exchange(hop: Hop, { request, facts, signal }: Try): Promise<OutboundResponse> {
        const { origin, url } = hop.target;
        const pass = this.breaker.enter(origin);
        if ('waitMs' in pass) {
            const problem = 'has failed again and again and is left alone for a while';
            throw flowError('REMOTE_BUSY', { host: url.host, problem, attempts: facts.tried }, { waitMs: pass.waitMs });
        }
        try {
            const {
                statusCode,
                headers: raw,
                body,
            } = await this.agent.request({
                origin,
                path: url.pathname + url.search,
                method: hop.method,
                headers: { ...hop.headers },
                body: hop.body ?? null,
                signal,
                headersTimeout: facts.timeoutMs,
                bodyTimeout: facts.timeoutMs,
            });
            const headers = received(raw);
            const content = isAnswer(statusCode, request)
                ? await readBody({
                      stream: body,
                      headers,
                      host: url.host,
                      maxBytes: request.maxBytes ?? DEFAULT_MAX_BYTES,
                  })
                : await body.dump({ limit: MAX_IGNORED_BYTES, signal }).then(() => Buffer.alloc(0));
            if (statusCode >= 500) pass.failed();
            else pass.succeeded();
            return { status: statusCode, headers, body: content };
        } catch (thrown) {
            if (request.signal.aborted) pass.abandoned();
            else if (signal.aborted || isTrouble(thrown, facts)) pass.failed();
            else pass.abandoned();
            throw thrown;
        }
    }

    /** What is done about a status, in one place (spec 4, errorHandling): 408, 429 and 5xx may be tried again, all others not. */
    private judged(
        { status, headers }: OutboundResponse,
        {
            target: {
                url: { host },
            },
        }: Hop,
        { facts: { tried } }: Try,
    ): Failure {
        const problem = `answered ${status}`;
        if (status !== 408 && status !== 429 && status < 500)
            throw flowError('REMOTE_REFUSED', { host, problem }, { details: { status } });
        const waitMs = retryAfterMs(headers['retry-after'], this.clock.now());
        const error = flowError(
            'REMOTE_BUSY',
            { host, problem, attempts: tried },
            { details: { status }, ...(waitMs !== undefined && { waitMs }) },
        );
        return {
            error,
            isUnheard: status === 408 || status === 429 || (status === 503 && waitMs !== undefined),
            isTrouble: true,
        };
    }
}

function isAnswer(status: number, { expected = [] }: OutboundRequest): boolean {
    return (status >= 200 && status < 300) || expected.includes(status);
}

function isTrouble(thrown: unknown, facts: TryFacts): boolean {
    try {
        return failureOf(thrown, facts).isTrouble;
    } catch {
        // Nothing of the network, so nothing that could be said about the server.
        return false;
    }
}

function lockOf({ auth, originLock }: OutboundRequest): string | undefined {
    if (originLock !== undefined) return new URL(originLock).origin;
    if (auth) throw flowError('BUG', { problem: 'a request with a credential says no origin that it is for' });
    return undefined;
}
