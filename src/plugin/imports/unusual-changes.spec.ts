import type { JsonObject } from '../../core/value/json';
import { ObservedChanges } from './unusual-changes';

interface Changed {
    readonly key: string;
    readonly action?: string;
    readonly before?: JsonObject;
    readonly after?: JsonObject;
}

function warningsOf(changes: readonly Changed[], totals = { loaded: 100, existing: 100 }) {
    const seen = new ObservedChanges();
    for (const { key, action = 'UPDATE', before = null, after = null } of changes)
        seen.add({ stepKey: 'products', action, key, before, after });
    return seen.warnings(totals);
}

const products = (count: number, make: (i: number) => Omit<Changed, 'key'>): readonly Changed[] =>
    Array.from({ length: count }, (_, i) => ({ key: `P-${i}`, ...make(i) }));

describe('unusual changes', () => {
    it('are more than a fifth of prices that change by more than half', () => {
        const half = (price: number) => ({ before: { variants: [{ price: 1000 }] }, after: { variants: [{ price }] } });
        expect(warningsOf(products(21, () => half(1501)))).toEqual([
            { code: 'MANY_PRICE_CHANGES', args: { count: 21, total: 100 } },
        ]);
        expect(warningsOf(products(21, () => half(499)))).toMatchObject([{ code: 'MANY_PRICE_CHANGES' }]);
        expect(warningsOf(products(21, () => half(1500)))).toEqual([]);
        expect(warningsOf(products(20, () => half(1501)))).toEqual([]);
    });

    it('are prices below a hundredth of the median', () => {
        const created = products(40, i => ({ action: 'CREATE', after: { price: i === 0 ? 9 : 1000 } }));
        expect(warningsOf(created)).toEqual([{ code: 'VERY_LOW_PRICES', args: { count: 1 } }]);
        expect(warningsOf(created.slice(0, 10))).toEqual([]);
    });

    it('are more than a tenth of the products that would be disabled', () => {
        const disabled = products(11, () => ({ before: { enabled: true }, after: { enabled: false } }));
        expect(warningsOf(disabled)).toEqual([{ code: 'MANY_DISABLED', args: { count: 11, total: 100 } }]);
        expect(warningsOf(disabled.slice(1))).toEqual([]);
        const created = products(50, () => ({ action: 'CREATE', after: { enabled: false } }));
        expect(warningsOf(created)).toEqual([]);
    });

    it('are keys that occur twice', () => {
        expect(warningsOf([{ key: 'A' }, { key: 'A' }, { key: 'B' }])).toEqual([
            { code: 'DUPLICATE_KEYS', args: { count: 1 } },
        ]);
    });
});
