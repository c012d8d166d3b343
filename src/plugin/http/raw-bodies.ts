import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { HttpRequest } from './exchange';

type Handler = (request: HttpRequest, response: unknown, next: () => void) => void;

/**
 * The headers of a webhook request that the shop's middleware needs, about its origin. Authorization and cookies would start a Vendure
 * session.
 */
const KEPT_OF_WEBHOOKS =
    /^(host|connection|expect|user-agent|origin|accept.*|access-control-.*|x-forwarded-.*|forwarded)$/;
/** Without these headers, body parsers of any type ignore a request. */
const BODY_HEADERS = ['content-type', 'content-length', 'transfer-encoding'];

/**
 * Keeps the bodies of uploads and webhook requests for Flow's own routes, which authenticate the sender, allow larger bodies than parsers,
 * and need the exact bytes. Nest creates providers before Vendure applies `apiOptions.middleware`, so these handlers run first, whatever
 * middleware the shop has. Flow's routes read `headersDistinct`, which stays complete.
 */
@Injectable()
export class RawBodies {
    constructor({ httpAdapter }: HttpAdapterHost) {
        // A worker has no HTTP server.
        if (!httpAdapter) return;
        const use = (route: string, handler: Handler): unknown => httpAdapter.use(route, handler);
        use('/flow/webhook', hideWebhookHeaders);
        use('/flow/upload', hideBodyHeaders);
    }
}

function hideWebhookHeaders({ headers }: HttpRequest, _response: unknown, next: () => void): void {
    for (const name of Object.keys(headers)) if (!KEPT_OF_WEBHOOKS.test(name)) delete headers[name];
    next();
}

function hideBodyHeaders({ headers }: HttpRequest, _response: unknown, next: () => void): void {
    for (const name of BODY_HEADERS) delete headers[name];
    next();
}
