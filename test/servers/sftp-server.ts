import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { isAbsolute, join, relative } from 'node:path';
import { Duplex } from 'node:stream';
import {
    type AuthContext,
    type Attributes,
    type Connection,
    type FileEntry,
    Server,
    type SFTPWrapper,
    utils,
} from 'ssh2';

/** The paths of OpenSSH's SFTP program on Debian and other systems. */
const PROGRAMS = [
    process.env.FLOW_TEST_SFTP_SERVER,
    '/usr/lib/openssh/sftp-server',
    '/usr/libexec/openssh/sftp-server',
    '/usr/libexec/sftp-server',
];

/** The program of OpenSSH; undefined if it is not installed. */
export function opensshSftp(): string | undefined {
    return PROGRAMS.find(program => program !== undefined && existsSync(program));
}

export interface SftpServerOptions {
    /** The folder that its users see as `/`. With OpenSSH's program they see the whole machine, and this is their first folder. */
    readonly folder: string;
    /** Serves files with this program of OpenSSH instead of the code of this module. */
    readonly program?: string | undefined;
    readonly password?: string;
    /** The public key in OpenSSH's format. */
    readonly authorizedKey?: string;
    /** Default: a generated key. */
    readonly hostKey?: string;
    /** Additional entries of every folder, page by page, for listings that no file system has. */
    readonly moreEntries?: (path: string) => Iterable<FileEntry[]>;
}

export interface SftpServer {
    readonly port: number;
    readonly fingerprint: string;
    /** Cuts the connections once after this many more bytes of files were read. */
    cutAfter(bytes: number): void;
    /** Closes the connection at the next listing or stat instead of answering, once. */
    breakAtNext(): void;
    /** How many connections have been made. */
    readonly connections: () => number;
    /** How often a client has sent a password or a key. */
    readonly attempts: () => number;
    /** How often a client has requested a piece of a file. */
    readonly reads: () => number;
    close(): Promise<void>;
}

const { STATUS_CODE, OPEN_MODE } = utils.sftp;

/** Generates keys that ssh2 can read: it cannot read one in two hundred of the pairs that it generates (counted in 3,000). */
export function sshKeys(passphrase?: string): ReturnType<typeof utils.generateKeyPairSync> {
    const sealed = { cipher: 'aes256-cbc', rounds: 16 };
    for (;;) {
        const keys = utils.generateKeyPairSync('ed25519', passphrase === undefined ? {} : { passphrase, ...sealed });
        if (!(utils.parseKey(keys.private, passphrase) instanceof Error)) return keys;
    }
}

/** An SSH server on this machine with its own folder. User `shop`; default password: `secret`. */
export async function startSftp(options: SftpServerOptions): Promise<SftpServer> {
    const hostKey = options.hostKey ?? sshKeys().private;
    const open = new Set<Connection>();
    const batchSize: Cut = { left: undefined, isNext: false, reads: 0 };
    let connections = 0;
    let attempts = 0;
    const server = new Server({ hostKeys: [hostKey] }, client => {
        connections++;
        open.add(client);
        // Like OpenSSH: otherwise a small answer waits 40 ms for the client to confirm the previous one.
        (client as unknown as { setNoDelay(noDelay: boolean): void }).setNoDelay(true);
        client
            .on('error', () => undefined)
            .on('close', () => open.delete(client))
            .on('authentication', auth => {
                if (auth.method !== 'none') attempts++;
                if (mayEnter(auth, options)) auth.accept();
                else auth.reject();
            })
            .on('session', accept => {
                const session = accept();
                const { program, folder } = options;
                if (program === undefined)
                    session.on('sftp', acceptSftp =>
                        serve(acceptSftp(), { ...options, cut: batchSize, end: () => client.end() }),
                    );
                else
                    session.on('subsystem', acceptSubsystem => {
                        const child = spawn(program, ['-d', folder], { stdio: ['pipe', 'pipe', 'ignore'] });
                        const channel = acceptSubsystem();
                        Duplex.from({ readable: child.stdout, writable: child.stdin })
                            .on('error', () => undefined)
                            .pipe(channel)
                            .on('error', () => undefined);
                        channel.pipe(child.stdin).on('error', () => undefined);
                        channel.on('close', () => child.kill());
                    });
            });
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const key = utils.parseKey(hostKey);
    if (key instanceof Error) throw key;
    return {
        port: (server.address() as AddressInfo).port,
        fingerprint: `SHA256:${createHash('sha256').update(key.getPublicSSH()).digest('base64').replace(/=+$/, '')}`,
        cutAfter: bytes => (batchSize.left = bytes),
        breakAtNext: () => void (batchSize.isNext = true),
        connections: () => connections,
        attempts: () => attempts,
        reads: () => batchSize.reads,
        close: () => {
            for (const client of open) client.end();
            return new Promise(resolve => server.close(() => resolve()));
        },
    };
}

interface Cut {
    left: number | undefined;
    isNext: boolean;
    reads: number;
}

function mayEnter(auth: AuthContext, { password = 'secret', authorizedKey }: SftpServerOptions): boolean {
    if (auth.username !== 'shop') return false;
    if (auth.method === 'password') return auth.password === password;
    if (auth.method !== 'publickey' || authorizedKey === undefined) return false;
    const allowed = utils.parseKey(authorizedKey);
    if (allowed instanceof Error || !allowed.getPublicSSH().equals(auth.key.data)) return false;
    return !auth.signature || allowed.verify(auth.blob!, auth.signature, auth.hashAlgo) === true;
}

type Served = SftpServerOptions & { readonly cut: Cut; end(): void };

/** Serves a folder. Paths that lead out of it do not exist. */
function serve(sftp: SFTPWrapper, options: Served): void {
    const { folder, cut, end } = options;
    const files = new Map<number, FileHandle>();
    const folders = new Map<number, Iterator<FileEntry[]>>();
    let handles = 0;
    const newHandle = (): [number, Buffer] => {
        const buffer = Buffer.alloc(4);
        buffer.writeUInt32BE(++handles);
        return [handles, buffer];
    };
    const isCut = (): boolean => {
        if (!cut.isNext) return false;
        cut.isNext = false;
        end();
        return true;
    };
    const placeOf = (path: string): string => {
        const place = join(folder, path);
        const inside = relative(folder, place);
        if (inside.startsWith('..') || isAbsolute(inside))
            throw Object.assign(new Error('outside'), { code: 'ENOENT' });
        return place;
    };
    const answering = (
        id: number,
        work: () => Promise<unknown>,
        answer = (): unknown => sftp.status(id, STATUS_CODE.OK),
    ): void => {
        work().then(answer, (error: NodeJS.ErrnoException) => sftp.status(id, statusOf(error), error.message));
    };
    // As an operating system does for a process that has ended.
    sftp.on('close', () => {
        for (const file of files.values()) file.close().catch(() => undefined);
    });
    sftp.on('REALPATH', (id, path) =>
        sftp.name(id, [{ filename: path === '.' ? '/' : path, longname: path, attrs: {} as Attributes }]),
    )
        .on('OPEN', (id, path, flags) =>
            answering(
                id,
                async () => files.set(handles + 1, await open(placeOf(path), modeOf(flags))),
                () => sftp.handle(id, newHandle()[1]),
            ),
        )
        .on('READ', (id, handle, offset, length) => {
            cut.reads++;
            if (cut.left !== undefined && (cut.left -= length) < 0) {
                cut.left = undefined;
                return end();
            }
            const buffer = Buffer.alloc(length);
            const file = files.get(handle.readUInt32BE())!;
            file.read(buffer, 0, length, offset).then(
                ({ bytesRead }) =>
                    bytesRead === 0 ? sftp.status(id, STATUS_CODE.EOF) : sftp.data(id, buffer.subarray(0, bytesRead)),
                (error: NodeJS.ErrnoException) => sftp.status(id, statusOf(error)),
            );
        })
        .on('WRITE', (id, handle, offset, data) =>
            answering(id, () => files.get(handle.readUInt32BE())!.write(data, 0, data.length, offset)),
        )
        .on('CLOSE', (id, handle) => {
            const number = handle.readUInt32BE();
            const file = files.get(number);
            files.delete(number);
            folders.delete(number);
            answering(id, async () => file?.close());
        })
        .on('OPENDIR', (id, path) => {
            if (isCut()) return;
            const [number, handle] = newHandle();
            answering(
                id,
                async () => folders.set(number, pagesOf(await entriesOf(placeOf(path)), options.moreEntries?.(path))),
                () => sftp.handle(id, handle),
            );
        })
        .on('READDIR', (id, handle) => {
            const page = folders.get(handle.readUInt32BE())!.next();
            if (page.done) sftp.status(id, STATUS_CODE.EOF);
            else sftp.name(id, page.value);
        })
        .on('REMOVE', (id, path) => answering(id, () => rm(placeOf(path))))
        .on('RMDIR', (id, path) => answering(id, () => rmdir(placeOf(path))))
        .on('MKDIR', (id, path) => answering(id, () => mkdir(placeOf(path))))
        .on('RENAME', (id, from, to) =>
            answering(id, async () => {
                // As in the protocol and in OpenSSH.
                if (existsSync(placeOf(to))) throw new Error('Failure');
                await rename(placeOf(from), placeOf(to));
            }),
        );
    const attributes = (of: typeof stat) => (id: number, path: string) => {
        if (isCut()) return;
        of(placeOf(path)).then(
            found => sftp.attrs(id, attrsOf(found)),
            (error: NodeJS.ErrnoException) => sftp.status(id, statusOf(error)),
        );
    };
    sftp.on('STAT', attributes(stat)).on('LSTAT', attributes(lstat as typeof stat));
}

type Found = Awaited<ReturnType<typeof stat>>;

function attrsOf({ mode, size, uid, gid, atimeMs, mtimeMs }: Found): Attributes {
    const seconds = (ms: number | bigint): number => Math.floor(Number(ms) / 1000);
    return {
        mode: Number(mode),
        size: Number(size),
        uid: Number(uid),
        gid: Number(gid),
        atime: seconds(atimeMs),
        mtime: seconds(mtimeMs),
    };
}

async function entriesOf(folder: string): Promise<FileEntry[]> {
    const names = await readdir(folder);
    return Promise.all(
        names.map(async filename => ({
            filename,
            longname: filename,
            attrs: attrsOf(await lstat(join(folder, filename))),
        })),
    );
}

function* pagesOf(entries: FileEntry[], more: Iterable<FileEntry[]> = []): Generator<FileEntry[]> {
    for (let from = 0; from < entries.length; from += 100) yield entries.slice(from, from + 100);
    yield* more;
}

function modeOf(flags: number): string {
    if ((flags & OPEN_MODE.WRITE) === 0) return 'r';
    return (flags & OPEN_MODE.EXCL) === 0 ? 'w' : 'wx';
}

function statusOf({ code }: NodeJS.ErrnoException): number {
    if (code === 'ENOENT') return STATUS_CODE.NO_SUCH_FILE;
    return code === 'EACCES' || code === 'EPERM' ? STATUS_CODE.PERMISSION_DENIED : STATUS_CODE.FAILURE;
}
