import { sinks } from '../../../src/adapters';
import { Secret } from '../../../src/core/adapter/secret';
import { EVERY_HOST } from '../../../src/core/adapter/secret-hosts';
import type { JsonObject } from '../../../src/core/value/json';
import type { SinkHarness } from '../../../src/testing/sink-harness';
import { type Finished, type RunOptions, runPipeline, sketched } from '../pipeline';
import { AlgoliaServer } from './algolia';
import { BulkEngineServer } from './bulk';
import type { Engine } from './engine-server';
import { MeilisearchServer } from './meilisearch';
import { ManagementServer } from './management';
import { Receiver } from './receiver';
import { TypesenseServer } from './typesense';

/** A built-in sink of Flow with a test double of its service. */
export interface EngineStand {
    readonly engine: Engine;
    readonly config: JsonObject;
    /** The field that identifies records. */
    readonly idField: string;
    /** The records that the service has stored under an index, or was sent, by id. */
    stored(index?: string): ReadonlyMap<string, JsonObject>;
    removed(): readonly string[];
    /** Records that it rejects, if those are not the ones with `bad`. */
    readonly refused?: readonly JsonObject[];
}

const secrets = { get: (code: string) => new Secret(code, `${code}-value`, EVERY_HOST) };

const BROKER: JsonObject = {
    host: 'mq.example.com',
    vhost: '/',
    ssl: false,
    username: 'shop',
    passwordSecretCode: 'mq',
};
const SQS: JsonObject = { region: 'eu-central-1', accessKeyIdSecretCode: 'id', secretAccessKeySecretCode: 'key' };
const connections = {
    get: (code: string) =>
        code.endsWith('sqs') ? { code, type: 'SQS', settings: SQS } : { code, type: 'BROKER', settings: BROKER },
};
/** The same for the test kit, with the codes that examples use. */
const GIVEN = {
    secrets: Object.fromEntries(['key', 'mq', 'id', 'search-key', 'erp-signing'].map(code => [code, `${code}-value`])),
    connections: {
        mq: { type: 'BROKER', settings: BROKER },
        'stock-queue': { type: 'BROKER', settings: BROKER },
        'stock-sqs': { type: 'SQS', settings: SQS },
    },
};

/** Test doubles for all sinks that use HTTP, by their codes. */
export const ENGINE_STANDS: Readonly<Record<string, () => EngineStand>> = {
    webhook: () => {
        const engine = new Receiver();
        return {
            engine,
            config: { url: 'https://erp.example.com/hooks', idField: 'sku' },
            idField: 'sku',
            stored: () => new Map(engine.records.map(record => [String(record['sku']), record])),
            removed: () => engine.removed.map(record => String(record['sku'])),
        };
    },
    queueProducer: () => {
        const engine = new ManagementServer();
        const payloads = () => engine.messages.map(({ payload }) => JSON.parse(String(payload)) as JsonObject);
        const isOf = (operation: string) => (_: JsonObject, i: number) =>
            (engine.messages[i]!['properties'] as { readonly headers: JsonObject }).headers['x-flow-operation'] ===
            operation;
        return {
            engine,
            config: { queueType: 'RABBITMQ_HTTP', connectionCode: 'mq', queueName: 'stock', idField: 'sku' },
            idField: 'sku',
            stored: () =>
                new Map(
                    payloads()
                        .filter(isOf('UPSERT'))
                        .map(record => [String(record['sku']), record]),
                ),
            removed: () =>
                payloads()
                    .filter(isOf('DELETE'))
                    .map(record => String(record['sku'])),
            refused: [],
        };
    },
    elasticsearch: () => bulkStand('Elasticsearch'),
    opensearch: () => bulkStand('OpenSearch'),
    meilisearch: () => {
        const engine = new MeilisearchServer();
        return {
            engine,
            config: {
                host: 'https://search.example.com',
                apiKeySecretCode: 'key',
                indexName: 'products',
                primaryKey: 'sku',
            },
            idField: 'sku',
            stored: (index = 'products') => engine.documents(index),
            removed: () =>
                engine.seen.flatMap(({ path, body }) =>
                    path.endsWith('/delete-batch') ? (JSON.parse(body) as string[]) : [],
                ),
            // One bad document fails the task of all, which is known when the task is done.
            refused: [],
        };
    },
    typesense: () => {
        const engine = new TypesenseServer();
        engine.make('products');
        const server = { host: 'search.example.com', port: 443, apiKeySecretCode: 'key' };
        return {
            engine,
            config: { ...server, collectionName: 'products', idField: 'sku' },
            idField: 'sku',
            stored: (index = 'products') => engine.documents(index),
            removed: () => engine.removed,
        };
    },
    algolia: () => {
        const engine = new AlgoliaServer();
        return {
            engine,
            config: { appId: 'LATENCY', apiKeySecretCode: 'key', indexName: 'products', idField: 'sku' },
            idField: 'sku',
            stored: (index = 'products') => engine.records(index),
            removed: () => engine.removed,
        };
    },
};

function bulkStand(product: 'Elasticsearch' | 'OpenSearch'): EngineStand {
    const engine = new BulkEngineServer(product);
    return {
        engine,
        config: {
            node: 'https://search.example.com:9200',
            apiKeySecretCode: 'key',
            indexName: 'products',
            idField: 'sku',
        },
        idField: 'sku',
        stored: (index = 'products') => engine.documents(index),
        removed: () =>
            engine.seen.flatMap(({ body }) => [...body.matchAll(/\{"delete":(\{.*?\})\}/g)].map(([, of]) => idOf(of!))),
    };
}

function idOf(text: string): string {
    return (JSON.parse(text) as { readonly _id: string })._id;
}

/** The harness for the contract of sinks. */
export function contractStand({ engine, config, removed, refused: rejected }: EngineStand): SinkHarness {
    return {
        config,
        records: [
            { sku: 'TS-1', name: 'T-shirt' },
            { sku: 7, name: 'Größe' },
        ],
        refused: rejected ?? [{ sku: 'TS-2', bad: 'x' }],
        ...GIVEN,
        http: engine.outbound.http.send,
        stream: engine.outbound.stream.open,
        requests: () => engine.seen.length,
        deleted: removed,
        breakDown: isDown => {
            engine.isDown = isDown;
        },
    };
}

/** Options of a run in addition to those of its `EngineStand`. */
export interface ThroughSink extends RunOptions {
    readonly batchSize?: number;
    readonly concurrency?: number;
}

/** Runs records through a sink into its service. */
export async function runInto(
    stand: EngineStand,
    {
        code,
        config = {},
        records,
    }: { readonly code: string; readonly config?: JsonObject; readonly records: readonly JsonObject[] },
    { batchSize = 100, concurrency = 1, ...options }: ThroughSink = {},
): Promise<Finished & { readonly rejected: readonly string[] }> {
    const sink = sinks.find(one => one.code === code)!;
    const definition = sketched({
        steps: {
            start: ['TRIGGER', {}],
            read: ['EXTRACT', { adapterCode: 'toyPages', pages: [{ records: [...records] }] }],
            send: ['SINK', { adapterCode: code, ...stand.config, ...config }],
        },
        edges: ['start > read > send'],
        throughput: { batchSize, concurrency },
        errorHandling: { maxRetries: 2, retryDelayMs: 1 },
    });
    const run = { adapters: [sink], resources: { secrets, connections }, outbound: stand.engine.outbound, ...options };
    const { end, state } = await runPipeline(definition, run);
    const rejected = [...state.rejects.values()].sort((a, b) => a.seq - b.seq).map(({ message }) => message);
    return { end, state, rejected };
}
