import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type FlowError, flowError } from '../../core/errors/flow-error';
import type { Headers } from './headers';

type Decoder = () => NodeJS.ReadWriteStream & Readable;

/** By the server's own word, which may be "constructor": a map has only its own entries. */
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
    const { pieces } = await firstChunks(decodedBody(incoming), incoming, Infinity);
    return Buffer.concat(pieces);
}

/** The beginning of a body. */
interface FirstChunks {
    readonly pieces: readonly Buffer[];
    readonly bytes: number;
    /** It has ended with them. */
    readonly isWhole: boolean;
}

/**
 * Reads the chunks of a decoded body until they exceed `most` bytes; the rest waits for `bodyChunks`. Chunks are taken from events, which keeps the
 * server sending: an iterator would stall the connection between chunks. Throws the same errors as `bodyChunks`.
 */
export function firstChunks(decoded: Readable, incoming: Incoming, most: number): Promise<FirstChunks> {
    return new Promise((resolve, reject) => {
        const pieces: Buffer[] = [];
        let bytes = 0;
        const leave = (): void => {
            decoded.off('data', take).off('end', ended).off('error', failed).off('close', closed);
        };
        const failed = (error: Error): void => {
            leave();
            discard(incoming.stream);
            reject(error);
        };
        const closed = (): void => failed(decoded.errored ?? prematureClose());
        const ended = (): void => {
            leave();
            discard(incoming.stream);
            resolve({ pieces, bytes, isWhole: true });
        };
        const take = (piece: Buffer): void => {
            pieces.push(piece);
            bytes += piece.length;
            if (bytes > incoming.maxBytes) return failed(tooLarge(incoming));
            if (bytes <= most) return;
            decoded.pause();
            leave();
            resolve({ pieces, bytes, isWhole: false });
        };
        if (decoded.destroyed) return closed();
        decoded.on('end', ended).on('error', failed).on('close', closed).on('data', take);
    });
}

/**
 * The chunks of a decoded body, up to the allowed number of bytes; `before` bytes were read earlier. The decompressed size counts, so a few bytes
 * that expand to gigabytes are stopped at the limit. The stream is closed in every case. Throws OUTBOUND_TOO_LARGE, and the stream's own errors.
 */
export async function* bodyChunks(
    decoded: Readable,
    incoming: Incoming,
    before: number,
): AsyncGenerator<Buffer, void, void> {
    let bytes = before;
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
    const issue = !DECODERS.has(coding)
        ? flowError('REMOTE_MALFORMED', { host, problem })
        : Number(headers['content-length']) > maxBytes
          ? tooLarge(incoming)
          : undefined;
    if (issue) {
        discard(stream);
        throw issue;
    }
    const decoder = DECODERS.get(coding);
    // An error on the way reaches the reader through the last stream, which the pipeline destroys with it.
    return decoder ? (pipeline(stream, decoder(), () => undefined) as unknown as Readable) : stream;
}

/** As an iterator of the stream would throw it. */
function prematureClose(): Error {
    return Object.assign(new Error('Premature close'), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
}

/** Closes the connection if the body was not read to its end; the listener prevents an unhandled error. */
function discard(stream: Readable): void {
    if (!stream.readableEnded) stream.on('error', () => undefined).destroy();
}

function tooLarge({ host, maxBytes }: Incoming): FlowError {
    return flowError('OUTBOUND_TOO_LARGE', { host, what: 'a body', maxBytes });
}
