import type { OutboundHttp, OutboundRequest } from '../core/adapter/http';
import {
    noNetwork,
    type Outbound,
    type OutboundRules,
    type OutboundSocket,
    type OutboundStream,
    type OutboundStreamRequest,
    type PinnedHost,
    type SocketTarget,
} from '../core/adapter/outbound';
import type { Secret } from '../core/adapter/secret';
import { secretTargetOf } from '../core/adapter/secret-hosts';
import { flowError } from '../core/errors/flow-error';

/** A response in chunks. Its chunks are produced as they are read, and the iteration ends when the reader stops. */
export interface FakeStream {
    /** Default 200. */
    readonly status?: number;
    /** Names in lower case. */
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
}

/** Replaces the network; a request without a replacement is rejected. */
export interface FakeNetwork {
    /** Answers requests. */
    readonly http?: OutboundHttp['send'];
    /** Handles requests whose responses are streams. */
    readonly stream?: (request: OutboundStreamRequest) => FakeStream | Promise<FakeStream>;
    /** Returns a socket, for example of `net.connect` to a test server; TLS is omitted. */
    readonly socket?: (target: SocketTarget) => OutboundSocket | Promise<OutboundSocket>;
    /** What hosts are looked up as. */
    readonly pin?: (target: Pick<SocketTarget, 'host' | 'port'>) => PinnedHost | Promise<PinnedHost>;
    /** The options of the shop's operator. Default: nothing is allowed, and files have at most 2 GiB. */
    readonly rules?: Partial<OutboundRules>;
}

let networks = 0;

/** The network access of adapters, with the replacements of a test. Streams respect the requested size limit and end with the run's signal. */
export function fakeOutbound({ http, stream, socket, pin, rules }: FakeNetwork = {}): Outbound {
    const none = noNetwork;
    return {
        // One network knows nothing of another: what was remembered of the one is never answered for the other.
        scope: `test-${++networks}`,
        rules: { ...none.rules, maxFileBytes: DEFAULT_MAX_FILE_BYTES, ...rules },
        http: http ? { send: async request => http(withAllowedSecrets(request)) } : none.http,
        stream: stream
            ? { open: async request => answerOf(request, await stream(withAllowedSecrets(request))) }
            : none.stream,
        socket: {
            open: socket ? async target => ended(await socket(target), target.signal) : none.socket.open,
            secure: socket ? plain => Promise.resolve(plain) : none.socket.secure,
            awaitFrom: none.socket.awaitFrom,
            pin: pin ? async target => pin(target) : none.socket.pin,
            hold: none.socket.hold,
            leave: none.socket.leave,
            restoreCheckpoint: none.socket.restoreCheckpoint,
        },
    };
}

/** As the door does it: secrets go only to hosts that they may be sent to. Throws SECRET_HOST_NOT_ALLOWED. */
function withAllowedSecrets<R extends Pick<OutboundRequest, 'url' | 'auth' | 'signed'>>(request: R): R {
    const { url, auth, signed } = request;
    const check = (secret: Secret, address = url): void => {
        const target = secretTargetOf(address);
        if (target) secret.revealFor(target);
    };
    if (auth && 'tokenUrl' in auth) {
        check(auth.clientSecret, auth.tokenUrl);
        check(auth.clientSecret);
    } else if (auth) check(auth.value);
    if (!signed) return request;
    const allowed = (): ReturnType<typeof signed> => {
        const headers = signed();
        for (const { value } of headers) check(value);
        return headers;
    };
    return { ...request, signed: allowed };
}

/** What a door of a shop allows where its options do not say otherwise. */
const DEFAULT_MAX_BYTES = 32 * 1024 * 1024;
const DEFAULT_MAX_FILE_BYTES = 2 * 1024 * 1024 * 1024;

async function answerOf(
    { url, maxBytes = DEFAULT_MAX_BYTES, wholeUpTo, signal }: OutboundStreamRequest,
    fake: FakeStream,
): Promise<OutboundStream> {
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
    const answer = {
        status: fake.status ?? 200,
        headers: fake.headers ?? {},
        body: { [Symbol.asyncIterator]: read },
        close: () => void (isTaken = true),
    };
    return wholeUpTo === undefined ? answer : heldUpTo(wholeUpTo, answer);
}

/** As the door does it: what is short is held whole, of what is longer the first part is held. */
async function heldUpTo(most: number, answer: OutboundStream): Promise<OutboundStream> {
    const pieces = answer.body[Symbol.asyncIterator]();
    const held: Buffer[] = [];
    let bytes = 0;
    while (bytes <= most) {
        const piece = await pieces.next();
        if (piece.done) {
            const whole = Buffer.concat(held);
            const body = (async function* () {
                yield whole;
            })();
            return { ...answer, whole, body };
        }
        held.push(piece.value);
        bytes += piece.value.length;
    }
    const body = (async function* () {
        try {
            yield* held;
            for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) yield piece.value;
        } finally {
            await pieces.return?.();
        }
    })();
    return { ...answer, body };
}

function ended(socket: OutboundSocket, signal: AbortSignal): OutboundSocket {
    signal.addEventListener('abort', () => socket.destroy(signal.reason as Error), { once: true });
    return socket;
}
