import { TransactionalConnection } from '@vendure/core';
import type { DataSource } from 'typeorm';
import { type FlowPluginOptions, pipeline, type PipelineSource } from '../src';
import type { MessageSettings } from '../src/core/triggers/message';
import { ActiveTriggers } from '../src/plugin/triggers/active-triggers';
import { rabbitQueue, redisStream, sqsQueue, type TestQueue } from '../test/servers/queues';
import { startCloud } from '../test/servers/s3-server';
import { openShop } from './shop';

const RABBITMQ_URL = process.env['FLOW_BENCH_RABBITMQ_URL'] ?? 'amqp://guest:guest@127.0.0.1:5672';
const REDIS_URL = process.env['FLOW_BENCH_REDIS_URL'] ?? 'redis://127.0.0.1:6379';
const MESSAGES = 5_000;
const PATIENCE_MS = 10 * 60_000;

interface Taking {
    readonly title: string;
    readonly code: string;
    readonly queue: TestQueue;
    readonly batchSize: number;
}

/**
 * Measures messages per second from each broker to stored runs, on PostgreSQL, while a worker executes these runs. All
 * messages wait in their queue when the pipeline is enabled. Returns whether each has arrived exactly once.
 */
export async function benchMessages(messages = MESSAGES): Promise<boolean> {
    const cloud = await startCloud('unused');
    const responseHandlers: readonly Taking[] = [
        { title: 'RabbitMQ, 10 a run', code: 'rabbitmq-10', queue: await rabbitQueue(RABBITMQ_URL), batchSize: 10 },
        { title: 'RabbitMQ, 100 a run', code: 'rabbitmq-100', queue: await rabbitQueue(RABBITMQ_URL), batchSize: 100 },
        { title: 'Redis, 10 a run', code: 'redis-10', queue: await redisStream(REDIS_URL), batchSize: 10 },
        { title: 'Redis, 100 a run', code: 'redis-100', queue: await redisStream(REDIS_URL), batchSize: 100 },
        { title: 'SQS, 10 a run', code: 'sqs-10', queue: await sqsQueue(cloud.endpoint), batchSize: 10 },
    ];
    const shop = await openShop('postgres', optionsOf(responseHandlers));
    try {
        const { rawConnection } = shop.app.get(TransactionalConnection);
        const triggers = shop.app.get(ActiveTriggers);
        const enable = async (code: string, enabled: boolean): Promise<void> => {
            await rawConnection.query(`UPDATE flow_pipeline SET enabled = $1 WHERE code = $2`, [enabled, code]);
            await triggers.refresh();
        };
        for (const { code } of responseHandlers) await enable(code, false);
        await shop.queues.start();
        const all: boolean[] = [];
        for (const taking of responseHandlers) {
            await taking.queue.send(
                Array.from({ length: messages }, (_, n) => ({
                    id: `${taking.code}-${n}`,
                    body: JSON.stringify({ sku: `TS-${n}`, stock: n, price: 1_999, note: 'x'.repeat(100) }),
                })),
            );
            all.push(await measured(taking, messages, { rawConnection, begin: () => enable(taking.code, true) }));
            await enable(taking.code, false);
            await drained(rawConnection);
        }
        return all.every(Boolean);
    } finally {
        await shop.close();
        for (const { queue } of responseHandlers) await queue.close();
        await cloud.stop();
    }
}

async function measured(
    { title, queue }: Taking,
    messages: number,
    { rawConnection, begin }: { readonly rawConnection: DataSource; readonly begin: () => Promise<void> },
): Promise<boolean> {
    const count = async (): Promise<number> =>
        Number((await rawConnection.query('SELECT count(*) AS n FROM flow_received_message'))[0].n);
    const before = await count();
    await begin();
    // Counts from the first message on, so that the time of finding a leader does not matter.
    while ((await count()) === before) await pause();
    const [begunAt, first] = [performance.now(), await count()];
    while ((await count()) < before + messages) {
        if (performance.now() - begunAt > PATIENCE_MS) break;
        await pause();
    }
    const seconds = (performance.now() - begunAt) / 1_000;
    const stored = (await count()) - first;
    const left = await queue.waiting();
    console.log(
        `${title}: ${(stored / seconds).toFixed(0)} messages/s to stored runs (${stored} in ${seconds.toFixed(1)} s), ${left} left`,
    );
    return first + stored === before + messages;
}

async function drained(rawConnection: DataSource): Promise<void> {
    const statement = `SELECT count(*) AS n FROM flow_pipeline_run WHERE status IN ('PENDING', 'RUNNING')`;
    while (Number((await rawConnection.query(statement))[0].n) > 0) await pause();
}

const pause = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 20));

function optionsOf(responseHandlers: readonly Taking[]): FlowPluginOptions {
    const secrets = new Map<string, string>();
    for (const { queue } of responseHandlers)
        for (const [field, value] of Object.entries(queue.connection.settings))
            if (field.endsWith('SecretCode')) secrets.set(String(value), String(value));
    return {
        secrets: [...secrets].map(([code, value]) => ({ code, provider: 'INLINE', value })),
        connections: responseHandlers.map(({ code, queue: { connection } }) => ({
            code,
            type: connection.type,
            settings: { ...connection.settings },
        })),
        pipelines: responseHandlers.map(pipelineOf),
        security: { allowedHostnames: ['127.0.0.1'] },
        runtime: { sweepMs: 500 },
    };
}

function pipelineOf({ code, queue, batchSize }: Taking): PipelineSource {
    const given = JSON.parse(JSON.stringify(queue.settings)) as Pick<MessageSettings, 'queueType' | 'queueName'>;
    return pipeline(code)
        .trigger('in', { type: 'MESSAGE', message: { ...given, connectionCode: code, batchSize, maxWaitMs: 100 } })
        .transform('same', [{ op: 'set', args: { path: 'seen', value: true } }])
        .build();
}
