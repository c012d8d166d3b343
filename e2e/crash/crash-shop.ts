import { DefaultSearchPlugin, Tag, type VendureConfig } from '@vendure/core';
import { BullMQJobQueuePlugin } from '@vendure/job-queue-plugin/package/bullmq';
import { appendFileSync } from 'node:fs';
import { z } from 'zod';
import {
    createPipelineBuilder,
    defineExtractor,
    defineLoader,
    FlowPlugin,
    type BuiltinCatalogue,
    type FlowPluginOptions,
    type PipelineSource,
    type Script,
    type VendurePlatform,
} from '../../src';
import { tableOf } from '../../src/platform/sql/table';
import { insertRows } from '../../src/platform/sql/write';
import type { DatabaseConnection } from '../config/vendure-config';

/** What the worker processes are told. */
export interface CrashOrder {
    readonly connection: DatabaseConnection;
    readonly queue: 'sql' | 'bullmq';
    readonly redisUrl: string | undefined;
    /** A name of its own for all that this suite keeps in Redis. */
    readonly prefix: string;
    /** Each time that a batch is worked on, its first record is written here; it outlives whoever wrote it. */
    readonly witness: string;
    /** How long the source takes for fifty records, so that an import lasts for as many kills as there are to be. */
    readonly pageMs: number;
    /** Flow's own times where there are none. */
    readonly runtime: FlowPluginOptions['runtime'];
}

export const RECORDS = 3000;
export const BATCH = 20;
export const CONCURRENCY = 2;
const PAGE = 50;
/** How many pages an import has. */
export const PAGES = RECORDS / PAGE;

const config = z.strictObject({});

/** A supplier who takes his time. */
function slowSupplier(pageMs: number) {
    return defineExtractor({
        code: 'slowSupplier',
        title: 'Slow supplier',
        summary: 'Products, page by page.',
        config,
        async *extract(_, cx) {
            for (let at = Number(cx.resumeFrom ?? 0); at < RECORDS; at += PAGE) {
                await cx.clock.sleep(pageMs, cx.signal);
                yield { records: Array.from({ length: PAGE }, (_unused, i) => product(at + i)), checkpoint: at + PAGE };
            }
        },
    });
}

function product(number: number) {
    return {
        sku: `SKU-${number}`,
        name: `Product ${number}`,
        price: 1000 + number,
        stock: number % 50,
        facetValues: [`brand:Brand ${number % 7}`, `colour:Colour ${number % 5}`],
    };
}

/** Adds a tag for each record without looking whether it is there: whatever is done twice shows. */
function appendTags(witness: string) {
    return defineLoader({
        code: 'appendTags',
        title: 'Append tags',
        summary: 'Adds tags.',
        config,
        open: (_, cx) => {
            const { dataSource, database } = cx.platform as VendurePlatform;
            const table = tableOf(dataSource, Tag);
            return Promise.resolve({
                locks: batch => batch.map(({ data }) => `tag:${String(data['sku'])}`),
                // eslint-disable-next-line require-yield -- it has nothing to read
                *plan(batch) {
                    const values = batch.map(({ data }) => String(data['sku']));
                    appendFileSync(witness, `${values[0]}\n`);
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
    readonly extractors: readonly [ReturnType<typeof slowSupplier>];
    readonly loaders: readonly [...BuiltinCatalogue['loaders'], ReturnType<typeof appendTags>];
}

const crash: PipelineSource = createPipelineBuilder<CrashCatalogue>()('crash')
    .throughput({ batchSize: BATCH, concurrency: CONCURRENCY })
    .trigger('start', { type: 'MANUAL' })
    .extract('in', { adapterCode: 'slowSupplier' })
    .load('products', { adapterCode: 'productUpsert', createMissingFacetValues: true })
    .load('tags', { adapterCode: 'appendTags' })
    .build();

/** The plugins that server and workers have in common; Flow's is the last. */
export function crashPlugins({
    queue,
    redisUrl,
    prefix,
    witness,
    pageMs,
    runtime,
}: Omit<CrashOrder, 'connection'>): NonNullable<VendureConfig['plugins']> {
    const adapters = [appendTags(witness), slowSupplier(pageMs)];
    const flow = FlowPlugin.init({ pipelines: [crash], adapters, ...(runtime && { runtime }) });
    const search = DefaultSearchPlugin.init({ indexStockStatus: true });
    if (queue === 'sql') return [search, flow];
    const { hostname: host, port } = new URL(redisUrl ?? '');
    const connection = { host, port: Number(port || 6379), maxRetriesPerRequest: null };
    return [
        search,
        BullMQJobQueuePlugin.init({ connection, queueOptions: { prefix }, workerOptions: { prefix } }),
        flow,
    ];
}
