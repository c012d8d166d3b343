import type { OutboundAuth, OutboundRequest } from '../../core/adapter/http';
import { secretTargetOf } from '../../core/adapter/secret-hosts';
import { headerNameProblem, staticHeaderProblem } from '../../core/schema/static-headers';
import { blocked } from './policy';

const USER_AGENT = 'vendure-plugin-flow';
/** What another origin may learn by a redirect. */
const HARMLESS = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);
/** The characters of a header's value; a line end would begin another header. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]+$/;

export type Headers = Readonly<Record<string, string>>;

/** What is sent, names in lower case; the credential is put in by `withAuth`. Throws OUTBOUND_BLOCKED for a header that no configuration may set. */
export function headersOf({ headers = {}, body }: Pick<OutboundRequest, 'headers' | 'body'>, host: string): Headers {
    const sent: Record<string, string> = {
        'user-agent': USER_AGENT,
        accept: '*/*',
        'accept-encoding': 'gzip, deflate, br',
    };
    if (body !== undefined) sent['content-type'] = 'application/json';
    for (const [name, value] of Object.entries(headers)) {
        const problem = staticHeaderProblem(name, value);
        if (problem !== undefined) throw blocked(host, `its header ${JSON.stringify(name.slice(0, 60))} ${problem}`);
        sent[name.toLowerCase()] = value;
    }
    return sent;
}

/**
 * The headers with the credentials for this URL. Throws SECRET_HOST_NOT_ALLOWED for a secret that may not be sent there, and OUTBOUND_BLOCKED for a
 * credential that no header can carry; never says it.
 */
export function withAuth(
    headers: Headers,
    { auth, signed }: { readonly auth?: OutboundAuth | undefined } & Pick<OutboundRequest, 'signed'>,
    url: URL,
): Headers {
    return [...(auth ? [auth] : []), ...(signed?.() ?? [])].reduce((sent, one) => withOne(sent, one, url), headers);
}

function withOne(headers: Headers, auth: OutboundAuth, { host, href }: URL): Headers {
    const problem = headerNameProblem(auth.header);
    if (problem !== undefined)
        throw blocked(host, `the header ${JSON.stringify(auth.header.slice(0, 60))} of its credential ${problem}`);
    const value = auth.value.revealFor(secretTargetOf(href)!);
    if (!VALUE.test(value))
        throw blocked(
            host,
            `the secret "${auth.value.code}" cannot be sent in a header; allowed: one line of Latin letters, digits and signs`,
        );
    return { ...headers, [auth.header.toLowerCase()]: value };
}

/** The headers that may be sent to another origin. */
export function harmless(headers: Headers): Headers {
    return Object.fromEntries(
        Object.entries(headers).filter(([name]) => HARMLESS.has(name) || name === 'accept-encoding'),
    );
}

/** The headers of a response, names in lower case; repeated headers are joined. */
export function received(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
    const joined: Record<string, string> = {};
    for (const name of Object.keys(headers)) {
        const value = headers[name];
        joined[name.toLowerCase()] = Array.isArray(value) ? value.join(', ') : (value ?? '');
    }
    return joined;
}
