import { DefaultSearchPlugin, Tag, type VendureConfig } from '@vendure/core';
import { BullMQJobQueuePlugin } from '@vendure/job-queue-plugin/package/bullmq';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
    createPipelineBuilder,
    defineLoader,
    FlowPlugin,
    type BuiltinCatalogue,
    type FlowPluginOptions,
    type PipelineSource,
    type StatementProgram,
    type VendurePlatform,
} from '../../src';
import { name, raw, send, sql } from '../../src/database/statement';
import { tableOf } from '../../src/database/table';
import { insertRows } from '../../src/database/write';
import { PIM_KEY } from '../../test/kit/pim/server';
import type { DatabaseConnection } from '../config/vendure-config';
import { BARRIER } from './bench-database';
import { patientSupplier } from './delivery';
import { deafQueue } from './deaf-queue';
import { gateBehind, gated } from './gates';
import { DEADLY_PIPELINE, deadlyOperator } from './killed-by-a-record';
import { subscriber } from './subscriber';

/** The settings of server and worker processes. */
export interface CrashOrder {
    readonly connection: Exclude<DatabaseConnection, { readonly type: 'better-sqlite3' }>;
    readonly queue: 'sql' | 'bullmq';
    readonly redisUrl: string | undefined;
    /** A separate prefix for all that this shop keeps in Redis. */
    readonly prefix: string;
    /** The file with what the supplier delivers, see `delivery.ts`. */
    readonly delivery: string;
    /**
     * The file to which the first record of each batch is written when work on it begins. It outlives the processes.
     */
    readonly witness: string;
    /** How many runs a worker processes at once with the SQL queue. Default: 1. */
    readonly runsAtOnce?: number;
    /** Default: Flow's own times. */
    readonly runtime: FlowPluginOptions['runtime'];
}

/** The prefix of the codes of orders that `placer.ts` places, and of the tags that their runs write. */
export const PLACED = 'placed-';
export const TOLD = 'order-';

export const BATCH = 4;
export const CONCURRENCY = 2;

/** Adds a tag for each record without checking whether it exists, so that anything done twice is visible. */
function appendTags(witness: string) {
    return defineLoader({
        code: 'appendTags',
        title: 'Append tags',
        summary: 'Adds tags.',
        config: z.strictObject({}),
        open: async (_, cx) => {
            const { dataSource, database } = cx.platform as VendurePlatform;
            const table = tableOf(dataSource, Tag);
            // Uses the database without Flow's layer, as a shop's adapters may do.
            await dataSource.getRepository(Tag).exists();
            return {
                locks: batch => batch.map(({ data }) => `tag:${String(data['sku'])}`),
                *plan(batch) {
                    const values = batch.map(({ data }) => String(data['sku']));
                    appendFileSync(witness, `${values[0]}\n`);
                    const share = raw(database.dialect.kind === 'postgres' ? 'FOR SHARE' : 'LOCK IN SHARE MODE');
                    yield* send(sql`SELECT id FROM ${name(BARRIER)} ${share}`);
                    return {
                        changes: values.map(value => ({ action: 'create', key: value, after: { value } }) as const),
                        *apply(): StatementProgram<[]> {
                            yield* insertRows(
                                { table, dialect: database.dialect },
                                values.map(value => ({ value })),
                            );
                            return [];
                        },
                    };
                },
            };
        },
    });
}

interface CrashCatalogue extends Omit<BuiltinCatalogue, 'extractors' | 'loaders' | 'operators'> {
    readonly operators: readonly [...BuiltinCatalogue['operators'], ReturnType<typeof deadlyOperator>];
    readonly extractors: readonly [...BuiltinCatalogue['extractors'], ReturnType<typeof patientSupplier>];
    readonly loaders: readonly [...BuiltinCatalogue['loaders'], ReturnType<typeof appendTags>];
}

const crash: PipelineSource = createPipelineBuilder<CrashCatalogue>()('crash')
    .throughput({ batchSize: BATCH, concurrency: CONCURRENCY })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'patientSupplier' })
    .load('products', { adapterCode: 'productUpsert', createMissingFacetValues: true })
    .load('stock', { adapterCode: 'stockAdjust', mode: 'ADD', stockField: 'delivered' })
    .load('prices', { adapterCode: 'priceUpdate', priceField: 'newPrice' })
    .load('customers', { adapterCode: 'customerUpsert' })
    .load('orders', {
        adapterCode: 'orderUpsert',
        mode: 'HISTORY',
        codeField: 'orderCode',
        customerField: 'emailAddress',
    })
    .load('notes', { adapterCode: 'orderNote', codeField: 'orderCode' })
    .load('tags', { adapterCode: 'appendTags' })
    .build();
/** The number of loads that each record passes. */
export const LOADS = 7;

/** Writes a tag for each order event. */
const told: PipelineSource = createPipelineBuilder<CrashCatalogue>()('crash-orders')
    .trigger('placed', { type: 'EVENT', event: 'OrderPlacedEvent' })
    .extract('in', { adapterCode: 'patientSupplier' })
    .transform('name', [{ op: 'template', args: { template: `${TOLD}\${orderId}`, target: 'sku' } }])
    .load('tags', { adapterCode: 'appendTags' })
    .build();

/** The same with a gate between its loads. */
export const approved: PipelineSource = createPipelineBuilder<CrashCatalogue>()('approved')
    .throughput({ batchSize: BATCH, concurrency: CONCURRENCY })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'patientSupplier' })
    .load('products', { adapterCode: 'productUpsert', createMissingFacetValues: true })
    .gate('gate', { approvalType: 'MANUAL' })
    .load('tags', { adapterCode: 'appendTags' })
    .build();

/** The prefix of tags that runs write which hooks have started. */
export const HOOKED = 'hook-';

/** Its hooks start a run of another pipeline for each batch. */
export const hooking: PipelineSource = createPipelineBuilder<CrashCatalogue>()('crash-hooking')
    .hooks({ AFTER_EXTRACT: [{ type: 'TRIGGER_PIPELINE', pipelineCode: 'crash-hooked' }] })
    .throughput({ batchSize: BATCH, concurrency: CONCURRENCY })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'patientSupplier' })
    .load('tags', { adapterCode: 'appendTags' })
    .build();

export const hooked: PipelineSource = createPipelineBuilder<CrashCatalogue>()('crash-hooked')
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'patientSupplier' })
    .transform('name', [{ op: 'template', args: { template: `${HOOKED}\${sku}`, target: 'sku' } }])
    .load('tags', { adapterCode: 'appendTags' })
    .build();

const deadly: PipelineSource = createPipelineBuilder<CrashCatalogue>()(DEADLY_PIPELINE)
    .throughput({ batchSize: BATCH, concurrency: CONCURRENCY })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'patientSupplier' })
    .load('tags', { adapterCode: 'appendTags' })
    .transform('dies', [{ op: 'deadly', args: {} }])
    .load('products', { adapterCode: 'productUpsert', createMissingFacetValues: true })
    .build();

/** The API key for posts to `crash-posts`. */
export const POST_KEY = 'the-key-of-the-posts';

/** Writes a tag for each record that is posted. */
export const posted: PipelineSource = createPipelineBuilder<CrashCatalogue>()('crash-posts')
    .trigger('post', { type: 'WEBHOOK', authentication: 'API_KEY', apiKeySecretCode: 'crash-post-key' })
    .extract('in', { adapterCode: 'patientSupplier' })
    .load('tags', { adapterCode: 'appendTags' })
    .build();

/** The tags of the runs of a schedule: one each. */
export const TICK = 'tick';

/** Starts a run each second. The shop does not have this pipeline permanently: one scenario creates it. */
export const ticking: Pick<PipelineSource, 'code' | 'definition'> = createPipelineBuilder<CrashCatalogue>()(
    'crash-ticking',
)
    .trigger('clock', { type: 'SCHEDULE', intervalSec: 1 })
    .extract('in', { adapterCode: 'generator', count: 1, template: { sku: TICK } })
    .load('tags', { adapterCode: 'appendTags' })
    .build();

/** Creates an order from each record, with OrderService. */
export const ordering: PipelineSource = createPipelineBuilder<CrashCatalogue>()('crash-ordering')
    .throughput({ batchSize: BATCH, concurrency: CONCURRENCY })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'patientSupplier' })
    .transform('stock', [{ op: 'set', args: { path: 'stock', value: 5 } }])
    .load('products', { adapterCode: 'productUpsert', createMissingFacetValues: true })
    .transform('order', [
        {
            op: 'script',
            args: { code: 'return { code: record.sku, lines: [{ sku: record.sku, quantity: 1 }] }', failOnError: true },
        },
    ])
    .load('orders', { adapterCode: 'orderUpsert', mode: 'LIVE' })
    .build();

/** Deletes what it has loaded before and a later delivery does not contain. */
export const sweeping: PipelineSource = createPipelineBuilder<CrashCatalogue>()('crash-sweeping')
    .throughput({ batchSize: BATCH, concurrency: CONCURRENCY })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'patientSupplier' })
    .load('products', {
        adapterCode: 'productUpsert',
        createMissingFacetValues: true,
        missing: { action: 'DELETE', maxShare: 1 },
    })
    .build();

/** The plugins that server and workers have in common. Flow's is the last. */
export function crashPlugins({
    queue,
    redisUrl,
    prefix,
    delivery,
    witness,
    runtime,
}: Omit<CrashOrder, 'connection'>): NonNullable<VendureConfig['plugins']> {
    const adapters = [appendTags(witness), patientSupplier(delivery), gateBehind(delivery), deadlyOperator(delivery)];
    const flow = FlowPlugin.init({
        pipelines: [crash, gated, told, approved, hooking, hooked, deadly, posted, ordering, sweeping],
        secrets: [
            { code: 'crash-post-key', provider: 'INLINE', value: POST_KEY },
            // The credentials of the test brokers. Each value is also the code of its secret.
            ...['guest', 'test'].map(
                value => ({ code: value, provider: 'INLINE', value, allowedHosts: ['127.0.0.1'] }) as const,
            ),
            { code: 'crash-pim-key', provider: 'INLINE', value: PIM_KEY, allowedHosts: ['127.0.0.1'] },
            { code: 'pim-webhook-key', provider: 'INLINE', value: POST_KEY },
        ],
        adapters,
        files: { storage: { type: 'local', directory: join(delivery, '../files') } },
        // The APIs that are read while workers die.
        security: { allowedHostnames: ['127.0.0.1'], unknownHostKeys: true },
        ...(runtime && { runtime }),
    });
    const search = DefaultSearchPlugin.init({ indexStockStatus: true });
    if (queue === 'sql') return [search, deafQueue(delivery), subscriber(delivery), flow];
    const { hostname: host, port } = new URL(redisUrl ?? '');
    const connection = { host, port: Number(port || 6379), maxRetriesPerRequest: null };
    return [
        search,
        BullMQJobQueuePlugin.init({ connection, queueOptions: { prefix }, workerOptions: { prefix } }),
        flow,
    ];
}
