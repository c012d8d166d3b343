import { flowError } from '../errors/flow-error';
import type { OutboundHttp, OutboundRequest } from './http';

/** A request whose answer is read piece by piece, as fast as its reader works. */
export interface OutboundStreamRequest extends Omit<OutboundRequest, 'timeoutMs' | 'maxBytes'> {
    /** How long the server may say nothing: until the head of its answer has come, and then while somebody waits for the next piece. */
    readonly idleMs: number;
    /** For one try, from the look-up of the name to the last byte; what the reader does between two pieces counts as well. */
    readonly totalMs: number;
    /** Of the answer, after decompression. */
    readonly maxBytes: number;
}

/** An answer that has begun. */
export interface OutboundStream {
    readonly status: number;
    /** Names in lower case; what came several times is joined by commas. */
    readonly headers: Readonly<Record<string, string>>;
    /**
     * Decompressed. To be read once; whoever leaves it early closes it. Throws what `OutboundStreams.open` does, but tries nothing again: what was
     * read cannot be unread.
     */
    readonly body: AsyncIterable<Buffer>;
    /** Gives the connection back where the body is not read, or not to its end. May be called again. */
    close(): void;
}

/** The way to answers that are too large to be held. */
export interface OutboundStreams {
    /** As `OutboundHttp.send`, with all its rules and errors; tried again until the head of the answer has come. */
    open(request: OutboundStreamRequest): Promise<OutboundStream>;
}

/** Where a socket leads. */
export interface SocketTarget {
    /** A name or an address, without brackets. */
    readonly host: string;
    readonly port: number;
    /**
     * Ports of the protocol that is going to be spoken, from the adapter and never from a configuration: of the ports that belong to a well-known
     * service these alone may be reached, unless the host or the port is listed in the plugin's options.
     */
    readonly usualPorts: readonly number[];
    /** For the look-up of the name, the connection and the handshake of TLS. Default 10 seconds. */
    readonly connectMs?: number;
    /** Broken off when for so long nothing was sent either way. Without it, whoever uses the socket sees to that. */
    readonly idleMs?: number;
    /** TLS from the first byte. */
    readonly tls?: SocketTls;
    /** Destroys the socket, whenever it is aborted. */
    readonly signal: AbortSignal;
}

/** How TLS is spoken. PEM texts come from secrets. */
export interface SocketTls {
    /** The name that is asked for and that the certificate must be for; default: the target's host. */
    readonly servername?: string;
    /** An authority to trust instead of those of Node. */
    readonly ca?: string;
    /** The client's own certificate and its key. */
    readonly cert?: string;
    readonly key?: string;
    /** False takes any certificate. Default true. */
    readonly rejectUnauthorized?: boolean;
}

/** A connected socket of Node, `net.Socket` or `tls.TLSSocket`: clients that take one get this as it is. */
export interface OutboundSocket extends NodeJS.ReadWriteStream {
    readonly remoteAddress?: string | undefined;
    readonly destroyed: boolean;
    destroy(error?: Error): this;
    setNoDelay(noDelay?: boolean): this;
    setKeepAlive(enable?: boolean, initialDelay?: number): this;
    setTimeout(timeout: number, callback?: () => void): this;
    ref(): this;
    unref(): this;
}

/** What a name has been looked up as, for clients that open their sockets themselves: they may connect to this and to nothing else. */
export interface PinnedHost {
    readonly address: string;
    readonly family: 4 | 6;
    /** Answers what was found before; as `lookup` of Node's `net.connect`. */
    lookup(
        host: string,
        options: { readonly all?: boolean; readonly family?: number | string },
        callback: (error: Error | null, address: never, family?: number) => void,
    ): void;
}

/** The way to servers that speak something else than HTTP. */
export interface OutboundSockets {
    /**
     * Resolves the name once, judges every address, connects to one of just these. Closed at the latest when the run ends or stops. Throws
     * OUTBOUND_BLOCKED, OUTBOUND_TIMEOUT, REMOTE_BUSY and REMOTE_REFUSED.
     */
    open(target: SocketTarget): Promise<OutboundSocket>;
    /** TLS over a socket of `open` whose protocol has agreed on it (STARTTLS). `servername` is needed. Destroys the socket where it fails. */
    secure(socket: OutboundSocket, tls: SocketTls & { readonly servername: string }): Promise<OutboundSocket>;
    /** Looks a host up and judges it, without connecting. Only for clients that cannot be given a socket. */
    pin(target: Omit<SocketTarget, 'tls' | 'idleMs'>): Promise<PinnedHost>;
}

/** An adapter's ways to the network; there are no others (architecture, decision 7). */
export interface Outbound {
    /** Whose requests these are (channel and pipeline): what is remembered for one is never given to another. */
    readonly scope: string;
    /** Requests whose answers are held whole. */
    readonly http: OutboundHttp;
    /** Requests whose answers are read piece by piece. */
    readonly stream: OutboundStreams;
    /** Sockets for other protocols. */
    readonly socket: OutboundSockets;
}

const refused = (): Promise<never> =>
    Promise.reject(flowError('OUTBOUND_BLOCKED', { host: 'any host', problem: 'this run has no network' }));

/** For runs without a network: everything is refused. */
export const noNetwork: Outbound = {
    scope: '',
    http: { send: refused },
    stream: { open: refused },
    socket: { open: refused, secure: refused, pin: refused },
};
