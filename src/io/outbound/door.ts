import { randomUUID } from 'node:crypto';
import { Agent, buildConnector } from 'undici';
import type { OutboundRequest, OutboundResponse } from '../../core/adapter/http';
import type { Outbound, OutboundStream, OutboundStreamRequest } from '../../core/adapter/outbound';
import { type Clock, systemClock } from '../../core/work/clock';
import { readBody } from './body';
import { Breaker } from './breaker';
import { type AnsweredTry, Exchange, type Head, type Turn } from './exchange';
import { MAX_HEADER_BYTES } from './faults';
import { OpenHandles } from './held';
import { type Allowed, OutboundPolicy } from './policy';
import { HostLimits, RateLimit } from './rate-limit';
import { guardedConnector, type MakeConnector, type Resolve, systemResolve } from './socket';
import { GuardedSockets } from './sockets';
import { StreamedAnswer } from './stream';

/** Of an answer that is held whole, where nothing else is said. */
export const DEFAULT_MAX_RESPONSE_BYTES = 32 * 1024 * 1024;
/** To one origin at the same time; more wait. */
const MAX_CONNECTIONS = 128;
const KEEP_ALIVE_MS = 10_000;

export interface DoorOptions extends Allowed {
    /** The most that an answer which is held whole may come to, whoever asks. */
    readonly maxResponseBytes?: number;
    readonly clock?: Clock;
    /** For tests: a resolver, a maker of sockets and an authority of their own. */
    readonly resolve?: Resolve;
    readonly makeConnector?: MakeConnector;
    readonly ca?: string;
}

/** The ways of one run. */
export interface RunOutbound extends Outbound {
    /** Closes every stream and socket that it has open. It may go on afterwards. */
    close(): void;
}

/** The one door to the network. One for a process: connections, breakers and host limits are shared by its runs. */
export class OutboundDoor {
    private readonly id = randomUUID();
    private readonly clock: Clock;
    private readonly agent: Agent;
    private readonly exchange: Exchange;
    private readonly sockets: GuardedSockets;
    private readonly hosts: HostLimits;
    private readonly maxResponseBytes: number;

    constructor({
        clock = systemClock,
        resolve = systemResolve,
        makeConnector = buildConnector,
        maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES,
        ca,
        ...allowed
    }: DoorOptions) {
        this.clock = clock;
        this.maxResponseBytes = maxResponseBytes;
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
        this.exchange = new Exchange({ agent: this.agent, policy: sockets.policy, breaker, clock });
    }

    /** The door as one run sees it, with a rate limit of its own (0 = none). */
    forRun({ scope, rateLimitRps }: { readonly scope: string; readonly rateLimitRps: number }): RunOutbound {
        const limit = new RateLimit(this.clock);
        const held = new OpenHandles();
        const turnOf =
            ({ perSecond }: Pick<OutboundRequest, 'perSecond'>): Turn =>
            async (host, signal) => {
                if (rateLimitRps > 0) await limit.turn(rateLimitRps, signal);
                if (perSecond !== undefined) await this.hosts.turn(host, perSecond, signal);
            };
        return {
            // Two doors in one process may stand for two servers.
            scope: `${this.id}/${scope}`,
            http: { send: request => this.send(request, turnOf(request)) },
            stream: { open: request => this.open(request, turnOf(request), held) },
            socket: this.sockets.forRun(held),
            close: () => held.closeAll(),
        };
    }

    /** Breaks off whatever is still going on. */
    async close(): Promise<void> {
        this.sockets.closeAll();
        await this.agent.destroy();
    }

    private send(request: OutboundRequest, turn: Turn): Promise<OutboundResponse> {
        const { timeoutMs, maxBytes = this.maxResponseBytes } = request;
        const most = Math.min(maxBytes, this.maxResponseBytes);
        return this.exchange.ask(request, turn, { timeoutMs, take: (head, of) => taken(head, of, most) });
    }

    private open(request: OutboundStreamRequest, turn: Turn, held: OpenHandles): Promise<OutboundStream> {
        const { totalMs, idleMs, maxBytes, signal } = request;
        return this.exchange.ask(request, turn, {
            timeoutMs: totalMs,
            idleMs,
            take: async (head, { facts, deadline, pass }) => {
                const answer = new StreamedAnswer(
                    head.status,
                    { ...head, maxBytes },
                    { facts, deadline, pass, stop: signal, held },
                );
                settle(head, pass);
                return answer;
            },
        });
    }
}

async function taken(head: Head, { deadline, pass }: AnsweredTry, maxBytes: number): Promise<OutboundResponse> {
    const { status, headers } = head;
    const body = await readBody({ ...head, maxBytes });
    deadline.end();
    settle(head, pass);
    return { status, headers, body };
}

/** What an answer says of its server. */
function settle({ status }: Head, pass: AnsweredTry['pass']): void {
    if (status >= 500) pass.failed(status);
    else pass.succeeded();
}
