import { createHash } from 'node:crypto';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import type { Blobs } from '../../io/storage/blobs';
import type { FlowManagedFile } from '../entities/managed-file';

type Stored = Pick<FlowManagedFile, 'filename' | 'size' | 'sha256' | 'blobKey'>;

/**
 * The content of a file as it was uploaded. Throws FILE_CORRUPT if the storage has other bytes or none. It throws at the end and withholds
 * the last bytes, so that no reader treats changed content as complete.
 */
export async function* verifiedStream(
    blobs: Blobs,
    file: Stored,
    signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
    const hash = createHash('sha256');
    let size = 0;
    let held: Uint8Array | undefined;
    try {
        for await (const chunk of blobs.open(file.blobKey, signal)) {
            if (held) yield held;
            held = chunk;
            size += chunk.length;
            hash.update(chunk);
            if (size > file.size) break;
        }
    } catch (error) {
        throw asLost(file, error);
    }
    if (size !== file.size || hash.digest('hex') !== file.sha256) throw corrupt(file, 'the storage has other bytes');
    if (held) yield held;
}

/** Reads a file completely; throws FILE_CORRUPT. */
export async function verifyChecksum(blobs: Blobs, file: Stored, signal: AbortSignal): Promise<void> {
    const chunks = verifiedStream(blobs, file, signal);
    while (!(await chunks.next()).done);
}

/** The result of the work. Throws FILE_CORRUPT if the storage no longer has the content. */
export async function fileStillExists<T>(file: Stored, work: () => Promise<T>): Promise<T> {
    try {
        return await work();
    } catch (error) {
        throw asLost(file, error);
    }
}

function asLost(file: Stored, error: unknown): unknown {
    if (!isFlowError(error)) return error;
    // A reader that opens a local file by its path reports a missing path.
    const isGone =
        error.code === 'BLOB_NOT_FOUND' || (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
    return isGone ? corrupt(file, 'the storage has lost it', error) : error;
}

function corrupt({ filename }: Stored, problem: string, cause?: unknown): Error {
    return flowError('FILE_CORRUPT', { filename, problem }, cause === undefined ? {} : { cause });
}
