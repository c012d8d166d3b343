import type { AdapterContext } from '../../core/adapter/context';
import type { OutboundAuth, OutboundGrant } from '../../core/adapter/http';
import type { JsonObject } from '../../core/value/json';
import { compilePath } from '../../core/data/path';
import { recordInvalid } from '../../core/errors/record-invalid';
import { apiKey, basicOf, bearer } from '../../io/outbound/auth';
import { encodedForUrl, endpointOf, hasDotSegment } from '../requests/endpoint';
import { compileJson, compilePlaceholders, type Fill } from '../requests/placeholders';
import { contentType, isForm, type LookupArgs } from './lookup-config';

/** The parts that differ between the requests of one step. */
export interface RecordRequest {
    readonly url: string;
    readonly body: string | undefined;
}

/** What is the same for all requests of a step, decided before the first. */
export interface LookupRequest {
    readonly auth: OutboundAuth | OutboundGrant | undefined;
    readonly originLock: string | undefined;
    readonly headers: Readonly<Record<string, string>>;
    readonly timeoutMs: number;
    /** Undefined for a record that lacks a value. Throws RECORD_INVALID for a value that cannot be put in. */
    of(data: JsonObject): RecordRequest | undefined;
}

/** Throws CONNECTION_INVALID, OUTBOUND_ORIGIN and SECRET_UNREADABLE. */
export function lookupRequest(args: LookupArgs, cx: AdapterContext): LookupRequest {
    const endpoint = endpointOf(args, ownAuth(args, cx), cx);
    const { auth, originLock, url, headers, timeoutMs } = endpoint;
    const fillUrl = compilePlaceholders(url, encodedForUrl);
    const fillBody = bodyFill(args, contentType(headers));
    return {
        auth,
        originLock,
        headers,
        timeoutMs,
        of(data) {
            const filled = fillUrl(data);
            if (filled === undefined) return undefined;
            // "." or ".." from a record would lead to another path than the one that was meant.
            if (hasDotSegment(filled))
                throw recordInvalid(args.keyField ?? 'url', 'makes . or .. a part of the requested path');
            const body = fillBody?.(data);
            return fillBody && body === undefined ? undefined : { url: filled, body };
        },
    };
}

/** The step's own credential, which replaces that of the connection. */
function ownAuth(args: LookupArgs, { secrets }: AdapterContext): OutboundAuth | undefined {
    const { bearerTokenSecretCode, apiKeySecretCode, apiKeyHeader = 'X-API-Key', basicAuthSecretCode } = args;
    if (bearerTokenSecretCode !== undefined) return bearer(secrets.get(bearerTokenSecretCode));
    if (apiKeySecretCode !== undefined) return apiKey(apiKeyHeader, secrets.get(apiKeySecretCode));
    return basicAuthSecretCode === undefined ? undefined : basicOf(secrets.get(basicAuthSecretCode));
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
        return compilePlaceholders(body, isForm(type) ? encodedForUrl : text => JSON.stringify(text).slice(1, -1));
    const fill = compileJson(body);
    return data => {
        const value = fill(data);
        return value === undefined ? undefined : JSON.stringify(value);
    };
}
