import { clause, type FactText } from '../../core/errors/rendered';
import { z } from 'zod';
import { hostAddress, urlAddress } from '../../core/schema/address-fields';
import { wholeNumber } from '../../core/schema/fields';
import { addIssue } from '../../core/schema/issues';

const MAX_URL = 2048;
const NAME =
    /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?)*\.?$/;
const FOUR_NUMBERS = /^\d{1,3}(\.\d{1,3}){3}$/;

/** True for an address in numbers, IPv4 or IPv6, with or without brackets. */
export function isIpAddress(host: string): boolean {
    const bare = host.replace(/^\[(.*)\]$/, '$1');
    if (FOUR_NUMBERS.test(bare)) return bare.split('.').every(part => Number(part) <= 255);
    return bare.includes(':') && /^[0-9A-Fa-f:.]+$/.test(bare) && URL.canParse(`http://[${bare}]`);
}

/** True for the name or the address of a server, and nothing around it. */
export function isHost(text: string): boolean {
    return isIpAddress(text) || (NAME.test(text) && !FOUR_NUMBERS.test(text));
}

/** The name or address of a server, and nothing around it. */
export function host(description: string): z.ZodString {
    return hostAddress(
        z
            .string()
            .min(1)
            .max(255)
            .refine(isHost, 'allowed: the name or the address of a server, without scheme, port, user name or path')
            .meta({ title: 'Host', description }),
    );
}

/** A TCP port. */
export function port(description: string): z.ZodInt {
    return wholeNumber({ min: 1, max: 65_535 }, { title: 'Port', description });
}

/** The name of a user. It is not secret. */
export function username(description: string): z.ZodString {
    return z
        .string()
        .min(1)
        .max(255)
        .regex(/^\P{Cc}*$/u, 'must be one line')
        .meta({ title: 'User name', description });
}

/**
 * Why a text cannot be the base URL of a connection; undefined if it can. Never includes the text, because it may
 * contain a password.
 */
function urlProblem(text: string): FactText | undefined {
    if (/[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text))
        return clause`is not a URL; allowed: http://host or https://host, with an optional port and path`;
    const url = new URL(text);
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
        return clause`has the scheme ${url.protocol.slice(0, -1)}; allowed: http, https`;
    if (!/^https?:\/\//i.test(text)) return clause`has no // after its scheme`;
    if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(text))
        return clause`has a user name or password in it; those belong into secrets`;
    if (text.includes('#')) return clause`has a fragment (#…), which is never sent`;
    return text.includes('?')
        ? clause`has a query (?…), which would be lost when a path is joined to it; give it where the path is given`
        : undefined;
}

/** An HTTP or HTTPS address without credentials, query and fragment. A service may have usual ports that are blocked for others. */
export function httpUrl(title: string, description: string, usualPorts: readonly number[] = []): z.ZodString {
    const field = z
        .string()
        .min(1)
        .max(MAX_URL, `must have at most ${MAX_URL} characters`)
        .superRefine((text, cx) => {
            const problem = text === '' ? undefined : urlProblem(text);
            if (problem !== undefined) addIssue(cx, problem);
        })
        .meta({ title, description });
    return urlAddress(field, usualPorts);
}
