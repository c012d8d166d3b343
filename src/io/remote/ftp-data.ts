import { once } from 'node:events';
import type { AwaitedSocket, OutboundSocket, OutboundSockets, SocketTls } from '../../core/adapter/outbound';
import { flowError } from '../../core/errors/flow-error';

interface Shared {
    readonly sockets: OutboundSockets;
    /** Spoken over it, if anything. */
    readonly tls: (SocketTls & { readonly servername: string }) | undefined;
    readonly host: string;
    /** The maximum time without traffic. */
    readonly timeoutMs: number;
}

/**
 * A connection for one listing or file. Servers start TLS on it only after the command that uses it, and a server that connects back does so only
 * then. So the connection is ready once the command has been sent.
 */
export class DataConnection {
    /** It has been read or written to its end. */
    isOver = false;
    private ready: Promise<OutboundSocket> | undefined;
    private socket: OutboundSocket | undefined;
    private rejection: Error | undefined;
    /** Ends what is waited for now. */
    private refuse: ((error: Error) => void) | undefined;

    constructor(
        private readonly shared: Shared,
        private readonly from: OutboundSocket | AwaitedSocket,
    ) {}

    /** To be called when the command has been sent. */
    begin(): void {
        this.ready = this.connected();
        this.ready.catch(() => undefined);
    }

    /** The server does not want it. */
    refused(error: Error): void {
        this.rejection ??= error;
        this.refuse?.(error);
    }

    /** The received pieces, until the server closes the connection. */
    async *pieces(): AsyncGenerator<Buffer, void, void> {
        const socket = await this.inTime(this.opened());
        const pieces = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
        for (;;) {
            const piece = await this.inTime(pieces.next());
            if (piece.done) break;
            yield piece.value;
        }
        this.isOver = true;
        this.close();
    }

    /** Sends all bytes, no faster than they are taken, and closes it. */
    async send(bytes: AsyncIterable<Uint8Array>): Promise<void> {
        const socket = await this.inTime(this.opened());
        let broken: Error | undefined;
        socket.on('error', error => (broken = error));
        for await (const chunk of bytes) {
            if (broken) throw broken;
            if (!socket.write(chunk)) await this.inTime(once(socket, 'drain'));
        }
        await this.inTime(
            new Promise<void>((resolve, reject) => {
                socket.once('error', reject);
                socket.end(() => resolve());
            }),
        );
        this.isOver = true;
    }

    close(): void {
        if ('accepted' in this.from) this.from.close();
        else this.from.destroy();
        this.socket?.destroy();
    }

    private async opened(): Promise<OutboundSocket> {
        if (!this.ready) throw flowError('BUG', { problem: 'a data connection is used before its command is sent' });
        return this.ready;
    }

    private async connected(): Promise<OutboundSocket> {
        const { sockets, tls } = this.shared;
        const plain = 'accepted' in this.from ? await this.from.accepted() : this.from;
        this.socket = tls ? await sockets.secure(plain, tls) : plain;
        return this.socket;
    }

    /**
     * Awaits one step at a time. Throws the error of the server, and OUTBOUND_TIMEOUT. Nothing that outlives the step may keep a reference to it:
     * in a race with one promise of the whole connection, all received data would stay in memory until its end.
     */
    private async inTime<T>(work: Promise<T>): Promise<T> {
        const { host, timeoutMs } = this.shared;
        let timer: NodeJS.Timeout | undefined;
        try {
            return await new Promise<T>((resolve, reject) => {
                work.then(resolve, reject);
                if (this.rejection) return reject(this.rejection);
                this.refuse = reject;
                const what = 'sent nothing more';
                const late = (): void => reject(flowError('OUTBOUND_TIMEOUT', { host, what, timeoutMs, attempts: 1 }));
                timer = setTimeout(late, timeoutMs);
            });
        } finally {
            clearTimeout(timer);
            this.refuse = undefined;
        }
    }
}
