import { type FileHandle, open } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { types } from 'node:util';
import { crc32, createInflateRaw } from 'node:zlib';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';
import { flowError, type FlowError, isFlowError } from '../../../core/errors/flow-error';
import { WorkbookBudget } from './budget';

/** Bytes that all parts of one file may inflate to. */
export const MAX_INFLATED = 2 * 1024 * 1024 * 1024;
/** Entries of the container. */
export const MAX_ENTRIES = 10_000;

const CHUNK = 64 * 1024;
const STORED = 0;
const DEFLATED = 8;

/** The container of Office files that are not ZIP: the workbooks of before 2007, and every encrypted one. */
const OLE_MAGIC = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const OLE_HEADER = 512;
const OLE_ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/** How much of an archive is read. */
export interface ArchiveLimits {
    /** Bytes that all parts together may inflate to, at most MAX_INFLATED. */
    readonly maxInflated?: number | undefined;
    /** Checked with each piece of a part. */
    readonly signal?: AbortSignal | undefined;
}

/** Lets yauzl read from an open file. A place outside of the file, which a forged header may name, is an error and not an exception. */
class HandleReader extends RandomAccessReader {
    constructor(
        private readonly handle: FileHandle,
        private readonly size: number,
    ) {
        super();
    }

    override read(...[buffer, offset, length, position, done]: Parameters<RandomAccessReader['read']>): void {
        if (position < 0 || position + length > this.size)
            return done(new Error('it points beyond the end of the file'));
        this.handle.read(buffer, offset, length, position).then(
            ({ bytesRead }) => done(bytesRead < length ? new Error('it ends too early') : null),
            (error: Error) => done(error),
        );
    }
}

/**
 * The ZIP container of a workbook. Sizes are counted while a part is inflated, since the headers may be forged. Names
 * of parts are compared without regard to case, as the packaging standard (ECMA-376, part 2) requires. The caller
 * must close it.
 */
export class Archive {
    /** The limits of the file; the readers of its parts count against them. */
    readonly budget: WorkbookBudget;
    private inflated = 0;

    private constructor(
        private readonly handle: FileHandle,
        private readonly zip: ZipFile,
        private readonly entries: ReadonlyMap<string, Entry>,
        private readonly limits: ArchiveLimits,
    ) {
        this.budget = new WorkbookBudget(zip.fileSize);
    }

    static async open(path: string, limits: ArchiveLimits = {}): Promise<Archive> {
        limits.signal?.throwIfAborted();
        const handle = await opened(path);
        try {
            await refuseOle(handle);
            const { size } = await handle.stat();
            const zip = await fromRandomAccessReaderPromise(new HandleReader(handle, size), size, { autoClose: false });
            return new Archive(handle, zip, await entriesOf(zip), limits);
        } catch (error) {
            await handle.close();
            throw asFault(error, 'the ZIP container');
        }
    }

    has(part: string): boolean {
        return this.entries.has(part.toLowerCase());
    }

    /** The bytes of a part as they are inflated. May be left early. */
    async *bytes(part: string): AsyncGenerator<Buffer, void, void> {
        const entry = this.entries.get(part.toLowerCase());
        if (!entry) throw malformed(part, 'the file has no such part');
        const { signal, maxInflated = MAX_INFLATED } = this.limits;
        const mostBytes = Math.min(maxInflated, MAX_INFLATED);
        let bytes = 0;
        let sum = 0;
        try {
            for await (const chunk of await this.stream(entry)) {
                signal?.throwIfAborted();
                bytes += chunk.length;
                this.inflated += chunk.length;
                sum = crc32(chunk, sum);
                if (bytes > entry.uncompressedSize)
                    throw malformed(
                        part,
                        `it inflates to more than the ${entry.uncompressedSize} bytes that the container says`,
                    );
                this.budget.take('inflated', chunk.length, () => part);
                if (this.inflated > mostBytes)
                    throw malformed(part, `the file inflates to more than ${mostBytes} bytes`);
                yield chunk;
            }
        } catch (error) {
            signal?.throwIfAborted();
            throw asFault(error, part);
        }
        if (bytes < entry.uncompressedSize)
            throw malformed(part, `it inflates to ${bytes} bytes and the container says ${entry.uncompressedSize}`);
        if (sum !== entry.crc32) throw malformed(part, 'its checksum is wrong; the file is damaged');
    }

    async close(): Promise<void> {
        this.zip.close();
        await this.handle.close();
    }

    private async stream(entry: Entry): Promise<AsyncIterable<Buffer>> {
        const { compressionMethod: method, compressedSize: size } = entry;
        if (entry.isEncrypted()) throw new Error('it is encrypted; save the workbook without a password');
        if (method !== STORED && method !== DEFLATED)
            throw new Error(`it is packed with method ${method}; allowed: ${STORED} and ${DEFLATED}`);
        const { fileDataStart: start } = await this.zip.readLocalFileHeaderPromise(entry, { minimal: true });
        if (start + size > this.zip.fileSize) throw new Error('it reaches beyond the end of the file');
        const packed =
            size === 0
                ? Readable.from([])
                : this.handle.createReadStream({
                      start,
                      end: start + size - 1,
                      autoClose: false,
                      highWaterMark: CHUNK,
                  });
        // The callback does nothing: the iteration throws the error too.
        return method === STORED ? packed : pipeline(packed, createInflateRaw({ chunkSize: CHUNK }), () => undefined);
    }
}

function entriesOf(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
    return new Promise((resolve, reject) => {
        const entries = new Map<string, Entry>();
        if (zip.entryCount > MAX_ENTRIES)
            return reject(new Error(`it has ${zip.entryCount} entries; at most ${MAX_ENTRIES} are allowed`));
        zip.on('error', reject);
        zip.on('end', () => resolve(entries));
        zip.on('entry', (entry: Entry) => {
            const name = entry.fileName.toLowerCase();
            // Each reader chooses one of the two entries: a file could show one content to a scanner and another to
            // Flow.
            if (entries.has(name)) return reject(new Error(`it has two entries "${entry.fileName}"`));
            entries.set(name, entry);
            zip.readEntry();
        });
        zip.readEntry();
    });
}

async function opened(path: string): Promise<FileHandle> {
    try {
        return await open(path, 'r');
    } catch (error) {
        throw unreadable(error);
    }
}

/**
 * Reports only the code: messages of the file system contain paths of the server. A missing file will not come back,
 * so a retry is useless.
 */
function unreadable(error: unknown): FlowError {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT')
        return flowError(
            'SOURCE_MALFORMED',
            { where: 'the beginning', problem: 'the file is not there any more' },
            { cause: error },
        );
    return flowError('STORAGE_FAILED', { what: 'read a workbook', problem: code }, { cause: error });
}

function malformed(where: string, problem: string): FlowError {
    return flowError('SOURCE_MALFORMED', { where, problem });
}

/** Errors of yauzl and zlib are about the file; those of the machine are not. */
function asFault(error: unknown, where: string): unknown {
    if (isFlowError(error) || !types.isNativeError(error)) return error;
    if ('syscall' in error) return unreadable(error);
    return flowError('SOURCE_MALFORMED', { where, problem: error.message.replace(/\.$/, '') }, { cause: error });
}

/** Rejects an OLE file with a hint at what to do about it. */
async function refuseOle(handle: FileHandle): Promise<void> {
    const header = Buffer.alloc(OLE_HEADER);
    const { bytesRead } = await handle.read(header, 0, OLE_HEADER, 0);
    if (bytesRead < OLE_MAGIC.length || !header.subarray(0, OLE_MAGIC.length).equals(OLE_MAGIC)) return;
    const problem = (await isEncrypted(handle, header))
        ? 'the workbook is encrypted; save it without a password'
        : 'this is a file of the old format .xls; save it as .xlsx';
    throw flowError('SOURCE_MALFORMED', { where: 'the beginning', problem });
}

/** Looks at the first sector of the directory, in which the streams are named. */
async function isEncrypted(handle: FileHandle, header: Buffer): Promise<boolean> {
    const sectorSize = header.readUInt16LE(30) === 12 ? 4096 : 512;
    const directory = Buffer.alloc(4096);
    const { bytesRead } = await handle.read(directory, 0, directory.length, (header.readUInt32LE(48) + 1) * sectorSize);
    return directory.subarray(0, bytesRead).includes(OLE_ENCRYPTED);
}
