import { DefaultSearchPlugin, Tag, type VendureConfig } from '@vendure/core';
import { BullMQJobQueuePlugin } from '@vendure/job-queue-plugin/package/bullmq';
import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import {
    createPipelineBuilder,
    defineLoader,
    FlowPlugin,
    type BuiltinCatalogue,
    type FlowPluginOptions,
    type PipelineSource,
    type Script,
    type VendurePlatform,
} from '../../src';
import { name, raw, send, sql } from '../../src/database/statement';
import { tableOf } from '../../src/database/table';
import { insertRows } from '../../src/database/write';
import type { DatabaseConnection } from '../config/vendure-config';
import { BARRIER } from './bench-database';
import { patientSupplier } from './delivery';
import { deafQueue } from './deaf-queue';
import { gateBehind, gated } from './gates';

/** What server and worker processes are told. */
export interface CrashOrder {
    readonly connection: DatabaseConnection;
    readonly queue: 'sql' | 'bullmq';
    readonly redisUrl: string | undefined;
    /** A name of its own for all that this shop keeps in Redis. */
    readonly prefix: string;
    /** What the supplier delivers, see `delivery.ts`. */
    readonly delivery: string;
    /** Each time that a batch is worked on, its first record is written here; it outlives whoever wrote it. */
    readonly witness: string;
    /** Flow's own times where there are none. */
    readonly runtime: FlowPluginOptions['runtime'];
}

export const BATCH = 10;
export const CONCURRENCY = 2;

/** Adds a tag for each record without looking whether it is there: whatever is done twice shows. */
function appendTags(witness: string) {
    return defineLoader({
        code: 'appendTags',
        title: 'Append tags',
        summary: 'Adds tags.',
        config: z.strictObject({}),
        open: (_, cx) => {
            const { dataSource, database } = cx.platform as VendurePlatform;
            const table = tableOf(dataSource, Tag);
            return Promise.resolve({
                locks: batch => batch.map(({ data }) => `tag:${String(data['sku'])}`),
                *plan(batch) {
                    const values = batch.map(({ data }) => String(data['sku']));
                    appendFileSync(witness, `${values[0]}\n`);
                    const share = raw(database.dialect.kind === 'postgres' ? 'FOR SHARE' : 'LOCK IN SHARE MODE');
                    yield* send(sql`SELECT id FROM ${name(BARRIER)} ${share}`);
                    return {
                        changes: values.map(value => ({ action: 'create', key: value, after: { value } }) as const),
                        *apply(): Script<[]> {
                            yield* insertRows(
                                { table, dialect: database.dialect },
                                values.map(value => ({ value })),
                            );
                            return [];
                        },
                    };
                },
            });
        },
    });
}

interface CrashCatalogue extends Omit<BuiltinCatalogue, 'extractors' | 'loaders'> {
    readonly extractors: readonly [ReturnType<typeof patientSupplier>];
    readonly loaders: readonly [...BuiltinCatalogue['loaders'], ReturnType<typeof appendTags>];
}

const crash: PipelineSource = createPipelineBuilder<CrashCatalogue>()('crash')
    .throughput({ batchSize: BATCH, concurrency: CONCURRENCY })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'patientSupplier' })
    .load('products', { adapterCode: 'productUpsert', createMissingFacetValues: true })
    .load('tags', { adapterCode: 'appendTags' })
    .build();

/** The plugins that server and workers have in common; Flow's is the last. */
export function crashPlugins({
    queue,
    redisUrl,
    prefix,
    delivery,
    witness,
    runtime,
}: Omit<CrashOrder, 'connection'>): NonNullable<VendureConfig['plugins']> {
    const adapters = [appendTags(witness), patientSupplier(delivery), gateBehind(delivery)];
    const flow = FlowPlugin.init({ pipelines: [crash, gated], adapters, ...(runtime && { runtime }) });
    const search = DefaultSearchPlugin.init({ indexStockStatus: true });
    if (queue === 'sql') return [search, deafQueue(delivery), flow];
    const { hostname: host, port } = new URL(redisUrl ?? '');
    const connection = { host, port: Number(port || 6379), maxRetriesPerRequest: null };
    return [
        search,
        BullMQJobQueuePlugin.init({ connection, queueOptions: { prefix }, workerOptions: { prefix } }),
        flow,
    ];
}
