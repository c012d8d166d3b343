import { asFlowError, flowError } from '../../core/errors/flow-error';
import type { RemoteFile, RemoteFiles } from './remote-files';

/** How often a connection may be lost without any progress in between. */
const TRIES = 5;
const WAIT_MS = 500;

/** What reading needs in addition to the file. */
export interface Reading {
    readonly signal: AbortSignal;
    /** The most that a file may have. */
    readonly maxBytes: number;
    /** Waits between two tries. */
    sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/**
 * All bytes of a file as it was described: a lost connection is opened again, and reading resumes at the offset. Throws REMOTE_FILE_CHANGED if the
 * file was replaced meanwhile, or its size differs from the description, and REMOTE_FILE_TOO_LARGE.
 */
export async function* verifiedBytes(
    files: RemoteFiles,
    file: RemoteFile,
    { signal, sleep, maxBytes }: Reading,
): AsyncGenerator<Uint8Array, void, void> {
    const { host } = files;
    const { path, size } = file;
    // SFTP servers may omit the size, whatever the type says; then nothing else would limit the reading.
    if (!(size <= maxBytes)) {
        const problem = Number.isFinite(size) ? `it has ${size} bytes` : 'the server does not say its size';
        throw flowError('REMOTE_FILE_TOO_LARGE', { host, path, problem, maxBytes });
    }
    let at = 0;
    let isAgain = false;
    for (let tries = 0; at < file.size || tries === 0;) {
        try {
            // The server may be away for this as well.
            if (isAgain) await checkUnchanged(files, file);
            for await (const chunk of files.open(file, at)) {
                signal.throwIfAborted();
                at += chunk.length;
                tries = 0;
                if (at > file.size) throw changed(files, file, 'it is longer than it was');
                yield chunk;
            }
            if (at === file.size) return;
            throw flowError('REMOTE_BUSY', { host: files.host, problem: 'sent less than the whole file', attempts: 1 });
        } catch (thrown) {
            signal.throwIfAborted();
            const error = asFlowError(thrown);
            if (error.treat !== 'transient' || ++tries >= TRIES) throw error;
            await sleep(WAIT_MS * 2 ** (tries - 1), signal);
            isAgain = true;
        }
    }
}

/** Throws REMOTE_FILE_CHANGED if a file has changed. */
export async function checkUnchanged(files: RemoteFiles, file: RemoteFile): Promise<void> {
    const now = await files.stat(file.path);
    if (!now) throw changed(files, file, 'it is not there any more');
    if (!isSame(now, file)) throw changed(files, file, 'its size or its time is another one');
}

/** Whether two descriptions are of the same content, as far as the server reports it: a time that one of them lacks is not a difference. */
export function isSame(one: RemoteFile, other: RemoteFile): boolean {
    const isSameTime =
        one.modifiedAt === undefined || other.modifiedAt === undefined || one.modifiedAt === other.modifiedAt;
    return isSameTime && one.size === other.size && one.etag === other.etag;
}

function changed({ host }: RemoteFiles, { path }: RemoteFile, problem: string): Error {
    return flowError('REMOTE_FILE_CHANGED', { host, path, problem });
}
