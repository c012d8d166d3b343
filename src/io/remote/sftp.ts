import type { FileEntry, SFTPWrapper, Stats } from 'ssh2';
import { flowError, isFlowError } from '../../core/errors/flow-error';
import { partName } from './part-name';
import type { Listing, PutOptions, RemoteFile, RemoteFiles, RemotePage } from './remote-files';
import { foldersTo } from './remote-path';
import { sessionName } from './session-name';
import { CHUNK, sftpChunks } from './sftp-chunks';
import { statusCodeOf, SftpSession, type SftpDeps, type SftpServer, STATUS } from './sftp-session';
import { type FolderEntry, type FolderPage, walk } from './walk';

/** Files of an SFTP server, over one connection. */
export class SftpFiles implements RemoteFiles {
    readonly host: string;
    private current: Promise<SftpSession> | undefined;
    /** The same, once it is open. */
    private opened: SftpSession | undefined;
    /** It is to be found out whether the server lets anybody in. */
    private isProof = false;

    constructor(
        private readonly server: SftpServer,
        private readonly deps: SftpDeps,
    ) {
        this.host = server.host;
    }

    /** Connects, and answers the host key that the server shows. */
    async fingerprint(): Promise<string> {
        this.isProof = true;
        return (await this.session()).fingerprint;
    }

    /** The fingerprint of the host key that the server shows, without logging in. */
    hostKey(): Promise<string> {
        return SftpSession.hostKeyOf(this.server, this.deps);
    }

    list(listing: Listing): AsyncGenerator<RemotePage, void, void> {
        return walk(listing, folder => this.entriesOf(folder === '' ? '.' : folder));
    }

    async stat(path: string): Promise<RemoteFile | undefined> {
        try {
            const stats = await this.again(session => session.call<Stats>((sftp, done) => sftp.lstat(path, done)));
            return stats.isFile() ? { path, size: stats.size, modifiedAt: timeOf(stats) } : undefined;
        } catch (thrown) {
            if (statusCodeOf(thrown) === STATUS.noSuchFile) return undefined;
            throw this.failure(thrown, path);
        }
    }

    async *open(
        { path, size }: Pick<RemoteFile, 'path'> & Partial<Pick<RemoteFile, 'size'>>,
        offset: number,
    ): AsyncGenerator<Uint8Array, void, void> {
        const session = await this.session();
        try {
            const handle = await session.call<Buffer>((sftp, done) => sftp.open(path, 'r', done));
            yield* sftpChunks(session, handle, { offset, size });
        } catch (thrown) {
            throw this.failure(thrown, path);
        }
    }

    async delete(path: string): Promise<void> {
        try {
            await this.again(session => session.call((sftp, done) => sftp.unlink(path, done as never)));
        } catch (thrown) {
            if (statusCodeOf(thrown) !== STATUS.noSuchFile) throw this.failure(thrown, path);
        }
    }

    async move(from: string, to: string): Promise<void> {
        if (await this.exists(to)) throw flowError('REMOTE_FILE_EXISTS', { host: this.host, path: to });
        await this.makeFolders(to);
        const session = await this.session();
        try {
            await session.call((sftp, done) => sftp.rename(from, to, done as never));
        } catch (thrown) {
            throw this.failure(thrown, from);
        }
    }

    async put(
        path: string,
        bytes: AsyncIterable<Uint8Array>,
        { overwrite = true }: PutOptions = {},
    ): Promise<RemoteFile> {
        // Checked in any case: this detects a lost connection before anything is sent.
        const isThere = await this.exists(path);
        if (isThere && !overwrite) throw flowError('REMOTE_FILE_EXISTS', { host: this.host, path });
        await this.makeFolders(path);
        const session = await this.session();
        const part = partName(path);
        try {
            await this.write(session, part, bytes);
            await this.replace(session, { part, path, overwrite });
        } catch (thrown) {
            if (!session.isLost)
                await session.call((sftp, done) => sftp.unlink(part, done as never)).catch(() => undefined);
            throw this.failure(thrown, path);
        }
        const file = await this.stat(path);
        if (!file) throw flowError('REMOTE_FILE_NOT_FOUND', { host: this.host, path });
        return file;
    }

    close(): void {
        if (this.opened) this.leave(this.opened);
        else void this.current?.then(session => session.close()).catch(() => undefined);
        [this.current, this.opened] = [undefined, undefined];
    }

    /** Leaves the session to the next user in this scope, unless an operation is still in flight. */
    private leave(session: SftpSession): void {
        if (this.isProof || !session.isIdle || this.deps.signal.aborted) return session.close();
        session.rest();
        this.deps.outbound.socket.leave(this.name, session);
    }

    private get name(): string {
        return sessionName('sftp', this.server);
    }

    private async write(session: SftpSession, part: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
        const handle = await session.call<Buffer>((sftp, done) => sftp.open(part, 'wx', done));
        let at = 0;
        for await (const chunk of bytes)
            for (let from = 0; from < chunk.length; from += CHUNK) {
                const piece = Buffer.from(chunk.subarray(from, from + CHUNK));
                const place = at;
                await session.call((sftp, done) => sftp.write(handle, piece, 0, piece.length, place, done as never));
                at += piece.length;
            }
        await session.call((sftp, done) => sftp.close(handle, done as never));
    }

    /** The rename of the protocol rejects an existing name; that of OpenSSH replaces the file atomically. */
    private async replace(
        session: SftpSession,
        { part, path, overwrite }: { readonly part: string; readonly path: string; readonly overwrite: boolean },
    ): Promise<void> {
        const rename = (): Promise<unknown> => session.call((sftp, done) => sftp.rename(part, path, done as never));
        if (!overwrite) return void (await rename());
        try {
            await session.call((sftp, done) => sftp.ext_openssh_rename(part, path, done as never));
        } catch (thrown) {
            if (isFlowError(thrown)) throw thrown;
            await session
                .call((sftp, done) => sftp.unlink(path, done as never))
                .catch((error: unknown) => {
                    if (statusCodeOf(error) !== STATUS.noSuchFile) throw error;
                });
            await rename();
        }
    }

    private async makeFolders(path: string): Promise<void> {
        const session = await this.session();
        for (const folder of foldersTo(path))
            // An existing folder cannot be created, and the protocol does not distinguish that from other errors; writing into it does.
            if (!(await session.call<Stats>((sftp, done) => sftp.stat(folder, done)).catch(unlessLost)))
                await session.call((sftp, done) => sftp.mkdir(folder, done as never)).catch(unlessLost);
    }

    private async exists(path: string): Promise<boolean> {
        try {
            await this.again(session => session.call<Stats>((sftp, done) => sftp.lstat(path, done)));
            return true;
        } catch (thrown) {
            if (statusCodeOf(thrown) === STATUS.noSuchFile) return false;
            throw this.failure(thrown, path);
        }
    }

    private async *entriesOf(folder: string): AsyncGenerator<FolderPage, void, void> {
        let session: SftpSession | undefined;
        let handle: Buffer | undefined;
        try {
            const opened = await this.again(async one => {
                session = one;
                return one.call<Buffer>((sftp, done) => sftp.opendir(folder, done));
            });
            handle = opened;
            for (;;) {
                const entries = await session!
                    .call<readonly FileEntry[]>((sftp, done) => readFolder(sftp, opened, done as never))
                    .catch((thrown: unknown) => {
                        if (statusCodeOf(thrown) === STATUS.eof) return undefined;
                        throw thrown;
                    });
                if (!entries) return;
                yield { entries: entries.map(entryOf) };
            }
        } catch (thrown) {
            throw this.failure(thrown, folder);
        } finally {
            if (handle) session!.release(handle);
        }
    }

    /** Repeats the work once if a connection that existed before is lost. */
    private async again<T>(work: (session: SftpSession) => Promise<T>): Promise<T> {
        const before = this.current ?? this.restoreCheckpoint();
        const session = await this.session();
        try {
            return await work(session);
        } catch (thrown) {
            if (before === undefined || !session.isLost) throw thrown;
            return work(await this.session());
        }
    }

    private async session(): Promise<SftpSession> {
        this.deps.signal.throwIfAborted();
        const known = await this.current?.catch(() => undefined);
        if (known && !known.isLost) return known;
        this.opened = undefined;
        const current = this.restoreCheckpoint() ?? SftpSession.open(this.server, this.deps);
        this.current = current;
        const session = await current;
        if (this.current === current) this.opened = session;
        return session;
    }

    /** A session that an earlier user has left open. */
    private restoreCheckpoint(): Promise<SftpSession> | undefined {
        if (this.isProof) return undefined;
        const { outbound, signal } = this.deps;
        const session = outbound.socket.restoreCheckpoint(this.name, signal);
        if (!(session instanceof SftpSession)) return undefined;
        session.watch(signal);
        this.current = Promise.resolve(session);
        this.opened = session;
        return this.current;
    }

    /** Converts a status of the protocol. */
    private failure(thrown: unknown, path: string): unknown {
        const code = statusCodeOf(thrown);
        if (isFlowError(thrown) || code === undefined) return thrown;
        const { host } = this;
        const options = { cause: thrown };
        if (code === STATUS.noSuchFile) return flowError('REMOTE_FILE_NOT_FOUND', { host, path }, options);
        const answer =
            code === STATUS.permissionDenied ? 'does not allow it' : `answered: ${(thrown as Error).message}`;
        return flowError('REMOTE_REFUSED', { host, problem: `${answer} (${path})` }, options);
    }
}

function readFolder(
    sftp: SFTPWrapper,
    handle: Buffer,
    done: (error: Error | undefined, list: FileEntry[]) => void,
): void {
    sftp.readdir(handle as unknown as string, done);
}

function entryOf({ filename, attrs: said }: FileEntry): FolderEntry {
    // More than its type says.
    const attrs = said as Stats;
    const kind = attrs.isFile() ? 'file' : attrs.isDirectory() ? 'folder' : 'other';
    return { name: filename, kind, size: attrs.size, modifiedAt: timeOf(attrs) };
}

/** Undefined if the server omits it. */
function timeOf({ mtime }: Partial<Stats>): number | undefined {
    return mtime === undefined ? undefined : mtime * 1000;
}

/** Ignores an error of an operation that may fail, unless the connection is lost. */
function unlessLost(thrown: unknown): undefined {
    if (isFlowError(thrown)) throw thrown;
    return undefined;
}
