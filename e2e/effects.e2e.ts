import { setTimeout as sleep } from 'node:timers/promises';
import {
    type Channel,
    Collection,
    CollectionModificationEvent,
    CollectionService,
    DefaultSearchPlugin,
    EventBus,
    FastImporterService,
    LanguageCode,
    Product,
    ProductChannelEvent,
    ProductEvent,
    ProductOptionEvent,
    ProductOptionGroupChangeEvent,
    ProductOptionGroupEvent,
    ProductService,
    ProductVariant,
    ProductVariantChannelEvent,
    ProductVariantEvent,
    ProductVariantPrice,
    ProductVariantPriceEvent,
    StockMovement,
    SearchService,
    StockMovementEvent,
    TaxCategory,
    FacetService,
    FacetValueService,
    ProductVariantTranslation,
    type VendureEvent,
} from '@vendure/core';
import { InMemoryJobQueueStrategy } from '@vendure/core/dist/job-queue/in-memory-job-queue-strategy';
import { In } from 'typeorm';
import type { Effect } from '../src/core/adapter/loader';
import type { JsonObject } from '../src/core/value/json';
import type { VendurePlatform } from '../src/platform/context';
import { type EntityChange, entitiesChanged } from '../src/platform/effects/effect';
import { FlowEntitiesChanged } from '../src/platform/effects/events';
import { publishEffects } from './config/publish-effects';
import { priceUpdate } from '../src/platform/loaders/price-update';
import { productUpsert } from '../src/platform/loaders/product-upsert';
import { stockAdjust } from '../src/platform/loaders/stock-adjust';
import { IndexByEvents } from '../src/platform/effects/index-by-events';
import { indexServiceOf } from '../src/platform/effects/index-service';
import { QueuedIndex } from '../src/platform/effects/queued-index';
import { EventPublication } from '../src/platform/effects/publish';
import type { Id } from '../src/database/write';
import type { Database } from './config/databases';
import { openLoad, platformOf } from './config/load-harness';
import { secondChannel } from './config/small-catalogue';
import { type RunningServer, testServer } from './config/test-server';
import { onEachDatabase } from './config/matrix';

/** More than twice what one index job takes. */
const COUNT = 102;

interface Entry {
    readonly sku: string;
    readonly channelId: Id;
    readonly languageCode: string;
    readonly price: number;
    readonly productVariantName: string;
    readonly collectionIds: readonly string[];
    readonly inStock: boolean;
    readonly facetValueIds: readonly string[];
}

function makesChangesKnown(database: Database): void {
    let shop: RunningServer;
    let platform: VendurePlatform;
    let wholesale: Channel;
    let variants: readonly ProductVariant[];
    const seen: VendureEvent[] = [];
    // Hundreds of jobs: an SQL queue would spend its time on polling.
    const queue = new InMemoryJobQueueStrategy({ concurrency: 1, pollInterval: 5 });

    beforeAll(async () => {
        shop = await testServer(database, {
            plugins: [DefaultSearchPlugin.init({ indexStockStatus: true })],
            config: { jobQueueOptions: { jobQueueStrategy: queue } },
        });
        platform = await platformOf(shop.app);
        wholesale = await secondChannel(shop.app);
        // What Vendure's jobs would make one by one is made at once below.
        const withoutJobs = jest.spyOn(queue, 'add').mockImplementation(job => Promise.resolve(job));
        await importVariants();
        withoutJobs.mockRestore();
        await publishEffects(
            changed(
                'ProductVariant',
                variants.map(({ id }) => id),
            ),
            platform,
        );
        await settled();
        shop.app
            .get(EventBus)
            .filter(() => true)
            .subscribe(event => seen.push(event));
    });
    afterAll(() => shop?.destroy());
    beforeEach(() => {
        seen.length = 0;
    });

    async function importVariants(): Promise<void> {
        const importer = shop.app.get(FastImporterService);
        await importer.initialize();
        const { id: taxCategoryId } = await shop.dataSource
            .getRepository(TaxCategory)
            .findOneByOrFail({ name: 'Standard Tax' });
        const skus = Array.from({ length: COUNT }, (_, i) => `SKU-${i}`);
        const productIds: Id[] = [];
        const facet = await shop.app.get(FacetService).create(platform.ctx, {
            code: 'colour',
            isPrivate: false,
            translations: [{ languageCode: LanguageCode.en, name: 'Colour' }],
        });
        const { id: red } = await shop.app.get(FacetValueService).create(platform.ctx, facet, {
            code: 'red',
            translations: [{ languageCode: LanguageCode.en, name: 'Red' }],
        });
        for (const [i, sku] of skus.entries()) {
            const translations = [LanguageCode.en, ...(i % 2 ? [LanguageCode.de] : [])].map(languageCode => ({
                languageCode,
                name: `Product ${sku} ${languageCode}`,
                slug: `${sku}-${languageCode}`.toLowerCase(),
                description: `About ${sku}`,
            }));
            const productId = await importer.createProduct({ translations, facetValueIds: i % 3 ? [red] : [] });
            productIds.push(productId);
            await importer.createProductVariant({
                productId,
                sku,
                price: 100,
                taxCategoryId,
                stockOnHand: 0,
                optionIds: [],
                featuredAssetId: undefined,
                assetIds: [],
                facetValueIds: i % 4 ? [] : [red],
                translations: [{ languageCode: LanguageCode.en, name: `Plain ${sku}` }],
            } as Parameters<FastImporterService['createProductVariant']>[0]);
        }
        await shop.app.get(ProductService).assignProductsToChannel(platform.ctx, {
            productIds: productIds.slice(0, 60),
            channelId: wholesale.id,
            priceFactor: 2,
        });
        await settled();
        variants = await shop.dataSource
            .getRepository(ProductVariant)
            .find({ where: { sku: In(skus) }, order: { id: 'ASC' } });
    }

    const changed = (
        entity: EntityChange['entity'],
        ids: readonly Id[],
        more: Partial<EntityChange> = {},
    ): readonly Effect[] => entitiesChanged({ entity, operation: 'UPDATE', sideEffects: 'BATCHED', ids, ...more });
    const idsOf = (list: readonly ProductVariant[]) => list.map(({ id }) => id);
    const namesSeen = () => [...new Set(seen.map(({ constructor: { name } }) => name))].sort();
    const jobs = async () => (await queue.findMany()).items;
    const entries = (): Promise<Entry[]> =>
        shop.dataSource
            .getRepository('SearchIndexItem')
            .find({ order: { productVariantId: 'ASC', channelId: 'ASC', languageCode: 'ASC' } }) as never;
    const entriesOf = async (channel: Channel, languageCode = 'en') =>
        (await entries()).filter(entry => entry.channelId === channel.id && entry.languageCode === languageCode);

    /** Waits until every queue has been empty for longer than events are debounced, 50 ms in this process. */
    async function settled(): Promise<void> {
        for (let quiet = 0; quiet < 3;) {
            await sleep(40);
            quiet = (await jobs()).every(({ isSettled }) => isSettled) ? quiet + 1 : 0;
        }
        expect((await jobs()).filter(({ state }) => state !== 'COMPLETED')).toEqual([]);
    }
    async function price(amount: number, config: JsonObject = {}): Promise<readonly Effect[]> {
        const load = await openLoad(priceUpdate, config, { platform });
        return (await load(variants.map(({ sku }) => ({ sku, price: amount })))).effects;
    }

    it('BATCHED: each of many changed variants is found with its new price, in its channels and languages', async () => {
        await publishEffects(await price(4711), platform);
        await settled();
        const here = await entriesOf(platform.ctx.channel);
        expect(here).toHaveLength(COUNT);
        expect(here.every(entry => entry.price === 4711)).toBe(true);
        for (const language of ['en', 'de'])
            expect((await entriesOf(wholesale, language)).map(({ sku }) => sku)).toHaveLength(60);
    });

    it("BATCHED: reports once per batch what changed, and publishes none of Vendure's catalogue events", async () => {
        await publishEffects(await price(4712), platform);
        await settled();
        expect(namesSeen()).toEqual(['FlowEntitiesChanged']);
        expect(seen).toMatchObject([
            { entity: 'ProductVariantPrice', operation: 'UPDATE' },
            {
                entity: 'ProductVariant',
                operation: 'UPDATE',
                ids: idsOf(variants),
                ctx: { channelId: platform.ctx.channelId },
            },
        ]);
        expect((seen[0] as FlowEntitiesChanged).ids).toHaveLength(COUNT);
    });

    it('BATCHED: entries have the collections that the changes moved their variants into, and not those that they moved them out of', async () => {
        const startsWith = (name: string, term: string) =>
            shop.app.get(CollectionService).create(platform.ctx, {
                translations: [{ languageCode: LanguageCode.en, name, slug: name.toLowerCase(), description: '' }],
                filters: [
                    {
                        code: 'variant-name-filter',
                        arguments: [
                            { name: 'operator', value: 'startsWith' },
                            { name: 'term', value: term },
                        ],
                    },
                ],
            });
        const [plain, fancy] = [await startsWith('Plain', 'Plain'), await startsWith('Fancy', 'Fancy')];
        await settled();
        await publishEffects(changed('ProductVariant', idsOf(variants)), platform);
        await settled();
        expect(
            (await entriesOf(platform.ctx.channel)).every(
                ({ collectionIds }) => collectionIds.join() === String(plain.id),
            ),
        ).toBe(true);
        seen.length = 0;
        const translations = shop.dataSource.getRepository(ProductVariantTranslation);
        for (const { id, sku } of variants) await translations.update({ base: { id } }, { name: `Fancy ${sku}` });
        await publishEffects(changed('ProductVariant', idsOf(variants)), platform);
        await settled();
        const now = await entriesOf(platform.ctx.channel);
        expect(now).toHaveLength(COUNT);
        expect(
            now.every(
                ({ collectionIds, productVariantName }) =>
                    collectionIds.join() === String(fancy.id) && productVariantName.startsWith('Fancy'),
            ),
        ).toBe(true);
        expect(seen.filter(event => event instanceof CollectionModificationEvent)).toEqual([]);
        expect(seen.find(event => event instanceof FlowEntitiesChanged && event.entity === 'Collection')).toMatchObject(
            { operation: 'UPDATE', ids: [plain.id, fancy.id] },
        );
        for (const { id } of [plain, fancy]) await shop.dataSource.getRepository(Collection).delete(id);
    });

    it('BATCHED: entries of unchanged variants have the collections that the same run moves them into', async () => {
        const translations = shop.dataSource.getRepository(ProductVariantTranslation);
        const [quiet, loaded] = [variants[0]!, variants[1]!];
        const { name } = await translations.findOneByOrFail({ base: { id: quiet.id } });
        const late = await shop.app.get(CollectionService).create(platform.ctx, {
            translations: [{ languageCode: LanguageCode.en, name: 'Late', slug: 'late', description: '' }],
            filters: [
                {
                    code: 'variant-name-filter',
                    arguments: [
                        { name: 'operator', value: 'startsWith' },
                        { name: 'term', value: 'Late' },
                    ],
                },
            ],
        });
        await settled();
        // As a load with sideEffects NONE leaves it: renamed without an event.
        await translations.update({ base: { id: quiet.id } }, { name: `Late ${quiet.sku}` });
        const collectionsOf = async (sku: string) =>
            (await entriesOf(platform.ctx.channel)).find(entry => entry.sku === sku)!.collectionIds;
        expect(await collectionsOf(quiet.sku)).not.toContain(String(late.id));
        await publishEffects(changed('ProductVariant', [loaded.id]), platform);
        await settled();
        expect(await collectionsOf(quiet.sku)).toContain(String(late.id));
        expect(await collectionsOf(loaded.sku)).not.toContain(String(late.id));
        await translations.update({ base: { id: quiet.id } }, { name });
        await shop.dataSource.getRepository(Collection).delete(late.id);
        await publishEffects(changed('ProductVariant', [quiet.id]), platform);
        await settled();
    });

    it('BATCHED: stock changes reach entries that show stock', async () => {
        const load = await openLoad(stockAdjust, {}, { platform });
        const { effects } = await load(variants.map(({ sku }) => ({ sku, stock: 3 })));
        expect((await entriesOf(platform.ctx.channel)).some(({ inStock }) => inStock)).toBe(false);
        await publishEffects(effects, platform);
        await settled();
        expect((await entriesOf(platform.ctx.channel)).every(({ inStock }) => inStock)).toBe(true);
        expect(namesSeen()).toEqual(['FlowEntitiesChanged']);
    });

    it('BATCHED: stock changes queue no index job where entries do not show stock', async () => {
        const load = await openLoad(stockAdjust, {}, { platform });
        const { effects } = await load(variants.map(({ sku }) => ({ sku, stock: 4 })));
        const before = (await jobs()).length;
        DefaultSearchPlugin.options.indexStockStatus = false;
        await publishEffects(effects, platform).finally(() => {
            DefaultSearchPlugin.options.indexStockStatus = true;
        });
        expect(await jobs()).toHaveLength(before);
    });

    it('BATCHED: may be called again for the same effects', async () => {
        const effects = await price(4713);
        await publishEffects(effects, platform);
        await settled();
        const before = await entries();
        await publishEffects(effects, platform);
        await settled();
        expect(await entries()).toEqual(before);
    });

    it('BATCHED: what a run in progress changes again is indexed again, also after a repetition', async () => {
        const found = async (costs: number): Promise<number> =>
            (await entriesOf(platform.ctx.channel)).filter(entry => entry.price === costs).length;
        const atWork = new EventPublication(platform);
        await atWork.index(await price(4730));
        await atWork.index(await price(4731));
        expect(await found(4731)).toBe(COUNT);
        const over = new EventPublication(platform, true);
        await over.index(await price(4732));
        over.again();
        await over.index(await price(4733));
        expect(await found(4733)).toBe(COUNT);
    });

    it("BATCHED: writes the same entries as Vendure's own reindex, without a job", async () => {
        const before = (await jobs()).length;
        await publishEffects(await price(4714), platform);
        expect(await jobs()).toHaveLength(before);
        const ours = await entries();
        for (const channel of [platform.ctx.channel, wholesale]) {
            await shop.app.get(SearchService).reindex((await platformOf(shop.app, channel)).ctx);
            await settled();
        }
        expect(ours).toEqual(await entries());
        expect(ours.some(({ facetValueIds }) => facetValueIds.length > 0)).toBe(true);
        expect(new Set(ours.map(entry => entry.price)).size).toBeGreaterThan(1);
    });

    describe('if entries cannot be written directly', () => {
        const queued = () =>
            new QueuedIndex(indexServiceOf(DefaultSearchPlugin, platform)!, { platform, isDefault: true });
        const all = () => ({ variantIds: idsOf(variants), productIds: [], left: [] });

        it('queues jobs that DefaultSearchPlugin accepts completely, for all channels and languages', async () => {
            await price(4720);
            const before = (await jobs()).length;
            await queued().update(all());
            expect(await jobs()).toHaveLength(before + 3 + 2);
            await settled();
            expect((await entriesOf(platform.ctx.channel)).filter(entry => entry.price === 4720)).toHaveLength(COUNT);
            expect(await entriesOf(wholesale, 'de')).toHaveLength(60);
        });

        it('queues one reindex per channel if the plugin buffers its jobs and would lose most variants', async () => {
            await price(4721);
            const before = (await jobs()).length;
            DefaultSearchPlugin.options.bufferUpdates = true;
            await queued()
                .update(all())
                .finally(() => {
                    DefaultSearchPlugin.options.bufferUpdates = false;
                });
            expect(await jobs()).toHaveLength(before + 2);
            await settled();
            expect((await entriesOf(platform.ctx.channel)).filter(entry => entry.price === 4721)).toHaveLength(COUNT);
        });

        it('publishes lists of at most 50 variants for a search plugin that Flow does not know, and its index is complete with them', async () => {
            await price(4722);
            await new IndexByEvents(platform).update(all());
            const told = seen.filter((event): event is ProductVariantEvent => event instanceof ProductVariantEvent);
            expect(told.map(({ entity }) => entity.length)).toEqual([50, 50, COUNT - 100]);
            // As such a plugin keeps them: by the contents of the events.
            const index = new Map(told.flatMap(({ entity }) => entity.map(({ sku, price: costs }) => [sku, costs])));
            expect(index).toEqual(new Map(variants.map(({ sku }) => [sku, 4722])));
            await settled();
        });
    });

    it("EACH: publishes Vendure's own events with lists of at most 50 variants, and the index follows by itself", async () => {
        const load = await openLoad(stockAdjust, { sideEffects: 'EACH' }, { platform });
        const stocked = await load(variants.map(({ sku }) => ({ sku, stock: 9 })));
        const products = changed(
            'Product',
            variants.slice(0, 3).map(({ productId }) => productId),
            { sideEffects: 'EACH', operation: 'CREATE' },
        );
        await publishEffects(
            [...(await price(4715, { sideEffects: 'EACH' })), ...stocked.effects, ...products],
            platform,
        );
        const of = <E extends VendureEvent>(type: abstract new (...args: never[]) => E): E[] =>
            seen.filter((event): event is E => event instanceof type);
        expect(of(FlowEntitiesChanged)).toEqual([]);
        expect(of(ProductVariantPriceEvent)).toHaveLength(COUNT);
        expect(of(ProductVariantPriceEvent)[0]).toMatchObject({
            type: 'updated',
            entity: [expect.any(ProductVariantPrice)],
        });
        expect(of(ProductVariantEvent).map(({ entity }) => entity.length)).toEqual([50, 50, COUNT - 100]);
        expect(of(ProductVariantEvent)[0]).toMatchObject({
            type: 'updated',
            entity: expect.arrayContaining([expect.objectContaining({ sku: 'SKU-0', price: 4715 })]),
        });
        expect(of(StockMovementEvent)).toHaveLength(COUNT);
        expect(of(StockMovementEvent)[0]).toMatchObject({
            type: 'ADJUSTMENT',
            stockMovements: [expect.objectContaining({ productVariant: expect.any(ProductVariant) })],
        });
        expect(of(StockMovementEvent)[0]!.stockMovements[0]).toBeInstanceOf(StockMovement);
        expect(of(ProductEvent).map(({ type, entity }) => [type, entity.id])).toEqual(
            variants.slice(0, 3).map(({ productId }) => ['created', productId]),
        );
        await settled();
        expect((await entriesOf(platform.ctx.channel)).filter(entry => entry.price === 4715)).toHaveLength(COUNT);
    });

    it('BATCHED: an entry that the index cannot hold prevents no other one', async () => {
        // With a tax of 20 % it exceeds the column of the index, but not that of the price.
        const dear = 1_800_000_000;
        const load = await openLoad(priceUpdate, {}, { platform });
        const prices = (of: (index: number) => number) =>
            load(variants.map(({ sku }, index) => ({ sku, price: of(index) })));
        await publishEffects((await prices(index => (index === 40 ? dear : 4740))).effects, platform);
        await settled();
        const shown = (await entriesOf(platform.ctx.channel)).filter(entry => entry.price === 4740);
        expect(shown).toHaveLength(COUNT - 1);
        await publishEffects((await prices(() => 4741)).effects, platform);
    });

    describe('a product that leaves a channel', () => {
        const sku = 'MOVING';
        const moved = async (
            channels: readonly Channel[],
            sideEffects: 'BATCHED' | 'EACH',
        ): Promise<readonly Effect[]> => {
            const load = await openLoad(productUpsert, { sideEffects }, { platform });
            const record = { slug: 'moving', name: 'Moving', sku, price: 100, channels: channels.map(c => c.token) };
            return (await load([record])).effects;
        };
        const shownIn = async (): Promise<readonly Id[]> => [
            ...new Set((await entries()).filter(entry => entry.sku === sku).map(({ channelId }) => channelId)),
        ];
        const both = (): readonly Id[] => [platform.ctx.channelId, wholesale.id];

        it('BATCHED: is not found there any more, unless it has returned by then', async () => {
            await publishEffects(await moved([wholesale], 'BATCHED'), platform);
            await settled();
            expect(await shownIn()).toEqual(both());
            const effects = await moved([], 'BATCHED');
            await moved([wholesale], 'BATCHED');
            await publishEffects(effects, platform);
            await settled();
            expect(await shownIn()).toEqual(both());
            await publishEffects(await moved([], 'BATCHED'), platform);
            await settled();
            expect(await shownIn()).toEqual([platform.ctx.channelId]);
            expect(seen.filter(event => event instanceof ProductChannelEvent)).toEqual([]);
        });

        it("BATCHED: is removed by a job, or by the event that a search plugin listens to, if that is the plugin's way", async () => {
            await publishEffects(await moved([wholesale], 'BATCHED'), platform);
            const [variant] = await shop.dataSource.getRepository(ProductVariant).findBy({ sku });
            const left = [{ channelId: wholesale.id, productIds: [variant!.productId], variantIds: [variant!.id] }];
            const service = indexServiceOf(DefaultSearchPlugin, platform)!;
            const queued = new QueuedIndex(service, { platform, isDefault: true });
            await queued.update({ variantIds: [], productIds: [], left });
            await settled();
            expect(await shownIn()).toEqual(both());
            await moved([], 'BATCHED');
            await queued.update({ variantIds: [], productIds: [], left });
            await settled();
            expect(await shownIn()).toEqual([platform.ctx.channelId]);
            await new IndexByEvents(platform).update({ variantIds: [], productIds: [], left });
            expect(seen.filter(event => event instanceof ProductChannelEvent)).toMatchObject([
                { type: 'removed', channelId: wholesale.id, product: { id: variant!.productId } },
            ]);
            await settled();
        });

        it("EACH: publishes Vendure's events of both directions, and the index follows by itself", async () => {
            await publishEffects(await moved([wholesale], 'EACH'), platform);
            await publishEffects(await moved([], 'EACH'), platform);
            const told = seen.flatMap(event =>
                event instanceof ProductChannelEvent || event instanceof ProductVariantChannelEvent
                    ? [[event.constructor.name, event.type, event.channelId]]
                    : [],
            );
            expect(told).toEqual(
                ['assigned', 'removed'].flatMap(type => [
                    ['ProductVariantChannelEvent', type, wholesale.id],
                    ['ProductChannelEvent', type, wholesale.id],
                ]),
            );
            await settled();
            expect(await shownIn()).toEqual([platform.ctx.channelId]);
        });
    });

    describe('options that a product receives', () => {
        const colours = async (names: readonly string[], sideEffects: 'BATCHED' | 'EACH') => {
            const load = await openLoad(productUpsert, { sideEffects }, { platform });
            const variants = names.map(name => ({
                sku: `PAINT-${sideEffects}-${name}`,
                price: 100,
                options: { Colour: name },
            }));
            return (await load([{ slug: `paint-${sideEffects}`.toLowerCase(), name: 'Paint', variants }])).effects;
        };

        it("EACH: are reported by Vendure's events, both the new group and the product that has it", async () => {
            await publishEffects(await colours(['Red', 'Green'], 'EACH'), platform);
            await publishEffects(await colours(['Red', 'Green', 'Blue'], 'EACH'), platform);
            const told = seen.flatMap(event => {
                if (event instanceof ProductOptionGroupEvent) return [`group ${event.entity.code} ${event.type}`];
                if (event instanceof ProductOptionEvent) {
                    const { code, group } = event.entity;
                    return [`option ${group.code}:${code} ${event.type}`];
                }
                if (event instanceof ProductOptionGroupChangeEvent)
                    return [`${event.product.optionGroups.length} ${event.type}`];
                return [];
            });
            expect(told).toEqual([
                'group colour created',
                'option colour:red created',
                'option colour:green created',
                '1 assigned',
                'option colour:blue created',
            ]);
            await settled();
        });

        it('BATCHED: are reported once per kind', async () => {
            await publishEffects(await colours(['Red', 'Green'], 'BATCHED'), platform);
            const told = seen.flatMap(event =>
                event instanceof FlowEntitiesChanged && event.entity.startsWith('ProductOption')
                    ? [[event.entity, event.operation, event.ids.length]]
                    : [],
            );
            expect(told).toEqual([
                ['ProductOptionGroup', 'CREATE', 1],
                ['ProductOption', 'CREATE', 2],
            ]);
            expect(seen.some(event => event instanceof ProductOptionEvent)).toBe(false);
            await settled();
        });
    });

    it('EACH: reports a deleted price, of which only the id is left', async () => {
        const gone = changed('ProductVariantPrice', [4711], { sideEffects: 'EACH', operation: 'DELETE' });
        await publishEffects(gone, platform);
        expect(seen).toMatchObject([{ type: 'deleted', entity: [{ id: 4711 }] }]);
        await settled();
    });

    it('NONE: no event, no job', async () => {
        const before = (await jobs()).length;
        await publishEffects(await price(4716, { sideEffects: 'NONE' }), platform);
        await sleep(200);
        expect(seen).toEqual([]);
        expect(await jobs()).toHaveLength(before);
    });

    it('does nothing for a run that changed nothing', async () => {
        const before = (await jobs()).length;
        await publishEffects([], platform);
        expect(seen).toEqual([]);
        expect(await jobs()).toHaveLength(before);
    });

    it('BATCHED: removes deleted variants and products from the index', async () => {
        const [gone, bare, ...rest] = variants.slice(0, 60);
        await shop.dataSource.getRepository(ProductVariant).update(gone!.id, { deletedAt: new Date() });
        await shop.dataSource.getRepository(Product).update(bare!.productId, { deletedAt: new Date() });
        await publishEffects(
            [
                ...changed('ProductVariant', [gone!.id], { operation: 'DELETE' }),
                ...changed('Product', [bare!.productId], { operation: 'DELETE' }),
            ],
            platform,
        );
        await settled();
        const skus = (await entries()).map(({ sku }) => sku);
        expect(skus).not.toContain(gone!.sku);
        expect(skus).not.toContain(bare!.sku);
        expect(skus).toEqual(expect.arrayContaining(rest.map(({ sku }) => sku)));
    });

    it('BATCHED: a product whose only variant is deleted has its own entry', async () => {
        await publishEffects(changed('Product', [variants[0]!.productId]), platform);
        await settled();
        expect((await entries()).filter(({ sku }) => sku === '')).toMatchObject([
            { channelId: platform.ctx.channelId, productId: variants[0]!.productId },
        ]);
    });
}

onEachDatabase('side effects', makesChangesKnown);
