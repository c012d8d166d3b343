import { setTimeout as sleep } from 'node:timers/promises';
import { StockLevel, StockMovement } from '@vendure/core';
import {
    ConfigService,
    CurrencyCode,
    FacetValue,
    LanguageCode,
    Product,
    ProductService,
    ProductTranslation,
    ProductVariant,
    ProductVariantPrice,
    ProductVariantService,
    ProductVariantTranslation,
    type ProductVariantPriceUpdateStrategy,
} from '@vendure/core';
import type { JsonObject } from '../../src/core/value/json';
import type { Change } from '../../src/core/adapter/loader';
import { productUpsert } from '../../src/platform/loaders/product-upsert';
import { variantUpsert } from '../../src/platform/loaders/variant-upsert';
import { naming } from '../../test/kit/naming';
import type { FlowServer } from '../config/flow-server';
import { type LoadOptions, runLoad, superadmin } from '../fixtures/run-load';
import { tableDump } from '../fixtures/table-dump';
import { ThroughServices, prepareShop } from '../fixtures/through-services';
import type { SharedSuite } from '../config/shared-shop';
import { missingPrices } from './missing-prices';

/** The maximum of statements for a batch, in addition to the eight statements of its transaction. */
const STATEMENT_BAR = 17;

/** The statements that find out that products are stored already: they, their variants, facets and facet values. */
const GLANCE = 4;

const counts = (changes: readonly Change[]) =>
    changes.reduce<Record<string, number>>((sums, { action }) => ({ ...sums, [action]: (sums[action] ?? 0) + 1 }), {});

function lamps(series: string, count: number): readonly JsonObject[] {
    return Array.from({ length: count }, (_, i) => ({
        sku: `${series}-${i}`,
        slug: `${series.toLowerCase()}-${i}`,
        name: `Lamp ${series} ${i}`,
        description: 'Bright',
        price: 100 + i,
        stock: i + 1,
        facetValues: ['colour:red', 'colour:blue', 'kind:lamp'],
    }));
}

function loads(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    beforeAll(async () => {
        shop = await open();
        await prepareShop(shop.app);
    });

    const products = (records: readonly JsonObject[], options: LoadOptions = {}) =>
        runLoad(shop.app, productUpsert, { records, ...options });
    const variants = (records: readonly JsonObject[], options: LoadOptions = {}) =>
        runLoad(shop.app, variantUpsert, { records, ...options });
    const messages = (changes: readonly Change[]) =>
        changes.map(change => (change.action === 'reject' ? change.error.message : change.action));
    const variant = (sku: string) =>
        shop.dataSource.getRepository(ProductVariant).findOneOrFail({
            where: { sku },
            relations: { facetValues: true, product: true, options: true, channels: true },
        });

    it('cost the same few statements at batch 50 and 500', async () => {
        const small = await products(lamps('SMALL', 50), { batchSize: 50 });
        const large = await products(lamps('LARGE', 500), { batchSize: 500 });
        expect([counts(small.changes), counts(large.changes)]).toEqual([{ create: 50 }, { create: 500 }]);
        expect(large.statements).toEqual(small.statements);
        expect(small.statements[0]).toBeLessThanOrEqual(STATEMENT_BAR);
        for (const [matchBy, statements] of [
            ['slug', GLANCE],
            ['sku', GLANCE + 3],
        ] as const) {
            const again = await products(lamps('SMALL', 50), { batchSize: 50, config: { matchBy } });
            expect([counts(again.changes), again.effects]).toEqual([{ unchanged: 50 }, []]);
            expect(again.statements).toEqual([statements]);
        }
    });

    describe('of new variants without a price', () => missingPrices(() => shop));

    it("remove option groups from products as Vendure's own service does, and leave no two variants alike", async () => {
        const groupsOf = async (slug: string) => {
            const { optionGroups, variants: own } = await shop.dataSource.getRepository(Product).findOneOrFail({
                where: { translations: { slug } },
                relations: { optionGroups: true, variants: { options: true } },
            });
            const codes = (list: ReadonlyArray<{ readonly code: string }>) => list.map(({ code }) => code).sort();
            return [codes(optionGroups), own.map(({ sku, options }) => [sku.slice(-1), codes(options)]).sort()];
        };
        const shirt = (slug: string) => ({
            slug,
            name: slug,
            optionGroups: ['Size', 'Cut'],
            variants: [
                { sku: `${slug}-S`, price: 1, options: { Size: 'S', Cut: 'Wide' } },
                { sku: `${slug}-M`, price: 1, options: { Size: 'M', Cut: 'Wide' } },
            ],
        });
        await products([shirt('ungrouped-ours'), shirt('ungrouped-theirs')]);
        const service = shop.app.get(ProductService);
        const ctx = await superadmin(shop.app);
        const theirs = (await service.findOneBySlug(ctx, 'ungrouped-theirs', ['optionGroups']))!;
        const cut = theirs.optionGroups.find(({ code }) => code === 'cut')!;
        await service.removeOptionGroupFromProduct(ctx, theirs.id, cut.id, true);
        const off = (optionGroups: readonly string[] | null, optionGroupsMode?: string) =>
            products([{ slug: 'ungrouped-ours', optionGroups: optionGroups as JsonObject[string] }], {
                config: { ...(optionGroupsMode !== undefined && { optionGroupsMode }) },
            });
        expect((await off(['cut'], 'REMOVE')).changes).toMatchObject([
            { action: 'update', before: { optionGroups: ['size', 'cut'] }, after: { optionGroups: ['size'] } },
        ]);
        expect(await groupsOf('ungrouped-ours')).toEqual(await groupsOf('ungrouped-theirs'));
        expect((await off(['Size'], 'REPLACE')).changes).toMatchObject([{ action: 'unchanged' }]);
        const { changes } = await off(null);
        expect(changes).toMatchObject([{ action: 'reject', error: { details: { field: 'optionGroups' } } }]);
    });

    it('have modes for facet values and channels, which override the strategy', async () => {
        const record = { slug: 'list-modes', name: 'List modes', sku: 'LIST-MODES', price: 1 };
        await products([{ ...record, facetValues: ['colour:red', 'colour:blue'] }]);
        const after = async (facetValues: readonly string[], config: JsonObject) => {
            const { changes } = await products([{ slug: 'list-modes', facetValues: [...facetValues] }], { config });
            return changes.map(change => ('after' in change ? change.after['facetValues'] : change.action))[0];
        };
        expect(await after(['colour:red'], { strategy: 'MERGE', facetValuesMode: 'REMOVE' })).toEqual(['colour:blue']);
        expect(await after(['kind:lamp'], { facetValuesMode: 'MERGE' })).toEqual(['colour:blue', 'kind:lamp']);
        expect(await after(['none:such'], { facetValuesMode: 'SKIP' })).toBe('unchanged');
        expect(await after(['colour:red'], { strategy: 'MERGE', facetValuesMode: 'REPLACE' })).toEqual(['colour:red']);
        const channels = async (mode: string, list: readonly string[]) =>
            (await products([{ slug: 'list-modes', channels: [...list] }], { config: { channelsMode: mode } }))
                .changes[0]!.action;
        expect(await channels('MERGE', ['second-token'])).toBe('update');
        expect(await channels('SKIP', [])).toBe('unchanged');
        expect(await channels('MERGE', [])).toBe('unchanged');
        expect(await channels('REMOVE', ['second-token'])).toBe('update');
    });

    describe('read what is stored before they plan, and', () => {
        // A dry run plans each record, since its report describes each of them.
        const alike = async (load: typeof products, records: readonly JsonObject[], config: JsonObject = {}) => {
            const dry = await load(records, { config, mode: 'dryRun' });
            const live = await load(records, { config });
            expect(messages(live.changes)).toEqual(messages(dry.changes));
            expect(live.changes.filter(isNoReject)).toEqual(dry.changes.filter(isNoReject));
            return messages(live.changes);
        };
        const isNoReject = ({ action }: Change) => action !== 'reject';
        const glance = (i: number): JsonObject => ({
            slug: `glance-${i}`,
            name: `Glance ${i}`,
            description: 'Bright',
            enabled: true,
            sku: `GLANCE-${i}`,
            price: 100 + i,
            stock: 5,
            facetValues: ['colour:red', 'kind:lamp'],
        });

        it('return for products what their plans would', async () => {
            const said: readonly JsonObject[] = [
                {},
                { facetValues: ['kind:lamp', 'colour:red', 'kind:lamp'] },
                { facetValues: ['Kind:Lamp', 'colour:red'] },
                { stock: { Main: 5 } },
                { prices: { USD: 104 } },
                { facetValues: ['colour:red'] },
                { facetValues: ['colour:red', 'kind:lamp', 'kind:none'] },
                { facetValues: null },
                { name: 'Glance' },
                { description: null },
                { enabled: false },
                { price: 99 },
                { prices: { USD: 112, EUR: 90 } },
                { stock: 6 },
                { stock: { Main: 5, Outlet: 1 } },
                { stock: { Main: null } },
                { taxCategory: 'Reduced Tax' },
                { trackInventory: false },
                { slug: 'GLANCE-18' },
                { sku: 'glance-19' },
                { sku: 'GLANCE-60' },
                { translations: { de: { name: 'Blick' } } },
                { optionGroups: [] },
                { channels: [] },
                { __operation: 'DELETE' },
                { price: '99' },
                { sku: 'GLANCE-27' },
                {},
                {},
                {},
                {},
                {},
                {},
                {},
            ];
            await products([...said.keys(), 60].map(glance));
            const names = shop.dataSource.getRepository(ProductVariant);
            const [ownName, ownThreshold, unnamed, doubled] = [28, 29, 30, 31].map(i => `GLANCE-${i}`);
            await variants([{ sku: ownName!, name: 'Called otherwise' }]);
            await names.update({ sku: ownThreshold! }, { useGlobalOutOfStockThreshold: false, outOfStockThreshold: 9 });
            const { id: unnamedId } = await variant(unnamed!);
            await shop.dataSource.getRepository(ProductVariantTranslation).delete({ base: { id: unnamedId } });
            await names.update({ sku: 'GLANCE-60' }, { sku: doubled! });
            await products([{ slug: 'glance-32', __operation: 'DELETE' }]);
            const texts = shop.dataSource.getRepository(ProductTranslation);
            await texts.update({ slug: 'glance-60' }, { slug: 'glance-33' });

            const records = said.map((more, i) => ({ ...glance(i), ...more }));
            const does = await alike(products, records);
            expect(does.slice(0, 5)).toEqual(Array(5).fill('unchanged'));
            expect(does.slice(5, 8)).toEqual(['update', expect.stringContaining('kind:none'), 'update']);
            // In reverse order as well, and with two records of the same product.
            await alike(products, [...records].reverse());
            await alike(products, [...records, { ...glance(1), price: 7 }, glance(1)]);
            const configs: readonly JsonObject[] = [
                { strategy: 'CREATE' },
                { strategy: 'UPDATE' },
                { strategy: 'MERGE' },
                { facetValuesMode: 'REMOVE' },
                { facetValuesMode: 'SKIP' },
                { matchBy: 'sku' },
            ];
            for (const config of configs) await alike(products, [...said.keys()].map(glance), config);
        });

        it('return for variants what their plans would', async () => {
            const base = (i: number): JsonObject => ({
                sku: `SIGHT-${i}`,
                name: `Sight ${i}`,
                enabled: true,
                price: 100 + i,
                stock: 5,
                trackInventory: 'TRUE',
            });
            const said: readonly JsonObject[] = [
                {},
                { productSlug: 'nowhere' },
                { stock: { Outlet: 0 } },
                { name: 'Seen' },
                { enabled: false },
                { trackInventory: 'INHERIT' },
                { price: 1 },
                { prices: { EUR: 1 } },
                { stock: -1 },
                { taxCategory: 'Reduced Tax' },
                { facetValues: [] },
                { facetValues: ['colour:blue'] },
                { translations: { de: { name: 'Sicht' } } },
                { __operation: 'DELETE' },
                { sku: 'SIGHT-NONE' },
            ];
            await products(
                [...said.keys()].map(i => ({ slug: `sight-${i}`, name: `Sight ${i}`, sku: `SIGHT-${i}`, price: 1 })),
            );
            await variants([...said.keys()].map(base));
            const same = await variants([...said.keys()].map(base));
            expect([counts(same.changes), same.statements]).toEqual([{ unchanged: said.length }, [1]]);
            const records = said.map((more, i) => ({ ...base(i), ...more }));
            const does = await alike(variants, records);
            expect(does.slice(0, 4)).toEqual(['unchanged', 'unchanged', 'unchanged', 'update']);
            await alike(variants, [...records, ...records]);
            for (const strategy of ['CREATE', 'UPDATE', 'MERGE'])
                await alike(variants, [...said.keys()].map(base), { strategy });
        });
    });

    it('report no price that does not change', async () => {
        await products(lamps('NAMED', 2));
        const { effects } = await variants([
            { sku: 'NAMED-0', name: 'Renamed', price: 100 },
            { sku: 'NAMED-1', name: 'Renamed', price: 102 },
        ]);
        const told = (entity: string) =>
            effects.flatMap(({ payload }) => (payload['entity'] === entity ? (payload['ids'] as unknown[]) : []));
        expect([told('ProductVariant').length, told('ProductVariantPrice').length]).toEqual([2, 1]);
    });

    it('move stock from the stored value at the time of writing, not from the value that they have read', async () => {
        // SQLite runs one transaction at a time.
        if (shop.dataSource.options.type === 'better-sqlite3') return;
        await products(lamps('MOVED', 1));
        const { id } = await variant('MOVED-0');
        let loading: Promise<unknown> | undefined;
        await shop.dataSource.transaction(async manager => {
            await manager.update(StockLevel, { productVariantId: id }, { stockOnHand: 7 });
            loading = variants([{ sku: 'MOVED-0', stock: 10 }]);
            // Waits until the load has reached the locked level.
            await sleep(500);
        });
        await loading;
        const movements = await shop.dataSource
            .getRepository(StockMovement)
            .find({ where: { productVariant: { id } }, order: { id: 'ASC' } });
        expect(movements.map(({ quantity }) => quantity)).toEqual([1, 3]);
    });

    it('count in a dry run what a real run does, even across batches', async () => {
        const records = [
            ...lamps('DRY', 5),
            { slug: 'dry-2', name: 'Renamed' },
            { slug: 'dry-2', name: 'Renamed' },
            { slug: 'dry-3', __operation: 'DELETE' },
            lamps('DRY', 4)[3]!,
            { slug: 'dry-4', name: 'x', price: 'abc', sku: 'DRY-4' },
            { slug: 'dry-4', facetValues: ['new:one'] },
            { slug: 'dry-1', facetValues: ['new:one'] },
        ];
        const config = { createMissingFacetValues: true };
        const dry = await products(records, { config, batchSize: 2, mode: 'dryRun' });
        expect(await shop.dataSource.getRepository(ProductVariant).countBy({ sku: 'DRY-1' })).toBe(0);
        const live = await products(records, { config, batchSize: 2 });
        const whole = await products(
            records.map(
                record =>
                    JSON.parse(
                        JSON.stringify(record).replaceAll('DRY-', 'DRZ-').replaceAll('dry-', 'drz-'),
                    ) as JsonObject,
            ),
            { config, batchSize: 100 },
        );
        expect(counts(dry.changes)).toEqual({ create: 6, update: 3, unchanged: 1, delete: 1, reject: 1 });
        expect(counts(live.changes)).toEqual(counts(dry.changes));
        expect(counts(whole.changes)).toEqual(counts(dry.changes));
        expect(dry.changes[5]).toEqual({
            action: 'update',
            key: 'dry-2',
            before: { name: 'Lamp DRY 2' },
            after: { name: 'Renamed' },
        });
    });

    it('delete a price that is null, except that of the default currency, as the dashboard does', async () => {
        await products(
            ['ours', 'theirs'].map(whose => ({
                name: `None ${whose}`,
                sku: `NONE-${whose}`,
                price: 5,
                prices: { EUR: 4 },
            })),
        );
        const { changes } = await variants([
            { sku: 'NONE-ours', prices: { EUR: null } },
            { sku: 'NONE-ours', prices: { EUR: null } },
            { sku: 'NONE-ours', prices: { USD: null } },
        ]);
        expect(messages(changes)).toEqual([
            'update',
            'unchanged',
            expect.stringMatching(naming('prices.USD', 'emptied')),
        ]);
        const theirs = await variant('NONE-theirs');
        await shop.app
            .get(ProductVariantService)
            .update(await superadmin(shop.app), [
                { id: theirs.id, prices: [{ currencyCode: CurrencyCode.EUR, price: 0, delete: true }] },
            ]);
        const pricesOf = async (sku: string) =>
            (
                await shop.dataSource
                    .getRepository(ProductVariantPrice)
                    .find({ where: { variant: { sku } }, order: { id: 'ASC' } })
            ).map(({ channelId, currencyCode, price }) => ({ channelId, currencyCode, price }));
        expect(await pricesOf('NONE-ours')).toEqual(await pricesOf('NONE-theirs'));
        expect(await pricesOf('NONE-ours')).toEqual([expect.objectContaining({ currencyCode: 'USD', price: 5 })]);
    });

    it('create missing facets and values once, and find them the next time', async () => {
        const records = [
            { slug: 'facet-1', name: 'One', facetValues: ['Made In:Österreich', 'colour:Deep Teal'] },
            { slug: 'facet-2', name: 'Two', facetValues: ['Made In:Österreich'] },
        ];
        const { effects } = await products(records, { config: { createMissingFacetValues: true } });
        expect(
            effects.map(
                ({ payload }) =>
                    `${String(payload['operation'])} ${String(payload['entity'])} ${(payload['ids'] as unknown[]).length}`,
            ),
        ).toEqual(['CREATE Facet 1', 'CREATE FacetValue 2', 'CREATE Product 2']);
        expect(counts((await products(records)).changes)).toEqual({ unchanged: 2 });
        const made = await shop.dataSource
            .getRepository(FacetValue)
            .findOneOrFail({ where: { code: 'deep-teal' }, relations: { facet: true, channels: true } });
        expect([made.facet.code, made.channels.length, made.translations[0]!.name]).toEqual(['colour', 1, 'Deep Teal']);
    });

    it('append a number to a slug that is taken, and keep it the next time', async () => {
        const records = ['A', 'B', 'C'].map(sku => ({ sku: `TWIN-${sku}`, name: 'Same name', price: 1 }));
        const config = { matchBy: 'sku' };
        await products(records, { config });
        const slugs = await Promise.all(
            records.map(
                async ({ sku }) =>
                    (
                        await shop.dataSource
                            .getRepository(Product)
                            .findOneByOrFail({ id: (await variant(sku)).product.id })
                    ).translations[0]!.slug,
            ),
        );
        expect(slugs).toEqual(['same-name', 'same-name-2', 'same-name-3']);
        expect(
            counts(
                (
                    await products(
                        records.map(record => ({ ...record, slug: 'same-name' })),
                        { config },
                    )
                ).changes,
            ),
        ).toEqual({ unchanged: 3 });
    });

    it('take a key that comes twice in order, the second as an update', async () => {
        const { changes } = await products([
            { slug: 'twice', name: 'First', sku: 'TWICE', price: 1 },
            { slug: 'twice', sku: 'TWICE', price: 2 },
        ]);
        expect(messages(changes)).toEqual(['create', 'update']);
        expect((await variant('TWICE')).productVariantPrices.map(({ price }) => price)).toEqual([2]);
    });

    it('rename a variant with its product for as long as their names are the same', async () => {
        await products([{ slug: 'named', name: 'Old', sku: 'NAMED', price: 1 }]);
        await products([{ slug: 'named', name: 'New', sku: 'NAMED', price: 1 }]);
        expect((await variant('NAMED')).translations.map(({ name }) => name)).toEqual(['New']);
        await variants([{ sku: 'NAMED', name: 'Own' }]);
        await products([{ slug: 'named', name: 'Newer', sku: 'NAMED', price: 1 }]);
        expect((await variant('NAMED')).translations.map(({ name }) => name)).toEqual(['Own']);
        expect((await variant('NAMED')).translations[0]!.languageCode).toBe(LanguageCode.en);
    });

    describe('if the shop has a custom price strategy', () => {
        /** Another price becomes half of an updated one, and one cent more than a created one. */
        const ownStrategy: ProductVariantPriceUpdateStrategy = {
            onPriceCreated: (_, created, prices) =>
                prices
                    .filter(({ channelId }) => channelId !== created.channelId)
                    .map(({ id }) => ({ id, price: created.price + 1 })),
            onPriceUpdated: (_, changed, prices) =>
                prices
                    .filter(({ id }) => id !== changed.id)
                    .map(({ id }) => ({ id, price: Math.round(changed.price / 2) })),
            onPriceDeleted: () => [],
        };
        /** The same strategy with a delay. */
        const slowStrategy: ProductVariantPriceUpdateStrategy = {
            onPriceCreated: async (...facts) => ownStrategy.onPriceCreated(...facts),
            onPriceUpdated: async (...facts) => sleep(1).then(() => ownStrategy.onPriceUpdated(...facts)),
            onPriceDeleted: async () => [],
        };
        async function withStrategy<T>(
            strategy: ProductVariantPriceUpdateStrategy,
            work: () => Promise<T>,
        ): Promise<T> {
            const { catalogOptions } = shop.app.get(ConfigService) as unknown as {
                catalogOptions: { productVariantPriceUpdateStrategy: ProductVariantPriceUpdateStrategy };
            };
            const usual = catalogOptions.productVariantPriceUpdateStrategy;
            catalogOptions.productVariantPriceUpdateStrategy = strategy;
            return work().finally(() => {
                catalogOptions.productVariantPriceUpdateStrategy = usual;
            });
        }
        const pricesOf = async (sku: string) =>
            (await shop.dataSource.getRepository(ProductVariantPrice).find({ where: { variant: { sku } } }))
                .map(({ channelId, currencyCode, price }) => `${channelId} ${currencyCode} ${price}`)
                .sort();

        it.each([
            ['at once', '', ownStrategy],
            ['after a while', 'SLOW-', slowStrategy],
        ])(
            "it is called for created and updated prices as Vendure's services call it: one that returns %s",
            (_, mark, strategy) =>
                withStrategy(strategy, async () => {
                    const ctx = await superadmin(shop.app);
                    const [OURS, THEIRS] = [`${mark}OURS`, `${mark}THEIRS`];
                    const record = (sku: string) => ({
                        slug: sku.toLowerCase(),
                        name: sku,
                        sku,
                        price: 1000,
                        channels: ['second-token'],
                    });
                    await new ThroughServices(shop.app, ctx).create(record(THEIRS));
                    const dry = await products([record(OURS)], { mode: 'dryRun' });
                    expect((await products([record(OURS)])).changes).toEqual(dry.changes);
                    const [created, theirs] = [await pricesOf(OURS), await variant(THEIRS)];
                    expect(created).toEqual(await pricesOf(THEIRS));
                    expect(created.some(price => price.endsWith(' 1201'))).toBe(true);
                    await shop.app.get(ProductVariantService).update(ctx, [{ id: theirs.id, price: 3000 }]);
                    const { changes } = await variants([{ sku: OURS, price: 3000 }]);
                    expect(await pricesOf(OURS)).toEqual(await pricesOf(THEIRS));
                    expect((await pricesOf(OURS)).some(price => price.endsWith(' 1500'))).toBe(true);
                    expect(changes[0]).toMatchObject({ action: 'update', after: { price: 3000 } });
                    expect(counts((await variants([{ sku: OURS, price: 3000 }])).changes)).toEqual({ unchanged: 1 });
                }),
        );

        it('one that returns invalid values is rejected, with its name', () => {
            class Mute implements ProductVariantPriceUpdateStrategy {
                onPriceCreated = () => undefined as never;
                onPriceUpdated = () => Promise.resolve(7 as never);
                onPriceDeleted = () => [];
            }
            return withStrategy(new Mute(), async () => {
                const mute = { code: 'PRICE_STRATEGY_UNSUPPORTED', message: expect.stringContaining('Mute') as string };
                await expect(products([{ name: 'Mute', sku: 'MUTE', price: 1 }])).rejects.toMatchObject(mute);
                await expect(variants([{ sku: 'OURS', price: 1 }])).rejects.toMatchObject(mute);
            });
        });
    });

    it('move a product between channels with its variants, prices and options', async () => {
        const record = {
            slug: 'mover',
            name: 'Mover',
            optionGroups: ['Size'],
            variants: [{ sku: 'MOVE-S', price: 1000, options: { Size: 'S' } }],
        };
        const before = (await products([record]), await tableDump(shop.dataSource));
        await products([{ slug: 'mover', channels: ['second-token'] }]);
        const moved = await variant('MOVE-S');
        expect(moved.channels.map(({ code }) => code).sort()).toEqual(['__default_channel__', 'second']);
        expect(moved.productVariantPrices.map(({ currencyCode, price }) => `${price} ${currencyCode}`).sort()).toEqual([
            '1000 USD',
            '1200 GBP',
        ]);
        expect(counts((await products([{ slug: 'mover', channels: ['second-token'] }])).changes)).toEqual({
            unchanged: 1,
        });
        await products([{ slug: 'mover', channels: [] }]);
        const after = await tableDump(shop.dataSource);
        const withoutSeeds = (lines: readonly string[]) => lines.filter(line => !line.includes('stock_location:Far'));
        for (const [table, lines] of Object.entries(before))
            expect({ table, lines: withoutSeeds(after[table]!) }).toEqual({ table, lines: withoutSeeds(lines) });
    });
}

export const catalogueLoadsSuite: SharedSuite = { title: 'catalogue loads', tests: loads };
