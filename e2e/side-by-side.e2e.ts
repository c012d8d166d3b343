import { DefaultJobQueuePlugin, Product, ProductOption, ProductTranslation, ProductVariant } from '@vendure/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { In, IsNull, Like, type QueryRunner } from 'typeorm';
import { FlowPlugin, type JsonObject, type PipelineSource, pipeline } from '../src';
import { entityDelete } from '../src/platform/loaders/entity-delete';
import { productUpsert } from '../src/platform/loaders/product-upsert';
import { variantUpsert } from '../src/platform/loaders/variant-upsert';
import { type FlowServer, flowServer, type RunAnswer, until } from './config/flow-server';
import { openLoad, platformOf } from './config/load-harness';
import { onEachServer } from './config/matrix';

/** Products with one variant each, whose names contain the pipeline that loads them. */
const products = (series: string, count: number, loadedBy: string): JsonObject[] =>
    Array.from({ length: count }, (_, i) => ({
        slug: `${series}-${i}`,
        sku: `${series.toUpperCase()}-${i}`,
        name: `${series} ${i} of ${loadedBy}`,
        price: 100 + i,
        stock: i,
        enabled: loadedBy !== 'first',
    }));

const load = (code: string, data: readonly JsonObject[]): PipelineSource =>
    pipeline(code)
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'inMemory', data: [...data] })
        .load('out', { adapterCode: 'productUpsert' })
        .build();

/** Deletes what is not in its data. */
const sweep = (code: string, data: readonly JsonObject[]): PipelineSource =>
    pipeline(code)
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'inMemory', data: [...data] })
        .load('out', {
            adapterCode: 'productUpsert',
            missing: {
                action: 'DELETE',
                scope: 'FILTER',
                filters: [{ field: 'slug', operator: 'like', value: 'swept-%' }],
                maxShare: 0.5,
            },
        })
        .build();

/**
 * Many parallel batches, each with keys that batches of the other pipeline have, in the other order and with other
 * boundaries.
 */
const crowded = (code: string, data: readonly JsonObject[], batchSize: number): PipelineSource =>
    pipeline(code)
        .throughput({ batchSize, concurrency: 3 })
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'inMemory', data: [...data] })
        .load('out', { adapterCode: 'productUpsert', createMissingFacetValues: true })
        .load('stock', { adapterCode: 'stockAdjust', mode: 'ADD' })
        .build();
const crowd = (loadedBy: string): JsonObject[] =>
    products('crowd', 60, loadedBy).map((product, i) => ({
        ...product,
        facetValues: [`brand:${loadedBy} ${i % 7}`, `colour:${i % 5}`],
    }));

/** Half of what the later ones load exists already. */
const pipelines = [
    load('first', [
        ...products('left', 20, 'first'),
        ...products('right', 20, 'first'),
        ...products('swept', 8, 'first'),
    ]),
    sweep('sweeps', products('swept', 4, 'first')),
    load('returns', products('swept', 8, 'returns').slice(4)),
    load('left', products('left', 40, 'left')),
    load('left-again', products('left', 40, 'left-again')),
    load('right', products('right', 40, 'right')),
    crowded('forwards', crowd('forwards'), 5),
    crowded('backwards', crowd('backwards').reverse(), 7),
];

function sideBySide(database: 'postgres' | 'mariadb'): void {
    let shop: FlowServer;
    let holder: QueryRunner | undefined;

    beforeAll(async () => {
        shop = await flowServer(database, FlowPlugin.init({ pipelines }), {
            jobs: 'memory',
            plugins: [DefaultJobQueuePlugin.init({ pollInterval: 50, concurrency: 4 })],
        });
        expect(await shop.perform('first')).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS' });
    });
    const release = async (): Promise<void> => {
        await holder?.rollbackTransaction();
        await holder?.release();
        holder = undefined;
    };
    afterEach(release);
    afterAll(() => shop?.destroy());

    /** Locks the product as an edit would: a load that writes it waits, and holds its locks. */
    async function holdProduct(slug: string): Promise<void> {
        const { base } = await shop.dataSource
            .getRepository(ProductTranslation)
            .findOneOrFail({ where: { slug }, relations: { base: true } });
        holder = shop.dataSource.createQueryRunner();
        await holder.startTransaction();
        await holder.manager.update(Product, { id: base.id }, { updatedAt: new Date() });
    }
    /** How many sessions wait for a lock of keys, and how many for one of rows. */
    async function waits(): Promise<{ readonly keys: number; readonly rows: number }> {
        // MariaDB refreshes this list only after a tenth of a second without a query.
        if (database === 'mariadb') await sleep(150);
        const [row] = await shop.dataSource.query<Array<{ keys: unknown; rows: unknown }>>(
            database === 'postgres'
                ? `SELECT count(*) FILTER (WHERE locktype = 'advisory') AS "keys", count(*) FILTER (WHERE locktype <> 'advisory') AS "rows"
                   FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()`
                : `SELECT (SELECT count(*) FROM information_schema.processlist WHERE state = 'User lock' AND db = DATABASE()) AS \`keys\`,
                   (SELECT count(*) FROM information_schema.innodb_trx t JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
                    WHERE t.trx_state = 'LOCK WAIT' AND p.db = DATABASE()) AS \`rows\``,
        );
        return { keys: Number(row!.keys), rows: Number(row!.rows) };
    }
    const ended = async ({ id }: RunAnswer) => {
        const { status, outcome } = await shop.ended(id);
        return { status, outcome };
    };
    const SUCCESS = { status: 'COMPLETED', outcome: 'SUCCESS' };
    const namesOf = async (series: string): Promise<string[]> =>
        (await shop.dataSource.getRepository(ProductTranslation).findBy({ slug: Like(`${series}-%`) }))
            .map(({ slug, name }) => `${slug}: ${name}`)
            .sort();
    const expected = (series: string, loadedBy: string): string[] =>
        products(series, 40, loadedBy)
            .map(({ slug, name }) => `${slug as string}: ${name as string}`)
            .sort();

    it('two pipelines over different products do not wait for each other', async () => {
        await holdProduct('left-0');
        const left = await shop.start('left');
        await until(waits, ({ rows }) => rows === 1);
        expect(await ended(await shop.start('right'))).toEqual(SUCCESS);
        expect((await shop.run(left.id)).status).toBe('RUNNING');
        await release();
        expect(await ended(left)).toEqual(SUCCESS);
        expect([...(await namesOf('left')), ...(await namesOf('right'))]).toEqual([
            ...expected('left', 'left'),
            ...expected('right', 'right'),
        ]);
    });

    it('what a run deletes because it is missing, another run that loads it waits for, and creates again', async () => {
        await holdProduct('swept-7');
        const sweeps = await shop.start('sweeps');
        await until(waits, ({ rows }) => rows === 1);
        const returns = await shop.start('returns');
        await until(waits, ({ keys, rows }) => keys === 1 && rows === 1);
        await release();
        expect([await ended(sweeps), await ended(returns)]).toEqual([SUCCESS, SUCCESS]);
        const living = await shop.dataSource.getRepository(ProductTranslation).find({
            where: { slug: Like('swept-%'), base: { deletedAt: IsNull() } },
            order: { slug: 'ASC' },
        });
        expect(living.map(({ name }) => name)).toEqual(
            [...products('swept', 4, 'first'), ...products('swept', 8, 'returns').slice(4)].map(({ name }) => name),
        );
    });

    it('two pipelines over the same products in opposite order reject nothing, and load all of them', async () => {
        for (let round = 0; round < 2; round++) {
            const runs = [await shop.start('forwards'), await shop.start('backwards')];
            for (const { id } of runs) {
                const { error, recordsRejected, attempt, ...run } = await shop.ended(id);
                expect({ error, recordsRejected, attempt }).toEqual({ error: null, recordsRejected: 0, attempt: 1 });
                expect(run).toMatchObject(SUCCESS);
            }
        }
        const loadedBy = (await namesOf('crowd')).map(name => name.split(' of ')[1]);
        expect(loadedBy).toHaveLength(60);
        expect(loadedBy.filter(name => name !== 'forwards' && name !== 'backwards')).toEqual([]);
    });

    it('an option that two loads add to one product at once is added once, whatever identifies the product', async () => {
        const { app } = shop;
        const opened = async (loader: typeof variantUpsert | typeof productUpsert, config: JsonObject = {}) =>
            openLoad(loader, config, { platform: await platformOf(app) });
        const ways = Array.from({ length: 8 }, (_, i) => i);
        await (
            await opened(productUpsert)
        )(
            ways.map(i => ({
                slug: `shared-${i}`,
                name: `Shared ${i}`,
                variants: ['A', 'B'].map(name => ({
                    sku: `SHARED-${name}${i}`,
                    price: 100,
                    options: { Colour: name },
                })),
            })),
        );
        const loads = [
            (await opened(variantUpsert))(ways.map(i => ({ sku: `SHARED-A${i}`, options: { Colour: 'Red' } }))),
            (await opened(productUpsert, { matchBy: 'sku' }))(
                ways.map(i => ({ variants: [{ sku: `SHARED-B${i}`, options: { Colour: 'Red' } }] })),
            ),
        ];
        for (const { verdicts: outcomes } of await Promise.all(loads)) expect(outcomes).toEqual(ways.map(() => 'U'));
        const red = await shop.dataSource.getRepository(ProductOption).findBy({ code: 'red' });
        expect(red).toHaveLength(ways.length);
    });

    it('a product that is deleted by its id keeps no variant that another load adds to it at that moment', async () => {
        const platform = await platformOf(shop.app);
        const load = await openLoad(productUpsert, {}, { platform });
        const slugs = Array.from({ length: 12 }, (_, i) => `passing-${i}`);
        await load(slugs.map(slug => ({ slug, name: slug })));
        const texts = await shop.dataSource
            .getRepository(ProductTranslation)
            .find({ where: { slug: In(slugs) }, relations: { base: true } });
        const deletes = await openLoad(entityDelete, { entity: 'PRODUCT', matchBy: 'id' }, { platform });
        for (const { slug, base } of texts) {
            const brings = () => load([{ slug, name: slug, sku: `SKU-${slug}`, price: 100 }]);
            // A run would repeat the batch that was too late. Here the test does this.
            const again = (error: unknown) => {
                expect(error).toMatchObject({ code: 'DATABASE_BUSY' });
                return brings();
            };
            await Promise.all([deletes([{ id: base.id }]), brings().catch(again)]);
        }
        const variants = await shop.dataSource
            .getRepository(ProductVariant)
            .find({ where: { sku: Like('SKU-passing-%') }, relations: { product: true } });
        expect(variants).toHaveLength(slugs.length);
        expect(variants.filter(one => one.deletedAt === null && one.product.deletedAt !== null)).toEqual([]);
    });

    it('two pipelines over the same products exclude each other, and the results are equal', async () => {
        const slugs = products('left', 40, 'left').map(({ slug }) => slug as string);
        const translations = shop.dataSource.getRepository(ProductTranslation);
        await shop.dataSource
            .getRepository(Product)
            .update({ id: In(await idsOf(slugs.slice(0, 20))) }, { enabled: false });
        await holdProduct('left-0');
        const runs = [await shop.start('left'), await shop.start('left-again')];
        await until(waits, ({ keys, rows }) => keys === 1 && rows === 1);
        await release();
        expect(await Promise.all(runs.map(ended))).toEqual([SUCCESS, SUCCESS]);
        const names = await namesOf('left');
        expect([expected('left', 'left'), expected('left', 'left-again')]).toContainEqual(names);

        async function idsOf(these: readonly string[]) {
            const found = await translations.find({ where: { slug: In(these) }, relations: { base: true } });
            return found.map(({ base }) => base.id);
        }
    });
}

onEachServer('pipelines side by side', sideBySide);
