import { createReadStream } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type Entry, openPromise } from 'yauzl';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import type { RemoteFile, RemoteFiles } from './remote-files';
import { checkUnchanged, type Reading, verifiedBytes } from './verified-bytes';

/** The content of a file elsewhere, on this machine. To be released when done with. */
interface TemporaryCopy {
    readonly path: string;
    /** The file's name inside its archive, if it came in one. */
    readonly innerName?: string | undefined;
    /** Opens a new iteration. It may be left early. */
    open(): AsyncIterable<Uint8Array>;
    release(): Promise<void>;
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const ZIP = Buffer.from('PK\x03\x04', 'latin1');

/**
 * Fetches a file once, and checks that it matches its description. So the checked and the processed bytes are the same, whatever happens to the
 * file meanwhile, and no connection is idle while records are loaded. A gzip file, or the only file of a ZIP archive, is unpacked, within
 * `maxBytes`. Throws SOURCE_MALFORMED and REMOTE_FILE_TOO_LARGE in addition to the errors of reading.
 */
export async function temporaryCopy(
    files: RemoteFiles,
    file: RemoteFile,
    reading: Reading & {
        /** False leaves a ZIP archive as it is: a workbook is one. */
        readonly isUnpacked: (name: string) => boolean;
    },
): Promise<TemporaryCopy> {
    const folder = await mkdtemp(join(tmpdir(), 'flow-remote-'));
    const release = (): Promise<void> => rm(folder, { recursive: true, force: true });
    try {
        const path = join(folder, 'fetched');
        await written(path, verifiedBytes(files, file, reading));
        await checkUnchanged(files, file);
        const fetched: Fetched = { path, folder, host: files.host, file, ...reading };
        const head = await headOf(path);
        const inner = head.subarray(0, 2).equals(GZIP)
            ? { path: await gunzipped(fetched), innerName: undefined }
            : head.equals(ZIP) && reading.isUnpacked(file.path)
              ? await unzipped(fetched)
              : { path, innerName: undefined };
        return { ...inner, open: () => createReadStream(inner.path) as AsyncIterable<Uint8Array>, release };
    } catch (thrown) {
        await release();
        throw thrown;
    }
}

/** The bytes of a file as they arrive, unpacked if they are compressed by gzip: for code that only reads the beginning. */
export async function* unpackedBytes(
    bytes: AsyncIterable<Uint8Array>,
    bound: Pick<Fetched, 'file' | 'host' | 'maxBytes'>,
): AsyncGenerator<Uint8Array, void, void> {
    const pieces = bytes[Symbol.asyncIterator]();
    const first = await pieces.next();
    if (first.done) return;
    const all = (async function* () {
        yield first.value;
        for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) yield piece.value;
    })();
    try {
        if (GZIP.equals(first.value.subarray(0, 2))) yield* inflated(Readable.from(all, { objectMode: false }), bound);
        else yield* all;
    } finally {
        await pieces.return?.();
    }
}

interface Fetched extends Pick<Reading, 'maxBytes' | 'signal'> {
    readonly path: string;
    readonly folder: string;
    readonly host: string;
    readonly file: RemoteFile;
}

async function written(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const handle = await open(path, 'wx');
    try {
        for await (const chunk of bytes) await handle.write(chunk);
    } catch (thrown) {
        const { code, syscall } = thrown as NodeJS.ErrnoException;
        if (isFlowError(thrown) || syscall === undefined) throw thrown;
        throw flowError(
            'STORAGE_FAILED',
            { what: 'keep a copy of a file', problem: code ?? 'it failed' },
            { cause: thrown },
        );
    } finally {
        await handle.close();
    }
}

async function headOf(path: string): Promise<Buffer> {
    const handle = await open(path, 'r');
    try {
        const head = Buffer.alloc(ZIP.length);
        const { bytesRead } = await handle.read(head, 0, head.length, 0);
        return head.subarray(0, bytesRead);
    } finally {
        await handle.close();
    }
}

async function gunzipped(fetched: Fetched): Promise<string> {
    const path = join(fetched.folder, 'unpacked');
    await written(path, inflated(createReadStream(fetched.path), fetched));
    return path;
}

async function* inflated(
    source: Readable,
    bound: Pick<Fetched, 'file' | 'host' | 'maxBytes'>,
): AsyncGenerator<Uint8Array, void, void> {
    const unpacked = pipeline(source, createGunzip(), () => undefined) as unknown as Readable;
    try {
        yield* counted(unpacked, bound);
    } catch (thrown) {
        if (isFlowError(thrown)) throw thrown;
        throw malformed(bound.file, 'it is not a complete gzip archive', thrown);
    } finally {
        unpacked.destroy();
        source.destroy();
    }
}

/** Counts the unpacked bytes, whatever size an archive declares. */
async function* counted(
    bytes: AsyncIterable<Uint8Array>,
    { file: { path }, host, maxBytes }: Pick<Fetched, 'file' | 'host' | 'maxBytes'>,
): AsyncGenerator<Uint8Array, void, void> {
    let length = 0;
    for await (const chunk of bytes) {
        length += chunk.length;
        if (length > maxBytes)
            throw flowError('REMOTE_FILE_TOO_LARGE', {
                host,
                path,
                problem: `it unpacks to more than ${maxBytes} bytes`,
                maxBytes,
            });
        yield chunk;
    }
}

/** The one file of an archive. */
async function unzipped(fetched: Fetched): Promise<{ readonly path: string; readonly innerName: string }> {
    const { file, folder } = fetched;
    const path = join(folder, 'unpacked');
    const archive = await openPromise(fetched.path, { autoClose: false, validateEntrySizes: true }).catch(
        (thrown: unknown) => {
            throw malformed(file, 'it is not a complete ZIP archive', thrown);
        },
    );
    try {
        const found: Entry[] = [];
        for await (const entry of archive.eachEntry()) {
            if (!entry.fileName.endsWith('/') && !entry.fileName.startsWith('__MACOSX/')) found.push(entry);
            if (found.length > 1)
                throw malformed(file, 'its ZIP archive holds more than one file; allowed: exactly one');
        }
        const [entry] = found;
        if (!entry) throw malformed(file, 'its ZIP archive holds no file');
        await written(path, counted(await archive.openReadStreamPromise(entry), fetched));
        return { path, innerName: entry.fileName };
    } catch (thrown) {
        if (isFlowError(thrown)) throw thrown;
        throw malformed(file, 'its ZIP archive cannot be read', thrown);
    } finally {
        archive.close();
    }
}

function malformed({ path }: RemoteFile, problem: string, cause?: unknown): Error {
    return flowError('SOURCE_MALFORMED', { where: path, problem }, { cause });
}
