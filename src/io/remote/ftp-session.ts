import type { Client, FTPContext, FTPResponse } from 'basic-ftp';
import type { DetachedSession, Outbound, OutboundSocket, PinnedHost, SocketTls } from '../../core/adapter/outbound';
import { type FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import { DataConnection } from './ftp-data';

/** How a server is reached. */
export interface FtpServer {
    readonly host: string;
    readonly port: number;
    /** Default: `anonymous`. */
    readonly username?: string | undefined;
    readonly password?: string | undefined;
    /** FTPS: TLS that is agreed on at the beginning (AUTH TLS), from the first byte at port 990. */
    readonly secure: boolean;
    /** An authority to trust, as PEM, instead of those of Node. */
    readonly ca?: string | undefined;
    /** False: the server opens the data connections. */
    readonly passiveMode: boolean;
    readonly timeoutMs: number;
}

/** What sessions need. */
export interface FtpDeps {
    readonly basicFtp: { readonly Client: typeof Client };
    readonly outbound: Outbound;
    readonly signal: AbortSignal;
}

const USUAL_PORTS = [21, 990];
const IMPLICIT_TLS = 990;

/** One control connection to an FTP server, which does one thing at a time. */
export class FtpSession implements DetachedSession {
    private tlsSession: Buffer | undefined;
    private secured: OutboundSocket | undefined;

    private constructor(
        private readonly server: FtpServer,
        private deps: FtpDeps,
        private readonly client: Client,
        private readonly pinned: PinnedHost,
        /** As the door has opened it, without TLS. */
        private readonly control: OutboundSocket,
    ) {}

    /** The user's initial folder; paths that do not begin with `/` are relative to it. */
    home = '/';
    /** It lists folders in the form that machines read (RFC 3659). */
    hasMlsd = false;

    /** Connects and logs in. */
    static async open(server: FtpServer, deps: FtpDeps): Promise<FtpSession> {
        const { host, port, secure, timeoutMs } = server;
        const { basicFtp, outbound, signal } = deps;
        const target = { host, port, usualPorts: USUAL_PORTS, connectMs: timeoutMs, signal };
        const at = await outbound.socket.pin(target);
        const isImplicit = secure && port === IMPLICIT_TLS;
        const control = await outbound.socket.open({ ...target, at, ...(isImplicit && { tls: tlsOf(server) }) });
        const session = new FtpSession(server, deps, new basicFtp.Client(timeoutMs), at, control);
        try {
            await session.begin(isImplicit);
            return session;
        } catch (thrown) {
            session.close();
            signal.throwIfAborted();
            throw session.failure(thrown, 'does not let the user in');
        }
    }

    get isLost(): boolean {
        return this.client.closed;
    }

    get sockets(): readonly OutboundSocket[] {
        return this.secured ? [this.control, this.secured] : [this.control];
    }

    /** Passes the session to another user of it; returns whether the server still responds. */
    async isTakenUp(deps: FtpDeps): Promise<boolean> {
        this.deps = deps;
        try {
            await this.request('NOOP');
            return true;
        } catch {
            // The server has closed the connection or is about to: a new connection reports the reason if it matters.
            this.close();
            return false;
        }
    }

    /** A command and its answer. Throws the client's own errors, of which `code` is the server's. */
    request(command: string): Promise<FTPResponse> {
        return this.ftp.request(command);
    }

    /** The lines or bytes that a command sends, from an offset on. */
    async *download(command: string, offset = 0): AsyncGenerator<Buffer, void, void> {
        const data = await this.data();
        let done: Promise<unknown> | undefined;
        try {
            if (offset > 0) await this.request(`REST ${offset}`);
            done = this.transfer(command, data);
            for await (const chunk of data.pieces()) yield chunk;
            await done;
        } catch (thrown) {
            // The response has more information than the connection that broke with it.
            const said = done && (await settled(done));
            throw said ?? thrown;
        } finally {
            if (!data.isOver) {
                // There is no way of stopping a transfer that every server supports, so the connection is closed.
                data.close();
                done?.catch(() => undefined);
                this.close();
            }
        }
    }

    /** Sends bytes by a command. */
    async upload(command: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
        const data = await this.data();
        const done = this.transfer(command, data);
        done.catch(() => undefined);
        try {
            await data.send(bytes);
            await done;
        } catch (thrown) {
            data.close();
            const said = await settled(done);
            if (said === undefined || isFlowError(thrown)) this.close();
            throw isOfNetwork(thrown) ? (said ?? thrown) : thrown;
        }
    }

    close(): void {
        this.client.close();
        this.control.destroy();
    }

    /** Converts an error of the client or the server. `verb` describes a rejection. */
    failure(thrown: unknown, verb = 'rejected it'): unknown {
        if (isFlowError(thrown)) return thrown;
        const { host, timeoutMs } = this.server;
        const { code, message = '' } = (thrown ?? {}) as { readonly code?: unknown; readonly message?: string };
        const text = message
            .replace(/[\r\n]+/g, ' ')
            .replace(/[.\s]+$/, '')
            .slice(0, 300);
        const options = { cause: thrown };
        // 421: it closes the connection; 425, 426: a data connection; 450, 451: a file or the server is busy.
        if (typeof code === 'number' && code >= 400)
            return code < 500 && code !== 430
                ? flowError('REMOTE_BUSY', { host, problem: `answered: ${text}`, attempts: 1 }, options)
                : flowError('REMOTE_REFUSED', { host, problem: `${verb}: ${text}` }, options);
        if (/timeout/i.test(text))
            return flowError('OUTBOUND_TIMEOUT', { host, what: 'did not answer', timeoutMs, attempts: 1 }, options);
        return flowError('REMOTE_BUSY', { host, problem: `cannot be talked to: ${text}`, attempts: 1 }, options);
    }

    private get ftp(): FTPContext {
        return this.client.ftp;
    }

    private async begin(isImplicit: boolean): Promise<void> {
        const { username = 'anonymous', password = username === 'anonymous' ? 'guest' : '', secure } = this.server;
        if (isImplicit) this.useConnection(this.control);
        else this.ftp.socket = this.control as unknown as FTPContext['socket'];
        await this.ftp.handle(undefined, (answer, task) => {
            if (answer instanceof Error) task.reject(answer);
            // 120: in a moment.
            else if (answer.code >= 200) task.resolve(answer);
        });
        if (secure && !isImplicit) {
            await this.request('AUTH TLS');
            this.secured = await this.deps.outbound.socket.secure(this.control, tlsOf(this.server));
            this.useConnection(this.secured);
        }
        await this.client.login(username, password);
        const features = await this.client.features();
        this.hasMlsd = features.has('MLST');
        await this.client.useDefaultSettings();
        this.home = await this.client.pwd();
    }

    private useConnection(socket: OutboundSocket): void {
        // With TLS 1.3 it arrives after the handshake.
        socket.on('session', (session: Buffer) => (this.tlsSession = session));
        this.ftp.socket = socket as unknown as FTPContext['socket'];
    }

    /** A data connection that is open, or will be once the command is sent. */
    private async data(): Promise<DataConnection> {
        const { host, timeoutMs, passiveMode, secure } = this.server;
        const { outbound, signal } = this.deps;
        const tls = secure
            ? { ...tlsOf(this.server), ...(this.tlsSession && { session: this.tlsSession }) }
            : undefined;
        const shared = { sockets: outbound.socket, tls, host, timeoutMs };
        if (passiveMode) {
            // The host that the server names is ignored: only the checked host is used, at a port that belongs to no other known service.
            const port = await this.passivePort();
            const target = { host, port, usualPorts: [], connectMs: timeoutMs, at: this.pinned, signal };
            return new DataConnection(shared, await outbound.socket.open(target));
        }
        const waiting = await outbound.socket.awaitFrom(this.control, { waitMs: timeoutMs });
        try {
            await this.request(portCommand(waiting));
        } catch (thrown) {
            waiting.close();
            throw thrown;
        }
        return new DataConnection(shared, waiting);
    }

    private async passivePort(): Promise<number> {
        const answer = await this.request('EPSV').catch((thrown: unknown) => {
            if (typeof (thrown as { code?: unknown }).code === 'number') return undefined;
            throw thrown;
        });
        const extended = answer && /\((.)\1\1(\d{1,5})\1\)/.exec(answer.message);
        if (extended) return Number(extended[2]);
        const { message } = await this.request('PASV');
        const plain = /(?:\d{1,3},){4}(\d{1,3}),(\d{1,3})/.exec(message);
        if (plain) return Number(plain[1]) * 256 + Number(plain[2]);
        const { host } = this.server;
        throw flowError('REMOTE_MALFORMED', { host, problem: `it names no port: ${message.slice(0, 100)}` });
    }

    /** Sends the command, and waits for the server to say that all has been sent. */
    private transfer(command: string, data: DataConnection): Promise<unknown> {
        const done = this.ftp.handle(command, (answer, task) => {
            if (answer instanceof Error) {
                data.refused(answer);
                task.reject(answer);
            } else if (answer.code >= 200 && answer.code < 300) task.resolve(answer);
        });
        // A transfer may take as long as the processing of its data; the data connection has a separate limit.
        this.ftp.socket.setTimeout(0);
        data.begin();
        done.catch(() => undefined);
        return done;
    }
}

function tlsOf({ host, ca }: FtpServer): SocketTls & { readonly servername: string } {
    return { servername: host, ...(ca !== undefined && { ca }) };
}

function portCommand({ address, port }: { readonly address: string; readonly port: number }): string {
    const bare = address.replace(/^::ffff:/, '');
    return bare.includes(':')
        ? `EPRT |2|${bare}|${port}|`
        : `PORT ${bare.replaceAll('.', ',')},${Math.floor(port / 256)},${port % 256}`;
}

/** The error with which a transfer was rejected; undefined if there is none, or if none arrives for a while. */
async function settled(done: Promise<unknown>): Promise<unknown> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>(resolve => (timer = setTimeout(() => resolve(undefined), 1_000)));
    const said = done.then(
        () => undefined,
        (error: unknown) => error,
    );
    const answer = await Promise.race([said, late]);
    clearTimeout(timer);
    return answer;
}

function isOfNetwork(thrown: unknown): boolean {
    return !isFlowError(thrown) || (thrown as FlowError).treat === 'transient';
}
