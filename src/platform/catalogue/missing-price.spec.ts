import { rules } from '../../../test/kit/record-rules';
import type { JsonObject } from '../../core/value/json';
import { VariantState } from '../entity-descriptions/variant-state';
import { Columns } from '../entities/columns';
import { FieldReader } from '../entities/read-field';
import { RecordIssues } from '../entities/record-issues';
import type { CatalogueContext } from './catalogue';
import { fieldNames, type MissingPrice } from './load-config';
import { dependsOnStoredPrice, gainsPrice, hasNoPrice, mustStayDisabled, requirePrice } from './missing-price';
import { readVariant } from './read-variant';

const catalogue = { reference: rules.reference } as CatalogueContext;

/** A record as a step reads it, and the fields for which it is rejected. */
function read(record: JsonObject, missingPrice: MissingPrice) {
    const issues = new RecordIssues();
    const prices = { ...rules.prices, mayBeEmpty: missingPrice !== 'REJECT' };
    const place = { names: fieldNames({}), isFlat: false };
    const desired = readVariant(new FieldReader({ sku: 'A', ...record }, issues), { ...rules, prices }, place);
    if (desired) requirePrice({ catalogue, missingPrice }, desired, issues);
    return { desired: desired!, field: issues.count > 0 ? issues.error().details?.['field'] : undefined };
}

function stored(columns: JsonObject, price?: number): VariantState {
    const variant = new VariantState(1, new Columns({ ...columns }), 'A');
    variant.prices = price === undefined ? [] : [{ id: 1, channelId: 1, currency: 'USD', stored: price, price }];
    return variant;
}

const WITHOUT: ReadonlyArray<readonly [string, JsonObject, string]> = [
    ['absent', {}, 'price'],
    ['null', { price: null }, 'price'],
    ['empty text', { price: '' }, 'price'],
    ['blank text', { price: ' ' }, 'price'],
    ['in another currency', { prices: { EUR: 900 } }, 'prices.USD'],
    ['null among several currencies', { prices: { USD: null, EUR: 900 } }, 'prices.USD'],
];

describe('a new variant whose price is', () => {
    it.each(WITHOUT)('%s is rejected at its price', (_, record, field) => {
        expect(read(record, 'REJECT').field).toBe(field);
    });

    it.each(WITHOUT)('%s stays disabled in a step with DISABLE, and may be enabled in one with ZERO', (_, record) => {
        const outcomes = (['DISABLE', 'ZERO'] as const).map(missingPrice => {
            const { desired, field } = read({ ...record, enabled: true }, missingPrice);
            const step = { catalogue, missingPrice };
            return [field, hasNoPrice(step, desired), mustStayDisabled(step, desired, undefined)];
        });
        expect(outcomes).toEqual([
            [undefined, true, true],
            [undefined, true, false],
        ]);
    });

    it.each([0, 1999])('%i is neither rejected nor disabled', price => {
        const { desired, field } = read({ price }, 'REJECT');
        expect([field, mustStayDisabled({ catalogue, missingPrice: 'DISABLE' }, desired, undefined)]).toEqual([
            undefined,
            false,
        ]);
    });
});

describe('in a step with DISABLE, a variant that is stored', () => {
    const step = { catalogue, missingPrice: 'DISABLE' } as const;

    it.each<[string, JsonObject, VariantState, boolean]>([
        ['stays disabled if it has no price', { enabled: true }, stored({ enabled: false }), true],
        ['stays disabled if its price is 0', { enabled: true }, stored({ enabled: false }, 0), true],
        ['is enabled if it has a price', { enabled: true }, stored({ enabled: false }, 500), false],
        ['is enabled if the record has a price', { enabled: true, price: 1 }, stored({ enabled: false }), false],
        ['stays enabled, whatever its price', { enabled: true }, stored({ enabled: true }, 0), false],
        ['is not changed by a record that does not enable it', {}, stored({ enabled: false }), false],
    ])('%s', (_, record, variant, expected) => {
        expect(mustStayDisabled(step, read(record, 'DISABLE').desired, variant)).toBe(expected);
    });

    it.each<[string, JsonObject, VariantState, boolean]>([
        ['is enabled by its first price', { price: 1999 }, stored({ enabled: false }), true],
        ['is enabled by a price in place of 0', { price: 1999 }, stored({ enabled: false }, 0), true],
        ['is not enabled by a price of 0', { price: 0 }, stored({ enabled: false }, 0), false],
        ['is not enabled by another price', { price: 1999 }, stored({ enabled: false }, 500), false],
        ['is as its record says', { price: 1999, enabled: false }, stored({ enabled: false }), false],
        ['is not enabled by a price in another currency', { prices: { EUR: 9 } }, stored({ enabled: false }), false],
        ['is not changed if it is enabled', { price: 1999 }, stored({ enabled: true }, 0), false],
    ])('%s', (_, record, variant, expected) => {
        expect(gainsPrice(step, read(record, 'DISABLE').desired, variant)).toBe(expected);
    });

    it('must be read with its prices only if a record enables it', () => {
        const given: readonly JsonObject[] = [{ enabled: true }, { enabled: false }, {}];
        const records = given.map(record => read(record, 'DISABLE').desired);
        expect(records.map(record => dependsOnStoredPrice(step, record))).toEqual([true, false, false]);
        expect(dependsOnStoredPrice({ missingPrice: 'ZERO' }, records[0]!)).toBe(false);
    });
});
