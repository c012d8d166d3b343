import {
    CreateQueueCommand,
    DeleteMessageBatchCommand,
    DeleteQueueCommand,
    ReceiveMessageCommand,
    SQSClient,
} from '@aws-sdk/client-sqs';
import amqplib from 'amqplib';
import Redis from 'ioredis';
import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../src/core/value/json';
import type { Arrived } from './kills';
import type { Order } from './protocol';

/** A private queue of a broker. */
export interface KillQueue extends Pick<Order, 'connection'> {
    readonly config: JsonObject;
    /** All messages that have arrived, once no more come. */
    arrived(): Promise<readonly Arrived[]>;
    drop(): Promise<void>;
}

function numberIn(payload: string): number {
    return (JSON.parse(payload) as { readonly n: number }).n;
}

export async function rabbitQueue(url: string): Promise<KillQueue> {
    const { hostname, port, username, password } = new URL(url);
    const queueName = `flow_test_kills_${randomUUID()}`;
    const model = await amqplib.connect(url);
    const channel = await model.createChannel();
    await channel.assertQueue(queueName, { durable: true, expires: 600_000 });
    return {
        config: { queueType: 'RABBITMQ', queueName },
        connection: {
            type: 'BROKER',
            settings: {
                host: hostname === 'localhost' ? '127.0.0.1' : hostname,
                port: Number(port || 5672),
                vhost: '/',
                ssl: false,
                username: username || 'guest',
                passwordSecretCode: password || 'guest',
            },
        },
        async arrived() {
            const found: Arrived[] = [];
            const { messageCount } = await channel.checkQueue(queueName);
            const consumerTag = 'all';
            const all = new Promise<void>(resolve => {
                void channel.consume(
                    queueName,
                    message => {
                        // The consumer is notified when the queue is deleted.
                        if (!message) return;
                        const { content, properties } = message;
                        found.push({ id: String(properties.messageId), n: numberIn(content.toString()) });
                        if (found.length === messageCount) resolve();
                    },
                    { noAck: true, consumerTag },
                );
            });
            await all;
            await channel.cancel(consumerTag);
            return found;
        },
        async drop() {
            await channel.deleteQueue(queueName);
            await model.close();
        },
    };
}

export async function redisStream(url: string): Promise<KillQueue> {
    const { hostname, port } = new URL(url);
    const queueName = `flow_test_kills:${randomUUID()}`;
    const client = new Redis(url);
    return {
        config: { queueType: 'REDIS_STREAMS', queueName },
        connection: { type: 'REDIS', settings: { host: hostname, port: Number(port || 6379), db: 0, ssl: false } },
        async arrived() {
            const found: Arrived[] = [];
            for (let from = '-'; ;) {
                const entries = await client.xrange(queueName, from, '+', 'COUNT', 10_000);
                for (const [, fields] of entries) found.push({ id: fields[1]!, n: numberIn(fields[3]!) });
                if (entries.length === 0) return found;
                from = `(${entries.at(-1)![0]}`;
            }
        },
        async drop() {
            await client.del(queueName);
            client.disconnect();
        },
    };
}

export async function sqsQueue(endpoint: string): Promise<KillQueue> {
    const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
    const client = new SQSClient({ endpoint, region: 'us-east-1', credentials });
    const queueName = `kills-${randomUUID()}`;
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: queueName }));
    const settings = {
        region: 'us-east-1',
        endpoint,
        accessKeyIdSecretCode: 'test',
        secretAccessKeySecretCode: 'test',
    };
    return {
        config: { queueType: 'SQS', queueName },
        connection: { type: 'SQS', settings },
        async arrived() {
            const found: Arrived[] = [];
            const requested = { QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ['All'] };
            for (;;) {
                const { Messages = [] } = await client.send(new ReceiveMessageCommand(requested));
                if (Messages.length === 0) return found;
                for (const { Body, MessageAttributes: of } of Messages)
                    found.push({ id: of!['x-flow-message-id']!.StringValue!, n: numberIn(Body!) });
                const Entries = Messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
                await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
            }
        },
        async drop() {
            await client.send(new DeleteQueueCommand({ QueueUrl }));
            client.destroy();
        },
    };
}
