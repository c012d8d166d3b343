import {
    type ID,
    EventBus,
    Order,
    OrderService,
    type RequestContext,
    StockLevel,
    StockMovement,
    VendureEvent,
    Customer,
} from '@vendure/core';
import gql from 'graphql-tag';
import type { Change } from '../../src/core/adapter/loader';
import type { JsonObject } from '../../src/core/value/json';
import type { VendurePlatform } from '../../src/platform/context';
import { customerUpsert } from '../../src/platform/loaders/customer-upsert';
import { orderNote } from '../../src/platform/loaders/order-note';
import { orderUpsert } from '../../src/platform/loaders/order-upsert';
import { productUpsert } from '../../src/platform/loaders/product-upsert';
import type { FlowServer } from '../config/flow-server';
import { type LoadOptions, openLoad, platformOf } from '../config/load-harness';
import type { SharedSuite } from '../config/shared-shop';
import { COUPON, deliveredOrder, METHOD, orderSettings, sound } from '../fixtures/service-orders';

const DISCOUNT = 'adjustmentSource type description amount amountWithTax';
const ADDRESS = 'fullName company streetLine1 streetLine2 city province postalCode country countryCode phoneNumber';
/** All fields of an order in the Admin API, except for ids, dates and its history. */
const ORDER = gql`query Read($id: ID!) {
    order(id: $id) {
        code state active type couponCodes currencyCode subTotal subTotalWithTax shipping shippingWithTax total totalWithTax totalQuantity
        nextStates promotions { id couponCode } customer { id emailAddress } discounts { ${DISCOUNT} }
        shippingAddress { ${ADDRESS} } billingAddress { ${ADDRESS} }
        taxSummary { description taxRate taxBase taxTotal }
        lines {
            quantity orderPlacedQuantity unitPrice unitPriceWithTax unitPriceChangeSinceAdded unitPriceWithTaxChangeSinceAdded
            discountedUnitPrice discountedUnitPriceWithTax proratedUnitPrice proratedUnitPriceWithTax taxRate taxLines { description taxRate }
            linePrice linePriceWithTax lineTax discountedLinePrice discountedLinePriceWithTax proratedLinePrice proratedLinePriceWithTax
            discounts { ${DISCOUNT} } productVariant { id sku } featuredAsset { id } fulfillmentLines { quantity fulfillment { state } }
        }
        surcharges { description sku price priceWithTax taxRate }
        shippingLines { shippingMethod { id code } price priceWithTax discountedPrice discountedPriceWithTax discounts { ${DISCOUNT} } }
        payments { method amount state transactionId errorMessage metadata refunds { total state reason transactionId method } }
        fulfillments { state method trackingCode lines { quantity orderLine { productVariant { sku } } } }
        modifications { id } sellerOrders { id } aggregateOrder { id } channels { code }
    }
}`;
const LIST = gql`
    query List($options: OrderListOptions) {
        orders(options: $options) {
            totalItems
            items {
                code
                state
                totalWithTax
                customer {
                    emailAddress
                }
            }
        }
    }
`;
const OF_CUSTOMER = gql`
    query OfCustomer($id: ID!) {
        customer(id: $id) {
            orders {
                items {
                    code
                }
            }
        }
    }
`;

const HISTORY = gql`
    query History($id: ID!) {
        order(id: $id) {
            history(options: { sort: { createdAt: ASC } }) {
                items {
                    type
                    isPublic
                    data
                    administrator {
                        emailAddress
                    }
                }
            }
        }
    }
`;

type Read = Readonly<Record<string, any>>; // eslint-disable-line @typescript-eslint/no-explicit-any -- the result of a query

const line = (sku: string, more: JsonObject = {}): JsonObject => ({
    sku,
    quantity: 1,
    price: 1000,
    taxRate: 20,
    ...more,
});
const order = (code: string, more: JsonObject = {}): JsonObject => ({
    code,
    state: 'Delivered',
    orderPlacedAt: '2023-05-06T07:08:09.500Z',
    lines: [line('HO-1')],
    ...more,
});
const fieldsOf = (changes: readonly Change[]): readonly unknown[] =>
    changes.map(change => (change.action === 'reject' ? change.error.details?.['field'] : change.action));

/** Orders of another system, and their form in the shop. */
function historyOrders(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let platform: VendurePlatform;
    let ctx: RequestContext;
    let customer: Customer;
    let methodId: ID;
    let made: ID;

    beforeAll(async () => {
        shop = await open();
        platform = await platformOf(shop.app, shop.channelToken);
        ctx = platform.ctx;
        const variants = [1, 2].map(n => ({
            sku: `HO-${n}`,
            name: `Lamp ${n}`,
            price: 1250 * n,
            stock: 50,
            options: { n },
        }));
        await (
            await openLoad(productUpsert, {}, { platform })
        )([
            {
                slug: 'ho',
                name: 'Lamps',
                variants: variants.map(one => ({ ...one, options: { n: `${one.options.n}` } })),
            },
        ]);
        await (
            await openLoad(customerUpsert, {}, { platform })
        )([{ emailAddress: 'anna@orders.example', firstName: 'Anna', lastName: 'Lund' }]);
        customer = await shop.dataSource
            .getRepository(Customer)
            .findOneByOrFail({ emailAddress: 'anna@orders.example' });
        methodId = await orderSettings(shop.app, ctx);
        made = await deliveredOrder(shop.app, ctx, { skus: ['HO-1', 'HO-2'], customer, methodId });
    });

    const load = async (records: readonly JsonObject[], config: JsonObject = {}, options: Partial<LoadOptions> = {}) =>
        (await openLoad(orderUpsert, { mode: 'HISTORY', ...config }, { platform, ...options }))(records);
    const idOf = async (code: string): Promise<ID> =>
        (await shop.dataSource.getRepository(Order).findOneByOrFail({ code })).id;
    const read = async (id: ID): Promise<Read> =>
        ((await shop.adminClient.query(ORDER, { id })) as Read)['order'] as Read;
    const codeOf = async (id: ID): Promise<string> => (await read(id))['code'] as string;

    /** The record that another system would have sent for an order of the Admin API. */
    const recordOf = (code: string, read: Read): JsonObject => ({
        code,
        state: read['state'] as string,
        orderPlacedAt: '2024-01-02T03:04:05.000Z',
        customer: read['customer'].emailAddress as string,
        couponCodes: read['couponCodes'] as string[],
        lines: (read['lines'] as Read[]).map(one => ({
            sku: one['productVariant'].sku as string,
            quantity: one['quantity'] as number,
            price: one['unitPrice'] as number,
            taxLines: (one['taxLines'] as Read[]).map(
                ({ description, taxRate }) => ({ description, taxRate }) as JsonObject,
            ),
        })),
        discounts: (read['discounts'] as Read[]).map(
            ({ amount, description }) => ({ amount, description, couponCode: COUPON }) as JsonObject,
        ),
        shippingLines: [{ method: METHOD, price: read['shippingLines'][0].price as number, taxRate: 20 }],
        shippingAddress: addressOf(read['shippingAddress'] as Read),
        billingAddress: addressOf(read['billingAddress'] as Read),
        payments: (read['payments'] as Read[]).map(
            ({ method, amount, transactionId, metadata }) =>
                ({ method, amount, transactionId, metadata }) as JsonObject,
        ),
        fulfillments: (read['fulfillments'] as Read[]).map(
            ({ method, trackingCode }) => ({ method, trackingCode }) as JsonObject,
        ),
        subTotal: read['subTotal'] as number,
        totalWithTax: read['totalWithTax'] as number,
    });
    const addressOf = (address: Read): JsonObject =>
        Object.fromEntries(
            Object.entries(address).filter(
                ([name, value]) => typeof value === 'string' && !name.startsWith('__') && name !== 'country',
            ),
        ) as JsonObject;

    it("look in the Admin API like those that Vendure's services have made, and appear in its lists", async () => {
        const theirs = await read(made);
        const record = recordOf('HO-like', theirs);
        expect((await load([record])).verdicts).toEqual(['C']);
        expect((await load([record])).verdicts).toEqual(['=']);
        const ours = await read(await idOf('HO-like'));
        expect({ ...ours, code: '' }).toEqual({ ...theirs, code: '' });
        expect(theirs).toMatchObject({ state: 'Delivered', active: false, discounts: [{ amount: -1000 }] });
        const codes = [theirs['code'], 'HO-like'] as string[];
        const { orders } = (await shop.adminClient.query(LIST, {
            options: { filter: { code: { in: codes } }, sort: { totalWithTax: 'ASC' } },
        })) as Read;
        expect(orders.items).toEqual(
            expect.arrayContaining(
                codes.map(code => expect.objectContaining({ code, customer: { emailAddress: 'anna@orders.example' } })),
            ),
        );
        const answer = (await shop.adminClient.query(OF_CUSTOMER, { id: customer.id })) as Read;
        expect((answer['customer'].orders.items as Read[]).map(one => one['code'] as string)).toEqual(
            expect.arrayContaining(codes),
        );
    });

    it('cost the same few statements at batch 10 and 500', async () => {
        const many = (mark: string, count: number, more: JsonObject = {}) =>
            Array.from({ length: count }, (_, i) =>
                order(`${mark}-${i}`, {
                    customer: 'anna@orders.example',
                    shippingLines: [{ method: METHOD, price: 500, taxRate: 20 }],
                    surcharges: [{ description: 'Wrapping', price: 100, taxRate: 20 }],
                    payments: [{ method: 'bank', amount: 1920, refunds: [{ total: 10 }] }],
                    fulfillments: [{ method: 'By van' }],
                    ...more,
                }),
            );
        const count = async (mark: string, size: number) => {
            const loads = [
                await load(many(mark, size)),
                await load(many(mark, size)),
                await load(many(mark, size, { state: 'Shipped', payments: [{ method: 'cash', amount: 1 }] })),
                await load(many(mark, size, { __operation: 'DELETE' })),
            ];
            expect(loads.map(({ verdicts: outcomes }) => [...new Set(outcomes)])).toEqual([['C'], ['='], ['U'], ['D']]);
            return loads.map(({ statements }) => statements);
        };
        const few = await count('few', 10);
        expect(await count('many', 500)).toEqual(few);
        expect(Math.max(...few)).toBeLessThanOrEqual(30);
        expect(await shop.dataSource.getRepository(Order).countBy({ code: 'few-1' })).toBe(0);
    });

    it('are not the cart of a customer, move no stock, and publish no event', async () => {
        const stock = async (): Promise<unknown> => [
            await shop.dataSource.getRepository(StockMovement).count(),
            await shop.dataSource.getRepository(StockLevel).find({ order: { id: 'ASC' } }),
        ];
        const before = await stock();
        const events: string[] = [];
        const heard = shop.app
            .get(EventBus)
            .filter(
                event =>
                    event instanceof VendureEvent &&
                    /Order|Stock|Payment|Refund|Fulfillment|History/.test(event.constructor.name),
            )
            .subscribe(({ constructor }) => events.push(constructor.name));
        const { effects } = await load([
            order('HO-quiet', { customer: 'anna@orders.example', state: 'PaymentSettled' }),
        ]);
        heard.unsubscribe();
        expect({ effects, events, stock: await stock() }).toEqual({ effects: [], events: [], stock: before });
        const { user } = await shop.dataSource
            .getRepository(Customer)
            .findOneOrFail({ where: { id: customer.id }, relations: { user: true } });
        expect(await shop.app.get(OrderService).getActiveOrderForUser(ctx, user!.id)).toBeUndefined();
    });

    it('keep what was cancelled, refunded and additionally charged, and do not change when they are repeated', async () => {
        const records = [
            order('HO-part', {
                state: 'Cancelled',
                lines: [
                    line('HO-1', { quantity: 0, orderPlacedQuantity: 2 }),
                    line('HO-2', {
                        quantity: 1,
                        orderPlacedQuantity: 3,
                        discounts: [{ amount: -300, description: 'Summer' }],
                    }),
                ],
                surcharges: [{ description: 'Wrapping', sku: 'W', price: 100, priceIncludesTax: true, taxRate: 19 }],
                payments: [
                    {
                        method: 'old-card',
                        amount: 5000,
                        state: 'Settled',
                        refunds: [{ total: 4000, reason: 'Broken' }],
                    },
                ],
                fulfillments: [{ method: 'By van', state: 'Cancelled', lines: [{ sku: 'HO-2', quantity: 2 }] }],
                billingAddress: { streetLine1: 'Quay 1', countryCode: 'ZZ', country: 'Atlantis', postalCode: 20457 },
            }),
        ];
        expect((await load(records)).verdicts).toEqual(['C']);
        expect((await load(records)).verdicts).toEqual(['=']);
        const stored = await read(await idOf('HO-part'));
        expect(stored).toMatchObject({
            customer: null,
            totalQuantity: 1,
            // 1000 less a third of 300, and 100 with 19 % tax included.
            subTotal: 984,
            discounts: [{ description: 'Summer', amount: -100 }],
            billingAddress: { country: 'Atlantis', postalCode: '20457' },
            payments: [{ method: 'old-card', refunds: [{ total: 4000, state: 'Settled', reason: 'Broken' }] }],
            fulfillments: [{ state: 'Cancelled', lines: [{ quantity: 2 }] }],
        });
    });

    it('get what was paid and sent since, and lose nothing', async () => {
        await load([
            order('HO-since', {
                state: 'PaymentAuthorized',
                payments: [{ method: 'card', amount: 1200, state: 'Authorized', transactionId: 'A' }],
            }),
        ]);
        const { changes, verdicts: outcomes } = await load([
            {
                code: 'HO-since',
                state: 'Shipped',
                payments: [
                    { method: 'card', amount: 1200, state: 'Settled', transactionId: 'A', refunds: [{ total: 200 }] },
                ],
                fulfillments: [{ method: 'By van', state: 'Shipped' }],
            },
            {
                code: 'HO-since',
                state: 'Delivered',
                fulfillments: [{ method: 'By van', state: 'Delivered', trackingCode: 'P-2' }],
                payments: [],
            },
        ]);
        expect(outcomes).toEqual(['U', 'U']);
        expect(changes[0]).toMatchObject({
            before: { state: 'PaymentAuthorized', fulfillments: [] },
            after: { state: 'Shipped' },
        });
        expect(await read(await idOf('HO-since'))).toMatchObject({
            state: 'Delivered',
            payments: [{ state: 'Settled', refunds: [{ total: 200 }] }],
            fulfillments: [{ state: 'Delivered', trackingCode: 'P-2' }],
        });
    });

    it('are rejected if their sums are wrong, or if they name something unknown to the shop', async () => {
        const { changes } = await load([
            order('HO-bad', { totalWithTax: 1199 }),
            order('HO-bad', { state: 'AddingItems' }),
            order('HO-bad', { lines: [line('HO-9')] }),
            order('HO-bad', { lines: [line('HO-1', { discounts: [{ amount: -1001, description: 'x' }] })] }),
            order('HO-bad', { discounts: [{ amount: -1201, description: 'x' }] }),
            order('HO-bad', { shippingLines: [{ method: 'pigeon', price: 1, taxRate: 0 }] }),
            order('HO-bad', { shippingAddress: { countryCode: 'ZZ' } }),
            order('HO-bad', { currencyCode: 'DEM' }),
            order('HO-bad', { payments: [{ method: 'x', amount: 10, refunds: [{ total: 11 }] }] }),
            order('HO-bad', { fulfillments: [{ method: 'x', lines: [{ sku: 'HO-1', quantity: 2 }] }] }),
            order('HO-bad', { lines: [{ sku: 'HO-1', quantity: 1, price: 1000 }] }),
            order('HO-bad', { lines: [line('HO-1', { quantity: 2_000_000, price: 2_000_000_000 })] }),
            order('HO-bad', { lines: Array.from({ length: 2_001 }, () => line('HO-1')) }),
            order('HO-bad', { payments: [{ method: 'x', amount: 1, metadata: { text: 'x'.repeat(10_001) } }] }),
            order('HO-bad', { totalWithTax: 1200 }),
        ]);
        expect(fieldsOf(changes)).toEqual([
            'totalWithTax',
            'state',
            'lines.0.sku',
            'lines.0.discounts',
            'discounts',
            'shippingLines.0.method',
            'shippingAddress.countryCode',
            'currencyCode',
            'payments.0.refunds',
            'fulfillments',
            'lines.0.taxRate',
            'lines',
            'lines',
            'payments.0.metadata',
            'create',
        ]);
    });

    it('are distinguished by their codes in the same way as by the database', async () => {
        await load([order('HO-Case')]);
        const isOne = platform.database.dialect.kind === 'mysql';
        const { changes } = await load([order('ho-case'), order('HO-CASE')]);
        expect(fieldsOf(changes)).toEqual(isOne ? ['code', 'code'] : ['create', 'create']);
    });

    it('have the total that was paid, if another system has rounded differently and the step allows it', async () => {
        const lines = ['HO-1', 'HO-2'].map(sku => line(sku, { price: 333 }));
        const record = order('HO-cent', { lines, surcharges: [], totalWithTax: 799 });
        const { changes } = await load([record, { ...record, totalWithTax: 800 }], { roundingTolerance: 1 });
        expect(fieldsOf(changes)).toEqual(['create', 'unchanged']);
        // Vendure rounds each line, 399.60 to 400; other systems round the sum.
        expect(await read(await idOf('HO-cent'))).toMatchObject({
            totalWithTax: 799,
            surcharges: [{ description: 'Rounding', priceWithTax: -1 }],
        });
        const { changes: strict } = await load([{ ...record, code: 'HO-cents' }, record]);
        expect(fieldsOf(strict)).toEqual(['totalWithTax', 'unchanged']);
    });

    it('do not change what the shop has placed itself, nor what a user has edited there', async () => {
        const code = await codeOf(made);
        const paid = { state: 'PaymentSettled', payments: [{ method: 'bank', amount: 1200 }] };
        await load([order('HO-ours', paid), order('HO-sent', paid)]);
        const id = await idOf('HO-ours');
        const { lines } = await shop.dataSource
            .getRepository(Order)
            .findOneOrFail({ where: { code: 'HO-sent' }, relations: { lines: true } });
        sound(
            await shop.app.get(OrderService).createFulfillment(ctx, {
                lines: [{ orderLineId: lines[0]!.id, quantity: 1 }],
                handler: { code: 'manual-fulfillment', arguments: [{ name: 'method', value: 'By van' }] },
            }),
        );
        const worked = await platform.dataSource.transaction(async () =>
            shop.app.get(OrderService).cancelOrder(ctx, { orderId: id, cancelShipping: true }),
        );
        expect(worked).toMatchObject({ state: 'Cancelled' });
        const { changes } = await load([
            { code, state: 'Delivered' },
            { code, state: 'Shipped' },
            { code, __operation: 'DELETE' },
            { code: 'HO-ours', state: 'Delivered' },
            { code: 'HO-ours', state: 'Cancelled' },
            { code: 'HO-sent', __operation: 'DELETE' },
        ]);
        expect(fieldsOf(changes)).toEqual(['unchanged', 'code', 'code', 'code', 'unchanged', 'code']);
    });

    it('get notes, each once, that look like those of users', async () => {
        const notes = async (records: readonly JsonObject[], options: Partial<LoadOptions> = {}) =>
            (await openLoad(orderNote, {}, { platform, ...options }))(records);
        await load(Array.from({ length: 500 }, (_, i) => order(`HO-note-${i}`)));
        const id = await idOf('HO-note-0');
        await shop.app.get(OrderService).addNoteToOrder(ctx, { id, note: 'By hand', isPublic: true });
        const records: readonly JsonObject[] = [
            { code: 'HO-note-0', note: 'By hand' },
            { code: 'HO-note-0', note: 'By load', isPublic: true },
            { code: 'HO-note-0', note: 'Rang', key: 'T-1' },
        ];
        expect((await notes(records)).verdicts).toEqual(['=', 'C', 'C']);
        expect((await notes(records)).verdicts).toEqual(['=', '=', '=']);
        expect((await notes([{ ...records[2]!, note: 'Rang twice' }])).verdicts).toEqual(['U']);
        const { order: told } = (await shop.adminClient.query(HISTORY, { id })) as Read;
        // The notes of one load have the same time, so their order is arbitrary.
        const noteOf = ({ data }: Read): string => (data as Read)['note'] as string;
        const items = (told['history'].items as Read[])
            .filter(({ type }) => type === 'ORDER_NOTE')
            .toSorted((one, other) => noteOf(one).localeCompare(noteOf(other)));
        expect(
            items.slice(0, 2).map(({ data, ...one }) => ({ ...one, note: (data as Read)['note'] as string })),
        ).toEqual(
            ['By hand', 'By load'].map(note => ({
                type: 'ORDER_NOTE',
                isPublic: true,
                administrator: { emailAddress: expect.any(String) as string },
                note,
            })),
        );
        expect(items[2]).toMatchObject({ isPublic: false, data: { note: 'Rang twice' } });
        const few = (many: number, mark: string) =>
            Array.from({ length: many }, (_, i) => ({
                code: `HO-note-${i}`,
                note: `Note ${mark}`,
                key: `${mark}-${i}`,
            }));
        const costs = async (many: number) => {
            const mark = `n${many}`;
            const changed = few(many, mark).map(one => ({ ...one, note: 'Other' }));
            const gone = few(many, mark).map(one => ({ ...one, __operation: 'DELETE' }));
            const loads = [
                await notes(few(many, mark)),
                await notes(few(many, mark)),
                await notes(changed),
                await notes(gone),
            ];
            expect(loads.map(({ verdicts: outcomes }) => [...new Set(outcomes)])).toEqual([['C'], ['='], ['U'], ['D']]);
            return loads.map(({ statements }) => statements);
        };
        expect(await costs(500)).toEqual(await costs(10));
        // For an order that the same dry run has planned.
        const foretelling = await platformOf(shop.app, shop.channelToken);
        const dry = { platform: foretelling, mode: 'dryRun' } as const;
        await load([order('HO-soon')], {}, dry);
        expect((await notes([{ code: 'HO-soon', note: 'Soon' }], dry)).verdicts).toEqual(['C']);
    });

    it('are planned batch by batch, and belong to their channel', async () => {
        const dry = await openLoad(
            orderUpsert,
            { mode: 'HISTORY' },
            { platform: await platformOf(shop.app, shop.channelToken), mode: 'dryRun' },
        );
        expect((await dry([order('HO-dry')])).verdicts).toEqual(['C']);
        expect((await dry([order('HO-dry'), { code: 'HO-dry', state: 'Cancelled' }])).verdicts).toEqual(['=', 'U']);
        expect(await shop.dataSource.getRepository(Order).countBy({ code: 'HO-dry' })).toBe(0);
        const elsewhere = await platformOf(shop.app);
        const { changes } = await load([{ code: await codeOf(made), state: 'Shipped' }], {}, { platform: elsewhere });
        // The orders of a channel are in the default channel, too.
        expect(fieldsOf(changes)).toEqual(['code']);
        const stored = await shop.dataSource
            .getRepository(Order)
            .findOneOrFail({ where: { code: 'HO-part' }, relations: { channels: true } });
        expect(stored.channels.length).toBe(2);
    });
}

export const historyOrdersSuite: SharedSuite = { title: 'orders of another system', tests: historyOrders };
