import type { ChannelModel, ConfirmChannel, Message } from 'amqplib';
import type { Writable } from 'node:stream';
import type { OutboundSockets } from '../../core/adapter/outbound';
import { type FlowError, flowError, isFlowError } from '../../core/errors/flow-error';
import { onAbort } from '../../core/concurrency/abort';

/** How a broker is reached. */
export interface RabbitSettings {
    readonly host: string;
    readonly port: number;
    readonly username: string | undefined;
    readonly password: string | undefined;
    readonly vhost: string;
    readonly ssl: boolean;
}

/** What a connection needs. */
export interface RabbitDeps {
    readonly amqplib: Pick<typeof import('amqplib'), 'connect'>;
    readonly sockets: OutboundSockets;
    readonly signal: AbortSignal;
}

/** A connection with its one channel. */
export interface OpenRabbit {
    readonly channel: ConfirmChannel;
    /** Correlation ids of messages without a matching queue, which the broker returns before it confirms them. */
    readonly returned: Set<string>;
    /** Rejects when the connection or its channel is lost. */
    readonly broken: Promise<never>;
    /** The broker's own name and version: `RabbitMQ 3.10.8`. */
    readonly product: string;
    close(): void;
}

const USUAL_PORTS = [5671, 5672];
const CONNECT_MS = 10_000;
const HEARTBEAT_SEC = 10;

/** Connects to the checked address, and opens a channel with confirmations. Throws OUTBOUND_BLOCKED, REMOTE_BUSY and REMOTE_REFUSED. */
export async function openRabbit(settings: RabbitSettings, deps: RabbitDeps): Promise<OpenRabbit> {
    const { amqplib, sockets, signal } = deps;
    const { host, port, username, password, vhost, ssl } = settings;
    const pinned = await sockets.pin({ host, port, usualPorts: USUAL_PORTS, connectMs: CONNECT_MS, signal });
    const where = {
        protocol: ssl ? 'amqps' : 'amqp',
        hostname: pinned.address,
        port,
        ...(username !== undefined && { username, password: password ?? '' }),
        vhost: encodeURIComponent(vhost),
        heartbeat: HEARTBEAT_SEC,
    };
    try {
        const connection = await amqplib.connect(where, { servername: host, timeout: CONNECT_MS, noDelay: true });
        return await opened(connection, deps);
    } catch (thrown) {
        signal.throwIfAborted();
        throw rabbitFailure(`${host}:${port}`, thrown);
    }
}

async function opened(connection: ChannelModel, { sockets, signal }: RabbitDeps): Promise<OpenRabbit> {
    const { stream } = connection.connection as unknown as { readonly stream: Writable };
    sendTogether(stream);
    let isLeft = false;
    const close = (): void => {
        release();
        leave();
        isLeft = true;
        // All pending results have arrived, and an orderly close could wait forever. The client reacts only to errors: without one, its heartbeat
        // continues for half a minute.
        stream.on('error', () => undefined).destroy(new Error('The connection was closed'));
    };
    const release = sockets.hold(close);
    const leave = onAbort(signal, close);
    let fail: (error: unknown) => void = () => undefined;
    const broken = new Promise<never>((_, reject) => (fail = reject));
    const lost = (error: unknown): void => void (isLeft || fail(error));
    broken.catch(() => undefined);
    connection.on('error', lost).on('close', lost);
    try {
        const channel = await Promise.race([connection.createConfirmChannel(), broken]);
        const returned = new Set<string>();
        channel
            .on('error', lost)
            .on('close', lost)
            .on('return', ({ properties }: Message) => returned.add(String(properties.correlationId)));
        return { channel, returned, broken, product: productOf(connection), close };
    } catch (thrown) {
        close();
        throw thrown;
    }
}

/**
 * The client writes one message after another. The messages of one turn are sent as one packet, since a broker
 * accepts many more messages that way.
 */
function sendTogether(stream: Writable): void {
    const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
    stream.write = (...given: unknown[]) => {
        if (stream.writableCorked === 0) {
            stream.cork();
            process.nextTick(() => stream.uncork());
        }
        return write(...given);
    };
}

function productOf({ connection }: ChannelModel): string {
    const { product, version } = connection.serverProperties ?? {};
    return [product, version].filter(Boolean).join(' ') || 'The broker';
}

/** Converts errors of the broker, which have a code, and errors of the network. */
export function rabbitFailure(host: string, thrown: unknown): FlowError {
    if (isFlowError(thrown)) return thrown;
    const { code, message = '' } = (thrown ?? {}) as { readonly code?: unknown; readonly message?: string };
    const reason = message.replace(/^(Channel|Connection) closed by server: /, '').replace(/[.\s]+$/, '');
    const options = { cause: thrown };
    // Missing access, a missing queue, a failed precondition or a forbidden operation is permanent.
    const isRefused =
        typeof code === 'number' ? [402, 403, 404, 406, 530].includes(code) : /ACCESS.REFUSED|403/.test(message);
    if (isRefused) return flowError('REMOTE_REFUSED', { host, problem: `answered: ${reason}` }, options);
    const problem = reason === '' ? 'broke the connection off' : `cannot be talked to: ${reason}`;
    return flowError('REMOTE_BUSY', { host, problem, attempts: 1 }, options);
}
