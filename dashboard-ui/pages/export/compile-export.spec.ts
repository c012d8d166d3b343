import { columnNames, compileExport } from './compile-export';
import { defaultFields, fieldsInLanguage } from './export-fields';
import { type ExportPlan, type ExportShop, missingOf } from './export-plan';
import { newPlan } from './new-plan';

const shop: ExportShop = {
    languages: ['en', 'de'],
    defaultLanguage: 'en',
    currency: 'EUR',
    pricesIncludeTax: true,
    moneyDecimals: 2,
    taxRates: [],
    facets: [
        { code: 'brand', name: 'Brand' },
        { code: 'is-it', name: 'Is it?' },
        { code: 'is-it-2', name: 'Is it!' },
    ],
    stockLocations: ['Main'],
    customFields: [{ entity: 'Product', name: 'ean', label: 'EAN' }],
    pictureUrl: 'https://shop.example.com/assets/',
};
const plan = (more: Partial<ExportPlan> = {}): ExportPlan => ({ ...newPlan(shop, 'Europe/Berlin'), ...more });
const configOf = (made: ExportPlan, key: string) =>
    compileExport(made, shop).steps.find(step => step.key === key)!.config as Record<string, never>;

describe('the pipeline of an export', () => {
    it('has the columns that the import recognises, and those of other languages with their language', () => {
        expect(columnNames(plan(), shop)).toEqual([
            'slug',
            'name',
            'description',
            'enabled',
            'assets',
            'sku',
            'optionGroups',
            'optionValues',
            'price',
            'taxCategory',
            'stock',
            'facet:Brand',
            'facet:Is it?',
            'facet:Is it!',
        ]);
        const german = plan({ language: 'de', fields: fieldsInLanguage(plan(), shop, 'de') });
        expect(columnNames(german, shop).slice(0, 3)).toEqual(['slug_de', 'name_de', 'description_de']);
        expect(columnNames(german, shop).slice(-3)).toEqual(['facet:brand', 'facet:is-it', 'facet:is-it-2']);
        expect(columnNames(plan({ format: 'XML' }), shop).slice(-3)).toEqual([
            'facet_Brand',
            'facet_Is_it_',
            'facet_Is_it__2',
        ]);
    });

    it('reads the relations of its fields alone', () => {
        const fields = defaultFields('VARIANTS', shop, 'en').filter(({ column }) => ['sku', 'name'].includes(column));
        expect(configOf(plan({ fields }), 'shop')).toEqual({
            adapterCode: 'platformQuery',
            entity: 'PRODUCT_VARIANT',
            relations: ['product'],
            languageCode: 'en',
            batchSize: 500,
            sortBy: 'productId',
        });
    });

    it('gives feeds the tax rates that prices include, or those of the country', () => {
        const rate = (category: string, percent: number, countries: readonly string[], isDefault = false) => ({
            category,
            percent,
            countries,
            isDefault,
        });
        const taxRates = [
            rate('Standard', 19, ['DE'], true),
            rate('Reduced', 7, ['DE'], true),
            rate('Standard', 20, ['AT', 'FR']),
        ];
        const feedIn = (country: string) => plan({ format: 'GOOGLE', feed: { ...plan().feed, country } });
        const percentsOf = (country: string, pricesIncludeTax: boolean) => {
            const { steps } = compileExport(feedIn(country), { ...shop, taxRates, pricesIncludeTax });
            const operators = steps.find(({ key }) => key === 'columns')!.config['operators'];
            const found = (operators as ReadonlyArray<{ op: string; args: { cases: unknown } }>).find(
                ({ op }) => op === 'switch',
            );
            return found?.args.cases;
        };
        const own = [
            { value: 'Standard', result: 19 },
            { value: 'Reduced', result: 7 },
        ];
        expect(percentsOf('AT', false)).toEqual([{ value: 'Standard', result: 20 }]);
        expect(percentsOf('DE', false)).toEqual(own);
        expect(percentsOf('CH', false)).toEqual(own);
        expect(percentsOf('US', true)).toEqual(own);
        const { config } = compileExport(feedIn('DE'), shop).steps.find(({ key }) => key === 'shop')!;
        expect(config['relations']).not.toContain('taxCategory');
    });

    it('starts each day at its time, and goes to the connection', () => {
        const made = plan({
            dailyAt: '03:05',
            destination: 'SFTP',
            connectionCode: 'partner',
            folder: ' out ',
            fileName: 'products-${date}.csv',
        });
        expect(configOf(made, 'daily')).toEqual({ type: 'SCHEDULE', cron: '5 3 * * *', timezone: 'Europe/Berlin' });
        expect(configOf(made, 'export')).toMatchObject({
            connectionCode: 'partner',
            folder: 'out',
            fileName: 'products-${date}.csv',
        });
        expect(missingOf(made)).toBeUndefined();
        expect(missingOf({ ...made, connectionCode: '' })).toBe('CONNECTION');
        expect(missingOf({ ...made, dailyAt: '24:00' })).toBe('TIME');
        expect(missingOf({ ...made, fields: [] })).toBe('FIELDS');
        expect(missingOf({ ...made, format: 'META' })).toBe('FEED');
    });
});
