import { type CauseCode, causeOf, type RejectedRecord } from './import-cause';
import type { ImportPlan, Remedy } from './import-plan';
import { applyRemedy, remediesOf, removeRemedy } from './import-remedies';
import { column, CUSTOMERS, ORDERS, PRICE_LIST, PRICES, STOCK } from './plans.fixture';

const typesOf = (remedies: readonly Remedy[]): readonly string[] => remedies.map(({ type }) => type);

describe('causeOf', () => {
    it.each<readonly [CauseCode, Partial<RejectedRecord>, ImportPlan?]>([
        ['ROW', { stepKey: 'file', path: 'Art\\.-Nr\\.' }],
        ['NO_PRICE', { path: 'price' }],
        ['NO_PRICE', { path: 'prices.EUR', payload: { prices: { USD: 1 } } }],
        ['CURRENCY', { path: 'prices.USD', payload: { prices: { USD: 1 } } }],
        ['NEGATIVE', { path: 'stock', payload: { stock: -1 } }],
        ['NOT_A_NUMBER', { path: 'stock', payload: { stock: 'many' } }],
        ['UNKNOWN_FACET_VALUE', { path: 'facetValues.0', payload: { facetValues: ['Warengruppe:Bad'] } }],
        ['DUPLICATE', { path: 'sku', payload: { sku: 'A' } }],
        ['SAME_OPTIONS', { path: 'variants.1.options' }],
        ['PICTURE', { path: 'variants.1.assets.0' }],
        ['LANGUAGE', { path: 'translations.fr' }],
        ['EMPTY', { path: 'name' }],
        ['OTHER', { path: 'name', payload: { name: 'A' } }],
        ['OTHER', {}],
        ['UNKNOWN_SKU', { path: 'sku', payload: { sku: 'A' } }, STOCK],
        ['EMPTY', { path: 'sku' }, PRICES],
        ['UNKNOWN', { path: 'addresses.0.country', payload: { addresses: [{ country: 'ZZ' }] } }, CUSTOMERS],
        ['EMAIL', { path: 'emailAddress', payload: { emailAddress: 'anna' } }, CUSTOMERS],
        ['DATE', { stepKey: 'to-order', path: 'orderPlacedAt' }, ORDERS],
    ])('finds %s', (code, reject, plan = PRICE_LIST) => {
        const { stepKey = 'products', path, payload = {} } = reject;
        expect(causeOf({ stepKey, path, payload }, plan).code).toBe(code);
    });

    it('names the field, its column and the value of the row', () => {
        const payload = { 'Art.-Nr.': 'A', 'UVP €': 'auf Anfrage' };
        expect(causeOf({ stepKey: 'to-product', path: 'price', payload }, PRICE_LIST)).toEqual({
            code: 'NOT_A_NUMBER',
            path: 'price',
            args: { field: 'price', column: 'UVP €', value: 'auf Anfrage' },
        });
    });

    it('names the facet of a value', () => {
        const plan = { ...PRICE_LIST, fields: [...PRICE_LIST.fields, column('facet:Marke', 'Marke')] };
        const payload = { facetValues: ['Marke:Holz'] };
        expect(causeOf({ stepKey: 'products', path: 'facetValues.0', payload }, plan).args).toMatchObject({
            field: 'facet:Marke',
            value: 'Marke:Holz',
        });
    });
});

describe('remediesOf', () => {
    const cause = (code: CauseCode, field: string, value?: string) => ({
        code,
        path: field,
        args: { field, ...(value !== undefined && { value }) },
    });

    it('never makes a price 0', () => {
        expect(typesOf(remediesOf(cause('NOT_A_NUMBER', 'price', 'auf Anfrage'), PRICE_LIST))).toEqual([
            'CREATE_HIDDEN',
            'SKIP_ROWS',
        ]);
        expect(remediesOf(cause('NEGATIVE', 'price', '-1'), PRICE_LIST)).toEqual([]);
    });

    it('offers the number in a text if there is one', () => {
        expect(typesOf(remediesOf(cause('NOT_A_NUMBER', 'stock', 'ca. 20 Stk'), PRICE_LIST))).toEqual([
            'NUMBER_IN_TEXT',
            'TREAT_AS_ZERO',
            'LEAVE_EMPTY',
            'SKIP_ROWS',
        ]);
        expect(typesOf(remediesOf(cause('NOT_A_NUMBER', 'stock', '10-20'), PRICE_LIST))).not.toContain(
            'NUMBER_IN_TEXT',
        );
    });

    it('offers no hidden products in a list of prices', () => {
        expect(typesOf(remediesOf(cause('NOT_A_NUMBER', 'price', 'soon'), PRICES))).toEqual(['SKIP_ROWS']);
    });

    it('exchanges day and month', () => {
        expect(remediesOf(cause('DATE', 'orderPlacedAt', '12.31.2026'), ORDERS)).toEqual([
            { type: 'DATE_ORDER', field: 'orderPlacedAt', format: 'MM.DD.YYYY' },
        ]);
    });

    it.each<readonly [CauseCode, string, readonly string[]]>([
        ['PICTURE', 'sku', ['SKIP_PICTURES']],
        ['DUPLICATE', 'sku', ['KEEP_LAST', 'KEEP_FIRST']],
        ['NEGATIVE', 'stock', ['TREAT_AS_ZERO']],
        ['ROW', 'sku', []],
        ['OTHER', 'sku', []],
    ])('offers the remedies for %s', (code, field, types) => {
        expect(typesOf(remediesOf(cause(code, field), PRICE_LIST))).toEqual(types);
    });

    it('does not offer a remedy that the plan has', () => {
        const plan = applyRemedy(PRICE_LIST, { type: 'SKIP_PICTURES' });
        expect(remediesOf(cause('PICTURE', 'sku'), plan)).toEqual([]);
        expect(remediesOf(cause('PICTURE', 'unmapped'), PRICE_LIST)).toEqual([]);
    });
});

describe('applyRemedy', () => {
    const zero: Remedy = { type: 'TREAT_AS_ZERO', field: 'stock' };
    const empty: Remedy = { type: 'LEAVE_EMPTY', field: 'stock' };
    const negative: Remedy = { ...zero, when: 'NEGATIVE' };

    it('changes nothing the second time', () => {
        const once = applyRemedy(PRICE_LIST, zero);
        expect(applyRemedy(once, { field: 'stock', type: 'TREAT_AS_ZERO' })).toBe(once);
        expect(PRICE_LIST.remedies).toEqual([]);
    });

    it('keeps one remedy for each question', () => {
        const plan = [zero, negative, empty].reduce(applyRemedy, PRICE_LIST);
        expect(plan.remedies).toEqual([negative, empty]);
    });

    it('is undone by removing it', () => {
        const plan = applyRemedy(applyRemedy(PRICE_LIST, negative), empty);
        expect(removeRemedy(plan, empty)).toEqual(applyRemedy(PRICE_LIST, negative));
        expect(removeRemedy(PRICE_LIST, empty)).toBe(PRICE_LIST);
    });
});
