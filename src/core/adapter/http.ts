import type { Secret } from './secret';

export type OutboundMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A header whose value comes from a secret. Made by src/io/outbound/auth.ts; sent to the origin of `originLock` and nowhere else. */
export interface OutboundAuth {
    readonly header: string;
    readonly value: Secret;
}

/**
 * OAuth 2 client credentials: the door gets a token for them at their own address, keeps it as long as it is good for, and sends it as
 * `Authorization: Bearer …` to the origin of `originLock` and nowhere else. Made by src/io/outbound/auth.ts.
 */
export interface OutboundGrant {
    /** http or https, of any origin. The secret goes to it and nowhere else. */
    readonly tokenUrl: string;
    readonly clientId: string;
    readonly clientSecret: Secret;
    readonly scope?: string | undefined;
    readonly audience?: string | undefined;
    /** Where the client proves itself: in the header of BASIC authentication, or in the form. */
    readonly clientAuth: 'BASIC' | 'BODY';
}

/** A response whose body requests a later retry. */
export interface BusyResponse {
    /** Follows the host in the message: `answered THROTTLED`. */
    readonly problem: string;
    /** The requested wait. Default: the wait that the client chooses. */
    readonly waitMs?: number;
}

/** A body that is read as it is sent: the shop's `security.maxFileBytes` says how much it may be. */
export interface StreamedBody {
    /** Exactly this number of bytes is sent; a body with fewer or more bytes fails the request. */
    readonly bytes: number;
    /** The body from its beginning, in chunks. Called for each try and for each redirect that repeats the body. */
    open(): AsyncIterable<Uint8Array>;
}

/** One request to an external system, as an adapter specifies it. */
export interface OutboundRequest {
    /** http or https, without user name and password. */
    readonly url: string;
    readonly method: OutboundMethod;
    /** Those that `staticHeaders()` allows, and no others. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Needs `originLock`. */
    readonly auth?: OutboundAuth | OutboundGrant | undefined;
    /** Headers in addition to `auth` whose values come from secrets: signatures, session tokens. Called for each try. Need `originLock`. */
    readonly signed?: () => readonly OutboundAuth[];
    /** Like `usualPorts` of a socket: ports of the requested service, from the adapter and never from a configuration. */
    readonly usualPorts?: readonly number[];
    /** "https://erp.example.com": the one origin that the request and its redirects may go to. */
    readonly originLock?: string | undefined;
    readonly body?: string | Uint8Array | StreamedBody | undefined;
    /** For one try: name look-up, redirects and the whole answer. */
    readonly timeoutMs: number;
    /** Of that, how long nothing at all may be sent either way. Default: all of it. */
    readonly idleMs?: number;
    /** Of the answer, after decompression; at most, and by default, what the plugin option `security.maxResponseBytes` allows. */
    readonly maxBytes?: number;
    /** How often it is tried at most, the first time included. Default 1. */
    readonly attempts?: number;
    /** True when it does no harm that a POST or PATCH comes twice: it only reads, or carries an id by which the other side knows it again. */
    readonly isRepeatable?: boolean;
    /** Requests a second to this host, of all who say so. */
    readonly perSecond?: number;
    /** Statuses that are a result rather than an error, in addition to 200 to 299. */
    readonly expected?: readonly number[];
    /** Checks a complete response: one that requests a later retry is retried like a status that does. */
    readonly busyIn?: ((answer: OutboundResponse) => BusyResponse | undefined) | undefined;
    /** What an answer says whose status is an error, for the message of that error; only the beginning of a long body is given. */
    readonly reasonIn?: ((answer: OutboundResponse) => string | undefined) | undefined;
    readonly signal: AbortSignal;
}

export interface OutboundResponse {
    readonly status: number;
    /** Names in lower case; what came several times is joined by commas. */
    readonly headers: Readonly<Record<string, string>>;
    /** Decompressed. */
    readonly body: Buffer;
}

/** The way to answers that are held whole. */
export interface OutboundHttp {
    /**
     * Checks every address and connects to just these, follows redirects, caps size and time, tries again what is safe to. Throws
     * OUTBOUND_BLOCKED, OUTBOUND_ORIGIN, OUTBOUND_TOO_LARGE, OUTBOUND_TIMEOUT, REMOTE_BUSY, REMOTE_REFUSED and REMOTE_MALFORMED.
     */
    send(request: OutboundRequest): Promise<OutboundResponse>;
}
