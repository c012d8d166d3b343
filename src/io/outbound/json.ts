import type { OutboundResponse } from '../../core/adapter/http';
import { isJsonObject, type JsonValue } from '../../core/data/json';
import { flowError } from '../../core/errors/flow-error';

/** As deep as a definition may be; what comes after recurses into values. */
const MAX_DEPTH = 32;
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor']);

export function saysJson({ headers }: OutboundResponse): boolean {
    return /^application\/(json|[\w.+-]+\+json)\b|^text\/json\b/i.test(headers['content-type'] ?? '');
}

/** The body as JSON; undefined where there is none. Throws REMOTE_MALFORMED, which does not quote it. */
export function readJson({ body }: OutboundResponse, host: string): JsonValue | undefined {
    const text = body.toString('utf8').replace(/^\ufeff/, '');
    if (text.trim() === '') return undefined;
    let value: JsonValue;
    try {
        value = JSON.parse(text) as JsonValue;
    } catch {
        // The engine's own words quote the text.
        throw flowError('REMOTE_MALFORMED', { host, problem: 'it is no JSON' });
    }
    const problem = problemOf(value, MAX_DEPTH);
    if (problem !== undefined) throw flowError('REMOTE_MALFORMED', { host, problem });
    return value;
}

function problemOf(value: JsonValue, depth: number): string | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth === 0) return `it has more than ${MAX_DEPTH} levels`;
    if (isJsonObject(value)) {
        const key = Object.keys(value).find(name => FORBIDDEN.has(name));
        if (key !== undefined) return `it holds the key "${key}", which is not allowed`;
    }
    for (const inner of Object.values(value) as readonly JsonValue[]) {
        const problem = problemOf(inner, depth - 1);
        if (problem !== undefined) return problem;
    }
    return undefined;
}
