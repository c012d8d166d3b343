import type { Connection } from '../../core/adapter/connection';
import { type Outcome, TAKEN } from '../../core/adapter/loader';
import type { SinkRunContext } from '../../core/adapter/sink';
import { asFlowError, flowError } from '../../core/errors/flow-error';
import { readJsonText } from '../../core/data/json-text';
import { MESSAGE_QUEUES } from '../../core/triggers/message';
import { isJsonObject, type JsonObject } from '../../core/value/json';
import type { MessageQueue, QueueMessage } from '../../io/broker/message-queue';
import { RabbitQueue, type RabbitRoute } from '../../io/broker/rabbitmq';
import { RedisStream } from '../../io/broker/redis-streams';
import { SqsQueue } from '../../io/broker/sqs';
import { basic } from '../../io/outbound/auth';
import { amqplibFor, ioredisFor, sqsSdkFor } from '../brokers/clients';
import { assertLeadsTo, managementServer, rabbitOf, redisOf, sqsOf } from '../brokers/servers';
import { isAcceptedResponse, rejectionOf } from '../loaders/delivery-rejection';
import { ClientGateway } from './client-gateway';

export const QUEUE_TYPES = ['RABBITMQ', 'SQS', 'REDIS_STREAMS', 'RABBITMQ_HTTP'] as const;
type QueueType = (typeof QUEUE_TYPES)[number];

const CONNECTION_OF: Readonly<Record<QueueType, string>> = { ...MESSAGE_QUEUES, RABBITMQ_HTTP: 'BROKER' };

/** Which queue, and how messages of RabbitMQ go there. */
interface QueueArgs extends Omit<RabbitRoute, 'routingKey'> {
    readonly queueType: QueueType;
    readonly connectionCode: string;
    readonly queueName: string;
    readonly routingKey?: string | undefined;
}

/** As the schema of the connection type BROKER has checked it. */
interface Settings {
    readonly host: string;
    readonly port?: number;
    readonly username?: string;
    readonly passwordSecretCode?: string;
    readonly vhost: string;
    readonly ssl: boolean;
}

/** Opens nothing yet. Throws CONNECTION_INVALID, SECRET_UNREADABLE and CLIENT_MISSING. */
export async function openQueue(args: QueueArgs, cx: SinkRunContext): Promise<MessageQueue> {
    const connection = cx.connections.get(args.connectionCode);
    assertLeadsTo(connection, { queueType: args.queueType, type: CONNECTION_OF[args.queueType] });
    const { signal } = cx;
    const { socket: sockets } = cx.outbound;
    switch (args.queueType) {
        case 'RABBITMQ': {
            const amqplib = await amqplibFor('queueProducer');
            return new RabbitQueue(rabbitOf(connection, cx), routeOf(args), { amqplib, sockets, signal });
        }
        case 'REDIS_STREAMS': {
            const ioredis = await ioredisFor('queueProducer');
            return new RedisStream(redisOf(connection, cx), { ioredis, sockets, signal, stream: args.queueName });
        }
        case 'SQS':
            return sqsQueue(args.queueName, connection, cx);
        case 'RABBITMQ_HTTP':
            return new ManagementQueue(connection.settings as unknown as Settings, routeOf(args), cx);
    }
}

function routeOf({ queueName, routingKey, exchange, persistent, priority, ttlMs }: QueueArgs): RabbitRoute {
    return { exchange, routingKey: routingKey ?? queueName, persistent, priority, ttlMs };
}

async function sqsQueue(queueName: string, connection: Connection, cx: SinkRunContext): Promise<MessageQueue> {
    const settings = sqsOf(connection, cx);
    const sdk = await sqsSdkFor('queueProducer');
    const gateway = new ClientGateway({ url: settings.endpoint, auth: undefined }, cx);
    return new SqsQueue(settings, {
        sdk,
        queueName,
        send: request => gateway.send(request),
        ask: async work => {
            const called = await gateway.call(work);
            if (called.ok) return called.value;
            const error = gateway.refused(called.answer);
            // SQS responds with 400 where others respond with 429.
            if (!/Throttl|OverLimit/i.test(error.message)) throw error;
            throw flowError('REMOTE_BUSY', { host: gateway.host, problem: 'requests a lower rate', attempts: 1 });
        },
    });
}

/** RabbitMQ by its management API: one request a message. */
class ManagementQueue implements MessageQueue {
    private readonly gateway: ClientGateway;
    private readonly url: string;

    constructor(
        settings: Settings,
        private readonly route: RabbitRoute,
        cx: SinkRunContext,
    ) {
        const { ssl, vhost, username, passwordSecretCode: code } = settings;
        const { host, port } = managementServer(settings);
        const place = `${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${port}`;
        const origin = `${ssl ? 'https' : 'http'}://${place}`;
        const exchange = route.exchange === '' ? 'amq.default' : route.exchange;
        this.url = `${origin}/api/exchanges/${encodeURIComponent(vhost)}/${encodeURIComponent(exchange)}/publish`;
        const auth = username !== undefined && code !== undefined ? basic(username, cx.secrets.get(code)) : undefined;
        this.gateway = new ClientGateway({ url: origin, auth }, cx);
    }

    async publish(messages: readonly QueueMessage[]): Promise<readonly Outcome[]> {
        const outcomes: Outcome[] = [];
        for (const message of messages) {
            try {
                outcomes.push(await this.one(message));
            } catch (thrown) {
                if (outcomes.length === 0) throw thrown;
                const error = asFlowError(thrown);
                return messages.map((_, i) => outcomes[i] ?? { ok: false, error });
            }
        }
        return outcomes;
    }

    private async one({ id, headers, payload }: QueueMessage): Promise<Outcome> {
        const { routingKey, persistent, priority, ttlMs } = this.route;
        const properties: JsonObject = {
            message_id: id,
            content_type: 'application/json',
            delivery_mode: persistent ? 2 : 1,
            headers,
            ...(priority !== undefined && { priority }),
            ...(ttlMs !== undefined && { expiration: String(ttlMs) }),
        };
        const body = JSON.stringify({ properties, routing_key: routingKey, payload, payload_encoding: 'string' });
        const sent = { url: this.url, method: 'POST', headers: [['content-type', 'application/json']] as const, body };
        const called = await this.gateway.call(() => this.gateway.send(sent));
        const { host } = this.gateway;
        if (!called.ok) {
            isAcceptedResponse(called.answer, { isAddressOfRecord: false });
            return { ok: false, error: rejectionOf(called.answer) };
        }
        const read = readJsonText(called.value.body.toString('utf8'));
        const answer = 'value' in read && isJsonObject(read.value) ? read.value : {};
        if (answer['routed'] === true) return TAKEN;
        throw answer['routed'] === false
            ? flowError('REMOTE_REFUSED', { host, problem: `has no queue for "${routingKey}"` })
            : flowError('REMOTE_MALFORMED', { host, problem: 'it does not say whether the message was routed' });
    }
}
