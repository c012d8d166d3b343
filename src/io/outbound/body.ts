import { PassThrough, pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { flowError } from '../../core/errors/flow-error';
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
}

/**
 * Reads an answer's body whole, decompressed. What counts is what comes out, so that a few bytes which swell to gigabytes are stopped at
 * the limit. Throws OUTBOUND_TOO_LARGE and REMOTE_MALFORMED, and the stream's own errors.
 */
export async function readBody({ stream, headers, host, maxBytes }: Incoming): Promise<Buffer> {
    const coding = (headers['content-encoding'] ?? 'identity').trim().toLowerCase() || 'identity';
    const tooLarge = (): Error => flowError('OUTBOUND_TOO_LARGE', { host, what: 'a body', maxBytes });
    try {
        if (!DECODERS.has(coding))
            throw flowError('REMOTE_MALFORMED', {
                host,
                problem: `its body is encoded as "${coding.slice(0, 40)}"; understood: gzip, deflate, br`,
            });
        if (Number(headers['content-length']) > maxBytes) throw tooLarge();
        const chunks: Buffer[] = [];
        let bytes = 0;
        for await (const chunk of decoded(stream, DECODERS.get(coding))) {
            bytes += (chunk as Buffer).length;
            if (bytes > maxBytes) throw tooLarge();
            chunks.push(chunk as Buffer);
        }
        return Buffer.concat(chunks, bytes);
    } finally {
        // Closes the connection where the body was not read to its end; without a listener its error would be nobody's.
        if (!stream.readableEnded) stream.on('error', () => undefined).destroy();
    }
}

function decoded(stream: Readable, decoder: Decoder | undefined): Readable {
    // An error on the way reaches the reader through the last stream, which the pipeline destroys with it.
    return pipeline(stream, decoder ? decoder() : new PassThrough(), () => undefined) as unknown as Readable;
}
