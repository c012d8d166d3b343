import type { JsonObject, JsonValue } from '../../core/value/json';
import { Columns } from '../entities/columns';
import type { Strategy } from '../entities/load-arguments';
import { furtherSurcharges, hasOtherLines, quantitiesOf, requestedLines } from './live-lines';
import type { LiveLine } from './live-record';
import { lineField } from './live-store';

const order = (more: Record<string, JsonValue> = {}): Columns =>
    new Columns({
        lines: [
            { sku: 'A', quantity: 2 },
            { sku: 'B', quantity: 1 },
        ],
        surcharges: [],
        ...more,
    });
const said = (lines: Readonly<Record<string, number>>): readonly LiveLine[] =>
    Object.entries(lines).map(([sku, quantity]) => ({ sku, quantity }) as LiveLine);

describe('the lines that an order gets', () => {
    const linesOf = (lines: Readonly<Record<string, number>>, strategy: Strategy): object =>
        Object.fromEntries(quantitiesOf(order({ lines: requestedLines(order(), said(lines), strategy) })));

    it('are those of the record, first the existing ones in their order', () => {
        expect(requestedLines(order(), said({ C: 5, B: 3, A: 1 }), 'UPSERT')).toEqual([
            { sku: 'A', quantity: 1 },
            { sku: 'B', quantity: 3 },
            { sku: 'C', quantity: 5 },
        ]);
    });

    it('are without those that the record does not have, except with MERGE', () => {
        expect(linesOf({ B: 3 }, 'UPSERT')).toEqual({ B: 3 });
        expect(linesOf({ B: 3 }, 'MERGE')).toEqual({ A: 2, B: 3 });
    });

    it('are kept with the quantity 0, which removes them, also with MERGE', () => {
        for (const strategy of ['UPSERT', 'MERGE'] as const)
            expect(linesOf({ A: 0, B: 1 }, strategy)).toEqual({ A: 0, B: 1 });
    });
});

it('an order has other lines if their list or the fields of one of them change', () => {
    const changed = (property: string): boolean => {
        const after = order();
        after.set(property, null);
        return hasOtherLines(after);
    };
    expect([changed('lines'), changed(lineField('A')), changed('surcharges'), hasOtherLines(order())]).toEqual([
        true,
        true,
        false,
        false,
    ]);
});

describe('the surcharges that an order gets in addition', () => {
    const surcharge = (description: string, more: JsonObject = {}): JsonObject => ({
        description,
        sku: '',
        price: 500,
        priceIncludesTax: true,
        taxLines: [],
        ...more,
    });
    const added = (before: readonly JsonObject[], after: readonly JsonObject[]) =>
        furtherSurcharges({ before: order({ surcharges: [...before] }), after: order({ surcharges: [...after] }) });

    it('are those that it does not have, each as often as the record has it', () => {
        const [gift, express] = [surcharge('Gift'), surcharge('Express')];
        expect(
            added([gift], [express, gift, gift])
                .map(({ description }) => description)
                .sort(),
        ).toEqual(['Express', 'Gift']);
        expect(added([gift, express], [express])).toEqual([]);
    });

    it('have the tax rate of their first tax line', () => {
        const taxed = surcharge('Gift', { taxLines: [{ taxRate: 19, description: 'VAT' }] });
        expect(added([], [taxed, surcharge('Plain')])).toEqual([
            { description: 'Gift', sku: '', price: 500, priceIncludesTax: true, taxRate: 19, taxDescription: 'VAT' },
            { description: 'Plain', sku: '', price: 500, priceIncludesTax: true },
        ]);
    });
});
