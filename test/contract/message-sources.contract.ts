import { Logger } from '@vendure/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { openMessageSource } from '../../src/adapters/brokers/open-source';
import type { Connection } from '../../src/core/adapter/connection';
import { Secret } from '../../src/core/adapter/secret';
import { EVERY_HOST } from '../../src/core/adapter/secret-hosts';
import { asFlowError } from '../../src/core/errors/flow-error';
import type { TaskQueue } from '../../src/core/concurrency/task-queue';
import { runAtOnce } from '../../src/core/concurrency/yielding-task';
import type { MessageSettings } from '../../src/core/triggers/message';
import type { MessageSource, ReceivedMessage } from '../../src/io/broker/message-source';
import { RedisSource } from '../../src/io/broker/redis-source';
import { OutboundGateway } from '../../src/io/outbound/gateway';
import { loggingInto } from '../fixtures/memory-shop';
import { MessageConsumer } from '../../src/plugin/messages/message-consumer';
import { MAX_MESSAGE_CHARS } from '../../src/plugin/messages/message-records';
import { cutProxy } from '../servers/cut-proxy';
import { needs } from '../servers/needs';
import { redisStream, rabbitQueue, sqsQueue, type TestQueue } from '../servers/queues';
import { type CloudServer, startCloud } from '../servers/s3-server';

const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1', 'localhost'] });
afterAll(() => gateway.close());

const never = new AbortController().signal;

/** A source as a trigger has it, and a function that closes everything that it has opened. */
async function sourceOf(
    { connection, settings }: Pick<TestQueue, 'connection' | 'settings'>,
    more: Partial<MessageSettings> = {},
): Promise<MessageSource> {
    const outbound = gateway.forRun({ scope: 'messages', rateLimitRps: 0 });
    const secrets = { get: (code: string) => new Secret(code, code, EVERY_HOST) };
    return openMessageSource(
        {
            connection,
            connectionCode: connection.code,
            consumer: 'flow-test',
            batchSize: 10,
            maxWaitMs: 200,
            prefetch: 100,
            maxRetries: 3,
            ...settings,
            ...more,
        },
        { outbound, signal: never, secrets },
    );
}

const at = (connection: Connection, port: number): Connection => ({
    ...connection,
    settings: {
        ...connection.settings,
        ...(connection.type === 'SQS' ? { endpoint: `http://127.0.0.1:${port}` } : { host: '127.0.0.1', port }),
    },
});
const stock = (count: number, from = 0): Array<{ readonly id: string; readonly body: string }> =>
    Array.from({ length: count }, (_, i) => ({
        id: `m-${from + i}`,
        body: JSON.stringify({ sku: `TS-${from + i}`, name: 'Größe ☂' }),
    }));
const bodies = (messages: readonly ReceivedMessage[]): string[] =>
    messages.map(({ body }) => Buffer.from(body).toString());

/** Receives messages until there are `count` of them. */
async function received(source: MessageSource, count: number): Promise<readonly ReceivedMessage[]> {
    const all: ReceivedMessage[] = [];
    while (all.length < count) all.push(...(await source.receive(never)));
    return all;
}

/** Has the consumer of a trigger take messages until it has rejected this many. Returns the records that start runs. */
async function consumed(queue: TestQueue, source: MessageSource, rejections: number): Promise<readonly string[]> {
    Logger.useLogger(loggingInto([]));
    const stop = new AbortController();
    const taken: string[] = [];
    let rejected = 0;
    const message = { connectionCode: queue.connection.code, maxRetries: 0, ...queue.settings };
    const consumer = new MessageConsumer(
        {
            pipelineId: 1,
            pipelineCode: 'stock',
            channelId: 1,
            revisionId: 1,
            publishedAt: new Date(0),
            publishedBy: null,
            stepKey: 'in',
            config: { enabled: true, message },
        },
        {
            sources: { with: (_, work) => work(source) },
            intake: {
                store: (_, messages) =>
                    Promise.resolve(void taken.push(...messages.map(({ records }) => records.text))),
                waiting: () => Promise.resolve(0),
            },
            states: {
                tell: (_, problem) => (problem === null ? Promise.resolve() : Promise.reject(new Error(problem))),
                refused: () => Promise.resolve(void (++rejected === rejections && stop.abort())),
            },
            lane: { done: work => Promise.resolve(runAtOnce(work)) } as TaskQueue,
            outdated: () => undefined,
        },
    );
    await consumer.run(stop.signal);
    return taken;
}

const HOSTILE: ReadonlyArray<readonly [body: string, reason: string]> = [
    ['{"sku":', 'is not JSON'],
    [`{"sku":${'['.repeat(100_000)}`, 'has a record of more than 32 levels'],
    ['{"sku":"A","sku":"B"}', 'has the key "sku" twice'],
    [`{"stock":${'9'.repeat(5_000)}}`, 'has a number of 5000 characters'],
];

/** The contract of every broker with the triggers. */
function messages(open: () => Promise<TestQueue>): void {
    let queue: TestQueue;
    let source: MessageSource;
    beforeEach(async () => {
        queue = await open();
        source = await sourceOf(queue);
    });
    afterEach(async () => {
        await source.close();
        await queue.close();
    });

    it('arrive in their order, at most as many at a time as a run takes, and only once when they are acknowledged', async () => {
        await queue.send(stock(25));
        const all: ReceivedMessage[] = [];
        while (all.length < 25) {
            const batch = await source.receive(never);
            expect(batch.length).toBeLessThanOrEqual(10);
            await source.acknowledge(batch);
            all.push(...batch);
        }
        expect(bodies(all)).toEqual(stock(25).map(({ body }) => body));
        expect(new Set(all.map(({ identity }) => identity)).size).toBe(25);
        await source.close();
        expect(await queue.waiting()).toBe(0);
    });

    it('are delivered again if their source is closed before they are acknowledged, and keep their identities', async () => {
        await queue.send(stock(3));
        const first = await received(source, 3);
        await source.acknowledge(first.slice(0, 1));
        await source.close();
        source = await sourceOf(queue);
        const again = await received(source, 2);
        expect(again.map(({ identity }) => identity)).toEqual(first.slice(1).map(({ identity }) => identity));
        await source.acknowledge(again);
    });

    it('do not wait for further ones for longer than configured, and the source stops on an abort', async () => {
        await queue.send(stock(2));
        expect(bodies(await received(source, 2))).toEqual(stock(2).map(({ body }) => body));
        const stop = new AbortController();
        const waiting = source.receive(stop.signal);
        stop.abort();
        expect(await waiting).toEqual([]);
    });

    it('that are rejected become dead letters unchanged, with the reason', async () => {
        await queue.send([{ id: 'bad', body: 'no JSON', headers: { shop: 'one' } }, ...stock(1)]);
        const [bad, good] = await received(source, 2);
        expect(bad!.headers).toEqual({ shop: 'one' });
        expect(await source.refuse(bad!, 'bad\nbody')).toBe('dead-lettered');
        await source.acknowledge([good!]);
        await source.close();
        expect(await queue.deadLetters()).toEqual([
            { body: 'no JSON', reason: 'bad body', queue: queue.settings.queueName },
        ]);
        expect(await queue.waiting()).toBe(0);
    });

    it('that are hostile become dead letters with the reason, while the valid ones start runs', async () => {
        // SQS itself rejects messages of more than 256 KiB.
        const isLimited = queue.settings.queueType === 'SQS';
        const large = ['x'.repeat(MAX_MESSAGE_CHARS + 1), `has ${MAX_MESSAGE_CHARS + 1} bytes`] as const;
        const hostile = isLimited ? HOSTILE : [...HOSTILE, large];
        await queue.send([...stock(1), ...hostile.map(([body]) => ({ body })), ...stock(1, 1)]);
        const taken = await consumed(queue, source, hostile.length);
        expect(taken).toEqual(stock(2).map(({ body }) => `[${body}]`));
        await source.close();
        const letters = await queue.deadLetters();
        expect(letters.map(({ body }) => body)).toEqual(hostile.map(([body]) => body));
        expect(letters.map(({ reason }) => reason)).toEqual(
            hostile.map(([, reason]) => expect.stringContaining(reason)),
        );
        expect(await queue.waiting()).toBe(0);
    });

    it('that are rejected stay in the queue if there is no queue of dead letters, and that is an error', async () => {
        await source.close();
        source = await sourceOf(queue, {
            deadLetterQueue: 'flow_test_nobody',
            ...(queue.settings.queueType === 'REDIS_STREAMS' && { deadLetterQueue: 'flow_test_text' }),
        });
        if ('client' in queue)
            await (queue as Awaited<ReturnType<typeof redisStream>>).client.set('flow_test_text', 'text', 'EX', 60);
        await queue.send([{ id: 'bad', body: 'no JSON' }]);
        const [bad] = await received(source, 1);
        const error = asFlowError(await source.refuse(bad!, 'no JSON').catch((thrown: unknown) => thrown));
        expect(error).toMatchObject({ code: 'REMOTE_REFUSED' });
        await source.close();
        source = await sourceOf(queue);
        expect(bodies(await received(source, 1))).toEqual(['no JSON']);
    });

    it('that are rejected without dead letters are not delivered again', async () => {
        await source.close();
        source = await sourceOf(queue, { deadLetterQueue: undefined });
        await queue.send([{ id: 'bad', body: 'no JSON' }]);
        const [bad] = await received(source, 1);
        expect(await source.refuse(bad!, 'no JSON')).toBe(
            queue.settings.queueType === 'RABBITMQ' ? 'rejected' : 'dropped',
        );
        await source.close();
        expect(await queue.waiting()).toBe(0);
    });

    it('can be previewed, and all are still there', async () => {
        await queue.send(stock(5));
        expect(bodies(await source.peek(3))).toEqual(stock(3).map(({ body }) => body));
        await source.close();
        source = await sourceOf(queue);
        expect(bodies(await received(source, 5)).sort()).toEqual(stock(5).map(({ body }) => body));
    });

    it('of a missing queue are an error of the configuration', async () => {
        const nobody = await sourceOf(queue, { queueName: 'flow_test_nobody' });
        const error = asFlowError(await nobody.receive(never).catch((thrown: unknown) => thrown));
        expect(error).toMatchObject({ code: 'REMOTE_REFUSED', treat: 'config' });
        await nobody.close();
    });

    it('are delivered again if the connection was lost, and a broker that was away can be used again', async () => {
        const proxy = await cutProxy(queue.port);
        const through = { connection: at(queue.connection, proxy.port), settings: queue.settings };
        await queue.send(stock(2));
        await source.close();
        const cut = await sourceOf(through);
        await received(cut, 2);
        proxy.away();
        const error = asFlowError(await cut.receive(never).catch((thrown: unknown) => thrown));
        expect(error.treat).toBe('transient');
        await cut.close();
        const away = await sourceOf(through);
        expect(asFlowError(await away.receive(never).catch((thrown: unknown) => thrown)).treat).toBe('transient');
        await away.close();
        proxy.heal();
        source = await sourceOf(through);
        let again: readonly ReceivedMessage[] = [];
        // The gateway does not connect for a while to a server that was away.
        while (again.length < 2) {
            try {
                again = [...again, ...(await received(source, 2 - again.length))];
            } catch (thrown) {
                if (asFlowError(thrown).treat !== 'transient') throw thrown;
                await sleep(200);
                await source.close();
                source = await sourceOf(through);
            }
        }
        expect(bodies(again).sort()).toEqual(stock(2).map(({ body }) => body));
        await source.acknowledge(again);
        await source.close();
        await proxy.emptied();
        await proxy.close();
    });
}

needs('rabbitmq', 'messages of RabbitMQ', ({ rabbitmq }) => {
    messages(() => rabbitQueue(rabbitmq));

    it('have no identity without an id; with one, the identity also contains the id of the request that they answer', async () => {
        const queue = await rabbitQueue(rabbitmq);
        const source = await sourceOf(queue);
        await queue.send([{ body: '{}' }, { body: '{}', id: 'one' }]);
        expect((await received(source, 2)).map(({ id, identity }) => [id, identity])).toEqual([
            [undefined, undefined],
            ['one', '["one",null]'],
        ]);
        await source.close();
        await queue.close();
    });
});

needs('redis', 'entries of a stream of Redis', ({ redis }) => {
    messages(() => redisStream(redis));

    it('that another consumer of the group has left open are taken over, and trimmed ones are ignored', async () => {
        const queue = await redisStream(redis);
        const { client, settings } = queue;
        await queue.send(stock(3));
        await client.xgroup('CREATE', settings.queueName, 'shop', '0');
        await client.xreadgroup('GROUP', 'shop', 'somebody', 'COUNT', 2, 'STREAMS', settings.queueName, '>');
        await client.xreadgroup('GROUP', 'shop', 'flow-test', 'COUNT', 1, 'STREAMS', settings.queueName, '>');
        const [, , [last]] = (await client.xrange(settings.queueName, '-', '+')) as [
            unknown,
            unknown,
            [string, unknown],
        ];
        await client.xdel(settings.queueName, last);
        const { host, port, db, ssl } = queue.connection.settings as {
            host: string;
            port: number;
            db: number;
            ssl: boolean;
        };
        const outbound = gateway.forRun({ scope: 'messages', rateLimitRps: 0 });
        const source = new RedisSource(
            { host, port, db, ssl, username: undefined, password: undefined },
            {
                queueName: settings.queueName,
                batchSize: 10,
                maxWaitMs: 0,
                deadLetterQueue: undefined,
                group: 'shop',
                consumer: 'flow-test',
                abandonedMs: 0,
            },
            { ioredis: await import('ioredis'), sockets: outbound.socket, signal: never },
        );
        const taken = await received(source, 2);
        expect(bodies(taken)).toEqual(stock(2).map(({ body }) => body));
        await source.acknowledge(taken);
        expect(await queue.waiting()).toBe(0);
        await source.close();
        await queue.close();
    });
});

describe('messages of SQS', () => {
    let cloud: CloudServer;
    beforeAll(async () => {
        cloud = await startCloud('unused');
    });
    afterAll(() => cloud?.stop());

    messages(() => sqsQueue(cloud.endpoint));

    it('that the service delivers twice in one batch are acknowledged and rejected like others', async () => {
        // Received messages are visible again at once, so a batch of more than ten contains some of them twice.
        const queue = await sqsQueue(cloud.endpoint, { VisibilityTimeout: '0' });
        const source = await sourceOf(queue, { batchSize: 12 });
        await queue.send([...stock(9), { body: 'no JSON' }]);
        const batch = await source.receive(never);
        expect(batch).toHaveLength(12);
        expect(new Set(batch.map(({ identity }) => identity)).size).toBe(10);
        await source.acknowledge(batch.slice(0, 9).concat(batch.slice(10)));
        expect(await source.refuse(batch[9]!, 'no JSON')).toBe('dead-lettered');
        await source.close();
        expect((await queue.deadLetters()).map(({ body }) => body)).toEqual(['no JSON']);
        await queue.close();
    });

    it('that are rejected are left to the redrive policy of their queue, if it has one', async () => {
        const policy = JSON.stringify({
            deadLetterTargetArn: 'arn:aws:sqs:us-east-1:000000000000:none',
            maxReceiveCount: 5,
        });
        const queue = await sqsQueue(cloud.endpoint, { RedrivePolicy: policy });
        const source = await sourceOf(queue, { deadLetterQueue: undefined });
        await queue.send([{ body: 'no JSON' }]);
        const [bad] = await received(source, 1);
        expect(await source.refuse(bad!, 'no JSON')).toBe('rejected');
        expect(await queue.waiting()).toBe(1);
        await source.close();
        await queue.close();
    });
});
