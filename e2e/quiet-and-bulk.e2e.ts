import { CollectionService, DefaultSearchPlugin, EventBus, LanguageCode, type VendureEvent } from '@vendure/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { countStatements, watchStatements } from '../bench/meter';
import {
    type BuiltinCatalogue,
    createPipelineBuilder,
    defineExtractor,
    FlowPlugin,
    FlowRunCompleted,
    type PipelineSource,
} from '../src';
import { productUpsert } from '../src/platform/loaders/product-upsert';
import { pictureOfText } from '../test/kit/pictures-outbound';
import type { Database } from './config/databases';
import { type FlowServer, flowServer, type RunAnswer } from './config/flow-server';
import { platformOf } from './config/load-harness';
import { onEachDatabase } from './config/matrix';
import { publishEffects } from './config/publish-effects';
import { runLoad } from './fixtures/run-load';

countStatements();

/** The highest number of statements of a batch of any size. */
const STATEMENT_BAR = 25;
/**
 * A run with this number of batches is compared with one of twice as many. The difference is the cost of this number of
 * batches.
 */
const BATCHES = 1;
const A_DAY_MS = 86_400_000;
const PAGE = 1000;

const lamps = defineExtractor({
    code: 'lamps',
    title: 'Lamps',
    summary: 'Products of one variant, or what has changed of them.',
    config: z.strictObject({ series: z.string(), count: z.int(), isChange: z.boolean() }),
    async *extract({ series, count, isChange }, { resumeFrom }) {
        for (let from = Number(resumeFrom ?? 0); from < count; from += PAGE) {
            const to = Math.min(count, from + PAGE);
            yield {
                records: Array.from({ length: to - from }, (_, i) => (isChange ? changedLamp : lamp)(series, from + i)),
                checkpoint: to,
            };
            await sleep(0);
        }
    },
});

function lamp(series: string, i: number) {
    return {
        sku: `${series}-${i}`,
        slug: `${series.toLowerCase()}-${i}`,
        name: `Lamp ${series} ${i}`,
        description: `Bright, number ${i}`,
        price: 1000 + i,
        stock: 1 + (i % 90),
        facetValues: [`colour:Colour ${i % 3}`, `maker:Maker ${i % 4}`, 'kind:Lamp'],
    };
}

const changedLamp = (series: string, i: number) => ({ sku: `${series}-${i}`, price: 2000 + i, stock: 100 + (i % 90) });

interface LampCatalogue extends Omit<BuiltinCatalogue, 'extractors'> {
    readonly extractors: readonly [typeof lamps];
}
const pipeline = createPipelineBuilder<LampCatalogue>();

interface Import {
    readonly series: string;
    readonly batchSize: number;
    readonly batches: number;
}

function importOf({ series, batchSize, batches }: Import): PipelineSource {
    return pipeline(`import-${series.toLowerCase()}`)
        .throughput({ batchSize })
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'lamps', series, count: batchSize * batches, isChange: false })
        .load('out', { adapterCode: 'productUpsert', createMissingFacetValues: series === 'SEED' })
        .build();
}

function changeOf({ series, batchSize, batches }: Import): PipelineSource {
    return pipeline(`change-${series.toLowerCase()}`)
        .throughput({ batchSize })
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'lamps', series, count: batchSize * batches, isChange: true })
        .load('out', { adapterCode: 'variantUpsert', strategy: 'UPDATE' })
        .build();
}

const SIZES = [50, 500];
const imports: readonly Import[] = SIZES.flatMap(batchSize =>
    [1, 2].map(times => ({ series: `S${batchSize}X${times}`, batchSize, batches: BATCHES * times })),
);
const seed: Import = { series: 'SEED', batchSize: 50, batches: 1 };

const plugin = FlowPlugin.init({
    pipelines: [seed, ...imports].flatMap(one => [importOf(one), changeOf(one)]),
    adapters: [lamps],
    // A sweep between a run's end and its event would index within the counted time.
    runtime: { sweepMs: 600_000 },
    // Nothing is purged meanwhile either.
    retention: { runsDays: 0, recordErrorsDays: 0, logsDays: 0 },
});

/** Flow's own tables, and those that a server changes by itself during requests. */
const NOT_THE_SHOPS = /^(flow_.*|job_record.*|session|migrations|settings_store_entry|scheduled_task_record)$/;
const WRITES =
    /^\s*(?:WITH\b.*?\)\s*)?(?:INSERT(?:\s+OR\s+\w+)?\s+(?:IGNORE\s+)?INTO|UPDATE|DELETE\s+FROM|REPLACE\s+INTO|TRUNCATE(?:\s+TABLE)?)\s+["`]?(\w+)/is;

/** The table of the shop that a statement writes to, if any. */
function shopTableWritten(text: string): string | undefined {
    const table = WRITES.exec(text)?.[1];
    return table === undefined || NOT_THE_SHOPS.test(table) ? undefined : table;
}

/** The verb and the first tables of a statement, which identify its kind for any number of rows. */
function beginning(text: string): string {
    // Counts as one kind, whether it takes locks of keys or of whole kinds.
    if (text.includes('GET_LOCK(')) return 'GET_LOCK';
    return text.replace(/\s+/g, ' ').trim().slice(0, 60);
}

function tally(kinds: readonly string[]): ReadonlyMap<string, number> {
    const times = new Map<string, number>();
    for (const kind of kinds) times.set(kind, (times.get(kind) ?? 0) + 1);
    return times;
}

function sum(times: Readonly<Record<string, number>>): number {
    return Object.values(times).reduce((all, one) => all + one, 0);
}

interface Performed {
    readonly run: RunAnswer;
    /** Everything that reached the driver from the start of the run to its end. */
    readonly statements: readonly string[];
}

function quietAndBulk(database: Database): void {
    let shop: FlowServer;
    const events: VendureEvent[] = [];

    beforeAll(async () => {
        shop = await flowServer(database, plugin, {
            plugins: [DefaultSearchPlugin.init({ indexStockStatus: true })],
            config: {
                // Vendure refreshes its caches every half minute, within the counted time or outside of it.
                entityOptions: { channelCacheTtl: A_DAY_MS, zoneCacheTtl: A_DAY_MS, taxRateCacheTtl: A_DAY_MS },
                authOptions: { sessionCacheTTL: A_DAY_MS / 1000 },
            },
        });
        const { ctx } = await platformOf(shop.app);
        await shop.app.get(CollectionService).create(ctx, {
            translations: [{ languageCode: LanguageCode.en, name: 'All lamps', slug: 'all-lamps', description: '' }],
            filters: [
                {
                    code: 'variant-name-filter',
                    arguments: [
                        { name: 'operator', value: 'startsWith' },
                        { name: 'term', value: 'Lamp' },
                    ],
                },
            ],
        });
        shop.app
            .get(EventBus)
            .filter(() => true)
            .subscribe(event => events.push(event));
        // The first run creates the facets, and includes what is only done once per process.
        await perform('import-seed');
        await perform('change-seed');
    });
    afterAll(() => shop?.destroy());

    const count = async (text: string): Promise<number> =>
        Number((await shop.dataSource.query<Array<{ n: number | string }>>(text))[0]?.n);

    /** Waits until nothing of the run is left: its effects are published, and Vendure's own jobs have finished. */
    async function settled(): Promise<void> {
        for (let quiet = 0; quiet < 3;) {
            await sleep(60);
            const left =
                (await count('SELECT count(*) AS n FROM flow_pending_effect')) +
                (await shop.dataSource.getRepository('JobRecord').countBy({ isSettled: false }));
            quiet = left === 0 ? quiet + 1 : 0;
        }
        // Collections are not updated again for more than a second after an update. The next run would wait for that.
        await shop.dataSource.query(`UPDATE flow_lease SET expires_at = 0 WHERE name LIKE '%collections'`);
    }

    /** Starts a run and waits for its event, since queries would be counted as well. */
    async function perform(code: string): Promise<Performed> {
        const statements: string[] = [];
        const stop = watchStatements(text => statements.push(text));
        const completed = new Promise<void>(resolve => {
            const subscription = shop.app
                .get(EventBus)
                .ofType(FlowRunCompleted)
                .subscribe(() => {
                    stop(); // at once: the changes of the run are published right after its event
                    subscription.unsubscribe();
                    resolve();
                });
        });
        const { id } = await shop.start(code);
        await completed;
        const run = await shop.ended(id);
        await settled();
        return { run, statements };
    }

    /**
     * Statements of a batch by their beginnings. Subtracting a run from one of twice its length removes the run's fixed
     * part.
     */
    async function perBatch(what: 'import' | 'change', batchSize: number): Promise<Record<string, number>> {
        const counts: Array<ReadonlyMap<string, number>> = [];
        for (const { series, batches } of imports.filter(one => one.batchSize === batchSize)) {
            const { run, statements } = await perform(`${what}-${series.toLowerCase()}`);
            const records = batchSize * batches;
            expect(run).toMatchObject({
                status: 'COMPLETED',
                outcome: 'SUCCESS',
                recordsLoaded: records,
                recordsRejected: 0,
            });
            expect(run.counters.find(({ stepKey }) => stepKey === 'out')).toMatchObject(
                what === 'import' ? { created: records } : { updated: records },
            );
            counts.push(tally(statements.filter(text => !isOfTheClock(text)).map(beginning)));
        }
        const [once, twice] = counts as [ReadonlyMap<string, number>, ReadonlyMap<string, number>];
        return Object.fromEntries(
            [...new Set([...once.keys(), ...twice.keys()])]
                .map((kind): [string, number] => [kind, ((twice.get(kind) ?? 0) - (once.get(kind) ?? 0)) / BATCHES])
                .filter(([, times]) => times !== 0)
                .sort(),
        );
    }

    it('an import of new products costs the same few statements per batch, at 50 and at 500', async () => {
        const [small, large] = [await perBatch('import', 50), await perBatch('import', 500)];
        expect(sum(small)).toBeLessThanOrEqual(STATEMENT_BAR);
        expect(sum(small)).toBeGreaterThan(1);
        expect(large).toEqual(small);
        const { series, batchSize, batches } = imports.at(-1)!;
        expect(await count(`SELECT count(*) AS n FROM search_index_item WHERE sku LIKE '${series}-%'`)).toBe(
            batchSize * batches,
        );
    });

    it('the same file again writes nothing to the shop, publishes nothing and queues nothing', async () => {
        const { series, batchSize, batches } = imports.at(-1)!;
        const records = batchSize * batches;
        const [dump, jobs] = [await shopRows(), await jobsByQueue()];
        events.length = 0;
        const { run, statements } = await perform(`import-${series.toLowerCase()}`);
        expect(run).toMatchObject({
            status: 'COMPLETED',
            outcome: 'SUCCESS',
            recordsRead: records,
            recordsLoaded: 0,
            recordsUnchanged: records,
            recordsRejected: 0,
        });
        expect(statements.map(shopTableWritten).filter(table => table !== undefined)).toEqual([]);
        expect(events.map(({ constructor: { name } }) => name).sort()).toEqual(['FlowRunCompleted', 'FlowRunStarted']);
        expect(await jobsByQueue()).toEqual({ ...jobs, 'flow.run': jobs['flow.run']! + 1 });
        expect(await shopRows()).toEqual(dump);
    });

    it('a change of all prices and stock costs the same few statements per batch', async () => {
        const [small, large] = [await perBatch('change', 50), await perBatch('change', 500)];
        expect(sum(small)).toBeLessThanOrEqual(STATEMENT_BAR);
        expect(sum(small)).toBeGreaterThan(1);
        expect(large).toEqual(small);
        const { series } = imports.at(-1)!;
        expect(
            await count(`
            SELECT count(*) AS n FROM product_variant v JOIN product_variant_price p ON p.${quoted('variantId')} = v.id WHERE v.sku = '${series}-7' AND p.price = 2007`),
        ).toBe(1);
    });

    it("twice as many changes leave no more jobs in Vendure's queues", async () => {
        const counts: Array<Record<string, number>> = [];
        for (const { series } of imports.slice(-2)) {
            await perform(`import-${series.toLowerCase()}`); // restores its prices and stock
            const before = await jobsByQueue();
            const { run } = await perform(`change-${series.toLowerCase()}`);
            expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS' });
            const after = await jobsByQueue();
            counts.push(
                Object.fromEntries(
                    Object.entries(after).flatMap(([queue, jobs]) =>
                        jobs === (before[queue] ?? 0) || queue.startsWith('flow.')
                            ? []
                            : [[queue, jobs - (before[queue] ?? 0)]],
                    ),
                ),
            );
        }
        expect(counts[1]).toEqual(counts[0]);
        expect(sum(counts[0]!)).toBeLessThanOrEqual(20);
        // All of them are found, each with its new price.
        const { series, batchSize, batches } = imports.at(-1)!;
        const { ctx } = await platformOf(shop.app);
        const stale = `SELECT count(*) AS n FROM search_index_item i JOIN product_variant v ON v.sku = i.sku
            JOIN product_variant_price p ON p.${quoted('variantId')} = v.id AND p.${quoted('channelId')} = i.${quoted('channelId')}
            WHERE i.sku LIKE '${series}-%' AND i.${quoted('languageCode')} = '${ctx.languageCode}'`;
        expect(await count(`${stale} AND p.price <> i.price`)).toBe(0);
        expect(await count(`${stale} AND p.price = i.price`)).toBe(batchSize * batches);
    });

    /** Proves the other tests: a write to the shop would be seen. */
    it('a change is seen as writes, events and index entries', async () => {
        events.length = 0;
        const { statements } = await perform('import-seed'); // restores the seed's prices and stock
        expect(new Set(statements.map(shopTableWritten))).toEqual(
            new Set([undefined, 'product_variant', 'product_variant_price', 'stock_level', 'stock_movement']),
        );
        expect(events.map(({ constructor: { name } }) => name)).toContain('FlowEntitiesChanged');
    });

    it('a product that receives a picture shows it in the index', async () => {
        const base64 = pictureOfText('in the index').toString('base64');
        const record = { slug: 'pictured', name: 'Pictured', sku: 'PICTURED-1', price: 1, assets: [{ base64 }] };
        const { effects } = await runLoad(shop.app, productUpsert, { records: [record] });
        await publishEffects(effects, await platformOf(shop.app));
        await settled();
        const entry = `SELECT count(*) AS n FROM search_index_item i JOIN asset a ON a.id = i.${quoted('productAssetId')}`;
        expect(await count(`${entry} AND a.preview = i.${quoted('productPreview')} WHERE i.sku = 'PICTURED-1'`)).toBe(
            1,
        );
    });

    const quoted = (name: string): string => shop.dataSource.driver.escape(name);

    /** Each row of each table of the shop, including ids and times. */
    async function shopRows(): Promise<Record<string, readonly string[]>> {
        const tables = new Set(
            shop.dataSource.entityMetadatas.map(({ tableName }) => tableName).filter(name => !NOT_THE_SHOPS.test(name)),
        );
        const rows: Record<string, readonly string[]> = {};
        for (const name of tables)
            rows[name] = (await shop.dataSource.query<unknown[]>(`SELECT * FROM ${quoted(name)}`))
                .map(row => JSON.stringify(row))
                .sort();
        return rows;
    }

    async function jobsByQueue(): Promise<Record<string, number>> {
        const counts: Record<string, number> = {};
        for (const { queueName } of await shop.dataSource.getRepository<{ queueName: string }>('JobRecord').find())
            counts[queueName] = (counts[queueName] ?? 0) + 1;
        return counts;
    }
}

/**
 * Whether a statement depends on time instead of the size of a batch: heartbeats, leases, checks for a cancellation,
 * stored log lines and polls of Vendure's queue. Positions are committed for all batches that have finished by then.
 */
function isOfTheClock(text: string): boolean {
    return (
        /\b(flow_pipeline_run|flow_log|flow_checkpoint|flow_run_fence|flow_lease|job_record\w*|scheduled_task_record)\b/.test(
            text,
        ) || /^\s*(BEGIN|START TRANSACTION|COMMIT|ROLLBACK|SET|SAVEPOINT|RELEASE)\b/i.test(text)
    );
}

onEachDatabase('quiet and in bulk', quietAndBulk);
