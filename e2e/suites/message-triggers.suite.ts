import { Tag } from '@vendure/core';
import gql from 'graphql-tag';
import { Like } from 'typeorm';
import type { JsonObject } from '../../src';
import { FlowPipelineRun } from '../../src/plugin/entities/run';
import { type CutProxy, cutProxy } from '../../test/servers/cut-proxy';
import { needs } from '../../test/servers/needs';
import { rabbitQueue, redisStream, sqsQueue, type TestQueue } from '../../test/servers/queues';
import { type CloudServer, startCloud } from '../../test/servers/s3-server';
import { makeAdministrator } from '../config/administrators';
import { type FlowServer, until } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { tagLoader } from '../config/tag-loader';
import { as, errorOf, type PipelineAnswer } from '../fixtures/authoring-api';
import { connectionsOf, makeSecret } from '../fixtures/resource-api';
import { lookAtTrigger } from '../fixtures/trigger-look';

const WARNINGS = gql`
    query Warnings {
        flowOverview {
            triggerWarnings {
                pipeline {
                    code
                }
                triggerKey
                code
                message
            }
        }
    }
`;
const TEST_CONNECTION = gql`
    mutation Test($id: ID!) {
        testFlowConnection(id: $id) {
            result
            message
        }
    }
`;

interface Warning {
    readonly pipeline: { readonly code: string };
    readonly code: string;
    readonly message: string;
}

const MESSAGES = 500;

/** The runs of messages of each broker, whose queue is reached through a proxy that can be cut. */
function messagesOf(kind: string, open: () => Promise<FlowServer>, start: () => Promise<TestQueue>): void {
    const code = `messages-${kind}`;
    let shop: FlowServer;
    let queue: TestQueue;
    let proxy: CutProxy;
    let pipelines: ReturnType<typeof as>;
    let pipeline: PipelineAnswer;

    const tags = (prefix: string): Promise<number> =>
        shop.dataSource.getRepository(Tag).count({ where: { value: Like(`${prefix}%`) } });
    const runs = (): Promise<number> =>
        shop.dataSource.getRepository(FlowPipelineRun).count({ where: { triggerType: 'MESSAGE', triggerKey: kind } });
    const unfinished = (): Promise<number> =>
        shop.dataSource
            .getRepository(FlowPipelineRun)
            .createQueryBuilder('run')
            .where("run.triggerKey = :kind AND run.status IN ('PENDING', 'RUNNING')", { kind })
            .getCount();
    const warnings = async (): Promise<readonly Warning[]> => {
        const { flowOverview } = await shop.adminClient.query<{
            flowOverview: { triggerWarnings: readonly Warning[] };
        }>(WARNINGS);
        return flowOverview.triggerWarnings.filter(warning => warning.pipeline.code === code);
    };
    const tag = (value: string): { readonly id: string; readonly body: string } => ({
        id: value,
        body: JSON.stringify({ value }),
    });
    const definition = (): JsonObject => ({
        version: 1,
        steps: [
            {
                key: kind,
                kind: 'TRIGGER',
                config: {
                    type: 'MESSAGE',
                    message: {
                        ...(JSON.parse(JSON.stringify(queue.settings)) as JsonObject),
                        connectionCode: code,
                        batchSize: 100,
                        maxWaitMs: 100,
                    },
                },
            },
            { key: 'tags', kind: 'LOAD', config: { adapterCode: 'tags' } },
        ],
        edges: [{ from: kind, to: 'tags' }],
    });

    beforeAll(async () => {
        shop = await open();
        pipelines = as(shop.adminClient);
        queue = await start();
        proxy = await cutProxy(queue.port);
        const { connection } = queue;
        const settings: Record<string, unknown> = { ...connection.settings };
        for (const field of ['passwordSecretCode', 'accessKeyIdSecretCode', 'secretAccessKeySecretCode'])
            if (typeof settings[field] === 'string') {
                const value = settings[field];
                settings[field] = `${code}-${field.toLowerCase()}`;
                await makeSecret(shop.adminClient, `${code}-${field.toLowerCase()}`, value);
            }
        const place =
            connection.type === 'SQS'
                ? { endpoint: `http://127.0.0.1:${proxy.port}` }
                : { host: '127.0.0.1', port: proxy.port };
        const { id } = await connectionsOf(shop.adminClient).create({
            code,
            type: connection.type,
            settings: { ...settings, ...place },
        });
        const { testFlowConnection } = await shop.adminClient.query<{ testFlowConnection: { result: string } }>(
            TEST_CONNECTION,
            { id },
        );
        expect(testFlowConnection).toMatchObject({ result: 'PASSED' });
    });
    afterAll(async () => {
        if (pipeline) await pipelines.disable(pipeline);
        await proxy?.close();
        await queue?.close();
    });

    it('are shown by a test of the trigger, and stay in the queue', async () => {
        await queue.send([tag(`${kind}-first`), { id: 'bad', body: 'no JSON' }]);
        const input = { definition: definition(), stepKey: kind, limit: 5 };
        expect(await lookAtTrigger(shop.adminClient, input)).toMatchObject({
            kind: 'TRIGGER',
            out: [{ value: `${kind}-first` }],
            log: [{ level: 'WARN' }],
        });
        expect(await queue.waiting()).toBe(2);
        expect(await runs()).toBe(0);
    });

    it('are shown to users who may publish; for others the test sends nothing to the broker', async () => {
        const permissions = ['UpdateFlowPipeline', 'ReadFlowPipeline', 'RunFlowPipeline', 'ReadFlowRecord'];
        const editor = await makeAdministrator(shop, { name: `${code}-editor`, permissions });
        const input = { definition: definition(), stepKey: kind, limit: 5 };
        const before = proxy.connections();
        expect(await errorOf(lookAtTrigger(editor, input))).toMatchObject({ code: 'OUTBOUND_BLOCKED' });
        expect(proxy.connections()).toBe(before);
    });

    it('start runs when the pipeline is published; invalid JSON goes to the dead letters, with a warning', async () => {
        pipeline = await pipelines.publish(await pipelines.create({ code, name: code, definition: definition() }));
        await until(
            () => tags(`${kind}-first`),
            count => count === 1,
        );
        await until(warnings, found => found.length > 0);
        expect(await warnings()).toMatchObject([{ code: 'MESSAGES_REFUSED' }]);
        expect(await queue.deadLetters()).toMatchObject([
            { body: 'no JSON', reason: expect.any(String) as string, queue: queue.settings.queueName },
        ]);
        expect(await queue.waiting()).toBe(0);
    });

    it(`are all loaded, ${MESSAGES} of them, in few runs`, async () => {
        const before = await runs();
        await queue.send(Array.from({ length: MESSAGES }, (_, i) => tag(`${kind}-many-${i}`)));
        await until(
            () => tags(`${kind}-many-`),
            count => count === MESSAGES,
        );
        await until(
            () => queue.waiting(),
            count => count === 0,
        );
        expect((await runs()) - before).toBeLessThanOrEqual(MESSAGES / 2);
    });

    it('that are sent while the broker is unavailable arrive when it is back, with a warning until then', async () => {
        proxy.away();
        const stopped = ({ code: told }: Warning): boolean => told === 'MESSAGES_STOPPED';
        await until(warnings, found => found.some(stopped));
        await queue.send([tag(`${kind}-away`)]);
        proxy.heal();
        await until(
            () => tags(`${kind}-away`),
            count => count === 1,
            60_000,
        );
        await until(warnings, found => !found.some(stopped));
    });

    it('stay in the queue of a disabled pipeline', async () => {
        pipeline = await pipelines.disable(pipeline);
        await until(
            () => Promise.resolve(proxy.open()),
            open => open === 0 || kind === 'sqs',
        );
        const before = await runs();
        await queue.send([tag(`${kind}-disabled`)]);
        pipeline = await pipelines.enable(pipeline);
        await until(
            () => tags(`${kind}-disabled`),
            count => count === 1,
        );
        expect((await runs()) - before).toBe(1);
        await until(unfinished, count => count === 0);
    });
}

function triggers(open: () => Promise<FlowServer>): void {
    needs('rabbitmq', 'of RabbitMQ', ({ rabbitmq }) => {
        let queue: TestQueue;
        messagesOf('rabbitmq', open, async () => (queue = await rabbitQueue(rabbitmq)));

        it('that are sent twice start one run', async () => {
            const shop = await open();
            const count = (): Promise<number> =>
                shop.dataSource.getRepository(FlowPipelineRun).count({ where: { triggerKey: 'rabbitmq' } });
            const before = await count();
            const twice = { id: 'twice', body: '{"value":"rabbitmq-twice"}' };
            await queue.send([twice]);
            await until(count, found => found === before + 1);
            await queue.send([twice, { ...twice, body: '{"value":"rabbitmq-other"}' }]);
            await until(
                () => shop.dataSource.getRepository(Tag).count({ where: { value: 'rabbitmq-other' } }),
                found => found === 1,
            );
            await until(
                () => queue.waiting(),
                left => left === 0,
            );
            expect(await count()).toBe(before + 2);
        });
    });
    needs('redis', 'of a stream of Redis', ({ redis }) => messagesOf('redis', open, () => redisStream(redis)));
    describe('of SQS', () => {
        let cloud: CloudServer;
        beforeAll(async () => {
            cloud = await startCloud('unused');
        });
        afterAll(() => cloud?.stop());
        messagesOf('sqs', open, () => sqsQueue(cloud.endpoint));
    });
}

export const messageTriggersSuite: SharedSuite = {
    title: 'messages',
    adapters: [tagLoader],
    tests: triggers,
};
