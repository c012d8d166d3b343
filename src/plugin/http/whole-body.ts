import { flowError, isFlowError } from '../../core/errors/flow-error';
import type { QuotaReservation } from '../../core/concurrency/memory-quota';
import { disconnected, header, type HttpRequest } from './exchange';

/** The limits of a body. */
interface BodyLimit {
    /** What the error calls the body if it is too large. */
    readonly what: string;
    readonly maxBytes: number;
    /** The longest time to receive it; then the connection is closed. */
    readonly maxMs?: number;
    /** The memory that all current bodies share. */
    readonly share?: QuotaReservation;
}

/**
 * The exact bytes of a body. Throws BODY_TOO_LARGE, INPUT_INVALID if its length differs from the announced one, and the errors of the
 * share.
 */
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
    // The iterator of the request would destroy it, and with it the connection, before a response is sent.
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
