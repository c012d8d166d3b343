import { type CauseCode, importCauseOf, type ImportReject } from './import-cause';
import type { ImportPlan, Remedy } from './import-plan';
import { applyRemedy, remediesOf, removeRemedy } from './import-remedies';
import { filledBy, CUSTOMERS, ORDERS, PRICE_LIST, PRICES, STOCK } from '../../../test/fixtures/import-plans';

const typesOf = (remedies: readonly Remedy[]): readonly string[] => remedies.map(({ type }) => type);

describe('importCauseOf', () => {
    it.each<readonly [CauseCode, Partial<ImportReject>, ImportPlan]>([
        ['ROW', { stepKey: 'file', path: 'Art\\.-Nr\\.' }, PRICE_LIST],
        ['NO_PRICE', { path: 'price' }, PRICE_LIST],
        ['NO_PRICE', { path: 'prices.EUR', payload: { prices: { USD: 1 } } }, PRICE_LIST],
        ['CURRENCY', { path: 'prices.USD', payload: { prices: { USD: 1 } } }, PRICE_LIST],
        ['NEGATIVE', { path: 'stock', payload: { stock: -1 } }, PRICE_LIST],
        ['NOT_A_NUMBER', { path: 'stock', payload: { stock: 'many' } }, PRICE_LIST],
        ['UNKNOWN_FACET_VALUE', { path: 'facetValues.0', payload: { facetValues: ['Warengruppe:Bad'] } }, PRICE_LIST],
        ['DUPLICATE', { path: 'sku', payload: { sku: 'A' } }, PRICE_LIST],
        ['SAME_OPTIONS', { path: 'variants.1.options' }, PRICE_LIST],
        ['PICTURE', { path: 'variants.1.assets.0' }, PRICE_LIST],
        ['LANGUAGE', { path: 'translations.fr' }, PRICE_LIST],
        ['EMPTY', { path: 'name' }, PRICE_LIST],
        ['OTHER', { path: 'name', payload: { name: 'A' } }, PRICE_LIST],
        ['OTHER', {}, PRICE_LIST],
        ['UNKNOWN_SKU', { path: 'sku', payload: { sku: 'A' } }, STOCK],
        ['EMPTY', { path: 'sku' }, PRICES],
        ['UNKNOWN', { path: 'addresses.0.country', payload: { addresses: [{ country: 'ZZ' }] } }, CUSTOMERS],
        ['EMAIL', { path: 'emailAddress', payload: { emailAddress: 'anna' } }, CUSTOMERS],
        ['DATE', { stepKey: 'to-order', path: 'orderPlacedAt' }, ORDERS],
    ])('finds %s', (code, { stepKey = 'products', path, payload = {} }, plan) => {
        expect(importCauseOf({ stepKey, path, payload }, plan).code).toBe(code);
    });

    it('names the field, its column and the value of the row', () => {
        const payload = { 'Art.-Nr.': 'A', 'UVP €': 'auf Anfrage' };
        expect(importCauseOf({ stepKey: 'to-product', path: 'price', payload }, PRICE_LIST)).toEqual({
            code: 'NOT_A_NUMBER',
            path: 'price',
            args: { field: 'price', column: 'UVP €', value: 'auf Anfrage' },
        });
    });

    it('shortens a long value, for which no replacement is offered', () => {
        const plan = { ...PRICE_LIST, fields: [...PRICE_LIST.fields, filledBy('taxCategory', 'Steuer')] };
        const payload = { taxCategory: '19 % '.repeat(100_000) };
        const cause = importCauseOf({ stepKey: 'products', path: 'taxCategory', payload }, plan);
        expect(cause.code).toBe('UNKNOWN_TAX_CATEGORY');
        expect(cause.args['value']).toBe(`${payload.taxCategory.slice(0, 255)}…`);
        const taxCategories = [{ name: 'Standard', percent: 19, isDefault: true }];
        expect(remediesOf(cause, plan, { taxCategories })).toEqual([]);
    });

    it('names the facet of a value', () => {
        const plan = { ...PRICE_LIST, fields: [...PRICE_LIST.fields, filledBy('facet:Marke', 'Marke')] };
        const payload = { facetValues: ['Marke:Holz'] };
        expect(importCauseOf({ stepKey: 'products', path: 'facetValues.0', payload }, plan).args).toMatchObject({
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
