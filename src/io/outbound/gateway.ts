import { randomUUID } from 'node:crypto';
import { Agent, buildConnector } from 'undici';
import type { OutboundRequest, OutboundResponse } from '../../core/adapter/http';
import type { Outbound, OutboundRules, OutboundStream, OutboundStreamRequest } from '../../core/adapter/outbound';
import { type Clock, systemClock } from '../../core/concurrency/clock';
import { readBody } from './body';
import { Breaker } from './breaker';
import {
    type ResponseTry,
    type ExchangeRequest,
    Exchange,
    type Head,
    type RateLimitWait,
    unlessBusy,
} from './exchange';
import { MAX_HEADER_BYTES } from './failures';
import { OpenHandles } from './open-handles';
import { type Allowed, OutboundPolicy } from './policy';
import { HostLimits, RateLimit } from './rate-limit';
import { guardedConnector, type MakeConnector, type Resolve, systemResolve } from './socket';
import { GuardedSockets } from './sockets';
import { StreamedResponse } from './stream';
import { GrantedTokens } from './tokens';

/** The default limit of a response that is held whole. */
export const DEFAULT_MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/** The rules without options. */
export const DEFAULT_RULES: OutboundRules = {
    unknownHostKeys: false,
    cloudCredentials: false,
    maxFileBytes: 2 * 1024 * 1024 * 1024,
};
/** To one origin at the same time; more wait. */
const MAX_CONNECTIONS = 128;
const KEEP_ALIVE_MS = 10_000;

export interface GatewayOptions extends Allowed {
    /** The maximum size of a buffered response, for every caller. */
    readonly maxResponseBytes?: number;
    readonly rules?: Partial<OutboundRules>;
    readonly clock?: Clock;
    /** For tests: a custom resolver, connector and certificate authority. */
    readonly resolve?: Resolve;
    readonly makeConnector?: MakeConnector;
    readonly ca?: string;
}

/** The ways of one run. */
export interface RunOutbound extends Outbound {
    /** Closes all its open streams and sockets. It can be used again afterwards. */
    close(): void;
}

/** The run that makes the requests. */
export interface RequestingRun {
    readonly scope: string;
    /** 0 = none. */
    readonly rateLimitRps: number;
    /** Called with each token before it is sent, so that it can be redacted from responses. */
    readonly learn?: (token: string) => void;
}

/** The one door to the network. One for a process: connections, breakers and host limits are shared by its runs. */
export class OutboundGateway {
    private readonly id = randomUUID();
    private readonly clock: Clock;
    private readonly agent: Agent;
    private readonly exchange: Exchange;
    private readonly sockets: GuardedSockets;
    private readonly tokens: GrantedTokens;
    private readonly hosts: HostLimits;
    private readonly maxResponseBytes: number;
    private readonly rules: OutboundRules;

    constructor({
        clock = systemClock,
        resolve = systemResolve,
        makeConnector = buildConnector,
        maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES,
        rules,
        ca,
        ...allowed
    }: GatewayOptions) {
        this.clock = clock;
        this.maxResponseBytes = maxResponseBytes;
        this.rules = { ...DEFAULT_RULES, ...rules };
        this.hosts = new HostLimits(clock);
        const breaker = new Breaker(clock);
        const sockets = { policy: new OutboundPolicy(allowed), resolve, makeConnector, ca };
        this.sockets = new GuardedSockets({ ...sockets, breaker });
        this.agent = new Agent({
            connect: guardedConnector(sockets),
            connections: MAX_CONNECTIONS,
            pipelining: 1,
            allowH2: false,
            maxHeaderSize: MAX_HEADER_BYTES,
            keepAliveTimeout: KEEP_ALIVE_MS,
            keepAliveMaxTimeout: KEEP_ALIVE_MS,
        });
        const { maxFileBytes: maxStreamedBytes } = this.rules;
        this.exchange = new Exchange({ agent: this.agent, policy: sockets.policy, breaker, clock, maxStreamedBytes });
        this.tokens = new GrantedTokens(this.exchange, clock);
    }

    /** The outbound client of one run, with a separate rate limit. */
    forRun({ scope, rateLimitRps, learn = () => undefined }: RequestingRun): RunOutbound {
        const limit = new RateLimit(this.clock);
        const held = new OpenHandles();
        const learned = new Set<string>();
        const learnOnce = (token: string): void => {
            if (!learned.has(token)) learn(token);
            learned.add(token);
        };
        const turnOf =
            ({ perSecond }: Pick<OutboundRequest, 'perSecond'>): RateLimitWait =>
            async (host, signal) => {
                if (rateLimitRps > 0) await limit.turn(rateLimitRps, signal);
                if (perSecond !== undefined) await this.hosts.turn(host, perSecond, signal);
            };
        return {
            // Two doors in one process may stand for two servers.
            scope: `${this.id}/${scope}`,
            rules: this.rules,
            http: {
                send: request => {
                    const turn = turnOf(request);
                    return this.tokens.authorized(request, { turn, learn: learnOnce }, one => this.send(one, turn));
                },
            },
            stream: {
                open: request => {
                    const turn = turnOf(request);
                    return this.tokens.authorized(request, { turn, learn: learnOnce }, one =>
                        this.open(one, turn, held),
                    );
                },
            },
            socket: this.sockets.forRun({ scope, held }),
            close: () => held.closeAll(),
        };
    }

    /** Aborts everything that is still in progress. */
    async close(): Promise<void> {
        this.sockets.closeAll();
        await this.agent.destroy();
    }

    private send(request: Authorized<OutboundRequest>, rateLimitWait: RateLimitWait): Promise<OutboundResponse> {
        const { timeoutMs, idleMs, maxBytes = this.maxResponseBytes } = request;
        const most = Math.min(maxBytes, this.maxResponseBytes);
        return this.exchange.ask(request, rateLimitWait, {
            timeoutMs,
            ...(idleMs !== undefined && { idleMs }),
            take: async (head, answered) => {
                const answer = await taken(head, answered, { most, isBare: request.method === 'HEAD' });
                return unlessBusy(answer, request, answered.facts) ?? answer;
            },
        });
    }

    private open(
        request: Authorized<OutboundStreamRequest>,
        rateLimitWait: RateLimitWait,
        held: OpenHandles,
    ): Promise<OutboundStream> {
        const { totalMs, idleMs, maxBytes = this.maxResponseBytes, wholeUpTo, isStored, signal: stop } = request;
        return this.exchange.ask<OutboundStream>(request, rateLimitWait, {
            timeoutMs: wholeUpTo === undefined ? totalMs : Math.min(idleMs, totalMs),
            idleMs,
            take: async (head, { facts, deadline, pass }) => {
                const of = { facts: { ...facts, timeoutMs: totalMs }, deadline, pass, stop, held };
                const answer = new StreamedResponse(head.status, { ...head, maxBytes, isStored }, of);
                if (wholeUpTo !== undefined) await answer.readAhead(wholeUpTo);
                const { status, headers, whole } = answer;
                const busy = whole && unlessBusy({ status, headers, body: whole }, request, facts);
                if (busy) return busy;
                if (wholeUpTo !== undefined && !whole) deadline.extend(totalMs);
                settle(head, pass);
                return answer;
            },
        });
    }
}

/** A request with its authentication, if any. */
type Authorized<T extends OutboundRequest | OutboundStreamRequest> = Omit<T, 'auth'> & Pick<ExchangeRequest, 'auth'>;

async function taken(
    head: Head,
    { deadline, pass }: ResponseTry,
    { most, isBare }: { readonly most: number; readonly isBare: boolean },
): Promise<OutboundResponse> {
    const { status, headers } = head;
    // The headers of a response to HEAD describe a body that is not sent: its length and encoding.
    const body = await readBody({ ...head, ...(isBare && { headers: {} }), maxBytes: most });
    deadline.end();
    settle(head, pass);
    return { status, headers, body };
}

/** What a response shows about its server. */
function settle({ status }: Head, pass: ResponseTry['pass']): void {
    if (status >= 500) pass.failed(status);
    else pass.succeeded();
}
