import { Product, ProductVariant } from '@vendure/core';
import type { DataSource } from 'typeorm';
import { databaseOf } from '../../src/database/open-database';
import type { Id } from '../../src/database/write';
import { CustomFields } from '../../src/platform/entities/custom-fields';
import { type LineState, OrderSet, type OrderState } from '../../src/platform/orders/order-state';
import { OrderTables } from '../../src/platform/orders/stored-orders';
import { writeOrders } from '../../src/platform/orders/write-orders';
import { type BareDatabase, bareDatabase, type Ids } from './bare-database';
import type { Database } from './databases';

const SKUS = ['F', 'A', 'E', 'B', 'D', 'C', 'H', 'G'];

/** Orders of another system, in the tables of a shop. */
export function orderSuite(database: Database, ids: Ids): void {
    let scratch: BareDatabase;
    let dataSource: DataSource;
    beforeAll(async () => {
        scratch = await bareDatabase(database, ids);
        dataSource = await scratch.connect('shop');
        await dataSource.synchronize();
    });
    afterAll(async () => {
        await dataSource.destroy();
        await scratch.drop();
    });

    it('keep the order of their lines and surcharges, and have fulfilments of the lines that they name', async () => {
        const opened = databaseOf(dataSource);
        const ctx = { channelId: ids === 'numbers' ? 1 : '018c7d6e-0000-7000-8000-000000000001', languageCode: 'en' };
        const platform = { ctx, dataSource, database: opened } as never;
        const tables = new OrderTables(platform, new CustomFields([], {} as never));
        const variants = await variantsOf(dataSource);
        const write = (state: OrderState) => {
            const set = new OrderSet();
            set.put(state);
            return opened.transaction(() => writeOrders(tables, set, []));
        };
        const made = orderOf(variants);
        await write(made);
        const [first] = await opened.run(() => tables.read([made.code]));
        expect(shownOf(first!)).toEqual(shownOf(made));

        const more = { id: undefined, method: 'Parcel', state: 'Shipped', trackingCode: '' };
        const sent = [...first!.fulfillments, { ...more, lines: [{ sku: 'H', quantity: 1 }] }];
        await write({ ...first!, fulfillments: sent });
        const [next] = await opened.run(() => tables.read([made.code]));
        // The order of fulfilments does not matter.
        expect([...shownOf(next!).fulfillments].sort()).toEqual([['A', 'D'], ['H']]);
    });
}

async function variantsOf(dataSource: DataSource): Promise<readonly ProductVariant[]> {
    const product = await dataSource.getRepository(Product).save(new Product({ enabled: true }));
    const repository = dataSource.getRepository(ProductVariant);
    return repository.save(SKUS.map(sku => new ProductVariant({ sku, enabled: true, product })));
}

function orderOf(variants: readonly ProductVariant[]): OrderState {
    const price = { listPrice: 100, listPriceIncludesTax: true, taxLines: [] };
    const lines = variants.map(({ id, sku }): LineState => ({
        ...price,
        ...{ id: undefined, variantId: id as Id, sku, taxCategoryId: null, assetId: null },
        ...{ quantity: 1, orderPlacedQuantity: 1, adjustments: [] },
    }));
    const money = { subTotal: 800, subTotalWithTax: 800, shipping: 0, shippingWithTax: 0, currencyCode: 'EUR' };
    const addresses = { shippingAddress: {}, billingAddress: {} };
    const placed = { state: 'Shipped', orderPlacedAt: '2024-03-01T10:00:00.000Z', couponCodes: [], customerId: null };
    const pieces = [
        { sku: 'D', quantity: 1 },
        { sku: 'A', quantity: 1 },
    ];
    return {
        ...{ id: undefined, code: 'O-1', isInChannel: true, isOwn: true, stored: undefined, promotionIds: [] },
        header: { ...money, ...addresses, ...placed },
        lines,
        surcharges: SKUS.map(description => ({ ...price, description, sku: '' })),
        shippingLines: [],
        payments: [],
        fulfillments: [{ id: undefined, method: 'Parcel', state: 'Shipped', trackingCode: '', lines: pieces }],
    };
}

const shownOf = ({ lines, surcharges, fulfillments }: OrderState) => ({
    lines: lines.map(({ sku }) => sku),
    surcharges: surcharges.map(({ description }) => description),
    fulfillments: fulfillments.map(one => one.lines.map(({ sku }) => sku).sort()),
});
