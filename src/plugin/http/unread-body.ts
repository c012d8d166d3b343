import type { Middleware } from '@vendure/core';
import { header, type HttpRequest } from './exchange';

const UPLOAD_ROUTE = '/flow/upload';

const contentTypes = new WeakMap<object, string>();

/**
 * Keeps express's own parsers from an upload's body: they would read JSON before anybody has asked who sends it, and end at 100 KB. Without
 * its content type they leave a request alone. Named by no parser's name: Nest looks for those.
 */
export const unreadUploads: Middleware = { route: UPLOAD_ROUTE, beforeListen: true, handler: hideContentType };

function hideContentType(request: HttpRequest, _response: unknown, next: () => void): void {
    const type = header(request, 'content-type');
    if (type !== undefined) {
        contentTypes.set(request, type);
        delete (request.headers as Record<string, unknown>)['content-type'];
    }
    next();
}

/** The content type that an upload came with. */
export function contentTypeOf(request: HttpRequest): string | undefined {
    return contentTypes.get(request) ?? header(request, 'content-type');
}
