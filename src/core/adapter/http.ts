import type { Secret } from './secret';

export type OutboundMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A header whose value comes from a secret. Made by src/io/outbound/auth.ts; sent to the origin of `originLock` and nowhere else. */
export interface OutboundAuth {
    readonly header: string;
    readonly value: Secret;
}

/** One request to a system outside, as an adapter asks for it. */
export interface OutboundRequest {
    /** http or https, without user name and password. */
    readonly url: string;
    readonly method: OutboundMethod;
    /** Those that `staticHeaders()` allows, and no others. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Needs `originLock`. */
    readonly auth?: OutboundAuth | undefined;
    /** "https://erp.example.com": the one origin that the request and its redirects may go to. */
    readonly originLock?: string | undefined;
    readonly body?: string | Uint8Array | undefined;
    /** For one try: name look-up, redirects and the whole answer. */
    readonly timeoutMs: number;
    /** Of the answer, after decompression; at most, and by default, what the plugin option `security.maxResponseBytes` allows. */
    readonly maxBytes?: number;
    /** How often it is tried at most, the first time included. Default 1. */
    readonly attempts?: number;
    /** True when it does no harm that a POST or PATCH comes twice: it only reads, or carries an id by which the other side knows it again. */
    readonly isRepeatable?: boolean;
    /** Requests a second to this host, of all who say so. */
    readonly perSecond?: number;
    /** Statuses that are an answer rather than an error, beside 200 to 299. */
    readonly expected?: readonly number[];
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
