import { flowError, isFlowError } from '../../core/errors/flow-error';
import { logText } from '../../core/log/log-text';
import { partName } from './part-name';
import type { ListedEntry } from './ftp-line';
import { FtpListing, listingLines, timeOf } from './ftp-listing';
import { type FtpDeps, type FtpServer, FtpSession } from './ftp-session';
import type { Listing, PutOptions, RemoteFile, RemoteFiles, RemotePage } from './remote-files';
import { show } from '../../core/value/show';
import { foldersTo, joinPath, nameProblem } from './remote-path';
import { sessionName } from './session-name';
import { type FolderEntry, type FolderPage, walk } from './walk';

/** The maximum number of open idle sessions: a file is read while another one is queried. */
const MOST_IDLE = 2;
/** The file does not exist, or the user has no permission; FTP does not distinguish these. */
const NOT_TAKEN = 550;

/** Files of an FTP or FTPS server. An FTP connection does one thing at a time, so each concurrent operation has one. */
export class FtpFiles implements RemoteFiles {
    readonly host: string;
    private readonly idle: FtpSession[] = [];
    private readonly open_ = new Set<FtpSession>();
    /** It is to be found out whether the server lets anybody in. */
    private isProof = false;

    constructor(
        private readonly server: FtpServer,
        private readonly deps: FtpDeps,
    ) {
        this.host = server.host;
    }

    /** Connects and logs in, and returns the user's first folder. */
    home(): Promise<string> {
        this.isProof = true;
        return this.with(session => Promise.resolve(session.home));
    }

    list(listing: Listing): AsyncGenerator<RemotePage, void, void> {
        return walk(listing, folder => this.entriesOf(folder));
    }

    stat(path: string): Promise<RemoteFile | undefined> {
        return this.with(session => this.statWith(session, path));
    }

    async *open({ path }: Pick<RemoteFile, 'path'>, offset: number): AsyncGenerator<Uint8Array, void, void> {
        const session = await this.take();
        try {
            yield* session.download(`RETR ${fullPath(session, path)}`, offset);
        } catch (thrown) {
            if (codeOf(thrown) === NOT_TAKEN && !(await this.stat(path)))
                throw flowError('REMOTE_FILE_NOT_FOUND', { host: this.host, path }, { cause: thrown });
            throw session.failure(thrown, `does not give out ${path}`);
        } finally {
            this.give(session);
        }
    }

    async delete(path: string): Promise<void> {
        await this.with(async session => {
            try {
                await session.request(`DELE ${fullPath(session, path)}`);
            } catch (thrown) {
                if (codeOf(thrown) === NOT_TAKEN && !(await this.statWith(session, path))) return;
                throw session.failure(thrown, `does not delete ${path}`);
            }
        });
    }

    async move(from: string, to: string): Promise<void> {
        await this.with(async session => {
            // Most servers put one file in another's place without a word.
            if (await this.statWith(session, to)) throw flowError('REMOTE_FILE_EXISTS', { host: this.host, path: to });
            if (!(await this.statWith(session, from)))
                throw flowError('REMOTE_FILE_NOT_FOUND', { host: this.host, path: from });
            await makeFolders(session, to);
            try {
                await rename(session, from, to);
            } catch (thrown) {
                throw session.failure(thrown, `does not move ${from}`);
            }
        });
    }

    async put(
        path: string,
        bytes: AsyncIterable<Uint8Array>,
        { overwrite = true }: PutOptions = {},
    ): Promise<RemoteFile> {
        const session = await this.take();
        const part = partName(path);
        let ofBytes: { readonly thrown: unknown } | undefined;
        const watched = async function* (): AsyncGenerator<Uint8Array, void, void> {
            try {
                yield* bytes;
            } catch (thrown) {
                ofBytes = { thrown };
                throw thrown;
            }
        };
        try {
            if (!overwrite && (await this.statWith(session, path)))
                throw flowError('REMOTE_FILE_EXISTS', { host: this.host, path });
            await makeFolders(session, path);
            await session.upload(`STOR ${fullPath(session, part)}`, watched());
            await rename(session, part, path).catch(async (thrown: unknown) => {
                // Some servers do not overwrite on a rename: the old file is deleted first.
                if (codeOf(thrown) === undefined || !overwrite) throw thrown;
                await session.request(`DELE ${fullPath(session, path)}`);
                await rename(session, part, path);
            });
            const file = await this.statWith(session, path);
            if (!file) throw flowError('REMOTE_FILE_NOT_FOUND', { host: this.host, path });
            return file;
        } catch (thrown) {
            if (!isExists(thrown)) await this.delete(part).catch(() => undefined);
            throw ofBytes ? ofBytes.thrown : session.failure(thrown, `does not take ${path}`);
        } finally {
            this.give(session);
        }
    }

    close(): void {
        const { outbound, signal } = this.deps;
        const mayStay = !this.isProof && !signal.aborted;
        for (const session of this.open_)
            if (mayStay && !session.isLost && this.idle.includes(session)) outbound.socket.leave(this.name, session);
            else session.close();
        this.open_.clear();
        this.idle.length = 0;
    }

    private async statWith(session: FtpSession, path: string): Promise<RemoteFile | undefined> {
        const full = fullPath(session, path);
        try {
            const { message } = await session.request(`SIZE ${full}`);
            const size = Number(/^213[ -](\d+)/.exec(message)?.[1]);
            const modified = await session.request(`MDTM ${full}`).catch((thrown: unknown) => {
                if (codeOf(thrown) === undefined) throw thrown;
                return undefined;
            });
            return Number.isSafeInteger(size)
                ? { path, size, modifiedAt: modified && timeOf(modified.message) }
                : undefined;
        } catch (thrown) {
            if (codeOf(thrown) === NOT_TAKEN) return undefined;
            throw session.failure(thrown, `says nothing of ${path}`);
        }
    }

    private async *entriesOf(folder: string): AsyncGenerator<FolderPage, void, void> {
        const session = await this.take();
        const listing = new FtpListing(session.hasMlsd);
        try {
            // If the command does not contain the folder, names with leading blanks or that look like options do no harm.
            if (!session.hasMlsd) await session.request(`CWD ${fullPath(session, folder)}`);
            const command = session.hasMlsd ? `MLSD ${fullPath(session, folder)}` : 'LIST';
            for await (const lines of listingLines(session.download(command)))
                yield { entries: await this.completed(folder, listing.entries(lines)) };
            const { unknown, example } = listing;
            const where = folder === '' ? session.home : folder;
            if (listing.isForeign)
                throw flowError('REMOTE_MALFORMED', {
                    host: this.host,
                    problem: `no line of the listing of ${where} is understood, for example ${show(example)}`,
                });
            if (unknown > 0)
                yield {
                    entries: [],
                    note: logText('LISTING_UNCLEAR', {
                        lines: unknown,
                        folder: show(where),
                        example: show(example),
                    }),
                };
        } catch (thrown) {
            throw session.failure(thrown, `does not list ${folder === '' ? session.home : folder}`);
        } finally {
            this.give(session);
        }
    }

    /**
     * Listings for people contain no seconds and no time zone, and those for machines may omit facts, so each such file is queried. A file with a
     * forbidden name is never queried, because its name could contain a command.
     */
    private async completed(folder: string, entries: readonly ListedEntry[]): Promise<readonly FolderEntry[]> {
        const completed: FolderEntry[] = [];
        for (const entry of entries) {
            const { name, kind, size, modifiedAt } = entry;
            const isAsked = kind === 'file' && (modifiedAt === undefined || size === undefined) && !nameProblem(name);
            const file = isAsked ? await this.stat(joinPath(folder, name)) : undefined;
            completed.push({ ...entry, size: file?.size ?? size ?? 0, modifiedAt: file?.modifiedAt ?? modifiedAt });
        }
        return completed;
    }

    private async with<T>(work: (session: FtpSession) => Promise<T>): Promise<T> {
        for (let isAgain = false; ; isAgain = true) {
            const isOld = this.idle.length > 0;
            const session = await this.take();
            try {
                return await work(session);
            } catch (thrown) {
                if (isAgain || !isOld || !session.isLost) throw thrown;
            } finally {
                this.give(session);
            }
        }
    }

    private async take(): Promise<FtpSession> {
        this.deps.signal.throwIfAborted();
        for (let session = this.idle.pop(); session; session = this.idle.pop()) {
            if (!session.isLost) return session;
            this.open_.delete(session);
        }
        const session = (await this.takenUp()) ?? (await FtpSession.open(this.server, this.deps));
        this.open_.add(session);
        return session;
    }

    /** A session that an earlier user has left open. */
    private async takenUp(): Promise<FtpSession | undefined> {
        if (this.isProof) return undefined;
        const { outbound, signal } = this.deps;
        const session = outbound.socket.restoreCheckpoint(this.name, signal);
        return session instanceof FtpSession && (await session.isTakenUp(this.deps)) ? session : undefined;
    }

    private get name(): string {
        return sessionName('ftp', this.server);
    }

    private give(session: FtpSession): void {
        if (!session.isLost && this.open_.has(session) && this.idle.length < MOST_IDLE) {
            this.idle.push(session);
            return;
        }
        this.open_.delete(session);
        session.close();
    }
}

function fullPath({ home }: FtpSession, path: string): string {
    return path.startsWith('/') ? path : path === '' ? home : joinPath(home, path);
}

async function rename(session: FtpSession, from: string, to: string): Promise<void> {
    await session.request(`RNFR ${fullPath(session, from)}`);
    await session.request(`RNTO ${fullPath(session, to)}`);
}

async function makeFolders(session: FtpSession, path: string): Promise<void> {
    for (const folder of foldersTo(path))
        await session.request(`MKD ${fullPath(session, folder)}`).catch((thrown: unknown) => {
            // An existing folder cannot be created; writing into it shows any other error.
            if (codeOf(thrown) === undefined) throw thrown;
        });
}

/** Of the server's answer. */
function codeOf(thrown: unknown): number | undefined {
    if (isFlowError(thrown)) return undefined;
    const { code } = (thrown ?? {}) as { readonly code?: unknown };
    return typeof code === 'number' ? code : undefined;
}

function isExists(thrown: unknown): boolean {
    return isFlowError(thrown) && thrown.code === 'REMOTE_FILE_EXISTS';
}
