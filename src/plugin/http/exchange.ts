import type { Readable } from 'node:stream';
import { flowError } from '../../core/errors/flow-error';

/** The parts of an express request that Flow's routes use. */
export interface HttpRequest extends Readable {
    readonly method: string;
    /** The headers as middleware sees them; those that `RawBodies` hides are missing. */
    readonly headers: Record<string, string | string[] | undefined>;
    /** Node's own property: all headers as they were sent, including repeated ones. */
    readonly headersDistinct: Readonly<Record<string, readonly string[] | undefined>>;
}

/** The parts of its response that they use. */
export interface HttpResponse extends NodeJS.WritableStream {
    readonly headersSent: boolean;
    readonly writableFinished: boolean;
    status(code: number): this;
    /** Node's own method: express would add a charset to a content type. */
    setHeader(name: string, value: string): this;
    json(body: unknown): this;
    destroy(): this;
}

/** Aborts if the caller disconnects before receiving the response. */
export function untilDisconnected(response: HttpResponse): AbortSignal {
    const ended = new AbortController();
    response.once('close', () => {
        if (!response.writableFinished) ended.abort(disconnected());
    });
    return ended.signal;
}

/** The error for a caller who has disconnected and will not read it. */
export function disconnected(cause?: unknown): Error {
    return flowError(
        'INPUT_INVALID',
        { problem: 'The caller closed the connection before the response' },
        cause === undefined ? {} : { cause },
    );
}

/** The value of a header as it was sent; several values are joined as in RFC 9110, 5.3. */
export function header({ headersDistinct }: Pick<HttpRequest, 'headersDistinct'>, name: string): string | undefined {
    return headersDistinct[name]?.join(', ');
}
