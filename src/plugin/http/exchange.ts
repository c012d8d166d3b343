import type { Readable } from 'node:stream';
import { flowError } from '../../core/errors/flow-error';

/** What Flow's routes use of an express request. */
export interface HttpRequest extends Readable {
    readonly method: string;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
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
export function untilGone(response: HttpResponse): AbortSignal {
    const ended = new AbortController();
    response.once('close', () => {
        if (!response.writableFinished) ended.abort(disconnected());
    });
    return ended.signal;
}

/** The caller has disconnected; nobody will read this. */
export function disconnected(cause?: unknown): Error {
    return flowError(
        'INPUT_INVALID',
        { problem: 'The caller has closed the connection before the answer' },
        cause === undefined ? {} : { cause },
    );
}

/** A header that may come once; the first where it came several times. */
export function header({ headers }: Pick<HttpRequest, 'headers'>, name: string): string | undefined {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
}
