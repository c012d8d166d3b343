import {
    CreateQueueCommand,
    type Message as SqsMessage,
    DeleteMessageCommand,
    ReceiveMessageCommand,
    SQSClient,
} from '@aws-sdk/client-sqs';
import amqplib, { type ChannelModel, type GetMessage } from 'amqplib';
import Redis from 'ioredis';
import { randomUUID } from 'node:crypto';
import { queueProducer } from '../../src/adapters/sinks/queue-producer';
import type { JsonObject } from '../../src/core/value/json';
import { asFlowError } from '../../src/core/errors/flow-error';
import { Secret } from '../../src/core/adapter/secret';
import { EVERY_HOST } from '../../src/core/adapter/secret-hosts';
import type { SinkSession } from '../../src/core/adapter/sink';
import { OutboundGateway } from '../../src/io/outbound/gateway';
import { contextWith } from '../../src/testing/context';
import { rabbitQueue, redisStream, sqsQueue } from '../kit/killed-producers/brokers';
import { itLosesNothing } from '../kit/killed-producers/loses-nothing';
import { batchOf } from '../kit/record';
import { RUN } from '../kit/run-facts';
import { cutProxy } from '../servers/cut-proxy';
import { needs } from '../servers/needs';
import { CLOUD_KEYS, type CloudServer, startCloud } from '../servers/s3-server';

const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] });
afterAll(() => gateway.close());

interface Publishing {
    readonly type: string;
    readonly settings: JsonObject;
    readonly config: JsonObject;
}

/** A session of the sink with a real gateway, which is closed as at the end of a slice. */
async function opened({ type, settings, config }: Publishing): Promise<{ session: SinkSession; close: () => void }> {
    const outbound = gateway.forRun({ scope: 'brokers', rateLimitRps: 0 });
    const connections = { get: (code: string) => ({ code, type, settings }) };
    const secrets = { get: (code: string) => new Secret(code, code, EVERY_HOST) };
    const parsed = queueProducer.config.parse({ connectionCode: 'broker', ...config });
    const session = await queueProducer.open(parsed, { ...contextWith({ outbound, connections, secrets }), run: RUN });
    return { session, close: () => outbound.close() };
}

const ids = (count: number, from = 0): string[] =>
    Array.from({ length: count }, (_, i) => `${from + i}`.padStart(32, '0'));
const stock = (count: number): JsonObject[] =>
    Array.from({ length: count }, (_, i) => ({ sku: `TS-${i}`, name: 'Größe ☂', stock: i }));
const UUID5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

needs('rabbitmq', 'messages to RabbitMQ', ({ rabbitmq }) => {
    const { hostname, port, username, password } = new URL(rabbitmq);
    const settings: JsonObject = {
        host: hostname === 'localhost' ? '127.0.0.1' : hostname,
        port: Number(port || 5672),
        vhost: '/',
        ssl: false,
        username: username || 'guest',
        // The secrets of these tests have their own codes as values.
        passwordSecretCode: password || 'guest',
    };
    const queueName = `flow_test_${randomUUID()}`;
    let model: ChannelModel;
    let channel: Awaited<ReturnType<ChannelModel['createChannel']>>;

    beforeAll(async () => {
        model = await amqplib.connect(rabbitmq);
        channel = await model.createChannel();
        await channel.assertQueue(queueName, { durable: true, expires: 600_000 });
    });
    afterAll(async () => {
        await channel.deleteQueue(queueName);
        await model.close();
    });
    afterEach(() => channel.purgeQueue(queueName));

    const all = async (): Promise<readonly GetMessage[]> => {
        const messages: GetMessage[] = [];
        for (;;) {
            const message = await channel.get(queueName, { noAck: true });
            if (message === false) return messages;
            messages.push(message);
        }
    };
    const publishing = (config: JsonObject = {}): Publishing => ({
        type: 'BROKER',
        settings,
        config: { queueType: 'RABBITMQ', queueName, ...config },
    });

    it('are confirmed, keep their order, and have the same ids when they are sent a second time', async () => {
        const { session, close } = await opened(publishing({ headers: { shop: 'one' }, priority: 3, ttlMs: 60_000 }));
        for (let time = 0; time < 2; time++)
            expect((await session.deliver(batchOf(...stock(500)), ids(500))).every(({ ok }) => ok)).toBe(true);
        close();
        const messages = await all();
        expect(messages).toHaveLength(1_000);
        expect(messages.slice(0, 500).map(({ content }) => JSON.parse(content.toString()) as unknown)).toEqual(
            stock(500),
        );
        const known = messages.map(({ properties }) => String(properties.messageId));
        expect(known.slice(0, 500)).toEqual(known.slice(500));
        expect(new Set(known).size).toBe(500);
        expect(known[0]).toMatch(UUID5);
        expect(messages[0]!.properties).toMatchObject({
            deliveryMode: 2,
            contentType: 'application/json',
            priority: 3,
            expiration: '60000',
            headers: { shop: 'one', 'x-flow-operation': 'UPSERT' },
        });
    });

    it('leave no timer open', async () => {
        const timers = (): number => process.getActiveResourcesInfo().filter(one => one === 'Timeout').length;
        const before = timers();
        const { session, close } = await opened(publishing());
        await session.deliver(batchOf({ sku: 'TS-1' }), ids(1));
        // The heartbeat of the connection.
        expect(timers()).toBeGreaterThan(before);
        close();
        await new Promise(setImmediate);
        expect(timers()).toBe(before);
    });

    it('contain the identity alone if they are removals', async () => {
        const { session, close } = await opened(publishing({ idField: 'sku', persistent: false }));
        const removed: JsonObject[] = [{ sku: 'TS-1', stock: 1 }, { sku: '007' }, { sku: 8 }];
        const batch = batchOf(...removed);
        await session.remove!(['TS-1', '007', '8'], ids(3), batch);
        close();
        const messages = await all();
        expect(messages.map(({ content }) => JSON.parse(content.toString()) as unknown)).toEqual([
            { sku: 'TS-1' },
            { sku: '007' },
            { sku: 8 },
        ]);
        expect(messages.map(({ properties }) => properties.messageId as unknown)).toEqual(['TS-1', '007', '8']);
        expect(messages[0]!.properties).toMatchObject({ deliveryMode: 1, headers: { 'x-flow-operation': 'DELETE' } });
    });

    it.each<readonly [what: string, config: JsonObject]>([
        ['no queue takes', { queueName: 'flow_test_nobody' }],
        ['no exchange is there for', { exchange: 'flow_test_nobody' }],
    ])('that %s fail the step, and the next attempt uses a new channel', async (_, config) => {
        const { session, close } = await opened(publishing(config));
        for (let time = 0; time < 2; time++) {
            const error = asFlowError(
                await session.deliver(batchOf({ id: 1 }), ids(1)).catch((thrown: unknown) => thrown),
            );
            expect(error).toMatchObject({ code: 'REMOTE_REFUSED', treat: 'config' });
        }
        close();
    });

    it('continue after a connection was lost', async () => {
        const proxy = await cutProxy(settings['port'] as number);
        const { session, close } = await opened({ ...publishing(), settings: { ...settings, port: proxy.port } });
        await session.deliver(batchOf({ id: 1 }), ids(1));
        proxy.cut();
        const told = await session.deliver(batchOf({ id: 2 }), ids(1, 1)).catch(asFlowError);
        expect(told).toMatchObject({ treat: 'transient' });
        expect(await session.deliver(batchOf({ id: 2 }), ids(1, 1))).toEqual([{ ok: true }]);
        close();
        await proxy.close();
        expect((await all()).map(({ content }) => JSON.parse(content.toString()) as unknown)).toEqual([
            { id: 1 },
            { id: 2 },
        ]);
    });

    it('leave no connection open when their run closes the gateway', async () => {
        const proxy = await cutProxy(settings['port'] as number);
        const { session, close } = await opened({ ...publishing(), settings: { ...settings, port: proxy.port } });
        await session.deliver(batchOf({ id: 1 }), ids(1));
        expect(proxy.open()).toBe(1);
        close();
        await proxy.emptied();
        await proxy.close();
    });

    itLosesNothing(() => rabbitQueue(rabbitmq));

    it('fail the step if the broker rejects the login', async () => {
        const wrong = { ...settings, passwordSecretCode: 'not-the-password' };
        const { session, close } = await opened({ ...publishing(), settings: wrong });
        const error = asFlowError(await session.deliver(batchOf({ id: 1 }), ids(1)).catch((thrown: unknown) => thrown));
        expect(error).toMatchObject({ code: 'REMOTE_REFUSED' });
        expect(error.message).not.toContain('not-the-password');
        close();
    });
});

needs('redis', 'entries of a stream of Redis', ({ redis }) => {
    const { hostname, port } = new URL(redis);
    const settings: JsonObject = { host: hostname, port: Number(port || 6379), db: 0, ssl: false };
    const queueName = `flow_test:${randomUUID()}`;
    let client: Redis;
    beforeAll(() => {
        client = new Redis(redis);
    });
    afterEach(() => client.del(queueName));
    afterAll(() => client.disconnect());

    const publishing = (config: JsonObject = {}): Publishing => ({
        type: 'REDIS',
        settings,
        config: { queueType: 'REDIS_STREAMS', queueName, ...config },
    });

    it('have an id, the record and the headers, in the order of the records', async () => {
        const { session, close } = await opened(publishing({ idField: 'sku', headers: { shop: 'one' } }));
        expect((await session.deliver(batchOf(...stock(300)), ids(300))).every(({ ok }) => ok)).toBe(true);
        await session.remove!(['TS-1'], ids(1, 300), batchOf({ sku: 'TS-1' }));
        close();
        const entries = (await client.xrange(queueName, '-', '+')).map(([, fields]) => fields);
        expect(entries).toHaveLength(301);
        expect(entries[0]).toEqual([
            'id',
            'TS-0',
            'payload',
            JSON.stringify(stock(1)[0]),
            'headers',
            JSON.stringify({ shop: 'one', 'x-flow-operation': 'UPSERT' }),
        ]);
        expect(entries.slice(0, 300).map(fields => fields[1])).toEqual(stock(300).map(({ sku }) => sku));
        expect(entries[300]!.slice(1, 4)).toEqual(['TS-1', 'payload', '{"sku":"TS-1"}']);
    });

    itLosesNothing(() => redisStream(redis));

    it('are rejected if the key has another type', async () => {
        await client.set(queueName, 'text');
        const { session, close } = await opened(publishing());
        const error = asFlowError(await session.deliver(batchOf({ id: 1 }), ids(1)).catch((thrown: unknown) => thrown));
        expect(error).toMatchObject({ code: 'REMOTE_REFUSED', treat: 'config' });
        close();
    });

    it('are never sent twice by the client itself, and continue after a connection was lost', async () => {
        const proxy = await cutProxy(settings['port'] as number);
        const { session, close } = await opened({
            ...publishing(),
            settings: { ...settings, host: '127.0.0.1', port: proxy.port },
        });
        await session.deliver(batchOf({ id: 1 }), ids(1));
        proxy.cut();
        const told = await session
            .deliver(batchOf({ id: 2 }), ids(1, 1))
            .then(([outcome]) => (outcome!.ok ? undefined : outcome!.error), asFlowError);
        expect(told).toMatchObject({ treat: 'transient' });
        expect(await session.deliver(batchOf({ id: 2 }), ids(1, 1))).toEqual([{ ok: true }]);
        close();
        await proxy.close();
        expect(await client.xlen(queueName)).toBe(2);
    });
});

describe('messages to SQS', () => {
    let server: CloudServer | undefined;
    let client: SQSClient;
    let settings: JsonObject;
    const urls = new Map<string, string>();

    beforeAll(async () => {
        server = await startCloud('unused');
        const { endpoint } = server;
        client = new SQSClient({ endpoint, region: 'us-east-1', credentials: CLOUD_KEYS });
        settings = { region: 'us-east-1', endpoint, accessKeyIdSecretCode: 'test', secretAccessKeySecretCode: 'test' };
        for (const name of ['stock', 'stock.fifo']) {
            const Attributes = name.endsWith('.fifo') ? { FifoQueue: 'true' } : {};
            const made = await client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
            urls.set(name, made.QueueUrl!);
        }
    });
    afterAll(async () => {
        client?.destroy();
        await server?.stop();
    });

    const all = async (name: string): Promise<readonly SqsMessage[]> => {
        const found: SqsMessage[] = [];
        for (;;) {
            const { Messages = [] } = await client.send(
                new ReceiveMessageCommand({
                    QueueUrl: urls.get(name),
                    MaxNumberOfMessages: 10,
                    MessageAttributeNames: ['All'],
                    MessageSystemAttributeNames: ['All'],
                }),
            );
            if (Messages.length === 0) return found;
            for (const { ReceiptHandle } of Messages)
                await client.send(new DeleteMessageCommand({ QueueUrl: urls.get(name), ReceiptHandle }));
            found.push(...Messages);
        }
    };
    const publishing = (config: JsonObject): Publishing => ({
        type: 'SQS',
        settings,
        config: { queueType: 'SQS', ...config },
    });

    it('are sent in groups of ten, with their ids and headers', async () => {
        const { session, close } = await opened(
            publishing({ queueName: 'stock', idField: 'sku', headers: { shop: 'one' } }),
        );
        expect(await session.deliver(batchOf(...stock(25)), ids(25))).toEqual(stock(25).map(() => ({ ok: true })));
        await session.remove!(['007'], ids(1, 25), batchOf({ sku: '007' }));
        close();
        const messages = await all('stock');
        const told = messages.map(({ Body, MessageAttributes: of }) => [
            of!['x-flow-message-id']!.StringValue,
            of!['x-flow-operation']!.StringValue,
            of!['shop']!.StringValue,
            JSON.parse(Body!) as unknown,
        ]);
        const desired = stock(25).map(record => [record['sku'], 'UPSERT', 'one', record]);
        expect(new Set(told.map(one => JSON.stringify(one)))).toEqual(
            new Set([...desired, ['007', 'DELETE', 'one', { sku: '007' }]].map(one => JSON.stringify(one))),
        );
    });

    it('keep the order of an id in a FIFO queue, which recognizes them when they are sent a second time', async () => {
        const { session, close } = await opened(publishing({ queueName: 'stock.fifo', idField: 'sku' }));
        const records = [
            { sku: 'A', n: 1 },
            { sku: 'B', n: 1 },
        ];
        await session.deliver(batchOf(...records), ids(2));
        await session.deliver(batchOf({ sku: 'A', n: 2 }), ids(1, 2));
        await session.deliver(batchOf(...records), ids(2));
        close();
        const bodies = (await all('stock.fifo')).map(({ Body }) => JSON.parse(Body!) as { sku: string; n: number });
        expect(bodies.filter(({ sku }) => sku === 'A').map(({ n }) => n)).toEqual([1, 2]);
        expect(bodies).toHaveLength(3);
    });

    itLosesNothing(() => sqsQueue(server!.endpoint));

    it('reject a record that is too large, and fail the step if the queue does not exist', async () => {
        const { session, close } = await opened(publishing({ queueName: 'stock' }));
        const large = { id: 1, text: 'x'.repeat(1_048_576) };
        const [rejected, taken] = await session.deliver(batchOf(large, { id: 2 }), ids(2));
        expect(rejected).toMatchObject({ ok: false, error: { code: 'TARGET_REFUSED' } });
        expect(taken).toEqual({ ok: true });
        close();
        const other = await opened(publishing({ queueName: 'nobody' }));
        const error = await other.session.deliver(batchOf({ id: 1 }), ids(1)).catch(asFlowError);
        expect(error).toMatchObject({ code: 'REMOTE_REFUSED', treat: 'config' });
        other.close();
    });

    it('are not sent to the address of a connection with the credentials of the server', async () => {
        const { accessKeyIdSecretCode: _id, secretAccessKeySecretCode: _key, ...bare } = settings;
        const rejected = opened({ type: 'SQS', settings: bare, config: { queueType: 'SQS', queueName: 'stock' } });
        await expect(rejected).rejects.toMatchObject({ code: 'CONNECTION_INVALID' });
    });

    it("are not signed with the server's own credentials unless the shop's operator allows it", async () => {
        const own = opened({
            type: 'SQS',
            settings: { region: 'eu-central-1' },
            config: { queueType: 'SQS', queueName: 'stock' },
        });
        await expect(own).rejects.toMatchObject({
            code: 'CONNECTION_INVALID',
            message: expect.stringContaining('security.cloudCredentialChain') as string,
        });
    });
});
