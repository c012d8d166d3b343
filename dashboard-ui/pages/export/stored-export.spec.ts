import { isChosen, type ExportShop } from './export-plan';
import { newPlan } from './new-plan';
import { exportStore } from './stored-export';

const shop: ExportShop = {
    languages: ['en', 'de'],
    defaultLanguage: 'en',
    currency: 'EUR',
    pricesIncludeTax: true,
    moneyDecimals: 2,
    stockLocations: [],
    taxRates: [],
    facets: [{ code: 'brand', name: 'Brand' }],
    customFields: [],
    pictureUrl: '',
};
const plan = newPlan(shop, 'Europe/Berlin');

function memory() {
    const values = new Map<string, string>();
    return {
        values,
        getItem: (name: string) => values.get(name) ?? null,
        setItem: (name: string, value: string) => void values.set(name, value),
        removeItem: (name: string) => void values.delete(name),
    };
}

describe('an unfinished export', () => {
    it('is kept for its channel until it is dropped', () => {
        const storage = memory();
        const store = exportStore(storage, '1');
        const changed = { ...plan, format: 'XLSX' as const, dailyAt: '03:00' };
        store.keep({ plan: changed, name: 'Every night' });
        expect(store.find(shop)).toEqual({ plan: changed, name: 'Every night' });
        expect(exportStore(storage, '2').find(shop)).toBeUndefined();
        store.drop();
        expect(store.find(shop)).toBeUndefined();
    });

    it('has no fields, filters and languages that the shop has lost', () => {
        const store = exportStore(memory(), '1');
        const filters = { isEnabled: true, facetValue: { facet: 'brand', value: 'lumen' } };
        store.keep({ plan: { ...plan, language: 'de', filters } });
        const restored = store.find({ ...shop, languages: ['en'], facets: [] })!.plan;
        expect(restored).toMatchObject({ language: 'en', filters: { isEnabled: true } });
        expect(restored.filters.facetValue).toBeUndefined();
        expect(restored.fields.map(({ column }) => column)).toEqual(
            plan.fields.map(({ column }) => column).filter(column => column !== 'facet:Brand'),
        );
        expect(isChosen(restored)).toBe(true);
    });

    it.each([
        'nonsense',
        'null',
        '7',
        '{}',
        '{"version":2,"plan":{"entity":"VARIANTS"}}',
        '{"version":1,"plan":{"entity":"X"}}',
    ])('is not restored from %j', text => {
        const storage = memory();
        storage.values.set('flow-export-1', text);
        expect(exportStore(storage, '1').find(shop)).toBeUndefined();
    });
});
