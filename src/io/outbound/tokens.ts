import { createHash } from 'node:crypto';
import type { OutboundAuth, OutboundGrant, OutboundResponse } from '../../core/adapter/http';
import { deriveSecret, type Secret } from '../../core/adapter/secret';
import { type SecretTarget, secretTargetOf } from '../../core/adapter/secret-hosts';
import { asFlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import { isJsonObject, type JsonValue } from '../../core/value/json';
import { onAbort } from '../../core/concurrency/abort';
import type { Clock } from '../../core/concurrency/clock';
import { bearer, basic, textFor, trimmed } from './auth';
import { readBody } from './body';
import type { Exchange, RateLimitWait } from './exchange';
import { readJson } from './json';

/** Before its end a token is renewed, so that no request is on its way when it ends. */
const EARLY_MS = 60_000;
/** The lifetime of a token if the server does not report one. */
const DEFAULT_SECONDS = 3_600;
/** The longest time for which a token is kept, whatever its server reports. */
const MAX_SECONDS = 86_400;
/** The time limit of one try to get a token; shorter if the request has a shorter limit. */
const TIMEOUT_MS = 30_000;
const ATTEMPTS = 3;
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_TOKEN = 16_384;
/** The characters of a token (RFC 6749, A.12): a line end in it would begin another header. */
const TOKEN = /^[\x20-\x7e]+$/;
/** The greatest number of tokens that are kept; the oldest one is dropped first. */
const MAX_TOKENS = 1_000;
/** The statuses of an unknown client, and of an invalid request (RFC 6749, 5.2). */
const REFUSALS: readonly number[] = [400, 401, 403];
const WORDS: Readonly<Record<string, string>> = {
    invalid_client: 'invalid_client: the client id or its secret is not accepted',
    invalid_scope: 'invalid_scope: the scope is not known, or not for this client',
    unauthorized_client: 'unauthorized_client: the client may not ask for tokens by itself',
    unsupported_grant_type: 'unsupported_grant_type: it gives no tokens for client credentials',
};

/** A token, as long as it is good for. */
interface Token {
    readonly text: string;
    /** The time of its request; if the clock was set back since, its age is unknown. */
    readonly from: number;
    readonly until: number;
}

/** What the user of a token provides. */
interface TokenUse {
    readonly turn: RateLimitWait;
    learn(token: string): void;
}

interface Granted {
    readonly auth?: OutboundAuth | OutboundGrant | undefined;
    readonly signal: AbortSignal;
    readonly timeoutMs?: number;
    readonly idleMs?: number;
}

/** A token that a request waits for. */
interface Needed {
    readonly grant: OutboundGrant;
    readonly key: string;
    readonly signal: AbortSignal;
    /** For each try to get it. */
    readonly timeoutMs: number;
}

type With<R extends Granted> = Omit<R, 'auth'> & { readonly auth?: OutboundAuth | undefined };

/**
 * Tokens of OAuth 2 client credentials, shared by all runs of a process with the same credentials. Concurrent requests cause only one token
 * request. A token is renewed a minute before it expires, and once more if a server rejects it (401).
 */
export class GrantedTokens {
    private readonly known = new Map<string, Token>();
    private readonly underWay = new Map<string, Promise<Token>>();

    constructor(
        private readonly exchange: Exchange,
        private readonly clock: Clock,
    ) {}

    /** Sends a request with the token of its grant; a request without one is sent unchanged. */
    async authorized<R extends Granted, T extends { readonly status: number; close?(): void }>(
        request: R,
        use: TokenUse,
        ask: (request: With<R>) => Promise<T>,
    ): Promise<T> {
        const { auth } = request;
        if (!auth || !('tokenUrl' in auth)) return ask(request as With<R>);
        // The token represents the client's secret: it may only be sent where the secret may be sent.
        const askWith = ({ text }: Token): Promise<T> =>
            ask({ ...request, auth: bearer(deriveSecret(auth.clientSecret, () => text)) });
        // A cached token does not bypass the check: its user must be allowed to send the secret there.
        checkTokenHost(auth);
        const key = keyOf(auth);
        const { signal, timeoutMs = TIMEOUT_MS, idleMs = TIMEOUT_MS } = request;
        // A step that waits for its server for five seconds does not wait for a token for minutes.
        const needed = { grant: auth, key, signal, timeoutMs: Math.min(TIMEOUT_MS, timeoutMs, idleMs) };
        const token = await this.token(needed, use);
        try {
            const answer = await askWith(token);
            if (answer.status !== 401) return answer;
            answer.close?.();
        } catch (error) {
            if (!isFlowError(error) || error.details?.['status'] !== 401) throw error;
        }
        // Another request may have got a new token meanwhile.
        if (this.known.get(key) === token) this.known.delete(key);
        return askWith(await this.token(needed, use));
    }

    private async token(needed: Needed, use: TokenUse): Promise<Token> {
        const { key, signal } = needed;
        signal.throwIfAborted();
        const kept = this.known.get(key);
        const now = this.clock.now();
        const token =
            kept && kept.from <= now && now < kept.until
                ? kept
                : await unlessAborted(this.fresh(needed, use.turn), signal);
        use.learn(token.text);
        return token;
    }

    /** A token request that concurrent callers share, so that it does not end with the run of the first one. */
    private fresh({ grant, key, timeoutMs }: Needed, rateLimitWait: RateLimitWait): Promise<Token> {
        const underWay = this.underWay.get(key);
        if (underWay) return underWay;
        const requested = this.ask(grant, timeoutMs, rateLimitWait)
            .then(token => {
                this.known.delete(key);
                this.known.set(key, token);
                const [oldest] = this.known.keys();
                if (this.known.size > MAX_TOKENS) this.known.delete(oldest!);
                return token;
            })
            .finally(() => this.underWay.delete(key));
        this.underWay.set(key, requested);
        return requested;
    }

    private async ask(grant: OutboundGrant, timeoutMs: number, rateLimitWait: RateLimitWait): Promise<Token> {
        const { tokenUrl, clientId, clientSecret, clientAuth, scope, audience } = grant;
        const form = new URLSearchParams({ grant_type: 'client_credentials' });
        if (scope !== undefined) form.set('scope', scope);
        if (audience !== undefined) form.set('audience', audience);
        if (clientAuth === 'BODY') {
            form.set('client_id', clientId);
            form.set('client_secret', textFor(clientSecret, tokenTarget(tokenUrl)));
        }
        const askedAt = this.clock.now();
        const answer = await this.exchange.ask<OutboundResponse>(
            {
                url: tokenUrl,
                method: 'POST',
                headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
                ...(clientAuth === 'BASIC' && { auth: clientProof(clientId, clientSecret) }),
                originLock: new URL(tokenUrl).origin,
                body: form.toString(),
                attempts: ATTEMPTS,
                isRepeatable: true,
                expected: REFUSALS,
                // A signal of no run: each try ends by its time limit.
                signal: new AbortController().signal,
            },
            rateLimitWait,
            {
                timeoutMs,
                take: async (head, { deadline, pass }) => {
                    const body = await readBody({ ...head, maxBytes: MAX_ANSWER_BYTES });
                    deadline.end();
                    pass.succeeded();
                    return { status: head.status, headers: head.headers, body };
                },
            },
        );
        return this.tokenIn(answer, grant, askedAt);
    }

    private tokenIn(answer: OutboundResponse, { tokenUrl }: OutboundGrant, askedAt: number): Token {
        const { host } = new URL(tokenUrl);
        const { status } = answer;
        if (status >= 400) {
            const problem = `gives no token (${refusalIn(answer, host)})`;
            throw flowError('REMOTE_REFUSED', { host, problem }, { details: { tokenStatus: status } });
        }
        const value = readJson(answer, host);
        const { access_token: token, token_type: type, expires_in: seconds } = isJsonObject(value) ? value : {};
        if (typeof token !== 'string' || token === '' || token.length > MAX_TOKEN)
            throw flowError('REMOTE_MALFORMED', { host, problem: 'it has no access_token' });
        if (!TOKEN.test(token))
            throw flowError('REMOTE_MALFORMED', {
                host,
                problem: 'its access_token has line ends or other characters that are not allowed in a token',
            });
        if (typeof type === 'string' && type.toLowerCase() !== 'bearer')
            throw flowError('REMOTE_MALFORMED', { host, problem: 'its token has a type other than Bearer' });
        const goodMs = Math.min(secondsOf(seconds), MAX_SECONDS) * 1_000;
        // Of one that is good for less than two minutes, half the time.
        return { text: token, from: askedAt, until: askedAt + Math.max(goodMs - EARLY_MS, goodMs / 2) };
    }
}

/** By RFC 6749, 2.3.1, both parts are encoded as in forms first. */
function clientProof(clientId: string, secret: Secret): OutboundAuth {
    const encoded = (text: string): string => new URLSearchParams({ x: text }).toString().slice(2);
    return basic(encoded(clientId), deriveSecret(trimmed(secret), encoded));
}

/** Throws SECRET_HOST_NOT_ALLOWED where the client's secret may not be sent to the address of its tokens. */
function checkTokenHost({ tokenUrl, clientSecret }: OutboundGrant): void {
    clientSecret.revealFor(tokenTarget(tokenUrl));
}

/** A URL of no server is allowed nowhere. */
function tokenTarget(tokenUrl: string): SecretTarget {
    return secretTargetOf(tokenUrl) ?? { host: '', port: 0 };
}

/** The key of everything that determines a token. */
function keyOf({ tokenUrl, clientId, clientSecret, scope = '', audience = '', clientAuth }: OutboundGrant): string {
    const parts = [tokenUrl, clientId, clientSecret.digest(), scope, audience, clientAuth];
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Only the error code of the rejection, because everything else may repeat the sent values. */
function refusalIn(answer: OutboundResponse, host: string): string {
    let value: JsonValue | undefined;
    try {
        value = readJson(answer, host);
    } catch (thrown) {
        if (asFlowError(thrown).code !== 'REMOTE_MALFORMED') throw thrown;
    }
    const code = isJsonObject(value) ? value['error'] : undefined;
    const isCode = typeof code === 'string' && /^[a-z_]{1,60}$/.test(code);
    return isCode ? (WORDS[code] ?? code) : String(answer.status);
}

function secondsOf(value: JsonValue | undefined): number {
    const seconds = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
    return typeof seconds === 'number' && seconds >= 0 ? seconds : DEFAULT_SECONDS;
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    return new Promise((resolve, reject) => {
        const leave = onAbort(signal, () => reject(signal.reason as Error));
        work.then(resolve, reject).finally(leave);
    });
}
