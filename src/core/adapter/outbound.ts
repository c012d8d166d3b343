import { flowError } from '../errors/flow-error';
import type { OutboundHttp, OutboundRequest } from './http';

/** A request whose response is read in chunks, as fast as its reader works. */
export interface OutboundStreamRequest extends Omit<OutboundRequest, 'timeoutMs' | 'maxBytes'> {
    /** How long the server may be silent: until the head of its response has arrived, and then while a reader waits for the next chunk. */
    readonly idleMs: number;
    /**
     * For one attempt, from the look-up of the name to the last byte, including the reader's work between two chunks.
     */
    readonly totalMs: number;
    /** The maximum size of the response after decompression. Default: the plugin option `security.maxResponseBytes`. */
    readonly maxBytes?: number;
    /**
     * A response of at most this many bytes is buffered, so that its retries include its body; of a longer response they include only this part.
     * Until then, `idleMs` limits the whole time.
     */
    readonly wholeUpTo?: number;
    /** The bytes as the server stores them, regardless of its encoding header: for files, which are counted and resumed in the middle. */
    readonly isStored?: boolean;
}

/** A response that has begun. */
export interface OutboundStream {
    readonly status: number;
    /** Names in lower case; what came several times is joined by commas. */
    readonly headers: Readonly<Record<string, string>>;
    /** The body, if `wholeUpTo` was set and the body is not longer. */
    readonly whole?: Buffer | undefined;
    /**
     * Decompressed. It can be read once, and a reader that stops early closes it. Throws the same errors as `OutboundStreams.open` but does not
     * retry, because bytes that were read cannot be returned.
     */
    readonly body: AsyncIterable<Buffer>;
    /** Releases the connection if the body is not read to its end. May be called more than once. */
    close(): void;
}

/** Sends requests whose responses are too large to be held. */
export interface OutboundStreams {
    /** Like `OutboundHttp.send`, with the same rules and errors; retried until the head of the response has arrived. */
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
    /** The socket is destroyed after this time without traffic in either direction. Without it, the user of the socket is responsible for that. */
    readonly idleMs?: number;
    /** What `pin` has answered of this host: connects to just that, and looks nothing up. */
    readonly at?: PinnedHost;
    /** TLS from the first byte. */
    readonly tls?: SocketTls;
    /** Destroys the socket, whenever it is aborted. */
    readonly signal: AbortSignal;
}

/** How TLS is spoken. PEM texts come from secrets. */
export interface SocketTls {
    /** The requested server name, for which the certificate must be valid; default: the target's host. */
    readonly servername?: string;
    /** A certificate authority to trust instead of those of Node. */
    readonly ca?: string;
    /** The client's own certificate and its key. */
    readonly cert?: string;
    readonly key?: string;
    /** False takes any certificate. Default true. */
    readonly rejectUnauthorized?: boolean;
    /** A session of the same server to resume, which FTP servers require for data connections: the value of its socket's event `session`. */
    readonly session?: Buffer;
}

/** A connected socket of Node, `net.Socket` or `tls.TLSSocket`, which is passed to clients unchanged. */
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
    /** Returns the addresses that were found before; same signature as `lookup` of Node's `net.connect`. */
    lookup(
        host: string,
        options: { readonly all?: boolean; readonly family?: number | string },
        callback: (error: Error | null, address: never, family?: number) => void,
    ): void;
}

/** A port of this machine at which one server may call back. */
export interface AwaitedSocket {
    readonly address: string;
    readonly port: number;
    /** The connection, once it has come. Throws OUTBOUND_TIMEOUT. */
    accepted(): Promise<OutboundSocket>;
    /** No call is waited for any more. May be called again. */
    close(): void;
}

/** A conversation with a server that may outlive the run that began it. */
export interface DetachedSession {
    /** What it is spoken through, as `open` and `secure` have answered. */
    readonly sockets: readonly OutboundSocket[];
    close(): void;
}

/** The way to servers that speak something else than HTTP. */
export interface OutboundSockets {
    /**
     * Resolves the name once, checks every address, and connects to one of exactly these. Closed at the latest when the run ends or stops. Throws
     * OUTBOUND_BLOCKED, OUTBOUND_TIMEOUT, REMOTE_BUSY and REMOTE_REFUSED.
     */
    open(target: SocketTarget): Promise<OutboundSocket>;
    /**
     * TLS over a socket of `open` whose protocol has agreed on it (STARTTLS). `servername` is required. Destroys the
     * socket on failure.
     */
    secure(socket: OutboundSocket, tls: SocketTls & { readonly servername: string }): Promise<OutboundSocket>;
    /**
     * Listens for one connection from the server to which a socket of `open` is connected, at the local address of this socket. It serves protocols
     * in which the server connects back (active FTP). Connections from other addresses are rejected.
     */
    awaitFrom(socket: OutboundSocket, limits: { readonly waitMs: number }): Promise<AwaitedSocket>;
    /** Resolves and checks a host without connecting. Only for clients that cannot use a given socket. */
    pin(target: Omit<SocketTarget, 'tls' | 'idleMs'>): Promise<PinnedHost>;
    /**
     * Closes what such a client has opened with the run, like sockets of `open`. The returned function cancels this.
     */
    hold(close: () => void): () => void;
    /**
     * Leaves a session open after the run, for a short time, so that the next run of the pipeline need not log in again. A run of the same scope
     * takes it up by the same name. The name contains everything with which the session was opened, with secrets as a digest.
     */
    leave(name: string, session: DetachedSession): void;
    /** What was left by this name, if it is still open. From now on it is closed when this run ends, or when the signal is aborted. */
    restoreCheckpoint(name: string, signal: AbortSignal): DetachedSession | undefined;
}

/** What the shop's operator allows beyond hosts and ports (plugin option `security`). */
export interface OutboundRules {
    /** Allows SSH servers whose host key has not been confirmed. */
    readonly unknownHostKeys: boolean;
    /** The server's own cloud credentials, for connections without keys. */
    readonly cloudCredentials: boolean;
    /** The most that a file elsewhere may have, in bytes, before and after it is unpacked. */
    readonly maxFileBytes: number;
}

/** An adapter's ways to the network; there are no others. */
export interface Outbound {
    /** The owner of these requests (channel and pipeline). What is cached for one owner is never given to another. */
    readonly scope: string;
    readonly rules: OutboundRules;
    /** Requests whose responses are held whole. */
    readonly http: OutboundHttp;
    /** Requests whose responses are read in chunks. */
    readonly stream: OutboundStreams;
    /** Sockets for other protocols. */
    readonly socket: OutboundSockets;
}

const rejected = (): Promise<never> =>
    Promise.reject(flowError('OUTBOUND_BLOCKED', { host: 'any host', problem: 'this run has no network' }));

/** For runs without a network: every request is rejected. */
export const noNetwork: Outbound = {
    scope: '',
    rules: { unknownHostKeys: false, cloudCredentials: false, maxFileBytes: 0 },
    http: { send: rejected },
    stream: { open: rejected },
    socket: {
        open: rejected,
        secure: rejected,
        awaitFrom: rejected,
        pin: rejected,
        hold: () => () => undefined,
        leave: (_, session) => session.close(),
        restoreCheckpoint: () => undefined,
    },
};
