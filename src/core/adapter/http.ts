import type { Secret } from './secret';

export type OutboundMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A header whose value comes from a secret. Made by src/io/outbound/auth.ts; sent to the origin of `originLock` and nowhere else. */
export interface OutboundAuth {
    readonly header: string;
    readonly value: Secret;
}

/**
 * OAuth 2 client credentials. The outbound client requests a token at their own address, keeps it as long as it is
 * valid, and sends it as `Authorization: Bearer …` only to the origin of `originLock`. Made by src/io/outbound/auth.ts.
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

/** A body that is read while it is sent. The shop's `security.maxFileBytes` limits its size. */
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
    /** For one attempt: name look-up, redirects and the whole response. */
    readonly timeoutMs: number;
    /** How much of that time may pass without any data in either direction. Default: all of it. */
    readonly idleMs?: number;
    /**
     * The maximum size of the response after decompression. The maximum and default is the plugin option
     * `security.maxResponseBytes`.
     */
    readonly maxBytes?: number;
    /** How often it is tried at most, the first time included. Default 1. */
    readonly attempts?: number;
    /** True when it does no harm that a POST or PATCH comes twice: it only reads, or carries an id by which the other side knows it again. */
    readonly isRepeatable?: boolean;
    /** Requests per second to this host, shared by all callers that set it. */
    readonly perSecond?: number;
    /** Statuses that are a result rather than an error, in addition to 200 to 299. */
    readonly expected?: readonly number[];
    /** Checks a complete response: one that requests a later retry is retried like a status that does. */
    readonly busyIn?: ((answer: OutboundResponse) => BusyResponse | undefined) | undefined;
    /**
     * Returns the reason in a response with an error status, for the message of that error. Receives only the beginning
     * of a long body.
     */
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

/** Sends requests whose responses are held whole. */
export interface OutboundHttp {
    /**
     * Checks every address and connects only to the checked ones, follows redirects, limits size and time, and retries
     * requests that are safe to repeat. Throws OUTBOUND_BLOCKED, OUTBOUND_ORIGIN, OUTBOUND_TOO_LARGE, OUTBOUND_TIMEOUT,
     * REMOTE_BUSY, REMOTE_REFUSED and REMOTE_MALFORMED.
     */
    send(request: OutboundRequest): Promise<OutboundResponse>;
}
