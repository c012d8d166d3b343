import { ConfigService, type EntityIdStrategy, OrderService } from '@vendure/core';
import type { JsonObject } from '../../src';
import type { VendurePlatform } from '../../src/platform/context';
import { platformQuery } from '../../src/platform/extractors/platform-query';
import { customerUpsert } from '../../src/platform/loaders/customer-upsert';
import { orderUpsert } from '../../src/platform/loaders/order-upsert';
import { readPages } from '../../src/testing/bare-extract';
import { openLoaderTestRun } from '../../src/testing/loader-test-run';

const BUYERS = ['first-buyer@example.com', 'second-buyer@example.com'];

/** The second order has discounts of a line and of the order, a cancelled unit of a discounted line, shipping and a surcharge. */
const PARTS: readonly JsonObject[] = [
    {
        code: 'QUERIED-1',
        customer: BUYERS[0]!,
        lines: [{ sku: 'Q-2-1', quantity: 2, price: 1000, priceIncludesTax: false, taxRate: 20 }],
    },
    {
        code: 'QUERIED-2',
        customer: BUYERS[1]!,
        lines: [
            {
                sku: 'Q-2-1',
                quantity: 2,
                orderPlacedQuantity: 3,
                price: 4999,
                priceIncludesTax: true,
                taxRate: 19,
                discounts: [{ amount: -700, description: 'Three for less' }],
            },
            { sku: 'Q-2-2', quantity: 5, price: 333, priceIncludesTax: true, taxRate: 7 },
        ],
        discounts: [{ amount: -940, description: 'Spring' }],
        surcharges: [{ description: 'Wrapping', sku: 'WRAP', price: 301, priceIncludesTax: true, taxRate: 19 }],
    },
    { code: 'QUERIED-3', lines: [{ sku: 'Q-2-2', quantity: 1, price: 50, priceIncludesTax: true, taxRate: 20 }] },
];
const orders = PARTS.map(order => ({ state: 'PaymentSettled', orderPlacedAt: '2024-03-01T10:00:00.000Z', ...order }));

const PRICES = ['unitPrice', 'discountedUnitPrice', 'proratedUnitPrice']
    .concat(['linePrice', 'discountedLinePrice', 'proratedLinePrice'])
    .flatMap(name => [name, `${name}WithTax`]);

/** Reads orders of the channel, which has the variants Q-2-1 and Q-2-2. */
export function orderQueries(at: () => VendurePlatform): void {
    const read = async (config: JsonObject): Promise<readonly JsonObject[]> => {
        const given = { extractor: platformQuery, config: { entity: 'ORDER', ...config } };
        return (await readPages(given, { platform: at() })).flatMap(({ records }) => records);
    };
    const codes = async (field: string, operator: string, value: JsonObject[string]): Promise<readonly unknown[]> =>
        (await read({ filters: [{ field, operator, value }] })).map(({ code }) => code);

    beforeAll(async () => {
        const platform = at();
        const customers = BUYERS.map(emailAddress => ({ emailAddress, firstName: 'Bo', lastName: 'Yer' }));
        await (
            await openLoaderTestRun({ loader: customerUpsert, platform })
        )(customers);
        const load = await openLoaderTestRun({ loader: orderUpsert, config: { mode: 'HISTORY' }, platform });
        const { changes } = await load(orders);
        expect(changes.map(({ action }) => action)).toEqual(['create', 'create', 'create']);
    });

    it('belong to customers; a warning is logged if two rows replace the addresses of one customer', async () => {
        const warned: string[] = [];
        const silent = (): void => undefined;
        const log = { debug: silent, info: silent, warn: (text: string) => void warned.push(text), error: silent };
        const rows = ['Quay 1', 'Quay 2'].map(streetLine1 => ({
            emailAddress: BUYERS[0]!,
            addresses: [{ streetLine1, country: 'US' }],
        }));
        for (const addressesMode of ['MERGE', 'REPLACE']) {
            const given = { loader: customerUpsert, config: { addressesMode }, platform: at(), surroundings: { log } };
            await (
                await openLoaderTestRun({ ...given, mode: 'dryRun' })
            )(rows);
        }
        expect(warned).toEqual([expect.stringContaining(`the emailAddress "${BUYERS[0]!}"`)]);
    });

    it("have the totals, and the prices of lines with their discounts, that Vendure's service shows", async () => {
        const records = await read({ relations: ['lines', 'surcharges'], batchSize: 2 });
        expect(records.map(({ code }) => code)).toEqual(['QUERIED-1', 'QUERIED-2', 'QUERIED-3']);
        const { ctx, injector } = at();
        for (const record of records) {
            const order = (await injector
                .get(OrderService)
                .findOneByCode(ctx, record['code'] as string, ['lines', 'surcharges', 'shippingLines']))!;
            const { total, totalWithTax, totalQuantity } = order;
            expect(record).toMatchObject({ total, totalWithTax, totalQuantity });
            const theirs = new Map(order.lines.map(line => [String(line.id), line as unknown as JsonObject]));
            const lines = record['lines'] as readonly JsonObject[];
            expect(lines).toHaveLength(order.lines.length);
            for (const line of lines)
                for (const name of [...PRICES, 'taxRate'])
                    expect([name, line[name]]).toEqual([name, theirs.get(line['id'] as string)![name]]);
            const shown = order.surcharges.map(({ price, priceWithTax }) => ({ price, priceWithTax }));
            expect(record['surcharges']).toMatchObject(shown);
        }
        const [, discounted] = records;
        const [line] = discounted!['lines'] as readonly JsonObject[];
        expect(line!['discountedLinePriceWithTax']).toBeLessThan(line!['linePriceWithTax'] as number);
        expect(line!['proratedLinePriceWithTax']).toBeLessThan(line!['discountedLinePriceWithTax'] as number);
    });

    it('are filtered and sorted by their totals, page by page', async () => {
        expect(await codes('totalQuantity', 'eq', 7)).toEqual(['QUERIED-2']);
        expect(await codes('totalWithTax', 'eq', 2400)).toEqual(['QUERIED-1']);
        expect(await codes('total', 'lte', 2000)).toEqual(['QUERIED-1', 'QUERIED-3']);
        for (const sortBy of ['total', 'totalWithTax', 'totalQuantity']) {
            const sorted = await read({ sortBy, sortOrder: 'DESC', batchSize: 1, includeFields: ['code', sortBy] });
            expect([sortBy, sorted.map(({ code }) => code)]).toEqual([sortBy, ['QUERIED-2', 'QUERIED-1', 'QUERIED-3']]);
            expect(sorted.every(record => typeof record[sortBy] === 'number')).toBe(true);
        }
    });

    it('are filtered by each price of their lines, in the form of a record', async () => {
        const records = await read({ relations: ['lines'] });
        for (const price of PRICES) {
            const pricesOf = (record: JsonObject): readonly number[] =>
                (record['lines'] as readonly JsonObject[]).map(line => line[price] as number);
            for (const value of records.flatMap(pricesOf))
                for (const [operator, fits] of [
                    ['eq', (one: number) => one === value],
                    ['gt', (one: number) => one > value],
                ] as const)
                    expect([price, operator, value, await codes(`lines.${price}`, operator, value)]).toEqual([
                        price,
                        operator,
                        value,
                        records.filter(record => pricesOf(record).some(fits)).map(({ code }) => code),
                    ]);
        }
        expect(await codes('lines.unitPrice', 'ne', 1000)).toEqual(['QUERIED-2', 'QUERIED-3']);
        const filters = [{ field: 'lines.unitPrice', operator: 'gt', value: 1 }];
        expect(platformQuery.requiresFor!({ entity: 'ORDER', filters })).toContainEqual(['ReadOrder']);
    });

    it('are filtered by the ids of GraphQL, if a strategy encodes them, and by those of the database', async () => {
        const { injector } = at();
        const { entityOptions } = injector.get(ConfigService);
        const [first, second] = await read({});
        const encoding: EntityIdStrategy<'increment'> = {
            primaryKeyType: 'increment',
            encodeId: id => `O_${id}`,
            decodeId: id => (/^O_\d+$/.test(id) ? Number(id.slice(2)) : -1),
        };
        const replaced = jest.replaceProperty(entityOptions, 'entityIdStrategy', encoding as never);
        try {
            expect(await codes('id', 'eq', `O_${String(first!['id'])}`)).toEqual(['QUERIED-1']);
            expect(await codes('id', 'in', [`O_${String(second!['id'])}`, 'O_x'])).toEqual(['QUERIED-2']);
            expect(await codes('customerId', 'eq', `O_${String(second!['customerId'])}`)).toEqual(['QUERIED-2']);
            expect(await codes('id', 'eq', first!['id']!)).toEqual(['QUERIED-1']);
        } finally {
            replaced.restore();
        }
    });

    it('are filtered by the e-mail address of their customer, which requires ReadCustomer', async () => {
        const field = 'customer.emailAddress';
        expect(await codes(field, 'eq', BUYERS[1]!)).toEqual(['QUERIED-2']);
        expect(await codes(field, 'in', BUYERS)).toEqual(['QUERIED-1', 'QUERIED-2']);
        expect(await codes(field, 'contains', 'BUYER@')).toEqual(['QUERIED-1', 'QUERIED-2']);
        expect(await codes(field, 'ne', BUYERS[0]!)).toEqual(['QUERIED-2', 'QUERIED-3']);
        expect(await codes(field, 'eq', null)).toEqual(['QUERIED-3']);
        const filters = [{ field, operator: 'eq', value: BUYERS[0]! }];
        expect(platformQuery.requiresFor!({ entity: 'ORDER', filters })).toEqual([['ReadOrder'], ['ReadCustomer']]);
    });
}
