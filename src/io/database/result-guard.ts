import type { OutboundSocket } from '../../core/adapter/outbound';
import { flowError } from '../../core/errors/flow-error';

/** What a server may send at once: well below the size of the longest text of JavaScript. */
const MAX_RESULT_BYTES = 256 * 1024 * 1024;

type Listener = (piece: Buffer) => void;

interface Heard {
    readonly listener: Listener;
    readonly stream: OutboundSocket;
}

/**
 * Is placed between a socket and the driver that reads it. What drivers throw there cannot be caught and would end
 * the process: for results that are too big for one text, for unknown methods of authentication, and for servers that
 * speak another protocol. The guard ends the connection instead.
 */
export class ResultGuard {
    private bytes = 0;
    private hasHeard = false;

    constructor(
        private readonly socket: OutboundSocket,
        private readonly host: string,
        private readonly maxBytes = MAX_RESULT_BYTES,
    ) {}

    /** The server has sent nothing at all. */
    get isSilent(): boolean {
        return !this.hasHeard;
    }

    /**
     * Takes the driver's place at the socket, or at the encrypted socket. Must be called after the driver listens,
     * and before anything is sent.
     */
    stepIn(stream = this.socket): void {
        for (const listener of stream.listeners('data') as Listener[])
            stream
                .removeListener('data', listener)
                .on('data', (piece: Buffer) => this.handOn(piece, { listener, stream }));
    }

    /** Another query begins. */
    renew(): void {
        this.bytes = 0;
    }

    private handOn(piece: Buffer, { listener, stream }: Heard): void {
        const { host, maxBytes } = this;
        if (stream.destroyed) return;
        this.hasHeard = true;
        this.bytes += piece.length;
        if (this.bytes > maxBytes) {
            stream.destroy(flowError('OUTBOUND_TOO_LARGE', { host, what: 'rows, read at once,', maxBytes }));
            return;
        }
        try {
            listener(piece);
        } catch (thrown) {
            const problem = `it is not what was agreed on (${thrown instanceof Error ? thrown.message : String(thrown)})`;
            stream.destroy(flowError('REMOTE_MALFORMED', { host, problem }, { cause: thrown }));
        }
    }
}
