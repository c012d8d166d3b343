import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { lstat, mkdir, readdir, rename, stat, unlink } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { isAbsolute, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createSecureContext, TLSSocket } from 'node:tls';
import { SELF_SIGNED } from '../fixtures/self-signed';

export interface FtpServerOptions {
    /** The folder that its users see as `/`. */
    readonly folder: string;
    readonly password?: string;
    /** Supports TLS, with the certificate of test/fixtures/self-signed. */
    readonly tls?: boolean;
    /** Without MLSD and EPSV, like old servers. */
    readonly isOld?: boolean;
    /** The address in the answer to PASV, for example `10,0,0,1`. Default: the server's address. EPSV is then not supported. */
    readonly passiveHost?: string;
    /** Changes the format of each line of a listing. */
    readonly asListed?: (line: string) => string;
    /** Additional lines of every listing. */
    readonly moreLines?: () => Iterable<string>;
}

export interface FtpServer {
    readonly port: number;
    /** Cuts the connections once after this many more bytes of files were read. */
    cutAfter(...bytes: readonly number[]): void;
    /** How often that has happened. */
    cuts(): number;
    /** Closes the connection at the next command instead of answering, once. */
    hangUpAtNext(): void;
    /** The received commands, without passwords. */
    readonly commands: readonly string[];
    close(): Promise<void>;
}

/** An FTP server on this machine with its own folder. User `shop`; default password: `secret`. */
export async function startFtp(options: FtpServerOptions): Promise<FtpServer> {
    const open = new Set<Socket>();
    const batchSize: Cut = { left: [], done: 0, isNext: false };
    const commands: string[] = [];
    const server = createServer(socket => {
        open.add(socket);
        socket.on('error', () => undefined).on('close', () => open.delete(socket));
        new Session(socket, { ...options, cut: batchSize, commands, open }).greet();
    });
    const port = await listen(server);
    return {
        port,
        cutAfter: (...bytes) => void (batchSize.left = [...bytes]),
        cuts: () => batchSize.done,
        hangUpAtNext: () => void (batchSize.isNext = true),
        commands,
        close: () => {
            for (const socket of open) socket.destroy();
            return new Promise(resolve => server.close(() => resolve()));
        },
    };
}

interface Cut {
    left: number[];
    done: number;
    isNext: boolean;
}

type Served = FtpServerOptions & { readonly cut: Cut; readonly commands: string[]; readonly open: Set<Socket> };

class Session {
    private socket: Socket;
    private user = '';
    private isIn = false;
    private isProtected = false;
    private offset = 0;
    private from = '';
    private cwd = '/';
    private nextData: (() => Promise<Socket>) | undefined;

    constructor(
        private readonly plain: Socket,
        private readonly options: Served,
    ) {
        this.socket = plain;
        this.listenTo(plain);
    }

    greet(): void {
        this.say('220 ready');
    }

    private say(line: string): void {
        if (!this.socket.destroyed) this.socket.write(`${line}\r\n`);
    }

    private listenTo(socket: Socket): void {
        let rest = '';
        // One after another, in the order of arrival.
        let last = Promise.resolve();
        socket.setEncoding('utf8').on('data', (chunk: string) => {
            const lines = (rest + chunk).split('\r\n');
            rest = lines.pop()!;
            for (const line of lines)
                last = last.then(() =>
                    this.does(line).catch((error: NodeJS.ErrnoException) => this.say(`550 ${error.message}`)),
                );
        });
    }

    private placeOf(path: string): string {
        const { folder } = this.options;
        const place = join(folder, isAbsolute(path) ? path : join(this.cwd, path));
        const inside = relative(folder, place);
        if (inside.startsWith('..') || isAbsolute(inside)) throw new Error('No such file or directory');
        return place;
    }

    private async does(line: string): Promise<void> {
        const [, word = '', rest = ''] = /^(\S+) ?(.*)$/.exec(line) ?? [];
        const command = word.toUpperCase();
        const { options } = this;
        options.commands.push(command === 'PASS' ? 'PASS' : line);
        if (options.cut.isNext) {
            options.cut.isNext = false;
            this.plain.destroy();
            return;
        }
        if (command === 'USER') {
            this.user = rest;
            return this.say('331 password');
        }
        if (command === 'PASS') {
            this.isIn = this.user === 'shop' && rest === (options.password ?? 'secret');
            return this.say(this.isIn ? '230 in' : '530 Login incorrect.');
        }
        if (command === 'AUTH') return this.secure();
        if (command === 'NOOP') return this.say('200 here');
        if (command === 'QUIT') return this.say('221 bye');
        if (command === 'FEAT') {
            const features = options.isOld
                ? ' SIZE\r\n'
                : ' MLST type*;size*;modify*;\r\n REST STREAM\r\n SIZE\r\n MDTM\r\n';
            return this.say(`211-Features:\r\n${features}211 end`);
        }
        if (!this.isIn) return this.say('530 Log in first.');
        return this.doesInside(command, rest);
    }

    private async doesInside(command: string, rest: string): Promise<void> {
        const { isOld = false, passiveHost } = this.options;
        switch (command) {
            case 'TYPE':
            case 'STRU':
            case 'OPTS':
            case 'PBSZ':
                return this.say('200 ok');
            case 'PROT':
                this.isProtected = rest === 'P';
                return this.say('200 ok');
            case 'PWD':
                return this.say('257 "/" is where you are');
            case 'CWD':
                if (!(await stat(this.placeOf(rest))).isDirectory()) throw new Error('no folder');
                this.cwd = rest;
                return this.say('250 ok');
            case 'EPSV':
                if (isOld || passiveHost !== undefined) return this.say('500 unknown');
                return this.say(`229 Entering Extended Passive Mode (|||${await this.passive()}|)`);
            case 'PASV': {
                const port = await this.passive();
                return this.say(`227 Entering Passive Mode (${passiveHost ?? '127,0,0,1'},${port >> 8},${port & 255})`);
            }
            case 'PORT': {
                const parts = rest.split(',').map(Number);
                const port = parts[4]! * 256 + parts[5]!;
                this.nextData = () => Promise.resolve(connect(port, parts.slice(0, 4).join('.')));
                return this.say('200 ok');
            }
            case 'REST':
                this.offset = Number(rest);
                return this.say('350 ok');
            case 'SIZE': {
                const { size } = await fileAt(this.placeOf(rest));
                return this.say(`213 ${size}`);
            }
            case 'MDTM': {
                const { mtime } = await fileAt(this.placeOf(rest));
                return this.say(`213 ${stamp(mtime)}`);
            }
            case 'DELE':
                await unlink(this.placeOf(rest));
                return this.say('250 deleted');
            case 'MKD':
                await mkdir(this.placeOf(rest));
                return this.say('257 made');
            case 'RNFR':
                await stat(this.placeOf(rest));
                this.from = rest;
                return this.say('350 to?');
            case 'RNTO':
                await rename(this.placeOf(this.from), this.placeOf(rest));
                return this.say('250 moved');
            case 'MLSD':
            case 'LIST': {
                if (command === 'MLSD' && isOld) return this.say('500 unknown');
                const lines = await listing(this.placeOf(rest === '' ? this.cwd : rest), command === 'MLSD');
                return this.transfer(async data => {
                    for (const line of lines) await written(data, `${this.options.asListed?.(line) ?? line}\r\n`);
                    for (const line of this.options.moreLines?.() ?? []) await written(data, `${line}\r\n`);
                    data.end();
                });
            }
            case 'RETR': {
                const place = this.placeOf(rest);
                await fileAt(place);
                return this.transfer(data => this.sendFile(place, data));
            }
            case 'STOR': {
                const place = this.placeOf(rest);
                return this.transfer(data => pipeline(data, createWriteStream(place)));
            }
            default:
                return this.say('500 unknown');
        }
    }

    private async sendFile(place: string, data: Socket): Promise<void> {
        const start = this.offset;
        this.offset = 0;
        const { cut } = this.options;
        for await (const chunk of createReadStream(place, { start }) as AsyncIterable<Buffer>) {
            if (cut.left.length > 0 && (cut.left[0]! -= chunk.length) < 0) {
                cut.left.shift();
                cut.done++;
                data.destroy();
                this.socket.destroy();
                throw new Error('cut');
            }
            await written(data, chunk);
        }
        data.end();
    }

    private async transfer(work: (data: Socket) => Promise<void>): Promise<void> {
        const ready = this.nextData;
        this.nextData = undefined;
        if (!ready) return this.say('425 no data connection');
        this.say('150 here it comes');
        const plain = await ready();
        const data = this.isProtected ? tlsOver(plain) : plain;
        this.options.open.add(plain);
        plain.on('close', () => this.options.open.delete(plain));
        data.on('error', () => undefined);
        try {
            await work(data);
            // A paused connection does not notice that the client has closed it.
            data.resume();
            this.say('226 done');
        } catch (error) {
            data.destroy();
            this.say(`426 ${(error as Error).message}`);
        }
    }

    private async passive(): Promise<number> {
        const server = createServer({ pauseOnConnect: true });
        const came = new Promise<Socket>(resolve => server.once('connection', resolve));
        void came.then(() => server.close());
        const close = (): void => void server.close();
        this.plain.once('close', close);
        server.once('close', () => this.plain.removeListener('close', close));
        this.nextData = () => came;
        return listen(server);
    }

    private secure(): void {
        if (!this.options.tls) return this.say('502 no TLS');
        this.say('234 continue');
        this.plain.removeAllListeners('data');
        this.socket = tlsOver(this.plain);
        this.socket.on('error', () => undefined);
        this.listenTo(this.socket);
    }
}

function tlsOver(socket: Socket): TLSSocket {
    return new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(SELF_SIGNED) });
}

async function listen(server: Server): Promise<number> {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
}

function written(data: Socket, chunk: string | Buffer): Promise<void> {
    return new Promise((resolve, reject) => data.write(chunk, error => (error ? reject(error) : resolve())));
}

async function fileAt(place: string): Promise<{ readonly size: number; readonly mtime: Date }> {
    const found = await stat(place);
    if (!found.isFile()) throw new Error('not a plain file');
    return found;
}

async function listing(folder: string, isForMachines: boolean): Promise<readonly string[]> {
    if (!existsSync(folder)) throw new Error('No such file or directory');
    const lines: string[] = isForMachines ? ['type=cdir; .', 'type=pdir; ..'] : ['total 12'];
    for (const name of await readdir(folder)) {
        const found = await lstat(join(folder, name));
        const type = found.isFile() ? 'file' : found.isDirectory() ? 'dir' : 'OS.unix=symlink';
        const letter = found.isFile() ? '-' : found.isDirectory() ? 'd' : 'l';
        lines.push(
            isForMachines
                ? `type=${type};size=${found.size};modify=${stamp(found.mtime)}; ${name}`
                : `${letter}rw-r--r--   1 shop  shop  ${String(found.size).padStart(8)} Jan 01 00:00 ${name}${letter === 'l' ? ' -> /etc/passwd' : ''}`,
        );
    }
    return lines;
}

function stamp(time: Date): string {
    return time.toISOString().replace(/[-:T]|\.\d+Z/g, '');
}
