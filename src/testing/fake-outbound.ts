import type { OutboundHttp } from '../core/adapter/http';
import {
    noNetwork,
    type Outbound,
    type OutboundSocket,
    type OutboundStream,
    type OutboundStreamRequest,
    type PinnedHost,
    type SocketTarget,
} from '../core/adapter/outbound';
import { flowError } from '../core/errors/flow-error';

/** An answer that is given piece by piece. Its pieces are asked for as they are read, and left when the reader leaves. */
export interface FakeStream {
    /** Default 200. */
    readonly status?: number;
    /** Names in lower case. */
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
}

/** What stands in for the network; what is left out is refused. */
export interface FakeNetwork {
    /** Answers requests. */
    readonly http?: OutboundHttp['send'];
    /** Answers requests whose answers are streams. */
    readonly stream?: (request: OutboundStreamRequest) => FakeStream | Promise<FakeStream>;
    /** Answers with a socket, of `net.connect` to a server of the test, say; TLS is left out. */
    readonly socket?: (target: SocketTarget) => OutboundSocket | Promise<OutboundSocket>;
    /** What hosts are looked up as. */
    readonly pin?: (target: Pick<SocketTarget, 'host' | 'port'>) => PinnedHost | Promise<PinnedHost>;
}

let networks = 0;

/** The ways to the network, with what a test puts behind them. Streams keep to the size that is asked for and end with the run's signal. */
export function fakeOutbound({ http, stream, socket, pin }: FakeNetwork = {}): Outbound {
    const none = noNetwork;
    return {
        // One network knows nothing of another: what was remembered of the one is never answered for the other.
        scope: `test-${++networks}`,
        http: http ? { send: http } : none.http,
        stream: stream ? { open: async request => answerOf(request, await stream(request)) } : none.stream,
        socket: {
            open: socket ? async target => ended(await socket(target), target.signal) : none.socket.open,
            secure: socket ? plain => Promise.resolve(plain) : none.socket.secure,
            pin: pin ? async target => pin(target) : none.socket.pin,
        },
    };
}

function answerOf({ url, maxBytes, signal }: OutboundStreamRequest, fake: FakeStream): OutboundStream {
    let isTaken = false;
    async function* read(): AsyncGenerator<Buffer, void, void> {
        if (isTaken)
            throw flowError('BUG', { problem: 'the body of an answer is read that was read or closed before' });
        isTaken = true;
        let bytes = 0;
        for await (const piece of fake.body) {
            signal.throwIfAborted();
            const chunk = Buffer.from(piece as string);
            bytes += chunk.length;
            if (bytes > maxBytes)
                throw flowError('OUTBOUND_TOO_LARGE', { host: new URL(url).host, what: 'a body', maxBytes });
            yield chunk;
        }
    }
    return {
        status: fake.status ?? 200,
        headers: fake.headers ?? {},
        body: { [Symbol.asyncIterator]: read },
        close: () => void (isTaken = true),
    };
}

function ended(socket: OutboundSocket, signal: AbortSignal): OutboundSocket {
    signal.addEventListener('abort', () => socket.destroy(signal.reason as Error), { once: true });
    return socket;
}
