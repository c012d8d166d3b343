import type { Middleware } from '@vendure/core';

/** The default limit of express; the shop's own parser reads every smaller body. */
const USUAL_BYTES = 100 * 1024;

/** The size of the largest allowed definition, as a text with each character escaped, and some variables. */
const MAX_BYTES = 4 * 1024 * 1024;

/** The properties of an express request and its response that are used here. */
interface Request extends AsyncIterable<Uint8Array> {
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly readableEnded: boolean;
    body?: unknown;
}
interface Response {
    status(code: number): Response;
    json(body: unknown): void;
}

/**
 * Allows the admin API to receive definitions of 1 MiB, which express would reject at 100 KB. It must not have the name of a parser,
 * because Nest searches for those.
 */
export function largeBodies(adminApiPath: string): Middleware {
    return { route: `/${adminApiPath.replace(/^\/+/, '')}`, beforeListen: true, handler: takeLargeBody };
}

async function takeLargeBody(request: Request, response: Response, next: (error?: unknown) => void): Promise<void> {
    const { headers } = request;
    const length = Number(headers['content-length']);
    const isPlainJson =
        /^application\/json\b/i.test(String(headers['content-type'])) && headers['content-encoding'] === undefined;
    if (!isPlainJson || !(length > USUAL_BYTES) || request.readableEnded) return next();
    try {
        if (length > MAX_BYTES) {
            // If the connection were closed while the caller still writes, the caller would see a broken connection instead of the
            // response.
            await readAway(request);
            return refuse(response, 413, `The request has ${length} bytes; allowed: at most ${MAX_BYTES}.`);
        }
        const chunks: Uint8Array[] = [];
        // Node ends the request at its announced length.
        for await (const chunk of request) chunks.push(chunk);
        const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
        const chars = operationChars(body);
        if (chars > USUAL_BYTES)
            return refuse(
                response,
                413,
                `The operation has ${chars} characters; allowed: at most ${USUAL_BYTES}. Send large values as variables.`,
            );
        request.body = body;
    } catch (error) {
        return refuse(response, 400, `The request's body is not JSON: ${(error as Error).message}.`);
    }
    next();
}

/** GraphQL parses and validates an operation before it knows the caller, so only variables may be large. */
function operationChars(body: unknown): number {
    const { query } = (body ?? {}) as { readonly query?: unknown };
    return typeof query === 'string' ? query.length : 0;
}

async function readAway(request: Request): Promise<void> {
    const chunks = request[Symbol.asyncIterator]();
    while (!(await chunks.next()).done);
}

function refuse(response: Response, status: 400 | 413, message: string): void {
    response
        .status(status)
        .json({ errors: [{ message, extensions: { code: status === 413 ? 'BODY_TOO_LARGE' : 'BAD_REQUEST' } }] });
}
