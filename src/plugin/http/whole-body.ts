import { flowError, isFlowError } from '../../core/errors/flow-error';
import type { QuotaReservation } from '../../core/concurrency/memory-quota';
import { disconnected, header, type HttpRequest } from './exchange';

/** How much of a body is taken. */
export interface BodyLimit {
    /** What it is called where it is too large. */
    readonly what: string;
    readonly maxBytes: number;
    /** How long it may take to come; then the connection is closed. */
    readonly maxMs?: number;
    /** The memory that all current bodies share. */
    readonly share?: QuotaReservation;
}

/** The exact bytes of a body. Throws BODY_TOO_LARGE, INPUT_INVALID where its length is not what was announced, and what the share throws. */
export async function readWholeBody(
    request: HttpRequest,
    { what, maxBytes, maxMs, share }: BodyLimit,
): Promise<Buffer> {
    const length = header(request, 'content-length');
    const chunks: Uint8Array[] = [];
    const tooLarge = (): Error => flowError('BODY_TOO_LARGE', { what, maxBytes });
    if (Number(length ?? 0) > maxBytes) throw tooLarge();
    let size = 0;
    const late = maxMs === undefined ? undefined : setTimeout(() => request.destroy(), maxMs).unref();
    // Its iterator would destroy the request, and with it the connection, before there is an answer.
    try {
        for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
            size += chunk.length;
            if (size > maxBytes) throw tooLarge();
            share?.take(chunk.length);
            chunks.push(chunk);
        }
    } catch (error) {
        throw isFlowError(error) ? error : disconnected(error);
    } finally {
        clearTimeout(late);
    }
    if (length !== undefined && size !== Number(length))
        throw flowError('INPUT_INVALID', {
            problem: `The body has ${size} bytes and its Content-Length is ${length}; allowed: the same`,
        });
    return Buffer.concat(chunks);
}
