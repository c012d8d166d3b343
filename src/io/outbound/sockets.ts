import type { Socket } from 'node:net';
import type {
    AwaitedSocket,
    DetachedSession,
    OutboundSocket,
    OutboundSockets,
    PinnedHost,
    SocketTarget,
    SocketTls,
} from '../../core/adapter/outbound';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { onAbort } from '../../core/concurrency/abort';
import type { Breaker } from './breaker';
import { callBack } from './retried-call';
import { Deadline } from './deadline';
import { remoteBusy } from './exchange';
import { failureOf, idledOut, timedOut, type TryFacts } from './failures';
import { OpenHandles } from './open-handles';
import { DetachedSessions } from './detached-sessions';
import type { FailedTry } from './retry';
import { CONNECT_MS, checkedAddresses, pinned, type SocketDeps } from './socket';
import { handshake } from './tls';

/** The number of checks of a socket within its idle limit. */
const IDLE_LOOKS = 4;

/** How a socket was opened, for what is done with it later. */
interface Opened {
    readonly facts: TryFacts;
    readonly signal: AbortSignal;
    readonly held: OpenHandles;
}

/** With functions that detach it from the signal and from the end of the run. */
interface Bound extends Opened {
    free(): void;
}

/** Whose sockets these are. */
interface Holder {
    readonly scope: string;
    readonly held: OpenHandles;
}

type Failed = Pick<FailedTry, 'isTrouble'> & { readonly error: unknown };

/** Opens sockets that the policy allows: only to checked addresses. */
export class GuardedSockets {
    private readonly opened = new WeakMap<OutboundSocket, Bound>();
    private readonly all = new OpenHandles();
    private readonly left = new DetachedSessions();

    constructor(private readonly parts: SocketDeps & { readonly breaker: Breaker }) {}

    /** As one run sees them, with what it has open in `held`. */
    forRun({ scope, held }: Holder): OutboundSockets {
        const named = (name: string): string => `${scope} ${name}`;
        return {
            open: target => this.open(target, held),
            secure: (socket, tls) => this.secure(socket, tls),
            awaitFrom: (socket, { waitMs }) => this.awaitFrom(socket, waitMs),
            pin: target => this.pin(target),
            hold: close => held.add(close),
            leave: (name, session) => this.leave(named(name), session),
            restoreCheckpoint: (name, signal) => this.restoreCheckpoint(named(name), { held, signal }),
        };
    }

    closeAll(): void {
        this.left.closeAll();
        this.all.closeAll();
    }

    private async open(target: SocketTarget, held: OpenHandles): Promise<OutboundSocket> {
        const { tls, idleMs, port, signal, at } = target;
        const { host, facts } = this.judged(target);
        const pass = this.parts.breaker.enter(`tcp://${facts.host}`);
        if ('waitMs' in pass) throw remoteBusy({ host: facts.host, tried: 1, ...pass });
        try {
            const socket = await inTime({ facts, signal }, async deadline => {
                const looked = at ? this.pinnedAddresses(host, at) : checkedAddresses(host, this.parts);
                const addresses = await unlessAborted(looked, deadline.signal);
                const plain = await this.connected({ hostname: host, port: String(port) }, addresses, deadline);
                if (idleMs !== undefined) watchIdle(plain, { ...facts, idleMs });
                return tls ? handshake(plain, { servername: host, ...tls }, deadline.signal) : plain;
            });
            pass.succeeded();
            return this.kept(socket, { facts, signal, held });
        } catch (thrown) {
            const { error, isTrouble } = thrown as Failed;
            if (isTrouble) pass.failed();
            else pass.abandoned();
            throw error;
        }
    }

    private async secure(
        socket: OutboundSocket,
        tls: SocketTls & { readonly servername: string },
    ): Promise<OutboundSocket> {
        const opened = this.openedAs(socket);
        try {
            const secured = await inTime(opened, deadline => handshake(socket as Socket, tls, deadline.signal));
            return this.kept(secured, opened);
        } catch (thrown) {
            throw (thrown as Failed).error;
        }
    }

    private async awaitFrom(socket: OutboundSocket, waitMs: number): Promise<AwaitedSocket> {
        const opened = this.openedAs(socket);
        const { facts, held } = opened;
        const waiting = await callBack(socket as Socket, { facts: { ...facts, timeoutMs: waitMs }, held });
        return { ...waiting, accepted: async () => this.kept(await waiting.accepted(), opened) };
    }

    private leave(name: string, session: DetachedSession): void {
        for (const socket of session.sockets) this.openedAs(socket).free();
        this.left.put(name, session);
    }

    private restoreCheckpoint(name: string, by: Pick<Opened, 'held' | 'signal'>): DetachedSession | undefined {
        const session = this.left.take(name);
        for (const socket of session?.sockets ?? []) this.bind(socket, { ...by, facts: this.openedAs(socket).facts });
        return session;
    }

    private openedAs(socket: OutboundSocket): Bound {
        const opened = this.opened.get(socket);
        if (!opened) throw flowError('BUG', { problem: 'a socket is resumed that the gateway did not open' });
        return opened;
    }

    /** Throws OUTBOUND_BLOCKED. */
    private async pinnedAddresses(host: string, { address }: PinnedHost): Promise<readonly string[]> {
        this.parts.policy.check(host, [address]);
        return [address];
    }

    private async pin(target: Omit<SocketTarget, 'tls' | 'idleMs'>): Promise<PinnedHost> {
        const { host, facts } = this.judged(target);
        try {
            const found = await inTime({ facts, signal: target.signal }, ({ signal }) =>
                unlessAborted(checkedAddresses(host, this.parts), signal),
            );
            const address = found[0]!;
            const lookup = pinned(found) as unknown as PinnedHost['lookup'];
            return { address, family: address.includes(':') ? 6 : 4, lookup };
        } catch (thrown) {
            throw (thrown as Failed).error;
        }
    }

    /** Throws OUTBOUND_BLOCKED. */
    private judged(target: Omit<SocketTarget, 'tls' | 'idleMs'>): { readonly host: string; readonly facts: TryFacts } {
        const { port, signal, connectMs = CONNECT_MS } = target;
        signal.throwIfAborted();
        const host = this.parts.policy.socketHost(target);
        const shown = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
        return { host, facts: { host: shown, tried: 1, timeoutMs: connectMs } };
    }

    private connected(
        to: { readonly hostname: string; readonly port: string },
        addresses: readonly string[],
        { signal }: Deadline,
    ): Promise<Socket> {
        const { makeConnector } = this.parts;
        // Undici passes unknown options through: because of the signal, connecting ends when the time is over.
        const options = { lookup: pinned(addresses), timeout: 0, allowH2: false, signal };
        const connect = makeConnector(options as Parameters<typeof makeConnector>[0]);
        const connected = new Promise<Socket>((resolve, reject) => {
            connect({ ...to, host: to.hostname, protocol: 'http:' }, (error, socket) => {
                if (error) return reject(error);
                if (signal.aborted) socket.destroy();
                resolve(socket);
            });
        });
        return unlessAborted(connected, signal);
    }

    /** From here on, the socket is closed when its run stops or ends, and an unhandled error does no harm. */
    private kept(socket: Socket, openCircuit: Opened): OutboundSocket {
        const release = this.all.add(() => void socket.destroy());
        this.bind(socket, openCircuit);
        socket
            .on('error', () => undefined)
            .once('close', () => {
                release();
                this.opened.get(socket)?.free();
            });
        return socket;
    }

    private bind(socket: OutboundSocket, openCircuit: Opened): void {
        const { signal, held } = openCircuit;
        const stop = (): void => void socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
        const release = held.add(() => void socket.destroy());
        const leave = onAbort(signal, stop);
        const free = (): void => {
            leave();
            release();
        };
        this.opened.set(socket, { ...openCircuit, free });
        if (signal.aborted) stop();
    }
}

/** Throws a Failed. */
async function inTime<T>(
    { facts, signal }: Pick<Opened, 'facts' | 'signal'>,
    work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
    const deadline = new Deadline(facts.timeoutMs, signal);
    try {
        return await work(deadline);
    } catch (thrown) {
        throw failedExchange(thrown);
    } finally {
        deadline.end();
    }

    function failedExchange(thrown: unknown): Failed {
        if (signal.aborted) return { error: signal.reason, isTrouble: false };
        if (deadline.isLate) return timedOut(facts);
        if (isFlowError(thrown)) return { error: thrown, isTrouble: false };
        try {
            return failureOf(thrown, facts);
        } catch (error) {
            return { error, isTrouble: false };
        }
    }
}

/** For work that cannot be stopped itself. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
        const stop = (): void => reject(signal.reason as Error);
        if (signal.aborted) stop();
        const leave = onAbort(signal, stop);
        work.then(resolve, reject).finally(leave);
    });
}

/** Not by the socket's own timer, which clients set for themselves. */
function watchIdle(socket: Socket, facts: TryFacts & { readonly idleMs: number }): void {
    let seen = '';
    let looks = 0;
    const timer = setInterval(
        () => {
            const now = `${socket.bytesRead}/${socket.bytesWritten}`;
            looks = now === seen ? looks + 1 : 0;
            seen = now;
            if (looks >= IDLE_LOOKS) socket.destroy(idledOut(facts).error);
        },
        Math.max(1, facts.idleMs / IDLE_LOOKS),
    );
    socket.once('close', () => clearInterval(timer));
}
