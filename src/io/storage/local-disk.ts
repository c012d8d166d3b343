import { type FileHandle, mkdir, open, opendir, rename, stat, unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { LocalFile } from '../../core/adapter/files';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { type Blobs, checkedKey, isBlobKey, type StoredBlob } from './blobs';

/** What is being written; never read as a blob. */
const PART = '.part';
const READ_BYTES = 256 * 1024;

/** Blobs as files of one folder. Servers and workers must see the same folder. */
export class LocalDisk implements Blobs {
    private readonly folder: string;

    constructor(directory: string) {
        this.folder = resolve(directory);
    }

    async put(key: string, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
        const path = this.pathOf(key);
        const part = path + PART;
        signal.throwIfAborted();
        const handle = await this.attempt('write', key, () => this.begun(part));
        let name = part;
        let folder: FileHandle | undefined;
        try {
            // Opened before it is needed, because a disk combines writes that are requested at the same moment.
            const opened = (folder = await this.attempt('write', key, () => open(this.folder, 'r')));
            await this.fill(handle, key, { bytes, signal });
            await this.attempt('write', key, () => rename(part, path));
            name = path;
            // The key is not published yet. A rename is durable when its folder is synced.
            await this.attempt('write', key, () => Promise.all([handle.sync(), opened.sync()]));
        } catch (error) {
            await gone(name);
            throw error;
        } finally {
            await Promise.all([handle.close(), folder?.close()]);
        }
    }

    async *open(key: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, void> {
        signal.throwIfAborted();
        const path = this.pathOf(key);
        const handle = await this.attempt('read', key, () => open(path, 'r'));
        try {
            const { size } = await this.attempt('read', key, () => handle.stat());
            for (let left = size; left > 0;) {
                const most = Math.min(READ_BYTES, left);
                const { bytesRead, buffer } = await this.attempt('read', key, () =>
                    handle.read(Buffer.allocUnsafe(most), 0, most),
                );
                signal.throwIfAborted();
                if (bytesRead === 0) return;
                left -= bytesRead;
                yield buffer.subarray(0, bytesRead);
            }
        } finally {
            await handle.close();
        }
    }

    async local(key: string, signal: AbortSignal): Promise<LocalFile> {
        signal.throwIfAborted();
        const path = this.pathOf(key);
        await this.attempt('read', key, () => stat(path));
        return { path, release: () => Promise.resolve() };
    }

    async delete(key: string): Promise<void> {
        const path = this.pathOf(key);
        // A complete blob has no partial file.
        if (!(await this.attempt('delete', key, () => gone(path))))
            await this.attempt('delete', key, () => gone(path + PART));
    }

    async *olderThan(moment: Date, signal: AbortSignal): AsyncGenerator<StoredBlob, void, void> {
        const folder = await this.attempt('list', this.folder, () => opendir(this.folder)).catch((error: unknown) => {
            // No file was uploaded yet.
            if (isFlowError(error) && error.code === 'BLOB_NOT_FOUND') return undefined;
            throw error;
        });
        for await (const entry of folder ?? []) {
            signal.throwIfAborted();
            const key = entry.name.endsWith(PART) ? entry.name.slice(0, -PART.length) : entry.name;
            if (!entry.isFile() || !isBlobKey(key)) continue;
            const modifiedAt = await modification(join(this.folder, entry.name));
            if (modifiedAt && modifiedAt < moment) yield { key, modifiedAt };
        }
    }

    private async fill(
        handle: FileHandle,
        key: string,
        { bytes, signal }: { readonly bytes: AsyncIterable<Uint8Array>; readonly signal: AbortSignal },
    ): Promise<void> {
        for await (const chunk of bytes) {
            signal.throwIfAborted();
            await this.attempt('write', key, () => written(handle, chunk));
        }
        signal.throwIfAborted();
    }

    /** Opened exclusively: two uploads can never write into one file. */
    private async begun(part: string): Promise<FileHandle> {
        try {
            return await open(part, 'wx', 0o640);
        } catch (error) {
            if (codeOf(error) !== 'ENOENT') throw error;
            // The first blob of all.
            await mkdir(this.folder, { recursive: true, mode: 0o750 });
            return open(part, 'wx', 0o640);
        }
    }

    private pathOf(key: string): string {
        return join(this.folder, checkedKey(key));
    }

    private async attempt<T>(what: string, key: string, work: () => Promise<T>): Promise<T> {
        try {
            return await work();
        } catch (error) {
            throw failed(what, key, error);
        }
    }
}

/** Removes a file; returns whether it existed. */
async function gone(path: string): Promise<boolean> {
    try {
        await unlink(path);
        return true;
    } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
        return false;
    }
}

async function written(handle: FileHandle, chunk: Uint8Array): Promise<void> {
    for (let from = 0; from < chunk.length;) from += (await handle.write(chunk, from)).bytesWritten;
}

async function modification(path: string): Promise<Date | undefined> {
    try {
        return (await stat(path)).mtime;
    } catch (error) {
        // Removed or renamed since the folder was read.
        if (codeOf(error) === 'ENOENT') return undefined;
        throw failed('list', path, error);
    }
}

function failed(what: string, key: string, error: unknown): unknown {
    if (isFlowError(error)) return error;
    const code = codeOf(error);
    if (code === 'ENOENT') return flowError('BLOB_NOT_FOUND', { key }, { cause: error });
    // The code alone: messages of the file system carry paths of the server.
    return flowError('STORAGE_FAILED', { what, problem: code ?? 'unknown error' }, { cause: error });
}

function codeOf(error: unknown): string | undefined {
    return (error as NodeJS.ErrnoException | null)?.code;
}
