import { MIMEType } from 'node:util';
import { flowError } from '../../core/errors/flow-error';
import { show } from '../../core/value/show';
import { header, type HttpRequest } from './exchange';
import { readWholeBody } from './whole-body';

/** A webhook request as express provides it. */
export interface WebhookRequest extends HttpRequest {
    /** The sender's address, according to the shop's `trustProxy`. */
    readonly ip?: string;
}

/** Longer than any ping. */
const PING_BYTES = 64;

/**
 * Whether the request is the unsigned form `webhook_id=12` with which WooCommerce tests an address before it saves a webhook. The response
 * is the same for every code, so it does not show which pipelines exist.
 */
export async function isPing(request: WebhookRequest): Promise<boolean> {
    const media = mediaOf(header(request, 'content-type'));
    if (media?.essence !== 'application/x-www-form-urlencoded') return false;
    if (!(Number(header(request, 'content-length')) <= PING_BYTES)) return false;
    const body = await readWholeBody(request, { what: 'ping', maxBytes: PING_BYTES, maxMs: 5_000 });
    return /^webhook_id=\d+$/.test(body.toString('latin1'));
}

/** Throws MEDIA_TYPE_UNSUPPORTED for anything except uncompressed JSON in UTF-8. */
export function checkMedia(request: WebhookRequest): void {
    const [encoding, type] = ['content-encoding', 'content-type'].map(name => header(request, name));
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
        // An invalid media type is not among the allowed ones.
        return undefined;
    }
}

function unsupported(what: string, value: string | undefined, allowed: string): Error {
    return flowError('MEDIA_TYPE_UNSUPPORTED', { what, value: value === undefined ? 'missing' : show(value), allowed });
}
