import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import type { Headers } from './headers';

type Decoder = () => NodeJS.ReadWriteStream & Readable;

/** By the word of the other side, which may be "constructor": a map has nothing that was not put into it. */
const DECODERS: ReadonlyMap<string, Decoder | undefined> = new Map<string, Decoder | undefined>([
    ['identity', undefined],
    ['gzip', createGunzip],
    ['x-gzip', createGunzip],
    ['deflate', createInflate],
    ['br', createBrotliDecompress],
]);

export interface Incoming {
    readonly stream: Readable;
    readonly headers: Headers;
    readonly host: string;
    readonly maxBytes: number;
    /** Not decompressed. */
    readonly isStored?: boolean | undefined;
}

/** Reads an answer's body whole, decompressed. Throws OUTBOUND_TOO_LARGE and REMOTE_MALFORMED, and the stream's own errors. */
export async function readBody(incoming: Incoming): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of bodyPieces(decodedBody(incoming), incoming)) chunks.push(chunk);
    return Buffer.concat(chunks);
}

/**
 * The pieces of a decoded body, up to as many bytes as are allowed. What counts is what comes out, so that a few bytes which swell to
 * gigabytes are stopped at the limit. However it ends, the stream is closed with it. Throws OUTBOUND_TOO_LARGE, and the stream's own errors.
 */
export async function* bodyPieces(decoded: Readable, incoming: Incoming): AsyncGenerator<Buffer, void, void> {
    let bytes = 0;
    try {
        for await (const chunk of decoded as AsyncIterable<Buffer>) {
            bytes += chunk.length;
            if (bytes > incoming.maxBytes) throw tooLarge(incoming);
            yield chunk;
        }
    } finally {
        discard(incoming.stream);
    }
}

/** The body as it was before it was compressed; closes the stream where there is none. Throws OUTBOUND_TOO_LARGE and REMOTE_MALFORMED. */
export function decodedBody(incoming: Incoming): Readable {
    const { stream, headers, host, maxBytes } = incoming;
    const said = incoming.isStored ? undefined : headers['content-encoding'];
    const coding = (said ?? 'identity').trim().toLowerCase() || 'identity';
    const problem = `its body is encoded as "${coding.slice(0, 40)}"; understood: gzip, deflate, br`;
    const fault = !DECODERS.has(coding)
        ? flowError('REMOTE_MALFORMED', { host, problem })
        : Number(headers['content-length']) > maxBytes
          ? tooLarge(incoming)
          : undefined;
    if (fault) {
        discard(stream);
        throw fault;
    }
    const decoder = DECODERS.get(coding);
    // An error on the way reaches the reader through the last stream, which the pipeline destroys with it.
    return decoder ? (pipeline(stream, decoder(), () => undefined) as unknown as Readable) : stream;
}

/** Closes the connection where the body was not read to its end; without a listener its error would be nobody's. */
function discard(stream: Readable): void {
    if (!stream.readableEnded) stream.on('error', () => undefined).destroy();
}

function tooLarge({ host, maxBytes }: Incoming): FlowError {
    return flowError('OUTBOUND_TOO_LARGE', { host, what: 'a body', maxBytes });
}
