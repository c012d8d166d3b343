import type { OutboundSocket } from '../../core/adapter/outbound';
import { flowError } from '../../core/errors/flow-error';

/** What a server may send at once: well below what one text of JavaScript holds. */
export const MAX_RESULT_BYTES = 256 * 1024 * 1024;

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

    /** Nothing at all has come. */
    get isSilent(): boolean {
        return !this.hasHeard;
    }

    /** Takes the driver's place at the socket, or where it listens once it has encrypted it; to be called when it listens, and before it is sent anything. */
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
