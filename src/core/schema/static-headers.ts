import { clause, type FactText } from '../errors/rendered';
/** RFC 9110: the syntax of a header name. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Visible characters, spaces and tabs of Latin-1; a line end would start another header. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers of the connection between two hosts, and headers that the client writes itself. */
const TRANSPORT = new Set([
    'connection',
    'keep-alive',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
    'http2-settings',
    'content-length',
    'expect',
    'accept-encoding',
]);
/** Headers that say where a request goes or comes from. */
const ROUTING = new Set([
    'host',
    'forwarded',
    'via',
    'x-real-ip',
    'x-original-url',
    'x-rewrite-url',
    'x-http-method-override',
    'x-http-method',
    'x-method-override',
    'cf-connecting-ip',
]);
const ROUTING_START = /^(proxy|x-forwarded|sec)-|^:/;
/** `X-Host`, `X-Original-Host`, `True-Client-IP`. */
const ROUTING_WORD = /(^|[-_])(host|client[-_]?ip)([-_]|$)/;
/** Words that occur in the names of headers that carry a secret. */
const CREDENTIAL =
    /(^|[-_])(authorization|authentication|auth|cookie2?|password|passwd|secret|token|signature|hmac|passphrase|credentials?|jwt|session|api[-_]?key|functions[-_]?key|access[-_]?key|subscription[-_]?key|private[-_]?key)([-_]|$)/;
const RUN_TOGETHER = /(apikey|functionskey|authtoken|accesstoken|accesskey|secretkey|sessionid)/;
/** In a header name these words always mean a credential; in a query they may be part of another word. */
const IN_HEADERS = /hmac|signature|token|secret|session|passphrase/;
/** Authentication schemes: a value that begins with one is a credential. */
const SCHEME = /^\s*(bearer|basic)\s/i;

/** Whether a lower-case name is a usual name of a credential, such as "x-api-key" or "access_token". */
export function namesCredential(name: string): boolean {
    return CREDENTIAL.test(name) || RUN_TOGETHER.test(name);
}

/** Why a header whose value is a secret may not have this name; undefined if it may. */
export function headerNameProblem(name: string): FactText | undefined {
    if (!TOKEN.test(name)) return clause`is not a valid header name; allowed: letters, digits and !#$%&'*+-.^_\`|~`;
    const lower = name.toLowerCase();
    if (TRANSPORT.has(lower)) return clause`is set by the client itself`;
    if (lower === 'content-encoding') return clause`describes how the body is encoded, and bodies are sent unencoded`;
    if (ROUTING.has(lower) || ROUTING_START.test(lower) || ROUTING_WORD.test(lower))
        return clause`says where a request goes or comes from, which a configuration may not change`;
    if (lower === 'cookie' || lower === 'cookie2' || lower === 'set-cookie')
        return clause`is a cookie; cookies are never sent`;
    return undefined;
}

/**
 * Why a header may not be part of a configuration; undefined if it may. Never quotes the value: it may be a misplaced
 * secret.
 */
export function staticHeaderProblem(name: string, value: string): FactText | undefined {
    const problem = headerNameProblem(name);
    if (problem !== undefined) return problem;
    const lower = name.toLowerCase();
    if (namesCredential(lower) || IN_HEADERS.test(lower))
        return clause`carries a credential or signature, which must be a secret; use auth with a secretCode`;
    const [, scheme] = SCHEME.exec(value) ?? [];
    if (scheme !== undefined)
        return clause`has a value that begins with "${scheme} ", which is a credential and must be a secret; use auth with a secretCode`;
    return VALUE.test(value)
        ? undefined
        : clause`has a value that a header cannot have; allowed: one line of Latin letters, digits and signs`;
}
