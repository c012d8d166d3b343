import type { Connection, TryOutContext } from '../../core/adapter/connection';
import { isFlowError } from '../../core/errors/flow-error';
import { openRabbit } from '../../io/broker/rabbit-connection';
import { openRedis, redisFailure } from '../../io/broker/redis-connection';
import { SqsCalls } from '../../io/broker/sqs-source';
import { amqplibFor, ioredisFor, sqsSdkFor } from './clients';
import { rabbitOf, redisOf, sqsOf } from './servers';

/** Logs in to a RabbitMQ broker, and opens a channel. */
export async function tryOutRabbit(connection: Connection, cx: TryOutContext): Promise<string> {
    const amqplib = await amqplibFor('BROKER');
    const settings = rabbitOf(connection, cx);
    const open = await openRabbit(settings, { amqplib, sockets: cx.outbound.socket, signal: cx.signal });
    open.close();
    return `${open.product} lets the user in, to the virtual host "${settings.vhost}".${plain(connection)}`;
}

/** Logs in to a Redis server. */
export async function tryOutRedis(connection: Connection, cx: TryOutContext): Promise<string> {
    const ioredis = await ioredisFor('REDIS');
    const server = redisOf(connection, cx);
    const client = await openRedis(server, { ioredis, sockets: cx.outbound.socket, signal: cx.signal });
    try {
        await client.ping();
        return `The server answers, for the database ${server.db}.${plain(connection)}`;
    } catch (thrown) {
        throw redisFailure(`${server.host}:${server.port}`, thrown);
    } finally {
        client.disconnect();
    }
}

/** Lists the queues of SQS, at most one. */
export async function tryOutSqs(connection: Connection, cx: TryOutContext): Promise<string> {
    const sdk = await sqsSdkFor('SQS');
    const calls = new SqsCalls(sqsOf(connection, cx), { sdk, http: cx.outbound.http, signal: cx.signal });
    try {
        await calls.ask(client => client.send(new sdk.ListQueuesCommand({ MaxResults: 1 })));
        return 'The service knows the access key, which may list the queues.';
    } catch (thrown) {
        // The rights that a step or a trigger needs are those to its queue.
        if (isFlowError(thrown) && /answered: AccessDenied/.test(thrown.message))
            return 'The service knows the access key, which may not list the queues; whether it may use the queue of a step or trigger, that one shows.';
        throw thrown;
    } finally {
        calls.client.destroy();
    }
}

function plain({ settings }: Connection): string {
    return settings['ssl'] === true ? '' : ' The connection is not encrypted.';
}
