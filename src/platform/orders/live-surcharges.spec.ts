import type { RequestContext } from '@vendure/core';
import { RecordIssues } from '../entities/record-issues';
import type { LivePayment, LiveSurcharge } from './live-record';
import { checkPaid, checkPlacedSurcharges, requestedSurcharges, without } from './live-surcharges';

const ctx = { channel: { pricesIncludeTax: true } } as RequestContext;
const requested = (description: string, price = 300, more: Partial<LiveSurcharge> = {}): LiveSurcharge => ({
    ...{ path: 'surcharges.0', description, sku: '', price, priceIncludesTax: undefined, taxLines: [] },
    ...more,
});
const stored = (description: string, price = 300) => ({
    ...{ description, sku: '', price, priceIncludesTax: true, taxLines: [] },
});
const faultsOf = (judge: (issues: RecordIssues) => void): unknown => {
    const issues = new RecordIssues();
    judge(issues);
    return issues.count === 0 ? undefined : issues.error().details?.['field'];
};

describe('surcharges of an order that lives', () => {
    it('are compared as often as they occur', () => {
        expect(without(['a', 'b', 'a'], ['a'])).toEqual(['b', 'a']);
        expect(without(['a'], ['a', 'a'])).toEqual([]);
        expect(without([{ a: 1, b: 2 }], [{ b: 2, a: 1 }])).toEqual([]);
    });

    it('stay in their order, lose those that a record does not name, and get its additional ones', () => {
        const had = [stored('Wrap'), stored('Handling')];
        const desired = (said: readonly LiveSurcharge[], strategy: 'UPSERT' | 'MERGE' = 'UPSERT') =>
            requestedSurcharges(said, had, { strategy, ctx });
        expect(desired([requested('Handling'), requested('Wrap')])).toEqual(had);
        expect(desired([requested('Handling'), requested('Card')])).toEqual([stored('Handling'), stored('Card')]);
        expect(desired([requested('Wrap', 200)], 'MERGE')).toEqual([...had, stored('Wrap', 200)]);
        expect(desired([])).toEqual([]);
        expect(desired([requested('Wrap', 300, { priceIncludesTax: false })])).toEqual([
            { ...stored('Wrap'), priceIncludesTax: false },
        ]);
    });

    it('are not taken off an order that was placed, nor taxed twice', () => {
        const judged = (after: readonly ReturnType<typeof stored>[], said: readonly LiveSurcharge[] = []) =>
            faultsOf(issues =>
                checkPlacedSurcharges({ before: [stored('Wrap')], after }, said, {
                    faults: issues,
                    path: 'surcharges',
                }),
            );
        expect(judged([stored('Wrap'), stored('Card')])).toBeUndefined();
        expect(judged([stored('Card')])).toBe('surcharges');
        const taxLines = [1, 2].map(taxRate => ({ description: 'VAT', taxRate }));
        expect(judged([stored('Wrap')], [requested('Card', 1, { taxLines })])).toBe('surcharges.0.taxLines');
    });
});

it('payments of an order that lives add up to what it costs', () => {
    const payments = [1000, 2000].map((amount, i): LivePayment => ({
        path: `payments.${i}`,
        method: 'card',
        amount,
        transactionId: '',
        metadata: {},
    }));
    const paid = (some: readonly LivePayment[], total: number) =>
        faultsOf(issues => checkPaid(some, total, { faults: issues, path: 'payments' }));
    expect(paid(payments, 3000)).toBeUndefined();
    expect(paid(payments, 2999)).toBe('payments');
    expect(paid(payments.slice(1), 3000)).toBe('payments.1.amount');
});
