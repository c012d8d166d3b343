import type { Connection } from '../../core/adapter/connection';
import type { AdapterContext } from '../../core/adapter/context';
import type { OutboundAuth } from '../../core/adapter/http';
import type { JsonObject } from '../../core/value/json';
import { compilePath } from '../../core/data/path';
import { flowError } from '../../core/errors/flow-error';
import { recordInvalid } from '../../core/errors/record-invalid';
import { apiKey, authOf, basicOf, bearer } from '../../io/outbound/auth';
import { contentType, hasDotSegment, isForm, type LookupArgs } from './lookup-config';
import { compileJson, compilePlaceholders, type Fill, withoutPlaceholders } from './placeholders';

/** What differs between the requests of one step. */
export interface RecordRequest {
    readonly url: string;
    readonly body: string | undefined;
}

/** What is the same for all requests of a step, decided before the first. */
export interface LookupRequest {
    readonly auth: OutboundAuth | undefined;
    readonly originLock: string | undefined;
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
    /** Undefined for a record that lacks a value. Throws RECORD_INVALID for a value that cannot be put in. */
    of(data: JsonObject): RecordRequest | undefined;
}

/** Throws CONNECTION_INVALID, OUTBOUND_ORIGIN and SECRET_UNREADABLE. */
export function lookupRequest(args: LookupArgs, cx: AdapterContext): LookupRequest {
    const connection = args.connectionCode === undefined ? undefined : cx.connections.get(args.connectionCode);
    const { baseUrl, headers = {}, timeoutMs } = (connection?.settings ?? {}) as Settings;
    const auth = authFor(args, connection, cx);
    if (auth && connection && baseUrl === undefined) {
        throw flowError('CONNECTION_INVALID', {
            code: connection.code,
            problem: 'it has no baseUrl, which says where a secret may go',
        });
    }
    const originLock = baseUrl === undefined ? undefined : new URL(baseUrl).origin;
    const url = wholeUrl(args.url, connection, baseUrl);
    checkOrigin(url, originLock);
    const all = merged(headers, args.headers);
    const fillUrl = compilePlaceholders(url, encodeURIComponentSafely);
    const fillBody = bodyFill(args, contentType(all));
    return {
        auth,
        originLock,
        headers: all,
        timeoutMs: Math.min(args.timeoutMs, timeoutMs ?? args.timeoutMs),
        of(data) {
            const filled = fillUrl(data);
            if (filled === undefined) return undefined;
            // "." or ".." from a record would lead to another path than the one that was meant.
            if (hasDotSegment(filled))
                throw recordInvalid(args.keyField ?? 'url', 'makes . or .. a part of the path that is asked for');
            const body = fillBody?.(data);
            return fillBody && body === undefined ? undefined : { url: filled, body };
        },
    };
}

/** As the schema of the connection types has checked it. */
interface Settings {
    readonly baseUrl?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly timeoutMs?: number;
}

function authFor(
    args: LookupArgs,
    connection: Connection | undefined,
    { secrets }: AdapterContext,
): OutboundAuth | undefined {
    const { bearerTokenSecretCode, apiKeySecretCode, apiKeyHeader = 'X-API-Key', basicAuthSecretCode } = args;
    if (bearerTokenSecretCode !== undefined) return bearer(secrets.get(bearerTokenSecretCode));
    if (apiKeySecretCode !== undefined) return apiKey(apiKeyHeader, secrets.get(apiKeySecretCode));
    if (basicAuthSecretCode !== undefined) return basicOf(secrets.get(basicAuthSecretCode));
    return connection && authOf(connection, secrets);
}

function wholeUrl(url: string, connection: Connection | undefined, baseUrl: string | undefined): string {
    if (/^https?:\/\//i.test(url)) return url;
    if (baseUrl === undefined)
        throw flowError('CONNECTION_INVALID', {
            code: connection?.code ?? '',
            problem: `it has no baseUrl that "${url}" could start from`,
        });
    // A query alone belongs to the base itself.
    return url.startsWith('?') ? baseUrl + url : `${baseUrl.replace(/\/$/, '')}/${url.replace(/^\//, '')}`;
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

/** Those of the step take the place of those of the connection, whatever the case of their names. */
function merged(
    base: Readonly<Record<string, string>>,
    own: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
    const names = new Set(Object.keys(own).map(name => name.toLowerCase()));
    return { ...Object.fromEntries(Object.entries(base).filter(([name]) => !names.has(name.toLowerCase()))), ...own };
}

function bodyFill({ bodyField, body }: LookupArgs, type: string): Fill | undefined {
    if (bodyField !== undefined) {
        const from = compilePath(bodyField);
        return data => {
            const value = from.get(data);
            return value === undefined || value === null ? undefined : JSON.stringify(value);
        };
    }
    if (body === undefined) return undefined;
    if (typeof body === 'string')
        return compilePlaceholders(
            body,
            isForm(type) ? encodeURIComponentSafely : text => JSON.stringify(text).slice(1, -1),
        );
    const fill = compileJson(body);
    return data => {
        const value = fill(data);
        return value === undefined ? undefined : JSON.stringify(value);
    };
}

/** Half a surrogate pair, which cannot be encoded, becomes what bytes would make of it. */
function encodeURIComponentSafely(text: string): string {
    return encodeURIComponent(Buffer.from(text).toString());
}
