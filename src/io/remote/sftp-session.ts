import type { Client, ConnectConfig, SFTPWrapper } from 'ssh2';
import { createHash } from 'node:crypto';
import type { DetachedSession, Outbound, OutboundSocket } from '../../core/adapter/outbound';
import { type FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import { onAbort } from '../../core/concurrency/abort';

/** How a server is reached and what its user proves himself with. */
export interface SftpServer {
    readonly host: string;
    readonly port: number;
    readonly username: string;
    readonly password?: string | undefined;
    readonly privateKey?: string | undefined;
    readonly passphrase?: string | undefined;
    /** `SHA256:<base64>`, of the one host key that is trusted. */
    readonly hostKeyFingerprint?: string | undefined;
    readonly timeoutMs: number;
}

/** What sessions need. */
export interface SftpDeps {
    readonly ssh2: { readonly Client: typeof Client };
    readonly outbound: Outbound;
    readonly signal: AbortSignal;
}

const USUAL_PORTS = [22];
const KEEPALIVE_MS = 15_000;
const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}=?$/;

/** The statuses of the protocol that are used here. */
export const STATUS = { eof: 1, noSuchFile: 2, permissionDenied: 3, failure: 4 } as const;

/** Of the protocol. */
export function statusCodeOf(thrown: unknown): number | undefined {
    const { code } = (thrown ?? {}) as { readonly code?: unknown };
    return typeof code === 'number' ? code : undefined;
}

type Callback<T> = (error: Error | undefined | null, answer: T) => void;

/** One connection to an SFTP server. */
export class SftpSession implements DetachedSession {
    /** Why it is of no use any more. */
    private lost: FlowError | undefined;
    private readonly waiting = new Set<(error: FlowError) => void>();
    private unwatch = (): void => undefined;

    private constructor(
        readonly host: string,
        /** Of the host key that the server has shown. */
        readonly fingerprint: string,
        private readonly sftp: SFTPWrapper,
        private readonly ends: { readonly timeoutMs: number; readonly socket: OutboundSocket; close(): void },
    ) {}

    /** Throws what the door throws, REMOTE_REFUSED for a wrong host key and for credentials, and CONNECTION_INVALID through its caller. */
    static async open(server: SftpServer, { ssh2, outbound, signal }: SftpDeps): Promise<SftpSession> {
        const { host, port, timeoutMs } = server;
        checkHostKeyRule(server, outbound);
        const socket = await outbound.socket.open({
            host,
            port,
            usualPorts: USUAL_PORTS,
            connectMs: timeoutMs,
            signal,
        });
        const client = new ssh2.Client();
        const shown = { fingerprint: '' };
        const close = (): void => {
            client.destroy();
            socket.destroy();
        };
        const unwatch = onAbort(signal, close);
        let session: SftpSession;
        try {
            const sftp = await sftpOf(client, configOf(server, socket, shown));
            session = new SftpSession(host, shown.fingerprint, sftp, { timeoutMs, socket, close });
        } catch (thrown) {
            close();
            signal.throwIfAborted();
            throw refusalOf(thrown, server, shown.fingerprint);
        } finally {
            unwatch();
        }
        session.watch(signal);
        const broken = (cause?: unknown): void =>
            session.isOver(
                flowError('REMOTE_BUSY', { host, problem: 'broke the connection off', attempts: 1 }, { cause }),
            );
        client.on('error', broken).on('close', () => broken());
        return session;
    }

    /** The fingerprint of the server's host key. The connection ends before anything about the user is sent. Throws as `open` does. */
    static async hostKeyOf(
        { host, port, username, timeoutMs }: SftpServer,
        { ssh2, outbound, signal }: SftpDeps,
    ): Promise<string> {
        const target = { host, port, usualPorts: USUAL_PORTS, connectMs: timeoutMs, signal };
        const socket = await outbound.socket.open(target);
        const client = new ssh2.Client();
        const shown = { fingerprint: '' };
        const close = (): void => {
            client.destroy();
            socket.destroy();
        };
        const unwatch = onAbort(signal, close);
        // No key has this fingerprint, so the client rejects every key of the server.
        const server = { host, port, username, timeoutMs, hostKeyFingerprint: 'none' };
        try {
            await sftpOf(client, configOf(server, socket, shown));
        } catch (thrown) {
            signal.throwIfAborted();
            if (shown.fingerprint === '') throw refusalOf(thrown, server, '');
        } finally {
            unwatch();
            close();
        }
        return shown.fingerprint;
    }

    get isLost(): boolean {
        return this.lost !== undefined;
    }

    /** No answer is waited for. */
    get isIdle(): boolean {
        return this.lost === undefined && this.waiting.size === 0;
    }

    get sockets(): readonly OutboundSocket[] {
        return [this.ends.socket];
    }

    /** It is over when this is aborted, whatever it was before. */
    watch(signal: AbortSignal): void {
        this.unwatch();
        this.unwatch = onAbort(signal, () => this.close());
        if (signal.aborted) this.close();
    }

    /** Marks the session as idle. */
    rest(): void {
        this.unwatch();
    }

    /**
     * One request and its response. Throws the protocol's own errors (`code` is a STATUS), and errors of the
     * connection.
     */
    call<T>(work: (sftp: SFTPWrapper, callback: Callback<T>) => void): Promise<T> {
        return new Promise((resolve, reject) => {
            if (this.lost) return reject(this.lost);
            const { host, ends } = this;
            const { timeoutMs } = ends;
            const timer = setTimeout(() => {
                this.isOver(flowError('OUTBOUND_TIMEOUT', { host, what: 'did not answer', timeoutMs, attempts: 1 }));
            }, timeoutMs);
            const settle = (): void => {
                clearTimeout(timer);
                this.waiting.delete(fail);
            };
            const fail = (error: Error): void => {
                settle();
                reject(error);
            };
            this.waiting.add(fail);
            try {
                work(this.sftp, (error, answer) => {
                    settle();
                    if (error) reject(this.lost ?? error);
                    else resolve(answer);
                });
            } catch (thrown) {
                fail(thrown as Error);
            }
        });
    }

    /** Releases the handle of an open file or folder. Nothing waits for it, not even the next user of the session. */
    release(handle: Buffer): void {
        if (!this.lost) this.sftp.close(handle, () => undefined);
    }

    close(): void {
        this.isOver(flowError('REMOTE_BUSY', { host: this.host, problem: 'was left', attempts: 1 }));
    }

    private isOver(error: FlowError): void {
        if (this.lost) return;
        this.lost = error;
        this.unwatch();
        for (const fail of [...this.waiting]) fail(error);
        this.ends.close();
    }
}

function configOf(server: SftpServer, socket: OutboundSocket, shown: { fingerprint: string }): ConnectConfig {
    const { username, password, privateKey, passphrase, hostKeyFingerprint, timeoutMs } = server;
    return {
        sock: socket as unknown as NonNullable<ConnectConfig['sock']>,
        username,
        ...(password !== undefined && { password, tryKeyboard: true }),
        ...(privateKey !== undefined && { privateKey }),
        ...(passphrase !== undefined && { passphrase }),
        readyTimeout: timeoutMs,
        keepaliveInterval: KEEPALIVE_MS,
        hostVerifier: (key: Buffer) => {
            shown.fingerprint = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
            return (
                hostKeyFingerprint === undefined || shown.fingerprint === hostKeyFingerprint.trim().replace(/=+$/, '')
            );
        },
    };
}

function sftpOf(client: Client, config: ConnectConfig): Promise<SFTPWrapper> {
    return new Promise((resolve, reject) => {
        client
            .once('error', reject)
            .once('close', () => reject(new Error('the server has hung up')))
            .once('ready', () => client.sftp((error, sftp) => (error ? reject(error) : resolve(sftp))))
            .on('keyboard-interactive', (...[, , , prompts, answer]) =>
                // A question whose answer is shown on a screen does not get the password.
                answer(prompts.map(({ echo }) => (echo === true ? '' : (config.password ?? '')))),
            );
        // Throws where the private key cannot be read.
        client.connect(config);
    });
}

/** Throws REMOTE_REFUSED if no secret confirms the server's host key although that is required. */
function checkHostKeyRule({ host, hostKeyFingerprint }: SftpServer, { rules }: Outbound): void {
    if (hostKeyFingerprint === undefined && !rules.unknownHostKeys)
        throw flowError('REMOTE_REFUSED', {
            host,
            problem:
                'has an unknown host key. Test the connection to see its fingerprint, then save it with the connection',
        });
    if (hostKeyFingerprint !== undefined && !FINGERPRINT.test(hostKeyFingerprint.trim()))
        throw flowError('REMOTE_REFUSED', {
            host,
            problem:
                'was not contacted: the secret of hostKeyFingerprintSecretCode is not a fingerprint; allowed: SHA256: and 43 characters of base64, as ssh-keygen -lf shows it',
        });
}

/** Why no session came about. */
function refusalOf(thrown: unknown, server: SftpServer, fingerprint: string): FlowError {
    if (isFlowError(thrown)) return thrown;
    const { host, timeoutMs } = server;
    const { message, level } = thrown as Error & { readonly level?: string };
    const options = { cause: thrown };
    const rejected = (problem: string): FlowError => flowError('REMOTE_REFUSED', { host, problem }, options);
    if (/Host denied|verification failed/i.test(message))
        return rejected(
            `shows another host key than the trusted one: ${fingerprint}; nothing was sent to it. Check with its operator whether the key has changed`,
        );
    if (level === 'client-authentication' || /authentication methods failed/i.test(message))
        return rejected('does not let the user in: it takes neither the password nor the key that it was shown');
    if (/privateKey|passphrase|OpenSSH key/i.test(message))
        return rejected(`is not connected to: the private key cannot be read (${message.replace(/[.\s]+$/, '')})`);
    if (level === 'client-timeout')
        return flowError('OUTBOUND_TIMEOUT', { host, what: 'did not let anybody in', timeoutMs, attempts: 1 }, options);
    if (level === 'handshake' || /no matching|handshake failed/i.test(message))
        return rejected(`agrees on no encryption: ${message.replace(/[.\s]+$/, '')}`);
    if (/Unable to start subsystem|unable to exec|subsystem/i.test(message)) return rejected('offers no SFTP');
    const problem = `cannot be talked to: ${message.replace(/[.\s]+$/, '')}`;
    return flowError('REMOTE_BUSY', { host, problem, attempts: 1 }, options);
}
