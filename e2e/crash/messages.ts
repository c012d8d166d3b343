import { setTimeout as sleep } from 'node:timers/promises';
import { cutProxy } from '../../test/servers/cut-proxy';
import { rabbitQueue, redisStream, sqsQueue, type TestQueue } from '../../test/servers/queues';
import { startCloud } from '../../test/servers/s3-server';
import type { InterruptibleServer } from '../../test/servers/process';
import type { JsonObject } from '../../src';
import { until } from '../config/flow-server';
import { as } from '../fixtures/authoring-api';
import { connectionsOf } from '../fixtures/resource-api';
import type { CrashBench } from './crash-bench';
import { PATIENCE_MS } from './import';
import { settled, tagged } from './killed-at-a-line';

/** The brokers that messages may come from. */
export const BROKERS = ['rabbitmq', 'redis', 'sqs'] as const;
export type BrokerName = (typeof BROKERS)[number];

/** The result for messages whose consumers were killed, and whose connections were cut. */
export interface TakenMessages {
    /** Messages that were not loaded exactly once, and those that are left in the queue. */
    readonly differences: readonly string[];
    readonly runs: number;
}

interface Order {
    readonly broker: BrokerName;
    /** The address of RabbitMQ or Redis. */
    readonly url: string | undefined;
    /** A broker that is killed in place of every other cut, and keeps what it has confirmed. */
    readonly mortal?: Pick<InterruptibleServer, 'interrupt' | 'resume'> | undefined;
    readonly messages: number;
    /** How often a worker is killed, and how often all connections to the broker are cut. */
    readonly kills: number;
}

const BATCH = 20;

/**
 * Sends and takes messages while one worker after another is killed. The broker is sometimes unreachable for a moment,
 * or is killed as well.
 */
export async function messagesTaken(
    bench: CrashBench,
    { broker, url, mortal, messages, kills }: Order,
): Promise<TakenMessages> {
    const { crew, shop, database } = bench;
    const cloud = broker === 'sqs' ? await startCloud('unused') : undefined;
    const queue = await queueOf(broker, url ?? cloud?.endpoint ?? '');
    const proxy = await cutProxy(queue.port);
    const author = as(shop.adminClient);
    // A separate queue each time, so that one shop can take messages twice.
    const code = `crash-${broker}-${Date.now().toString(36)}`;
    try {
        await makeConnection(bench, { code, queue, port: proxy.port });
        const created = await author.create({ code, definition: taking(code, queue) });
        const pipeline = await author.publish(created);
        await crew.working();
        const loaded = async (): Promise<number> => (await tagged(bench, `${code}-`)).size;
        const skus = Array.from({ length: messages }, (_, i) => `${code}-${i}`);
        const sending = queue.send(skus.map(sku => ({ id: sku, body: JSON.stringify({ sku }) })));
        for (let kill = 1; kill <= kills; kill++) {
            crew.bootAhead();
            const share = Math.floor((messages * kill) / (kills + 1));
            await until(loaded, count => count >= Math.min(share, messages - 1), PATIENCE_MS);
            await sleep(Math.random() * 100);
            if (mortal && kill % 2 === 0) {
                // The sender would otherwise have to check which messages arrived.
                await sending;
                await mortal.interrupt();
                await sleep(Math.random() * 500);
                await mortal.resume();
            } else {
                proxy.away();
                await sleep(Math.random() * 500);
                proxy.heal();
            }
            const worker = await crew.working();
            await worker.kill('SIGKILL');
            await crew.relieve();
        }
        await sending;
        await until(
            async () => {
                await crew.working();
                return loaded();
            },
            count => count === messages,
            PATIENCE_MS,
        );
        await until(
            () => queue.waiting(),
            count => count === 0,
            PATIENCE_MS,
        );
        await settled(bench);
        await author.disable(pipeline);
        const times = await tagged(bench, `${code}-`);
        const [counted] = await database.rows<{ n: unknown }>(
            `SELECT count(*) AS n FROM flow_pipeline_run r JOIN flow_pipeline p ON p.id = r.pipeline_id WHERE p.code = '${code}'`,
        );
        const letters = await queue.deadLetters();
        return {
            differences: [
                ...skus.filter(sku => times.get(sku) !== 1).map(sku => `${sku}: ${times.get(sku) ?? 0} times`),
                ...letters.map(({ body, reason }) => `a dead letter: ${body}: ${reason}`),
            ],
            runs: Number(counted?.n),
        };
    } finally {
        await proxy.close();
        await queue.close();
        await cloud?.stop();
    }
}

function queueOf(broker: BrokerName, url: string): Promise<TestQueue> {
    switch (broker) {
        case 'rabbitmq':
            return rabbitQueue(url);
        case 'redis':
            return redisStream(url);
        case 'sqs':
            return sqsQueue(url);
    }
}

async function makeConnection(
    { shop }: CrashBench,
    { code, queue, port }: { readonly code: string; readonly queue: TestQueue; readonly port: number },
): Promise<void> {
    const { type, settings } = queue.connection;
    const place = type === 'SQS' ? { endpoint: `http://127.0.0.1:${port}` } : { host: '127.0.0.1', port };
    await connectionsOf(shop.adminClient).create({ code, type, settings: { ...settings, ...place } });
}

function taking(connectionCode: string, { settings }: TestQueue): JsonObject {
    const message = {
        ...(JSON.parse(JSON.stringify(settings)) as JsonObject),
        connectionCode,
        batchSize: BATCH,
        maxWaitMs: 100,
    };
    return {
        version: 1,
        steps: [
            { key: 'in', kind: 'TRIGGER', config: { type: 'MESSAGE', message } },
            { key: 'tags', kind: 'LOAD', config: { adapterCode: 'appendTags' } },
        ],
        edges: [{ from: 'in', to: 'tags' }],
    };
}
