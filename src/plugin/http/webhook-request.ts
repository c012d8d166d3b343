import type { Middleware } from '@vendure/core';
import { MIMEType } from 'node:util';
import { flowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import type { HttpRequest } from './exchange';

/** A post as express hands it on; `headersDistinct` is Node's, and has each header as often as it came. */
export interface WebhookRequest extends HttpRequest {
    readonly headers: Record<string, string | string[] | undefined>;
    readonly headersDistinct: Readonly<Record<string, readonly string[] | undefined>>;
    /** The sender's, by the shop's `trustProxy`. */
    readonly ip?: string;
}

const WEBHOOK_ROUTE = '/flow/webhook';
/** What others need of a post: where it comes from and how it is sent. */
const LEFT =
    /^(host|connection|content-length|transfer-encoding|expect|user-agent|origin|accept.*|access-control-.*|x-forwarded-.*|forwarded)$/;

/**
 * Leaves a post to its webhook: express's parsers would swallow the bytes that were signed, and Vendure's guard would take a credential for
 * a session of its own and ask the database for it. Named by no parser's name: Nest looks for those.
 */
export const untouchedWebhooks: Middleware = { route: WEBHOOK_ROUTE, beforeListen: true, handler: hideHeaders };

function hideHeaders({ headers }: WebhookRequest, _response: unknown, next: () => void): void {
    for (const name of Object.keys(headers)) if (!LEFT.test(name)) delete headers[name];
    next();
}

/** Throws MEDIA_TYPE_UNSUPPORTED for what is not JSON in UTF-8 as it is. */
export function checkMedia({ headersDistinct }: WebhookRequest): void {
    const [encoding, type] = ['content-encoding', 'content-type'].map(name => headersDistinct[name]?.join(', '));
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
        throw unsupported('Content-Encoding', encoding, 'identity');
    const media = mediaOf(type);
    if (media?.type !== 'application' || !/^(.+\+)?json$/.test(media.subtype))
        throw unsupported('Content-Type', type, 'application/json');
    const charset = media.params.get('charset') ?? 'utf-8';
    if (!/^utf-?8$/i.test(charset)) throw unsupported('charset', charset, 'utf-8');
}

function mediaOf(text: string | undefined): MIMEType | undefined {
    try {
        return text === undefined ? undefined : new MIMEType(text);
    } catch {
        // What is no media type is none of those that are allowed.
        return undefined;
    }
}

function unsupported(what: string, value: string | undefined, allowed: string): Error {
    return flowError('MEDIA_TYPE_UNSUPPORTED', { what, value: value === undefined ? 'missing' : show(value), allowed });
}
