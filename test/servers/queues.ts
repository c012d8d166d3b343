import {
    CreateQueueCommand,
    DeleteMessageCommand,
    GetQueueAttributesCommand,
    ReceiveMessageCommand,
    SendMessageBatchCommand,
    SQSClient,
} from '@aws-sdk/client-sqs';
import amqplib, { type ChannelModel, type ConfirmChannel } from 'amqplib';
import Redis from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { Connection } from '../../src/core/adapter/connection';
import type { MessageSettings } from '../../src/core/triggers/message';
import { CLOUD_KEYS } from './s3-server';

/** A message for a queue. */
export interface SentMessage {
    readonly body: string | Buffer;
    /** Only for RabbitMQ; the others assign ids themselves. */
    readonly id?: string;
    readonly headers?: Readonly<Record<string, string>>;
}

/** A dead letter, with its reason. */
export interface DeadLetter {
    readonly body: string;
    readonly reason: string | undefined;
    readonly queue: string | undefined;
}

/** A queue of a broker with another one for its dead letters. Only one test uses them. */
export interface TestQueue {
    readonly connection: Connection;
    /** The settings of a trigger that identify the queue. */
    readonly settings: Pick<MessageSettings, 'queueType' | 'queueName' | 'deadLetterQueue' | 'consumerGroup'>;
    /** The port of the broker on this machine. */
    readonly port: number;
    send(messages: readonly SentMessage[]): Promise<void>;
    /** How many messages are in the queue, including unacknowledged ones. */
    waiting(): Promise<number>;
    /** Takes all dead letters. */
    deadLetters(): Promise<readonly DeadLetter[]>;
    close(): Promise<void>;
}

/** The secrets of these connections have their own codes as values. */
const connectionOf = (type: string, settings: Connection['settings']): Connection => ({
    code: 'queue',
    type,
    settings,
});
const own = (): string => `flow_test_${randomUUID()}`;

/** A channel that is opened again when its broker was restarted. */
function rabbitChannel(url: string) {
    let opened: Promise<{ readonly model: ChannelModel; readonly channel: ConfirmChannel }> | undefined;
    const open = async () => {
        const model = await amqplib.connect(url);
        model.on('error', () => undefined).on('close', () => (opened = undefined));
        const channel = await model.createConfirmChannel();
        return { model, channel: channel.on('error', () => undefined) };
    };
    const now = () => (opened ??= open().catch(error => ((opened = undefined), Promise.reject(error as Error))));
    return {
        channel: async () => (await now()).channel,
        close: async () => (await now()).model.close(),
    };
}

/** A durable queue of RabbitMQ. */
export async function rabbitQueue(url: string): Promise<TestQueue> {
    const { hostname, port, username, password } = new URL(url);
    const [queueName, deadLetterQueue] = [own(), own()];
    const rabbit = rabbitChannel(url);
    for (const name of [queueName, deadLetterQueue])
        await (await rabbit.channel()).assertQueue(name, { durable: true, expires: 600_000 });
    return {
        connection: connectionOf('BROKER', {
            host: hostname === 'localhost' ? '127.0.0.1' : hostname,
            port: Number(port || 5672),
            vhost: '/',
            ssl: false,
            username: username || 'guest',
            passwordSecretCode: password || 'guest',
        }),
        settings: { queueType: 'RABBITMQ', queueName, deadLetterQueue, consumerGroup: undefined },
        port: Number(port || 5672),
        send: async messages => {
            const channel = await rabbit.channel();
            for (const { body, id, headers } of messages)
                channel.sendToQueue(queueName, Buffer.from(body), {
                    ...(id !== undefined && { messageId: id }),
                    ...(headers && { headers }),
                    persistent: true,
                });
            await channel.waitForConfirms();
        },
        waiting: async () => (await (await rabbit.channel()).checkQueue(queueName)).messageCount,
        deadLetters: async () => {
            const channel = await rabbit.channel();
            const letters: DeadLetter[] = [];
            for (;;) {
                const letter = await channel.get(deadLetterQueue, { noAck: true });
                if (letter === false) return letters;
                const headers = (letter.properties.headers ?? {}) as Record<string, string>;
                const { 'x-flow-reason': reason, 'x-flow-queue': queue } = headers;
                letters.push({ body: letter.content.toString(), reason, queue });
            }
        },
        close: async () => {
            for (const name of [queueName, deadLetterQueue]) await (await rabbit.channel()).deleteQueue(name);
            await rabbit.close();
        },
    };
}

/** A stream of Redis that exists before its first entry. */
export async function redisStream(url: string): Promise<TestQueue & { readonly client: Redis }> {
    const { hostname, port } = new URL(url);
    const [queueName, deadLetterQueue] = [own(), own()];
    const client = new Redis(url);
    // An empty stream is still a stream.
    await client.xdel(queueName, (await client.xadd(queueName, '*', 'payload', '{}'))!);
    const group = 'shop';
    const fieldsOf = (fields: readonly string[]): ReadonlyMap<string, string> =>
        new Map(fields.flatMap((field, i) => (i % 2 === 0 ? [[field, fields[i + 1]!] as const] : [])));
    return {
        client,
        connection: connectionOf('REDIS', { host: hostname, port: Number(port || 6379), db: 0, ssl: false }),
        settings: { queueType: 'REDIS_STREAMS', queueName, deadLetterQueue, consumerGroup: group },
        port: Number(port || 6379),
        send: async messages => {
            const pipeline = client.pipeline();
            for (const { body, headers } of messages)
                pipeline.xadd(
                    queueName,
                    '*',
                    'payload',
                    body,
                    ...(headers ? ['headers', JSON.stringify(headers)] : []),
                );
            await pipeline.exec();
        },
        waiting: async () => {
            const groups = (await client.xinfo('GROUPS', queueName)) as ReadonlyArray<readonly unknown[]>;
            const found = groups.find(fields => fields[1] === group);
            const pending = found ? Number(found[found.indexOf('pending') + 1]) : 0;
            const last = found ? String(found[found.indexOf('last-delivered-id') + 1]) : '0-0';
            return pending + (await client.xrange(queueName, `(${last}`, '+')).length;
        },
        deadLetters: async () => {
            const letters = await client.xrange(deadLetterQueue, '-', '+');
            await client.del(deadLetterQueue);
            return letters.map(([, fields]) => {
                const of = fieldsOf(fields);
                return { body: of.get('payload')!, reason: of.get('x-flow-reason'), queue: of.get('x-flow-queue') };
            });
        },
        close: async () => {
            await client.del(queueName, deadLetterQueue);
            client.disconnect();
        },
    };
}

/** A queue of the SQS server of `startCloud`. */
export async function sqsQueue(
    endpoint: string,
    attributes: Readonly<Record<string, string>> = {},
): Promise<TestQueue> {
    const client = new SQSClient({ endpoint, region: 'us-east-1', credentials: CLOUD_KEYS });
    const [queueName, deadLetterQueue] = [own(), own()];
    const make = async (QueueName: string, Attributes: Record<string, string> = {}): Promise<string> =>
        (await client.send(new CreateQueueCommand({ QueueName, Attributes }))).QueueUrl!;
    const dead = await make(deadLetterQueue);
    const QueueUrl = await make(queueName, { VisibilityTimeout: '2', ...attributes });
    return {
        connection: connectionOf('SQS', {
            region: 'us-east-1',
            endpoint,
            accessKeyIdSecretCode: 'test',
            secretAccessKeySecretCode: 'test',
        }),
        settings: { queueType: 'SQS', queueName, deadLetterQueue, consumerGroup: undefined },
        port: Number(new URL(endpoint).port),
        send: async messages => {
            for (let from = 0; from < messages.length; from += 10) {
                const Entries = messages.slice(from, from + 10).map(({ body, headers = {} }, i) => ({
                    Id: String(i),
                    MessageBody: body.toString(),
                    MessageAttributes: Object.fromEntries(
                        Object.entries(headers).map(([name, StringValue]) => [
                            name,
                            { DataType: 'String', StringValue },
                        ]),
                    ),
                }));
                await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
            }
        },
        waiting: async () => {
            const { Attributes = {} } = await client.send(
                new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
            );
            return (
                Number(Attributes['ApproximateNumberOfMessages']) +
                Number(Attributes['ApproximateNumberOfMessagesNotVisible'])
            );
        },
        deadLetters: async () => {
            const letters: DeadLetter[] = [];
            for (;;) {
                const { Messages = [] } = await client.send(
                    new ReceiveMessageCommand({
                        QueueUrl: dead,
                        MaxNumberOfMessages: 10,
                        MessageAttributeNames: ['All'],
                    }),
                );
                if (Messages.length === 0) return letters;
                for (const { Body, MessageAttributes: of, ReceiptHandle } of Messages) {
                    const value = (name: string): string | undefined => of?.[name]?.StringValue;
                    letters.push({ body: Body!, reason: value('x-flow-reason'), queue: value('x-flow-queue') });
                    await client.send(new DeleteMessageCommand({ QueueUrl: dead, ReceiptHandle }));
                }
            }
        },
        close: () => Promise.resolve(client.destroy()),
    };
}
