import { clause, type FactText } from '../../core/errors/rendered';
import type { Connection } from '../../core/adapter/connection';
import type { AdapterContext } from '../../core/adapter/context';
import type { OutboundAuth, OutboundGrant } from '../../core/adapter/http';
import { type SavedConnections, type SecretTarget, secretTargetOf } from '../../core/adapter/secret-hosts';
import { flowError } from '../../core/errors/flow-error';
import { authOf } from '../../io/outbound/auth';
import { hasPlaceholders, placeholderProblem, withoutPlaceholders } from './placeholders';

/** "https://host", up to the beginning of a path or query, or the end. */
const ORIGIN = /^https?:\/\/[^/?#\\]*/i;

/** Why requests cannot be sent to a text with `{{path}}` in it, as the end of a sentence; undefined if they can. */
export function endpointProblem(url: string, hasConnection: boolean): FactText | undefined {
    if (/[\s\p{Cc}\\]/u.test(url)) return clause`has a space, a line end or a backslash in it`;
    const problem = placeholderProblem(url);
    if (problem !== undefined) return problem;
    const origin = ORIGIN.exec(url)?.[0];
    const plain = withoutPlaceholders(url);
    if (origin === undefined) {
        if (/^[a-z][a-z0-9+.-]*:/i.test(plain) || plain.startsWith('//'))
            return clause`is not a URL; allowed: http://…, https://…, or a path with a connection`;
        if (!hasConnection) return clause`is a path; without a connection, a whole URL (https://host/path) is needed`;
    } else if (hasPlaceholders(origin)) {
        return clause`takes its host from the record; {{…}} is allowed in the path and the query only`;
    } else if (!URL.canParse(plain) || /@/.test(origin)) {
        return clause`is not a URL; allowed: http://host/path, https://host/path, without user name and password`;
    }
    return hasDotSegment(plain) ? clause`has . or .. as a part of its path` : undefined;
}

/** Servers and clients resolve these segments, also percent-encoded. */
export function hasDotSegment(url: string): boolean {
    return url
        .replace(ORIGIN, '')
        .split(/[?#]/, 1)[0]!
        .split('/')
        .some(part => /^(\.|%2e){1,2}$/i.test(part));
}

/**
 * A value as it is written in a URL. Half a surrogate pair cannot be encoded, and becomes the replacement character.
 */
export function encodedForUrl(text: string): string {
    return encodeURIComponent(Buffer.from(text).toString());
}

/** The target of a step's requests, and what all of them share. */
export interface Endpoint {
    /** Complete, with its placeholders. */
    readonly url: string;
    readonly auth: OutboundAuth | OutboundGrant | undefined;
    /** The origin of the connection's base URL. */
    readonly originLock: string | undefined;
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
}

/** The endpoint settings of a step. */
interface EndpointArgs {
    readonly connectionCode?: string | undefined;
    /** Default: the base URL of the connection. */
    readonly url?: string | undefined;
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
}

/**
 * `ownAuth` replaces the connection's authentication; NONE sends no credentials. Throws CONNECTION_INVALID,
 * OUTBOUND_ORIGIN and SECRET_UNREADABLE.
 */
export function endpointOf(
    { connectionCode, url: given, headers: own, timeoutMs: longest }: EndpointArgs,
    ownAuth: OutboundAuth | OutboundGrant | 'NONE' | undefined,
    { connections, secrets }: Pick<AdapterContext, 'connections' | 'secrets'>,
): Endpoint {
    const connection = connectionCode === undefined ? undefined : connections.get(connectionCode);
    const { baseUrl, headers = {}, timeoutMs = longest } = (connection?.settings ?? {}) as Settings;
    const auth = ownAuth === 'NONE' ? undefined : (ownAuth ?? (connection && authOf(connection, secrets)));
    if (auth && connection && baseUrl === undefined) {
        throw flowError('CONNECTION_INVALID', {
            code: connection.code,
            problem: 'it has no baseUrl, which says where a secret may go',
        });
    }
    const originLock = baseUrl === undefined ? undefined : new URL(baseUrl).origin;
    const url = wholeUrl(given, connection, baseUrl);
    checkOrigin(url, originLock);
    return { url, auth, originLock, headers: merged(headers, own), timeoutMs: Math.min(longest, timeoutMs) };
}

/** The server that receives the requests of a step; undefined if it is not known. */
export function endpointTarget(
    { connectionCode, url = '' }: Pick<EndpointArgs, 'connectionCode' | 'url'>,
    connections: SavedConnections,
): SecretTarget | undefined {
    const { baseUrl } = (connectionCode === undefined ? {} : (connections(connectionCode)?.settings ?? {})) as Settings;
    const whole = ORIGIN.test(url) ? withoutPlaceholders(url) : baseUrl;
    return whole === undefined ? undefined : secretTargetOf(whole);
}

/** As the schema of the connection types has checked it. */
interface Settings {
    readonly baseUrl?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly timeoutMs?: number;
}

function wholeUrl(url = '', connection: Connection | undefined, baseUrl: string | undefined): string {
    if (/^https?:\/\//i.test(url)) return url;
    if (baseUrl === undefined)
        throw flowError('CONNECTION_INVALID', {
            code: connection?.code ?? '',
            problem: `it has no baseUrl that "${url}" could start from`,
        });
    // A query without a path belongs to the base URL itself.
    return url === '' || url.startsWith('?')
        ? baseUrl + url
        : `${baseUrl.replace(/\/$/, '')}/${url.replace(/^\//, '')}`;
}

function checkOrigin(url: string, originLock: string | undefined): void {
    const { origin, host } = new URL(withoutPlaceholders(url));
    if (originLock !== undefined && origin !== originLock) {
        throw flowError('OUTBOUND_ORIGIN', {
            host,
            problem: `the connection's base URL binds its requests and redirects to ${originLock}`,
        });
    }
}

/** Headers of the step replace those of the connection, whatever the case of their names. */
function merged(
    base: Readonly<Record<string, string>>,
    own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
    const names = new Set(Object.keys(own).map(name => name.toLowerCase()));
    return { ...Object.fromEntries(Object.entries(base).filter(([name]) => !names.has(name.toLowerCase()))), ...own };
}
