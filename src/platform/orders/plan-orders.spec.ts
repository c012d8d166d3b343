import { DefaultOrderTaxCalculationStrategy } from '@vendure/core';
import fc from 'fast-check';
import type { Change } from '../../core/adapter/loader';
import type { JsonObject, JsonValue } from '../../core/value/json';
import { CustomFields } from '../entities/custom-fields';
import type { Strategy } from '../entities/load-arguments';
import type { OrderFacts } from './order-facts';
import { type OrderNames, orderArguments, orderNames, readOrder } from './order-record';
import type { OrderShop } from './order-shop';
import { MAX_ORDERS, OrderSet } from './order-state';
import { OrderPlan } from './plan-orders';
import { fulfillmentQuantities } from './settle-order';

const custom = new CustomFields([], {} as never);
const names: OrderNames = orderNames(
    Object.fromEntries(Object.keys(orderArguments).map(name => [name, name.replace(/Field$/, '')])) as never,
);
const one = (id: number) => [{ id, isDeleted: false, taxCategoryId: null, assetId: null }];
const gone = { id: 3, isDeleted: true, taxCategoryId: null, assetId: null };
const facts: OrderFacts = {
    variants: new Map([
        ['A', one(1)],
        ['B', one(2)],
        ['GONE', [gone, { ...gone, id: 4 }]],
        ['TWICE', [...one(5), ...one(6)]],
    ]),
    customers: new Map([['anna@example.com', one(7)]]),
    methods: new Map([['parcel', one(8)]]),
    promotions: new Map([['ten', 9]]),
    countries: new Map([['DE', 'Germany']]),
};
const shop: OrderShop = {
    channel: { id: 1, code: 'shop', defaultId: 1, language: 'en', languages: ['en'] },
    currency: 'EUR',
    pricesIncludeTax: false,
    currencies: new Set(['EUR', 'USD']),
    states: {
        order: ['PaymentSettled', 'Shipped', 'Cancelled'],
        payment: ['Authorized', 'Settled'],
        refund: ['Pending', 'Settled', 'Failed'],
        fulfillment: ['Shipped', 'Delivered', 'Cancelled'],
    },
    totals: new DefaultOrderTaxCalculationStrategy(),
    isMySql: false,
};

const line = (sku: string, price: number, more: JsonObject = {}): JsonObject => ({
    sku,
    quantity: 1,
    price,
    taxRate: 20,
    ...more,
});
const order = (more: JsonObject = {}): JsonObject => ({
    code: 'O-1',
    state: 'Shipped',
    orderPlacedAt: '2024-01-02T03:04:05.000Z',
    lines: [line('A', 1000, { quantity: 3 })],
    ...more,
});

/** What becomes of records, one after the other; what is planned is kept in `set`. */
function planned(
    records: readonly JsonObject[],
    { set = new OrderSet(), strategy = 'UPSERT' as Strategy, tolerance = 0 } = {},
) {
    const deleting = { isAllowed: true, permission: 'DeleteOrder' };
    const plan = new OrderPlan({ shop, names, custom, strategy, tolerance }, set, facts);
    const reading = { names, deleting, custom, mail: (text: string) => text.toLowerCase() };
    return { set, changes: records.map(record => plan.change(readOrder(record, reading))) };
}
const told = (changes: readonly Change[]): readonly unknown[] =>
    changes.map(change => (change.action === 'reject' ? change.error.details?.['field'] : change.action));
const made = (record: JsonObject) => {
    const { set, changes } = planned([record]);
    const [change] = changes;
    if (change?.action === 'reject') throw change.error;
    return set.find('O-1')!;
};

describe('an order of another system', () => {
    it("adds up as the shop's own orders do", () => {
        const { header, lines } = made(
            order({
                lines: [
                    line('A', 333, {
                        quantity: 2,
                        taxLines: [{ description: 'VAT', taxRate: 7 }],
                        taxRate: undefined as never,
                    }),
                    line('GONE', 100),
                ],
                surcharges: [{ description: 'Wrapping', price: 119, priceIncludesTax: true, taxRate: 19 }],
                shippingLines: [
                    { method: 'parcel', price: 500, taxRate: 20, discounts: [{ amount: -100, description: 'x' }] },
                ],
            }),
        );
        expect(header).toMatchObject({ subTotal: 866, subTotalWithTax: 952, shipping: 400, shippingWithTax: 480 });
        // Of the deleted ones the last.
        expect(lines.map(({ variantId }) => variantId)).toEqual([1, 4]);
    });

    it('has discounts of the whole order distributed over its lines, to the last cent', () => {
        const prices = fc.array(
            fc.record({ price: fc.integer({ min: 1, max: 99_999 }), quantity: fc.integer({ min: 1, max: 9 }) }),
            {
                minLength: 1,
                maxLength: 8,
            },
        );
        fc.assert(
            fc.property(prices, fc.integer({ min: 1, max: 100 }), (lines, percent) => {
                const cost = lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
                const off = 0 - Math.floor((cost * percent) / 100);
                const state = made(
                    order({
                        lines: lines.map(({ price, quantity }) => line('A', price, { quantity, taxRate: 0 })),
                        discounts: [{ amount: off, description: 'Sale', couponCode: 'TEN' }],
                    }),
                );
                const adjustments = state.lines.flatMap(one => one.adjustments);
                expect(adjustments.reduce((sum, { amount }) => sum + amount, 0)).toBe(off);
                expect(new Set(adjustments.map(({ adjustmentSource }) => adjustmentSource)).size).toBeLessThanOrEqual(
                    1,
                );
                expect(state).toMatchObject({ promotionIds: [9], header: { couponCodes: ['TEN'] } });
            }),
        );
    });

    it('notes no share of each piece where there are too many', () => {
        const discounts = [{ amount: -5, description: 'Sale' }];
        const [few, many] = [2, 1_001].map(quantity =>
            made(order({ lines: [line('A', 10, { quantity })], discounts })),
        );
        expect(few!.lines[0]!.adjustments[0]!.data).toEqual({ itemDistribution: [-2, -3] });
        expect(many!.lines[0]!.adjustments[0]).not.toHaveProperty('data');
    });

    it.each([
        [
            'payments by their transaction',
            [{ method: 'card', amount: 5, transactionId: 'T', state: 'Authorized' }],
            [{ method: 'card', amount: 5, transactionId: 'T', state: 'Settled' }],
            1,
        ],
        [
            'payments by method and amount, which may learn their transaction',
            [{ method: 'card', amount: 5 }],
            [{ method: 'card', amount: 5, transactionId: 'T' }],
            1,
        ],
        [
            'each payment once',
            [{ method: 'card', amount: 5 }],
            [
                { method: 'card', amount: 5 },
                { method: 'card', amount: 5 },
            ],
            2,
        ],
        [
            'payments of other amounts as further ones',
            [{ method: 'card', amount: 5 }],
            [{ method: 'card', amount: 6 }],
            2,
        ],
        ['no payment as none that is taken away', [{ method: 'card', amount: 5 }], [], 1],
    ])('knows %s', (_, before, after, count) => {
        const { set } = planned([order({ payments: before }), { code: 'O-1', payments: after }]);
        expect(set.find('O-1')!.payments).toHaveLength(count);
        const again = planned([{ code: 'O-1', payments: after }], { set });
        expect(told(again.changes)).toEqual(['unchanged']);
    });

    it('knows fulfilments by what is in them, and holds them against what was ordered', () => {
        const lines = [line('A', 10, { quantity: 3 }), line('A', 12), line('B', 5)];
        const sent = (sku: string, quantity: number, more: JsonObject = {}) => ({
            method: 'van',
            lines: [{ sku, quantity }],
            ...more,
        });
        const { set, changes } = planned([
            order({ lines, fulfillments: [sent('A', 4, { state: 'Shipped' })] }),
            { code: 'O-1', fulfillments: [sent('A', 4, { state: 'Delivered' }), sent('B', 1)] },
            { code: 'O-1', fulfillments: [sent('A', 1)] },
            { code: 'O-1', fulfillments: [sent('C', 1)] },
        ]);
        expect(told(changes)).toEqual(['create', 'update', 'fulfillments', 'fulfillments.0.lines.0.sku']);
        expect(set.find('O-1')!.fulfillments).toMatchObject([
            { state: 'Delivered' },
            { lines: [{ sku: 'B', quantity: 1 }] },
        ]);
    });

    it('keeps what it was placed with', () => {
        const { changes } = planned([
            order({ surcharges: [] }),
            order(),
            order({ lines: [line('A', 1001, { quantity: 3 })] }),
            order({ discounts: [{ amount: -1, description: 'x' }] }),
            order({ surcharges: [{ description: 'x', price: 1, taxRate: 0 }] }),
            order({ currencyCode: 'USD' }),
            order({ couponCodes: ['x'] }),
            order({ totalWithTax: 1 }),
            order({ orderPlacedAt: null }),
            order({ customer: 'ANNA@example.com', shippingAddress: { countryCode: 'de' } }),
        ]);
        expect(told(changes)).toEqual([
            'create',
            'unchanged',
            'lines',
            'lines',
            'surcharges',
            'currencyCode',
            'couponCodes',
            'totalWithTax',
            'orderPlacedAt',
            'update',
        ]);
        expect(changes.at(-1)).toMatchObject({
            before: { customer: null, shippingAddress: {} },
            after: { customer: 'anna@example.com', shippingAddress: { countryCode: 'DE', country: 'Germany' } },
        });
    });

    it('obeys the strategy, and is deleted', () => {
        const { set } = planned([order()]);
        expect(told(planned([order()], { set, strategy: 'CREATE' }).changes)).toEqual(['code']);
        expect(told(planned([order({ code: 'O-2' })], { set, strategy: 'UPDATE' }).changes)).toEqual(['code']);
        const gone = { code: 'O-1', __operation: 'DELETE' };
        expect(told(planned([gone, gone, order()], { set }).changes)).toEqual(['delete', 'unchanged', 'create']);
        expect(set.deleted).toEqual([]);
    });

    it('is sent but for what was cancelled, where nothing else is said', () => {
        const sent = (...quantities: readonly number[]): unknown => {
            const lines = quantities.map((quantity, i) =>
                line(i ? 'B' : 'A', 10, { quantity, orderPlacedQuantity: 3 }),
            );
            return made(order({ lines, fulfillments: [{ method: 'P' }] })).fulfillments[0]!.lines;
        };
        expect(sent(2, 0)).toEqual([{ sku: 'A', quantity: 2 }]);
        expect(sent(0)).toEqual([{ sku: 'A', quantity: 3 }]);
    });

    it('is sent line by line where several have one SKU', () => {
        const piece = (quantity: number, state = 'Shipped') => ({
            state,
            method: 'P',
            lines: [{ sku: 'A', quantity }],
        });
        const state = made(
            order({
                lines: [line('A', 10), line('B', 10), line('A', 12, { quantity: 2 })],
                fulfillments: [piece(1), piece(3, 'Cancelled'), piece(2)],
            }),
        );
        expect([...fulfillmentQuantities(state).values()]).toEqual([
            [{ at: 0, quantity: 1 }],
            [
                { at: 0, quantity: 1 },
                { at: 2, quantity: 2 },
            ],
            [{ at: 2, quantity: 2 }],
        ]);
    });

    it('was placed at the same moment wherever it is loaded', () => {
        const at = (orderPlacedAt: JsonValue): unknown => made(order({ orderPlacedAt })).header['orderPlacedAt'];
        expect(at('2024-03-01 10:00:00')).toBe('2024-03-01T10:00:00.000Z');
        expect(at('2024-03-01T10:00+0200')).toBe('2024-03-01T08:00:00.000Z');
        for (const odd of ['03/04/2024', '2024-02-30', '1', 'Mar 1, 2024 10:00'])
            expect(told(planned([order({ orderPlacedAt: odd })]).changes)).toEqual(['orderPlacedAt']);
    });

    it('has a limited number of shares of discounts, and notes them only for a limited number of pieces', () => {
        const [lines, discounts] = [Array(200).fill(line('A', 900)), Array(51).fill({ amount: -1, description: 'x' })];
        expect(told(planned([order({ lines, discounts } as JsonObject)]).changes)).toEqual(['discounts']);
        const dataOf = (quantity: number): unknown =>
            made(
                order({
                    lines: Array<JsonObject>(101).fill(line('A', 900, { quantity })),
                    discounts: [{ amount: -5000, description: 'x' }],
                }),
            ).lines[0]!.adjustments[0]!.data;
        expect([dataOf(990), dataOf(1000)]).toEqual([{ itemDistribution: expect.any(Array) }, undefined]);
    });

    it('is rejected if several variants may be meant, or if a part is incomplete', () => {
        const { changes } = planned([
            order({ lines: [line('TWICE', 1)] }),
            order({ lines: [line('A', 1, { quantity: 2, orderPlacedQuantity: 1 })] }),
            order({ lines: [line('A', 1, { quantity: 0 })] }),
            order({ lines: [line('A', 1, { taxLines: [{ description: 'x', taxRate: 1 }] })] }),
            order({ lines: [], discounts: [{ amount: -1, description: 'x' }] }),
            order({ lines: [line('A', 1, { discounts: [{ amount: 1, description: 'x' }] })] }),
            order({ couponCodes: ['a,b'] }),
            order({ orderPlacedAt: '0999-01-01' }),
            order({
                shippingLines: [
                    { method: 'parcel', price: 5, taxRate: 0, discounts: [{ amount: -6, description: 'x' }] },
                ],
            }),
        ]);
        expect(told(changes)).toEqual([
            'lines.0.sku',
            'lines.0.orderPlacedQuantity',
            'lines.0.quantity',
            'lines.0.taxLines',
            'lines',
            'lines.0.discounts.0.amount',
            'couponCodes.0',
            'orderPlacedAt',
            'shippingLines.0.discounts',
        ]);
    });
});

describe('what a dry run keeps of orders', () => {
    it('is what it plans, up to a bound, and nothing that it has only read', () => {
        const set = new OrderSet();
        const state = made(order());
        set.addRead({ ...state, code: 'read' });
        for (let i = 0; i <= MAX_ORDERS; i++) set.put({ ...state, code: `O-${i}` });
        set.settle();
        expect([set.find('read'), set.find('O-0'), set.find(`O-${MAX_ORDERS}`)?.code, set.isFull]).toEqual([
            undefined,
            undefined,
            `O-${MAX_ORDERS}`,
            true,
        ]);
        expect(set.mustRead('O-0')).toBe(true);
    });
});
