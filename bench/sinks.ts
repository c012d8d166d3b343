import { Client as Elasticsearch } from '@elastic/elasticsearch';
import { Client as OpenSearch } from '@opensearch-project/opensearch';
import { algoliasearch } from 'algoliasearch';
import amqplib from 'amqplib';
import Redis from 'ioredis';
import { MeiliSearch } from 'meilisearch';
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { Client as Typesense } from 'typesense';
import { z } from 'zod';
import { sinks } from '../src/adapters';
import { defineExtractor } from '../src/core/adapter/extractor';
import type { ExportStore } from '../src/core/adapter/exports';
import { noResources } from '../src/core/adapter/no-resources';
import { Registry } from '../src/core/adapter/registry';
import { Secret } from '../src/core/adapter/secret';
import { EVERY_HOST } from '../src/core/adapter/secret-hosts';
import type { Outbound } from '../src/core/adapter/outbound';
import { parseDefinition } from '../src/core/pipeline/parse';
import { compilePipeline } from '../src/core/run/compile';
import { executeRun } from '../src/core/run/execute';
import { triggers } from '../src/core/triggers';
import type { JsonObject } from '../src/core/value/json';
import { systemClock } from '../src/core/concurrency/clock';
import { OutboundGateway } from '../src/io/outbound/gateway';
import { childUnder } from './child';
import { exportDuel } from './exports';
import { nowhere } from './nowhere';
import { ratePerSecond } from './rate';
import type { Row } from './report';
import { supplierRow } from './supplier-rows';

const PART = 1_000;
/** The number of records of a large export. */
const LARGE_PART = 5_000;
const RECORDS = 50_000;
const ROUNDS = 7;
/** Brokers write to disk and take longer. */
const MESSAGES = 20_000;
/** The record counts of the separate process. The second is ten times the first, and the memory must be the same. */
const MANY = [100_000, 1_000_000];
const HEAP_MB = 128;
const QUEUE = 'flow_bench';

const rows = defineExtractor({
    code: 'supplierRows',
    title: 'Supplier rows',
    summary: 'Made-up rows of a supplier.',
    config: z.strictObject({
        count: z.number().int().meta({ title: 'Count', description: 'How many.' }),
        part: z.number().int().meta({ title: 'Part', description: 'How many on a page.' }),
    }),
    async *extract({ count, part }, { resumeFrom }) {
        for (let from = Number(resumeFrom ?? 0); from < count; from += part) {
            const to = Math.min(count, from + part);
            yield { records: partOf(from, to), checkpoint: to };
        }
    },
});
const registry = Registry.of(triggers, sinks, [rows]);

function partOf(from: number, to: number): JsonObject[] {
    return Array.from({ length: to - from }, (_, k) => supplierRow(from + k));
}

/** A sink, and what a program would do that uses only its client. */
export interface SinkDuel {
    readonly code: string;
    readonly title: string;
    readonly config: JsonObject;
    readonly connection?: { readonly type: string; readonly settings: JsonObject };
    /** The highest number of records. */
    readonly most?: number;
    /** Records per list. Default: PART. */
    readonly part?: number;
    /** Where a sink that writes files puts them. */
    readonly exports?: ExportStore;
    /** Sends one list after another, and closes what it has opened. */
    bare(parts: () => Iterable<JsonObject[]>): Promise<void>;
}

/**
 * Compares each sink with its bare client, in lists of the same size against the same local server: `records/s` of the
 * sink through the executor, and its share of the client's rate. Then measures the memory of a separate process.
 * `only`: the benches whose title contains it.
 */
export async function benchSinks(given = RECORDS, only?: string): Promise<readonly Row[]> {
    const isAsked = (title: string): boolean => only === undefined || title.includes(only);
    const { port, stop } = await engineServer();
    const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] });
    const rows: Row[] = [];
    const file = await exportDuel();
    // Each list becomes durable by itself, which no bare writer does. The first is configured as the guide recommends
    // for large exports, the second is not.
    const files = [
        { ...file, part: LARGE_PART },
        { ...file, title: `${file.title}, lists of ${PART}` },
    ];
    for (const duel of [...searchDuels(port), ...brokerDuels(), ...files].filter(({ title }) => isAsked(title))) {
        const records = Math.min(given, duel.most ?? given);
        const [bare, flow]: [number[], number[]] = [[], []];
        for (let round = 0; round < ROUNDS; round++) {
            bare.push(await timed(() => duel.bare(() => partsOf(records, duel.part))));
            flow.push(await timed(() => throughSink(duel, records, outboundOf(gateway, port))));
        }
        const [alone, through] = [ratePerSecond(bare, records), ratePerSecond(flow, records)];
        rows.push({ ...NOTHING, bench: `${duel.title}, its client alone`, records, recordsPerSecond: alone });
        const ratioToRaw = through / alone;
        rows.push({ ...NOTHING, bench: duel.title, records, recordsPerSecond: through, ratioToRaw });
    }
    await file.close();
    await gateway.close();
    for (const code of IN_A_PROCESS)
        for (const count of isAsked(`${code} in a separate process`) ? MANY : [])
            rows.push(inAProcess({ code, count, port }));
    stop();
    return rows;
}

const NOTHING = { database: '–', statementsPerRecord: null, peakRssMb: 0, ratioToRaw: null, ratioToVendure: null };
const IN_A_PROCESS = ['opensearch', 'webhook', 'fileExport'] as const;

/** The settings of such a process. */
export interface OwnProcess {
    readonly code: (typeof IN_A_PROCESS)[number];
    readonly count: number;
    readonly port: number;
}

function inAProcess(what: OwnProcess): Row {
    const start = { script: 'sinks-child.ts', argument: JSON.stringify(what), heapMb: HEAP_MB };
    const done = childUnder<{ readonly seconds: number; readonly peakRssMb: number }>(start);
    const { code, count } = what;
    if (!done) throw new Error(`${count} records through ${code} need a larger heap than ${HEAP_MB} MB`);
    const { seconds, peakRssMb } = done;
    const bench = `${code} in a separate process`;
    return { ...NOTHING, bench, records: count, recordsPerSecond: count / seconds, peakRssMb };
}

/** Delivers this number of records once. Returns how many seconds it took. */
export async function deliverAlone({ code, count, port }: OwnProcess): Promise<number> {
    const file = await exportDuel();
    const webhook = { code: 'webhook', title: 'webhook', config: { url: `http://127.0.0.1:${port}/hooks` } };
    const duel = [...searchDuels(port), file, webhook].find(one => one.code === code)!;
    const gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] });
    const ms = await timed(() => throughSink(duel, count, outboundOf(gateway, port)));
    await gateway.close();
    await file.close();
    return ms / 1000;
}

/** Starts a service that accepts everything in a separate process. */
export async function engineServer(): Promise<{ readonly port: number; stop(): void }> {
    const child = fork(join(__dirname, 'engine-child.ts'), { execArgv: ['-r', '@swc-node/register'] });
    const port = await new Promise<number>(done => child.once('message', message => done(message as number)));
    return { port, stop: () => child.disconnect() };
}

function* partsOf(count: number, part = PART): Generator<JsonObject[]> {
    for (let from = 0; from < count; from += part) yield partOf(from, Math.min(count, from + part));
}

async function timed(work: () => Promise<void>): Promise<number> {
    const began = performance.now();
    await work();
    return performance.now() - began;
}

/** Algolia has fixed hosts. Here requests to them go to the local server. */
function outboundOf(gateway: OutboundGateway, port: number) {
    const outbound = gateway.forRun({ scope: 'bench', rateLimitRps: 0 });
    const origin = `http://127.0.0.1:${port}`;
    const moved: Outbound = {
        ...outbound,
        http: {
            send: request =>
                outbound.http.send({
                    ...request,
                    url: request.url.replace('https://bench.algolia.net', origin),
                    originLock: request.originLock?.replace('https://bench.algolia.net', origin),
                }),
        },
    };
    return { outbound: moved, close: () => outbound.close() };
}

async function throughSink(
    { code, config, connection, exports, part = PART }: Omit<SinkDuel, 'bare'>,
    count: number,
    { outbound, close }: { readonly outbound: Outbound; readonly close: () => void },
): Promise<void> {
    const steps = [
        { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
        { key: 'rows', kind: 'EXTRACT', config: { adapterCode: 'supplierRows', count, part } },
        { key: 'send', kind: 'SINK', config: { adapterCode: code, batchSize: part, ...config } },
    ];
    const edges = [
        { from: 'start', to: 'rows' },
        { from: 'rows', to: 'send' },
    ];
    const definition = parseDefinition({ version: 1, steps, edges, throughput: { batchSize: part } }, registry);
    const resources = {
        ...noResources,
        ...(exports && { exports }),
        secrets: { get: (secret: string) => new Secret(secret, secret, EVERY_HOST) },
        connections: { get: (name: string) => ({ code: name, ...connection! }) },
    };
    const compiled = compilePipeline(
        definition,
        { runId: '1', mode: 'live', triggerKey: 'start', startedAt: Date.now() },
        { registry, clock: systemClock, platform: undefined, resources, outbound },
    );
    const loads = { ...nowhere.loads, storedVerdicts: async () => undefined, settle: async () => undefined };
    const result = await executeRun(compiled, { ...nowhere, loads }, { signal: new AbortController().signal });
    close();
    if (result.end !== 'completed' || result.counters['send']?.updated !== count)
        throw new Error(`The run ended unexpectedly: ${JSON.stringify(result)}`);
}

function searchDuels(port: number): readonly SinkDuel[] {
    const node = `http://127.0.0.1:${port}`;
    const common = { apiKeySecretCode: 'key', idField: 'id' };
    const linesOf = (part: readonly JsonObject[]) =>
        part.flatMap(record => [{ index: { _index: 'products', _id: record['id'] as string } }, record]);
    return [
        {
            code: 'meilisearch',
            title: 'meilisearch',
            config: { host: node, apiKeySecretCode: 'key', indexName: 'products', primaryKey: 'id' },
            async bare(parts) {
                const index = new MeiliSearch({ host: node, apiKey: 'key' }).index('products');
                for (const part of parts()) await index.addDocuments(part, { primaryKey: 'id' });
            },
        },
        {
            code: 'elasticsearch',
            title: 'elasticsearch',
            config: { node, indexName: 'products', ...common },
            async bare(parts) {
                const client = new Elasticsearch({ node, auth: { apiKey: 'key' } });
                for (const part of parts()) await client.bulk({ operations: linesOf(part) });
                await client.close();
            },
        },
        {
            code: 'opensearch',
            title: 'opensearch',
            config: { node, indexName: 'products', ...common },
            async bare(parts) {
                const client = new OpenSearch({ node });
                for (const part of parts()) await client.bulk({ body: linesOf(part) as never });
                await client.close();
            },
        },
        {
            code: 'algolia',
            title: 'algolia',
            config: { appId: 'BENCH', indexName: 'products', ...common },
            async bare(parts) {
                const hosts = [{ url: '127.0.0.1', port, protocol: 'http' as const, accept: 'readWrite' as const }];
                const client = algoliasearch('BENCH', 'key', { hosts });
                for (const part of parts()) {
                    const requests = part.map(record => ({
                        action: 'addObject' as const,
                        body: { ...record, objectID: record['id'] },
                    }));
                    await client.batch({ indexName: 'products', batchWriteParams: { requests } });
                }
            },
        },
        {
            code: 'typesense',
            title: 'typesense',
            config: { host: '127.0.0.1', port, protocol: 'http', collectionName: 'products', ...common },
            async bare(parts) {
                const client = new Typesense({ nodes: [{ url: node }], apiKey: 'key', logLevel: 'silent' });
                for (const part of parts())
                    await client.collections('products').documents().import(part, { action: 'upsert' });
            },
        },
    ];
}

function brokerDuels(): readonly SinkDuel[] {
    return [
        {
            code: 'queueProducer',
            title: 'queueProducer, RabbitMQ',
            most: MESSAGES,
            config: { queueType: 'RABBITMQ', connectionCode: 'mq', queueName: QUEUE, idField: 'id' },
            connection: {
                type: 'BROKER',
                settings: { host: '127.0.0.1', port: 5672, vhost: '/', ssl: false },
            },
            async bare(parts) {
                const model = await amqplib.connect('amqp://127.0.0.1');
                const channel = await model.createConfirmChannel();
                // Holds the messages of one run, and drops the oldest for the next run.
                await channel.assertQueue(QUEUE, { durable: true, expires: 60_000, maxLength: MESSAGES });
                for (const part of parts()) {
                    for (const record of part) {
                        const content = Buffer.from(JSON.stringify(record));
                        channel.sendToQueue(QUEUE, content, { persistent: true, messageId: String(record['id']) });
                    }
                    await channel.waitForConfirms();
                }
                await model.close();
            },
        },
        {
            code: 'queueProducer',
            title: 'queueProducer, Redis streams',
            most: MESSAGES,
            config: { queueType: 'REDIS_STREAMS', connectionCode: 'redis', queueName: QUEUE, idField: 'id' },
            connection: { type: 'REDIS', settings: { host: '127.0.0.1', port: 6379, db: 0, ssl: false } },
            async bare(parts) {
                const client = new Redis({ host: '127.0.0.1', port: 6379 });
                // Deletes the messages of the round before.
                await client.del(QUEUE);
                await client.expire(QUEUE, 60);
                for (const part of parts()) {
                    const pipeline = client.pipeline();
                    for (const record of part)
                        pipeline.xadd(QUEUE, '*', 'id', String(record['id']), 'payload', JSON.stringify(record));
                    await pipeline.exec();
                }
                await client.expire(QUEUE, 60);
                client.disconnect();
            },
        },
    ];
}
