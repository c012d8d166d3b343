/** RFC 9110: what a header may be called. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Visible characters, spaces and tabs of Latin 1; a line end would begin another header. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Headers that belong to the connection between two machines, or that the client itself writes. */
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
/** Words in the names of headers that carry what only a secret may hold. */
const CREDENTIAL =
    /(^|[-_])(authorization|authentication|auth|cookie2?|password|passwd|secret|token|signature|hmac|passphrase|credentials?|jwt|session|api[-_]?key|functions[-_]?key|access[-_]?key|subscription[-_]?key|private[-_]?key)([-_]|$)/;
const RUN_TOGETHER = /(apikey|functionskey|authtoken|accesstoken|accesskey|secretkey|sessionid)/;
/** In the name of a header these mean a credential wherever they stand; in a query they may be a part of another word. */
const IN_HEADERS = /hmac|signature|token|secret|session|passphrase/;
/** The schemes by which a value says itself that it is a credential. */
const SCHEME = /^\s*(bearer|basic)\s/i;

/** Whether a name, in lower case, is one that credentials have, as "x-api-key" and "access_token" are. */
export function namesCredential(name: string): boolean {
    return CREDENTIAL.test(name) || RUN_TOGETHER.test(name);
}

/** Why a header may not be called so where a secret supplies its value; undefined when it may. */
export function headerNameProblem(name: string): string | undefined {
    if (!TOKEN.test(name)) return "is no name of a header; allowed: letters, digits and !#$%&'*+-.^_`|~";
    const lower = name.toLowerCase();
    if (TRANSPORT.has(lower)) return 'is written by the client itself';
    if (lower === 'content-encoding') return 'says how the body is packed, and it is sent as it is';
    if (ROUTING.has(lower) || ROUTING_START.test(lower) || ROUTING_WORD.test(lower))
        return 'says where a request goes or comes from, which a configuration may not change';
    if (lower === 'cookie' || lower === 'cookie2' || lower === 'set-cookie') return 'is a cookie; none are sent';
    return undefined;
}

/** Why a header may not stand in a configuration as it is; undefined when it may. Never says the value: it may be a secret in the wrong place. */
export function staticHeaderProblem(name: string, value: string): string | undefined {
    const problem = headerNameProblem(name);
    if (problem !== undefined) return problem;
    const lower = name.toLowerCase();
    if (namesCredential(lower) || IN_HEADERS.test(lower))
        return 'carries a credential or signature, which only a secret may hold; use auth with a secretCode';
    const [, scheme] = SCHEME.exec(value) ?? [];
    if (scheme !== undefined)
        return `has a value that begins with "${scheme} ": that is a credential, which only a secret may hold; use auth with a secretCode`;
    return VALUE.test(value)
        ? undefined
        : 'has a value that no header can have; allowed: one line of Latin letters, digits and signs';
}
