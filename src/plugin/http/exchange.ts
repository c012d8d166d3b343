import type { Readable } from 'node:stream';
import { flowError } from '../../core/errors/flow-error';

/** What Flow's routes use of an express request. */
export interface HttpRequest extends Readable {
    readonly method: string;
    /** As middleware sees them; those that `RawBodies` hides are missing. */
    readonly headers: Record<string, string | string[] | undefined>;
    /** Node's own: all headers as they were sent, each as often as it came. */
    readonly headersDistinct: Readonly<Record<string, readonly string[] | undefined>>;
}

/** What they use of its response. */
export interface HttpResponse extends NodeJS.WritableStream {
    readonly headersSent: boolean;
    readonly writableFinished: boolean;
    status(code: number): this;
    /** Node's own: express would add a charset of its choice to a content type. */
    setHeader(name: string, value: string): this;
    json(body: unknown): this;
    destroy(): this;
}

/** Aborts when the caller has disconnected before getting an answer. */
export function untilDisconnected(response: HttpResponse): AbortSignal {
    const ended = new AbortController();
    response.once('close', () => {
        if (!response.writableFinished) ended.abort(disconnected());
    });
    return ended.signal;
}

/** The caller has disconnected and will not read this. */
export function disconnected(cause?: unknown): Error {
    return flowError(
        'INPUT_INVALID',
        { problem: 'The caller has closed the connection before the answer' },
        cause === undefined ? {} : { cause },
    );
}

/** The value of a header as it was sent; several values are joined as in RFC 9110, 5.3. */
export function header({ headersDistinct }: Pick<HttpRequest, 'headersDistinct'>, name: string): string | undefined {
    return headersDistinct[name]?.join(', ');
}
