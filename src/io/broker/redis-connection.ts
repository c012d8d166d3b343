import type { Redis, RedisOptions } from 'ioredis';
import type { OutboundSocket, OutboundSockets } from '../../core/adapter/outbound';
import { type FlowError, flowError, isFlowError } from '../../core/errors/flow-error';

/** How a server is reached. */
export interface RedisServer {
    readonly host: string;
    readonly port: number;
    readonly username: string | undefined;
    readonly password: string | undefined;
    readonly db: number;
    readonly ssl: boolean;
}

/** What connecting takes. */
export interface RedisParts {
    readonly ioredis: Pick<typeof import('ioredis'), 'Redis'>;
    readonly sockets: OutboundSockets;
    readonly signal: AbortSignal;
}

const USUAL_PORTS = [6379, 6380];
const ANSWER_MS = 30_000;

/**
 * A client that sends nothing twice by itself, and that is of no use any more once its connection is lost. To be disconnected by whoever opens it. Throws
 * OUTBOUND_BLOCKED, REMOTE_BUSY and REMOTE_REFUSED. A command waits half a minute for its answer, but for those of whoever asks `inTime`.
 */
export async function openRedis(
    server: RedisServer,
    { ioredis, sockets, signal }: RedisParts,
    { asksInTime = false } = {},
): Promise<Redis> {
    const { host, port, username, password, db, ssl } = server;
    const target = { host, port, usualPorts: USUAL_PORTS, signal, ...(ssl && { tls: {} }) };
    const socket = await sockets.open(target);
    const options: RedisOptions = {
        Connector: connectorOf(socket),
        db,
        ...(username !== undefined && { username }),
        ...(password !== undefined && { password }),
        lazyConnect: true,
        enableOfflineQueue: false,
        // What was not answered may have been taken: whoever has the ids of the messages decides.
        autoResendUnfulfilledCommands: false,
        maxRetriesPerRequest: 0,
        retryStrategy: () => null,
        ...(!asksInTime && { commandTimeout: ANSWER_MS }),
        connectTimeout: ANSWER_MS,
    };
    const client = new ioredis.Redis(options);
    // Each command says itself that it has failed; unheard, the event would end the process.
    client.on('error', () => undefined);
    try {
        await inTime(client, () => client.connect());
        return client;
    } catch (thrown) {
        client.disconnect();
        socket.destroy();
        signal.throwIfAborted();
        throw redisFailure(`${host}:${port}`, thrown);
    }
}

/** Hangs up on a server that says nothing: what it was asked then fails, each for itself. One timer for all, where the client's own would be one a command. */
export async function inTime<T>(client: Redis, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => client.disconnect(), ANSWER_MS);
    try {
        return await work();
    } finally {
        clearTimeout(timer);
    }
}

/** What the server says of the one who asks, and what the network says. */
export function redisFailure(host: string, thrown: unknown): FlowError {
    if (isFlowError(thrown)) return thrown;
    const error = thrown as Error;
    if (/WRONGPASS|NOAUTH|invalid (password|username)|NOPERM|DB index/i.test(error.message))
        return redisRefusal(host, error);
    const problem = `cannot be talked to: ${error.message.replace(/[.\s]+$/, '')}`;
    return flowError('REMOTE_BUSY', { host, problem, attempts: 1 }, { cause: thrown });
}

/** What no other time would change. */
export function redisRefusal(host: string, error: Error): FlowError {
    const problem = `answered: ${error.message.replace(/[.\s]+$/, '')}`;
    return flowError('REMOTE_REFUSED', { host, problem }, { cause: error });
}

/** Gives the client the socket that is there, once. */
function connectorOf(socket: OutboundSocket): NonNullable<RedisOptions['Connector']> {
    class Connector {
        check(): boolean {
            return true;
        }

        connect(): Promise<OutboundSocket> {
            return Promise.resolve(socket);
        }

        disconnect(): void {
            socket.destroy();
        }
    }
    // The type asks for the client's own base class, of which these three are used.
    return Connector as unknown as NonNullable<RedisOptions['Connector']>;
}
