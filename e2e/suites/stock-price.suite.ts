import { setTimeout as sleep } from 'node:timers/promises';
import {
    type Channel,
    ConfigService,
    type CurrencyCode,
    DefaultProductVariantPriceUpdateStrategy,
    ProductService,
    type ProductVariant,
    ProductVariantPrice,
    ProductVariantService,
    type ProductVariantPriceUpdateStrategy,
    StockLevel,
    StockLocation,
    StockMovement,
    StockMovementService,
} from '@vendure/core';
import type { JsonObject } from '../../src/core/value/json';
import type { VendurePlatform } from '../../src/platform/context';
import { loaders } from '../../src/platform/index';
import { priceUpdate } from '../../src/platform/loaders/price-update';
import { stockAdjust } from '../../src/platform/loaders/stock-adjust';
import { naming } from '../../test/kit/naming';
import { openLoad, platformOf } from '../config/load-harness';
import { productsWith, secondChannel, stockLocation } from '../config/small-catalogue';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';

function changesStockAndPrices(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let platform: VendurePlatform;
    let wholesale: Channel;
    let count = 0;

    beforeAll(async () => {
        shop = await open();
        wholesale = await secondChannel(shop.app);
        await stockLocation(shop.app, 'Outlet');
        platform = await platformOf(shop.app);
    });

    /** New variants, so that tests do not influence each other. */
    async function variants(n: number): Promise<readonly ProductVariant[]> {
        count += 1;
        const skus = Array.from({ length: n }, (_, i) => `S${count}-${i}`);
        return productsWith(shop.app, skus);
    }
    const skusOf = (list: readonly ProductVariant[]) => list.map(({ sku }) => sku);
    const rowsOf = async (variant: ProductVariant) => ({
        levels: (
            await shop.dataSource
                .getRepository(StockLevel)
                .find({ where: { productVariantId: variant.id }, order: { stockLocationId: 'ASC' } })
        ).map(({ stockLocationId, stockOnHand, stockAllocated }) => ({ stockLocationId, stockOnHand, stockAllocated })),
        movements: (
            await shop.dataSource
                .getRepository(StockMovement)
                .find({ where: { productVariant: { id: variant.id } }, order: { id: 'ASC' } })
        ).map(({ type, quantity, stockLocationId, constructor }) => ({
            type,
            quantity,
            stockLocationId,
            kind: constructor.name,
        })),
        prices: (
            await shop.dataSource
                .getRepository(ProductVariantPrice)
                .find({ where: { variant: { id: variant.id } }, order: { id: 'ASC' } })
        ).map(({ channelId, currencyCode, price }) => ({ channelId, currencyCode, price })),
    });
    const locationId = async (name: string) =>
        (await shop.dataSource.getRepository(StockLocation).findOneByOrFail({ name })).id;
    const mainName = async () =>
        (await shop.dataSource.getRepository(StockLocation).find({ order: { id: 'ASC' } }))[0]!.name;

    it("are both listed among the platform's loaders", () => {
        expect(loaders.map(({ code }) => code as string)).toEqual(
            expect.arrayContaining(['stockAdjust', 'priceUpdate']),
        );
    });

    describe('stockAdjust', () => {
        const load = async (records: readonly JsonObject[], config: JsonObject = {}) =>
            (await openLoad(stockAdjust, config, { platform }))(records);

        it("stores what Vendure's own service stores for the same levels", async () => {
            const [main, outlet] = [await locationId(await mainName()), await locationId('Outlet')];
            const [ours, theirs] = [await variants(4), await variants(4)];
            const service = shop.app.get(StockMovementService);
            await service.adjustProductVariantStock(platform.ctx, theirs[0]!.id, 12);
            await service.adjustProductVariantStock(platform.ctx, theirs[1]!.id, 5);
            await service.adjustProductVariantStock(platform.ctx, theirs[2]!.id, [
                { stockLocationId: main, stockOnHand: 0 },
                { stockLocationId: outlet, stockOnHand: 3 },
            ]);
            await service.adjustProductVariantStock(platform.ctx, theirs[3]!.id, [
                { stockLocationId: outlet, stockOnHand: -2 },
            ]);
            const { verdicts: outcomes } = await load([
                { sku: ours[0]!.sku, stock: 12 },
                { sku: ours[1]!.sku, stock: 5 },
                { sku: ours[2]!.sku, stock: { [await mainName()]: 0, Outlet: 3 } },
                { sku: ours[3]!.sku, stock: { Outlet: -2 } },
            ]);
            expect(outcomes).toEqual(['U', '=', 'U', 'U']);
            expect(await Promise.all(ours.map(rowsOf))).toEqual(await Promise.all(theirs.map(rowsOf)));
        });

        it('creates the level of a location that has none, also for 0, without a movement for 0', async () => {
            const [ours, theirs] = [await variants(1), await variants(1)];
            const outlet = await locationId('Outlet');
            for (const { id } of [ours[0]!, theirs[0]!])
                await shop.dataSource
                    .getRepository(StockLevel)
                    .delete({ productVariantId: id, stockLocationId: outlet });
            await shop.app
                .get(StockMovementService)
                .adjustProductVariantStock(platform.ctx, theirs[0]!.id, [{ stockLocationId: outlet, stockOnHand: 0 }]);
            expect((await load([{ sku: ours[0]!.sku, stock: { Outlet: 0 } }])).verdicts).toEqual(['U']);
            expect(await rowsOf(ours[0]!)).toEqual(await rowsOf(theirs[0]!));
            expect((await load([{ sku: ours[0]!.sku, stock: { Outlet: 0 } }])).verdicts).toEqual(['=']);
        });

        it('reports which fields differ, and writes nothing if none does', async () => {
            const [variant] = await variants(1);
            const { changes, effects } = await load([{ sku: variant!.sku, stock: 9 }]);
            expect(changes).toEqual([
                { action: 'update', key: variant!.sku, before: { stock: 5 }, after: { stock: 9 } },
            ]);
            expect(effects).toMatchObject([
                {
                    kind: 'entities.changed',
                    payload: { entity: 'StockMovement', operation: 'CREATE', sideEffects: 'BATCHED' },
                },
            ]);
            const before = await rowsOf(variant!);
            const again = await load([{ sku: variant!.sku, stock: 9 }]);
            expect(again).toMatchObject({ verdicts: ['='], effects: [], statements: 2 });
            expect(await rowsOf(variant!)).toEqual(before);
        });

        it('adds in mode ADD, negative amounts too, and applies a key that comes twice in order', async () => {
            const [a, b] = await variants(2);
            const { verdicts: outcomes } = await load(
                [
                    { sku: a!.sku, stock: 3 },
                    { sku: b!.sku, stock: 0 },
                    { sku: a!.sku, stock: -2 },
                ],
                { mode: 'ADD' },
            );
            expect(outcomes).toEqual(['U', '=', 'U']);
            expect((await rowsOf(a!)).levels[0]).toMatchObject({ stockOnHand: 6 });
            expect((await rowsOf(a!)).movements.map(({ quantity }) => quantity)).toEqual([5, 3, -2]);
        });

        it('applies a key that comes twice in mode SET in order', async () => {
            const [a] = await variants(1);
            const { verdicts: outcomes } = await load([
                { sku: a!.sku, stock: 8 },
                { sku: a!.sku, stock: 8 },
                { sku: ` ${a!.sku} `, stock: 8 },
                { sku: a!.sku, stock: 2 },
            ]);
            expect(outcomes).toEqual(['U', '=', '=', 'U']);
            expect((await rowsOf(a!)).levels[0]).toMatchObject({ stockOnHand: 2 });
            expect((await rowsOf(a!)).movements.map(({ quantity }) => quantity)).toEqual([5, 3, -6]);
        });

        it('adds to what another process leaves that is at the same stock level', async () => {
            // SQLite runs one transaction at a time.
            if (platform.database.dialect.kind === 'sqlite') return;
            const [a] = await variants(1);
            let loading: Promise<unknown> | undefined;
            await shop.dataSource.transaction(async manager => {
                await manager.update(StockLevel, { productVariantId: a!.id }, { stockOnHand: 2 });
                loading = load([{ sku: a!.sku, stock: 3 }], { mode: 'ADD' });
                // Waits until the load has reached the locked level.
                await sleep(500);
            });
            await loading;
            expect((await rowsOf(a!)).levels[0]).toMatchObject({ stockOnHand: 5 });
        });

        it('stores as movement the difference from what another process leaves meanwhile', async () => {
            // SQLite runs one transaction at a time.
            if (platform.database.dialect.kind === 'sqlite') return;
            const [a] = await variants(1);
            let loading: Promise<unknown> | undefined;
            await shop.dataSource.transaction(async manager => {
                await manager.update(StockLevel, { productVariantId: a!.id }, { stockOnHand: 2 });
                loading = load([{ sku: a!.sku, stock: 20 }]);
                // Waits until the load has read the old number and has reached the locked level.
                await sleep(500);
            });
            await loading;
            const { levels, movements } = await rowsOf(a!);
            expect(levels[0]).toMatchObject({ stockOnHand: 20 });
            // The first movement is that of the new variant.
            expect(movements.map(({ quantity }) => quantity)).toEqual([5, 18]);
        });

        it('removes the level of a location for null, with a movement, but neither the last one nor one that orders need', async () => {
            const [a] = await variants(1);
            const sku = a!.sku;
            const main = await mainName();
            const levels = shop.dataSource.getRepository(StockLevel);
            const outlet = { productVariantId: a!.id, stockLocationId: await locationId('Outlet') };
            await load([{ sku, stock: { Outlet: 4 } }]);
            await levels.update(outlet, { stockAllocated: 1 });
            const allocated = await load([{ sku, stock: { Outlet: null } }]);
            expect(allocated.verdicts[0]).toMatch(naming('stock', 1, 'allocated'));
            const another = await load([{ sku, stock: { Outlet: null, [main]: 7 } }]);
            expect(another.verdicts[0]).toMatch(naming('stock', 1, 'allocated'));
            await levels.update(outlet, { stockAllocated: 0 });
            const both = await load([{ sku, stock: { Outlet: null, [main]: null } }]);
            expect(both.verdicts[0]).toMatch(naming('stock', 'last'));
            const taken = await load([{ sku, stock: { Outlet: null } }]);
            expect(taken.changes).toMatchObject([
                { action: 'update', before: { stock: { Outlet: 4 } }, after: { stock: { Outlet: null } } },
            ]);
            expect((await load([{ sku, stock: { Outlet: null } }])).verdicts).toEqual(['=']);
            const { levels: left, movements } = await rowsOf(a!);
            expect([left.map(({ stockOnHand }) => stockOnHand), movements.map(({ quantity }) => quantity)]).toEqual([
                [5],
                [5, 4, -4],
            ]);
        });

        it('does not change what is allocated', async () => {
            const [a] = await variants(1);
            await shop.dataSource.getRepository(StockLevel).update({ productVariantId: a!.id }, { stockAllocated: 4 });
            await load([{ sku: a!.sku, stock: 1 }]);
            expect((await rowsOf(a!)).levels[0]).toMatchObject({ stockOnHand: 1, stockAllocated: 4 });
        });

        it('uses a named location for plain numbers, and renamed fields', async () => {
            const [a] = await variants(1);
            await load([{ article: a!.sku, qty: 4 }], {
                stockLocation: 'Outlet',
                skuField: 'article',
                stockField: 'qty',
            });
            const outlet = await locationId('Outlet');
            expect((await rowsOf(a!)).levels.find(({ stockLocationId }) => stockLocationId === outlet)).toMatchObject({
                stockOnHand: 4,
            });
        });

        it('does not start with a location that the channel does not have, and names the existing ones', async () => {
            await expect(load([], { stockLocation: 'Attic' })).rejects.toMatchObject({
                code: 'STOCK_LOCATION_NOT_FOUND',
                message: expect.stringContaining('"Outlet"'),
            });
        });

        it('rejects each invalid record with field, value and reason, and loads its neighbours', async () => {
            const [a] = await variants(1);
            const { verdicts: outcomes } = await load([
                { sku: 'nobody', stock: 1 },
                { sku: a!.sku, stock: 'abc' },
                { sku: a!.sku, stock: 1.5 },
                { sku: a!.sku, stock: null },
                { sku: a!.sku },
                { stock: 1 },
                { sku: a!.sku, stock: { Attic: 1 } },
                { sku: a!.sku, stock: { Outlet: 'x' } },
                { sku: a!.sku, stock: {} },
                { sku: a!.sku, stock: [1] },
                { sku: a!.sku, stock: 3_000_000_000 },
                { sku: a!.sku, stock: -1 },
                { sku: a!.sku, stock: 1, __operation: 'DELETE' },
                { sku: a!.sku, stock: 1, __operation: 'ERASE' },
                { sku: a!.sku, stock: 7, __operation: 'UPDATE' },
            ]);
            expect(outcomes).toEqual([
                expect.stringMatching(naming('sku', '"nobody"')),
                expect.stringContaining('"stock": is "abc"'),
                expect.stringContaining('"stock": is 1.5'),
                expect.stringMatching(naming('stock', 'emptied')),
                expect.stringMatching(naming('stock', 'missing')),
                expect.stringMatching(naming('sku', 'missing')),
                expect.stringMatching(naming('stock.Attic', '"Outlet"')),
                expect.stringContaining('"stock.Outlet": is "x"'),
                expect.stringMatching(naming('stock', 'location')),
                expect.stringMatching(naming('stock', '[1]', 'object')),
                expect.stringContaining('at most 2147483647'),
                expect.stringContaining('out-of-stock threshold'),
                expect.stringMatching(naming('__operation', '"DELETE"', 'stock level')),
                expect.stringMatching(naming('__operation', '"ERASE"', 'CREATE', 'UPDATE')),
                'U',
            ]);
            expect((await rowsOf(a!)).levels[0]).toMatchObject({ stockOnHand: 7 });
        });

        it('finds neither deleted variants nor those of other channels only', async () => {
            const [gone] = await variants(1);
            await shop.app.get(ProductVariantService).softDelete(platform.ctx, gone!.id);
            const [foreign] = await variants(1);
            const elsewhere = await openLoad(stockAdjust, {}, { platform: await platformOf(shop.app, wholesale) });
            expect((await load([{ sku: gone!.sku, stock: 1 }])).verdicts[0]).toContain('no variant');
            expect((await elsewhere([{ sku: foreign!.sku, stock: 1 }])).verdicts[0]).toContain('no variant');
        });

        it('sends the same few statements whatever the size of the batch', async () => {
            const many = await variants(12);
            const records = skusOf(many).map((sku, i) => ({ sku, stock: 100 + i }));
            const two = await load(records.slice(0, 2));
            const all = await load(records.map(record => ({ ...record, stock: record.stock + 1 })));
            expect(all.statements).toBe(two.statements);
            expect(all.statements).toBeLessThanOrEqual(5);
        });

        it('counts in a dry run what the real run then does, and writes nothing', async () => {
            const [a, b] = await variants(2);
            const batches: JsonObject[][] = [
                [
                    { sku: a!.sku, stock: 1 },
                    { sku: a!.sku, stock: 2 },
                    { sku: b!.sku, stock: 5 },
                ],
                [
                    { sku: a!.sku, stock: 1 },
                    { sku: a!.sku, stock: -9 },
                    { sku: b!.sku, stock: 0 },
                ],
            ];
            const before = await Promise.all([a!, b!].map(rowsOf));
            const dry = await openLoad(
                stockAdjust,
                { mode: 'ADD' },
                { mode: 'dryRun', platform: await platformOf(shop.app) },
            );
            const predicted = [await dry(batches[0]!), await dry(batches[1]!)];
            expect(await Promise.all([a!, b!].map(rowsOf))).toEqual(before);
            const live = await openLoad(stockAdjust, { mode: 'ADD' }, { platform });
            const done = [await live(batches[0]!), await live(batches[1]!)];
            expect(predicted.map(({ changes }) => changes)).toEqual(done.map(({ changes }) => changes));
        });
    });

    describe('priceUpdate', () => {
        const load = async (records: readonly JsonObject[], config: JsonObject = {}, on: VendurePlatform = platform) =>
            (await openLoad(priceUpdate, config, { platform: on }))(records);
        /** Uses another strategy during some work. */
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
        async function inBothChannels(n: number): Promise<readonly ProductVariant[]> {
            const list = await variants(n);
            await shop.app.get(ProductService).assignProductsToChannel(platform.ctx, {
                productIds: list.map(({ productId }) => productId),
                channelId: wholesale.id,
                priceFactor: 1,
            });
            return list;
        }
        /** What the service stores for the same prices. */
        async function viaService(
            on: VendurePlatform,
            id: ProductVariant['id'],
            { price, prices = {} }: { price?: number; prices?: Record<string, number> },
        ) {
            const service = shop.app.get(ProductVariantService);
            if (price !== undefined)
                await service.createOrUpdateProductVariantPrice(on.ctx, id, price, on.ctx.channelId);
            for (const [code, amount] of Object.entries(prices)) {
                await service.createOrUpdateProductVariantPrice(
                    on.ctx,
                    id,
                    amount,
                    on.ctx.channelId,
                    code as CurrencyCode,
                );
            }
        }

        it.each([
            ['keeps', false],
            ['copies', true],
        ])(
            "stores what Vendure's own service stores, whose strategy %s prices of other channels",
            async (_, syncPricesAcrossChannels) => {
                await withStrategy(
                    new DefaultProductVariantPriceUpdateStrategy({ syncPricesAcrossChannels }),
                    async () => {
                        const [ours, theirs] = [await inBothChannels(3), await inBothChannels(3)];
                        const there = await platformOf(shop.app, wholesale);
                        const records: Array<{ price?: number; prices?: Record<string, number> }> = [
                            { price: 1234 },
                            { prices: { EUR: 500, GBP: 450 } },
                            { price: 700, prices: { GBP: 650 } },
                        ];
                        // A new price in a currency that another channel has already.
                        for (const variant of [ours[1]!, theirs[1]!])
                            await shop.dataSource.getRepository(ProductVariantPrice).save(
                                new ProductVariantPrice({
                                    variant,
                                    channelId: platform.ctx.channelId,
                                    currencyCode: 'GBP' as CurrencyCode,
                                    price: 111,
                                }),
                            );
                        for (const [i, record] of records.entries()) await viaService(there, theirs[i]!.id, record);
                        const { verdicts: outcomes } = await load(
                            records.map((record, i) => ({ sku: ours[i]!.sku, ...record }) as JsonObject),
                            {},
                            there,
                        );
                        expect(outcomes).toEqual(['U', 'U', 'U']);
                        expect(await Promise.all(ours.map(rowsOf))).toEqual(await Promise.all(theirs.map(rowsOf)));
                    },
                );
            },
        );

        it.each([
            ['at once', <T>(answer: T): T | Promise<T> => answer],
            ['after a while', async <T>(answer: T): Promise<T> => sleep(1).then(() => answer)],
        ])("calls a shop's own strategy that answers %s", async (_, answered) => {
            const halfElsewhere: ProductVariantPriceUpdateStrategy = {
                onPriceCreated: () => [],
                onPriceUpdated: (_ctx, changed, prices) =>
                    answered(
                        prices
                            .filter(({ id }) => id !== changed.id)
                            .map(({ id }) => ({ id, price: changed.price / 2 })),
                    ),
                onPriceDeleted: () => [],
            };
            await withStrategy(halfElsewhere, async () => {
                const [ours, theirs] = [await inBothChannels(1), await inBothChannels(1)];
                await viaService(platform, theirs[0]!.id, { price: 888 });
                await load([{ sku: ours[0]!.sku, price: 888 }]);
                expect(await rowsOf(ours[0]!)).toEqual(await rowsOf(theirs[0]!));
                expect((await rowsOf(ours[0]!)).prices.map(({ price }) => price)).toContain(444);
            });
        });

        it('reports which prices differ, publishes price and variant as changed, and writes nothing the second time', async () => {
            const [variant] = await variants(1);
            const records = [{ sku: variant!.sku, prices: { USD: 1500 } }];
            const { changes, effects } = await load(records);
            expect(changes).toEqual([
                {
                    action: 'update',
                    key: variant!.sku,
                    before: { prices: { USD: 1000 } },
                    after: { prices: { USD: 1500 } },
                },
            ]);
            expect(effects.map(({ payload }) => [payload['entity'], payload['operation']])).toEqual([
                ['ProductVariantPrice', 'UPDATE'],
                ['ProductVariant', 'UPDATE'],
            ]);
            expect(await load(records)).toMatchObject({ verdicts: ['='], effects: [], statements: 2 });
        });

        it('removes the price of a currency for null, but not that of the default currency', async () => {
            const [variant] = await inBothChannels(1);
            const { sku } = variant!;
            const there = await platformOf(shop.app, wholesale);
            await load([{ sku, prices: { GBP: 900 } }], {}, there);
            const taken = await load([{ sku, prices: { GBP: null } }], {}, there);
            expect(taken.changes).toMatchObject([
                { action: 'update', before: { prices: { GBP: 900 } }, after: { prices: { GBP: null } } },
            ]);
            expect(taken.effects.map(({ payload }) => [payload['entity'], payload['operation']])).toEqual([
                ['ProductVariantPrice', 'DELETE'],
                ['ProductVariant', 'UPDATE'],
            ]);
            expect((await load([{ sku, prices: { GBP: null } }], {}, there)).verdicts).toEqual(['=']);
            const own = await load([{ sku, prices: { EUR: null } }], {}, there);
            expect(own.verdicts[0]).toMatch(naming('prices.EUR', 'emptied'));
            expect((await rowsOf(variant!)).prices.some(({ currencyCode }) => currencyCode === 'GBP')).toBe(false);
        });

        it('applies a key that comes twice in order', async () => {
            const [variant] = await variants(1);
            const { sku } = variant!;
            expect(
                (
                    await load([
                        { sku, price: 1 },
                        { sku, price: 1 },
                        { sku: `${sku} `, price: 1 },
                        { sku, price: 2 },
                    ])
                ).verdicts,
            ).toEqual(['U', '=', '=', 'U']);
            expect((await rowsOf(variant!)).prices).toMatchObject([{ price: 2 }]);
        });

        it('rejects each invalid record with field, value and reason, and loads its neighbours', async () => {
            const [variant] = await variants(1);
            const { sku } = variant!;
            const { verdicts: outcomes } = await load([
                { sku: 'nobody', price: 1 },
                { sku, price: '19.99' },
                { sku, price: 19.99 },
                { sku, price: null },
                { sku },
                { price: 1 },
                { sku, prices: { JPY: 1 } },
                { sku, prices: { USD: 'x' } },
                { sku, price: 3_000_000_000 },
                { sku, price: 1, __operation: 'DELETE' },
                { sku, price: 4242 },
            ]);
            expect(outcomes).toEqual([
                expect.stringMatching(naming('sku', '"nobody"')),
                expect.stringContaining('toCents'),
                expect.stringContaining('toCents'),
                expect.stringMatching(naming('price', 'emptied')),
                expect.stringMatching(naming('price', 'missing')),
                expect.stringMatching(naming('sku', 'missing')),
                expect.stringMatching(naming('prices.JPY', '"USD"')),
                expect.stringContaining('"prices.USD": is "x"'),
                expect.stringContaining('at most 2147483647'),
                expect.stringMatching(naming('__operation', '"DELETE"', 'price')),
                'U',
            ]);
            expect((await rowsOf(variant!)).prices).toMatchObject([{ price: 4242 }]);
        });

        it('sends the same few statements whatever the size of the batch', async () => {
            const skus = skusOf(await variants(12));
            const two = await load(skus.slice(0, 2).map((sku, i) => ({ sku, price: 100 + i })));
            const all = await load(skus.map((sku, i) => ({ sku, price: 200 + i })));
            expect(all.statements).toBe(two.statements);
            expect(all.statements).toBeLessThanOrEqual(4);
        });

        it('counts in a dry run what the real run then does, and writes nothing', async () => {
            const [a, b] = await inBothChannels(2);
            const batches: JsonObject[][] = [
                [
                    { sku: a!.sku, price: 1 },
                    { sku: a!.sku, price: 1 },
                    { sku: b!.sku, prices: { GBP: 3 } },
                ],
                [
                    { sku: a!.sku, price: 1 },
                    { sku: b!.sku, prices: { GBP: 3 } },
                    { sku: b!.sku, prices: { GBP: 4 } },
                    { sku: a!.sku, price: 2 },
                ],
            ];
            const before = await Promise.all([a!, b!].map(rowsOf));
            const dry = await openLoad(
                priceUpdate,
                {},
                { mode: 'dryRun', platform: await platformOf(shop.app, wholesale) },
            );
            const predicted = [await dry(batches[0]!), await dry(batches[1]!)];
            expect(await Promise.all([a!, b!].map(rowsOf))).toEqual(before);
            const live = await openLoad(priceUpdate, {}, { platform: await platformOf(shop.app, wholesale) });
            const done = [await live(batches[0]!), await live(batches[1]!)];
            expect(predicted.map(({ changes }) => changes)).toEqual(done.map(({ changes }) => changes));
        });
    });

    it('does not load in parallel for the same variant', async () => {
        const [variant] = await variants(1);
        const add = await openLoad(stockAdjust, { mode: 'ADD' }, { platform });
        await Promise.all(Array.from({ length: 10 }, () => add([{ sku: variant!.sku, stock: 1 }])));
        expect((await rowsOf(variant!)).levels[0]).toMatchObject({ stockOnHand: 15 });
    });
}

export const stockAndPricesSuite: SharedSuite = { title: 'stock and prices', tests: changesStockAndPrices };
