import type { CanActivate, ExecutionContext } from '@nestjs/common';
import { flowError } from '../../core/errors/flow-error';
import { header, type HttpRequest } from './exchange';

/** The parts of an express request that the guard reads; `session` is that of the cookie. */
interface CookieRequest extends HttpRequest {
    readonly hostname?: string;
    readonly session?: { readonly token?: unknown } | null;
}

/** The values of Sec-Fetch-Site for requests that a page of this site or the user sends. */
const OWN_SITE = ['same-origin', 'same-site', 'none'];

/**
 * Rejects requests that a page of another site sends with the user's session cookie, whatever the cookie's SameSite is. Requests with only a bearer
 * token come from code that has the token. Clients other than browsers send neither of the headers.
 */
export class CrossSiteGuard implements CanActivate {
    canActivate(context: ExecutionContext): boolean {
        const request = context.switchToHttp().getRequest<CookieRequest>();
        if (!request.session?.token || isOwnSite(request)) return true;
        const origin = header(request, 'origin') ?? 'no origin is given';
        throw flowError('CROSS_SITE', { origin: origin.slice(0, LONGEST_ORIGIN) });
    }
}

const LONGEST_ORIGIN = 200;

function isOwnSite(request: CookieRequest): boolean {
    const site = header(request, 'sec-fetch-site');
    if (site !== undefined) return OWN_SITE.includes(site);
    const origin = header(request, 'origin');
    return origin === undefined || hostOf(origin) === (request.hostname ?? '').toLowerCase();
}

/** Undefined for "null", the origin of sandboxed pages, and for an invalid address. */
function hostOf(origin: string): string | undefined {
    return URL.canParse(origin) ? new URL(origin).hostname : undefined;
}
