import { createHash } from 'node:crypto';
import { flowError } from '../../core/errors/flow-error';
import { detectFormat } from '../../io/formats/detect';

/** The number of bytes from which the format of a file is detected. */
const HEAD_BYTES = 64 * 1024;

/** What an upload declares about itself. */
export interface Declared {
    readonly filename: string;
    readonly mimeType?: string | undefined;
}

/** The detected properties of an upload. */
export interface Received {
    readonly size: number;
    readonly sha256: string;
    readonly format: string;
    readonly encoding: string | null;
}

/** Passes the bytes of an upload to the storage. Measures and hashes them, and rejects them if they do not match the declared type. */
export class UploadReceiver {
    private readonly hash = createHash('sha256');
    private size = 0;
    private detected: Pick<Received, 'format' | 'encoding'> | undefined;

    constructor(
        private readonly declared: Declared,
        private readonly maxBytes: number,
    ) {}

    /** The same bytes. Throws BODY_TOO_LARGE, FILE_EMPTY and FILE_TYPE_MISMATCH. */
    async *through(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
        const head: Uint8Array[] = [];
        for await (const chunk of bytes) {
            this.size += chunk.length;
            if (this.size > this.maxBytes)
                throw flowError('BODY_TOO_LARGE', {
                    what: `file "${this.declared.filename}"`,
                    maxBytes: this.maxBytes,
                });
            this.hash.update(chunk);
            if (this.detected) {
                yield chunk;
                continue;
            }
            head.push(chunk);
            if (this.size >= HEAD_BYTES) yield* this.detect(head);
        }
        if (this.size === 0) throw flowError('FILE_EMPTY', { filename: this.declared.filename });
        if (!this.detected) yield* this.detect(head);
    }

    /** Call it once, after all bytes have passed. */
    received(): Received {
        return { size: this.size, sha256: this.hash.digest('hex'), ...this.detected! };
    }

    private detect(head: readonly Uint8Array[]): readonly Uint8Array[] {
        const { filename, mimeType } = this.declared;
        const { format, encoding } = detectFormat({
            head: Buffer.concat(head),
            filename,
            ...(mimeType !== undefined && { mimeType }),
        });
        this.detected = { format, encoding: encoding ?? null };
        return head;
    }
}
