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

/** What a connection needs. */
export interface RedisDeps {
    readonly ioredis: Pick<typeof import('ioredis'), 'Redis'>;
    readonly sockets: OutboundSockets;
    readonly signal: AbortSignal;
}

const USUAL_PORTS = [6379, 6380];
const ANSWER_MS = 30_000;

/**
 * A client that never resends a command, and is unusable once its connection is lost. The caller must disconnect it. Throws OUTBOUND_BLOCKED,
 * REMOTE_BUSY and REMOTE_REFUSED. A command waits half a minute for its response, except for callers that use `inTime`.
 */
export async function openRedis(
    server: RedisServer,
    { ioredis, sockets, signal }: RedisDeps,
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
        // Unanswered commands may have been executed: the caller, which has the ids of the messages, decides.
        autoResendUnfulfilledCommands: false,
        maxRetriesPerRequest: 0,
        retryStrategy: () => null,
        ...(!asksInTime && { commandTimeout: ANSWER_MS }),
        connectTimeout: ANSWER_MS,
    };
    const client = new ioredis.Redis(options);
    // Each command reports its own failure. Without a listener the event would end the process.
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

/**
 * Disconnects from a server that does not respond: each pending command then fails separately. One timer serves all commands, where the client's
 * own would be one per command.
 */
export async function inTime<T>(client: Redis, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => client.disconnect(), ANSWER_MS);
    try {
        return await work();
    } finally {
        clearTimeout(timer);
    }
}

/** Converts errors of the server about the client's access, and errors of the network. */
export function redisFailure(host: string, thrown: unknown): FlowError {
    if (isFlowError(thrown)) return thrown;
    const error = thrown as Error;
    if (/WRONGPASS|NOAUTH|invalid (password|username)|NOPERM|DB index/i.test(error.message))
        return redisRejection(host, error);
    const problem = `cannot be talked to: ${error.message.replace(/[.\s]+$/, '')}`;
    return flowError('REMOTE_BUSY', { host, problem, attempts: 1 }, { cause: thrown });
}

/** What no other time would change. */
export function redisRejection(host: string, error: Error): FlowError {
    const problem = `answered: ${error.message.replace(/[.\s]+$/, '')}`;
    return flowError('REMOTE_REFUSED', { host, problem }, { cause: error });
}

/** Gives the client the existing socket, once. */
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
    // The type requires the client's own base class, of which these three members are used.
    return Connector as unknown as NonNullable<RedisOptions['Connector']>;
}
