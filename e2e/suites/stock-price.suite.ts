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
import { priceUpdate } from '../../src/platform/loaders/price-update';
import { stockAdjust } from '../../src/platform/loaders/stock-adjust';
import { naming } from '../../test/kit/naming';
import { openLoad, platformOf } from '../config/load-harness';
import { productsWith, secondChannel, stockLocation } from '../config/small-catalogue';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';

/** The maximum of statements for a batch. */
const STATEMENT_BAR = 8;

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

    describe('stockAdjust', () => {
        const load = async (records: readonly JsonObject[], config: JsonObject = {}) =>
            (await openLoad(stockAdjust, config, { platform }))(records);

        it("stores what Vendure's own service stores for the same levels, whatever is allocated", async () => {
            const [main, outlet] = [await locationId(await mainName()), await locationId('Outlet')];
            const [ours, theirs] = [await variants(5), await variants(5)];
            for (const { id } of [ours[4]!, theirs[4]!])
                await shop.dataSource.getRepository(StockLevel).update({ productVariantId: id }, { stockAllocated: 4 });
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
            for (const stock of [8, 2]) await service.adjustProductVariantStock(platform.ctx, theirs[4]!.id, stock);
            const records = [
                { sku: ours[0]!.sku, stock: 12 },
                { sku: ours[1]!.sku, stock: 5 },
                { sku: ours[2]!.sku, stock: { [await mainName()]: 0, Outlet: 3 } },
                { sku: ours[3]!.sku, stock: { Outlet: -2 } },
                { sku: ours[4]!.sku, stock: 8 },
                { sku: ours[4]!.sku, stock: 2 },
            ];
            const { verdicts: outcomes, effects, statements } = await load(records);
            expect(outcomes).toEqual(['U', '=', 'U', 'U', 'U', 'U']);
            expect(await Promise.all(ours.map(rowsOf))).toEqual(await Promise.all(theirs.map(rowsOf)));
            expect(effects).toMatchObject([
                {
                    kind: 'entities.changed',
                    payload: { entity: 'StockMovement', operation: 'CREATE', sideEffects: 'BATCHED' },
                },
            ]);
            expect(statements).toBeLessThanOrEqual(STATEMENT_BAR);
            expect(await load(records.slice(0, 4))).toMatchObject({ effects: [], statements: 2 });
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

        it('does not start with a location that the channel does not have, and names the existing ones', async () => {
            await expect(load([], { stockLocation: 'Attic' })).rejects.toMatchObject({
                code: 'STOCK_LOCATION_NOT_FOUND',
                message: expect.stringContaining('"Outlet"'),
            });
        });

        it('finds neither deleted variants nor those of other channels only', async () => {
            const [gone] = await variants(1);
            await shop.app.get(ProductVariantService).softDelete(platform.ctx, gone!.id);
            const [foreign] = await variants(1);
            const elsewhere = await openLoad(stockAdjust, {}, { platform: await platformOf(shop.app, wholesale) });
            expect((await load([{ sku: gone!.sku, stock: 1 }])).verdicts[0]).toContain('no variant');
            expect((await elsewhere([{ sku: foreign!.sku, stock: 1 }])).verdicts[0]).toContain('no variant');
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

        it("calls a shop's own strategy, which may take a while", async () => {
            const halfElsewhere: ProductVariantPriceUpdateStrategy = {
                onPriceCreated: () => [],
                onPriceUpdated: async (_ctx, changed, prices) => {
                    await sleep(1);
                    return prices
                        .filter(({ id }) => id !== changed.id)
                        .map(({ id }) => ({ id, price: changed.price / 2 }));
                },
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

        it('publishes prices that it creates, changes and removes, and nothing for repeated records', async () => {
            const [variant] = await inBothChannels(1);
            const there = await platformOf(shop.app, wholesale);
            for (const [GBP, operation] of [
                [900, 'CREATE'],
                [950, 'UPDATE'],
                [null, 'DELETE'],
            ] as const) {
                const records = [{ sku: variant!.sku, prices: { GBP } }];
                const { effects } = await load(records, {}, there);
                expect(effects.map(({ payload }) => [payload['entity'], payload['operation']])).toEqual([
                    ['ProductVariantPrice', operation],
                    ['ProductVariant', 'UPDATE'],
                ]);
                const again = await load(records, {}, there);
                expect(again).toMatchObject({ verdicts: ['='], effects: [], statements: 2 });
            }
            expect((await rowsOf(variant!)).prices.some(({ currencyCode }) => currencyCode === 'GBP')).toBe(false);
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
