import type { JsonObject } from '../../core/value/json';
import { encodedForUrl } from '../requests/endpoint';

/** No real server sends a longer header. */
const MAX_LENGTH = 16_384;

/** The target of the link with the relation `next` in a Link header (RFC 8288); undefined if there is none. */
export function nextLink(header: string | undefined): string | undefined {
    if (header === undefined || header.length > MAX_LENGTH) return undefined;
    let at = 0;
    for (;;) {
        const start = header.indexOf('<', at);
        const end = start < 0 ? -1 : header.indexOf('>', start);
        if (end < 0) return undefined;
        const { rel, behind: after } = paramsFrom(header, end + 1);
        if (rel?.toLowerCase().split(/\s+/).includes('next')) return header.slice(start + 1, end).trim();
        at = after;
    }
}

/** The first `rel` of a link, and where the next link begins. */
function paramsFrom(header: string, from: number): { readonly rel: string | undefined; readonly behind: number } {
    const param = /\s*;\s*([!#$&+\-.^_`|~\w]+)\*?\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/y;
    param.lastIndex = from;
    let rel: string | undefined;
    let after = from;
    for (let found = param.exec(header); found; found = param.exec(header)) {
        after = param.lastIndex;
        if (found[1]!.toLowerCase() === 'rel') rel ??= (found[2] ?? found[3] ?? '').replace(/\\(.)/g, '$1').trim();
    }
    const comma = header.indexOf(',', after);
    return { rel, behind: comma < 0 ? header.length : comma + 1 };
}

/** Replaces these parameters in the query of an address. Everything else stays as it is written. */
export function withQuery(address: string, params: JsonObject): string {
    const names = Object.keys(params);
    if (names.length === 0) return address;
    const [base = '', ...rest] = address.split('?');
    const kept = rest
        .join('?')
        .split('&')
        .filter(part => part !== '' && !names.includes(nameOf(part)));
    const added = names.map(name => `${encodedForUrl(name)}=${encodedForUrl(String(params[name]))}`);
    return `${base}?${[...kept, ...added].join('&')}`;
}

function nameOf(part: string): string {
    const name = part.split('=', 1)[0]!.replaceAll('+', ' ');
    try {
        return decodeURIComponent(name);
    } catch {
        // The encoding is invalid, so the name is not one of those that are replaced.
        return name;
    }
}
