import { compileExport } from '../dashboard-ui/pages/export/compile-export';
import { fieldsOf, offeredFields } from '../dashboard-ui/pages/export/export-fields';
import { EXPORT_ENTITIES, EXPORT_FORMATS, type ExportShop } from '../dashboard-ui/pages/export/export-plan';
import { newPlan } from '../dashboard-ui/pages/export/new-plan';
import { fileExport } from '../src/adapters/sinks/file-export';
import { operators } from '../src/core/operators';
import { platformQuery } from '../src/platform/extractors/platform-query';

const shop: ExportShop = {
    languages: ['en', 'de'],
    defaultLanguage: 'en',
    currency: 'EUR',
    pricesIncludeTax: true,
    moneyDecimals: 2,
    taxRates: [{ category: 'Standard', percent: 19, countries: ['DE'], isDefault: true }],
    facets: [{ code: 'brand', name: 'Brand' }],
    stockLocations: ['Main'],
    customFields: [{ entity: 'Product', name: 'ean', label: 'EAN' }],
    pictureUrl: '',
};

interface Call {
    readonly op: string;
    readonly args: object;
}

describe('what the export wizard makes', () => {
    const cases = EXPORT_ENTITIES.flatMap(entity =>
        EXPORT_FORMATS.filter(format => entity === 'VARIANTS' || (format !== 'GOOGLE' && format !== 'META')).flatMap(
            format => shop.languages.map(language => [entity, format, language] as const),
        ),
    );

    it.each(cases)('of %s as %s in %s has valid settings', (entity, format, language) => {
        const plan = {
            ...newPlan(shop, 'UTC'),
            entity,
            format,
            language,
            fields: fieldsOf(offeredFields(entity, shop, language), () => true),
            filters: { isEnabled: true, facetValue: { facet: 'brand', value: 'a' }, updatedSince: '2026-01-31' },
            feed: { productUrl: 'https://shop.example.com/p', pictureUrl: 'https://a.example.com', country: 'DE' },
        };
        const { steps } = compileExport(plan, shop);
        const argsOf = (key: string): Readonly<Record<string, unknown>> => {
            const { adapterCode: _, ...args } = steps.find(step => step.key === key)!.config;
            return args;
        };
        expect(platformQuery.config.safeParse(argsOf('shop')).error).toBeUndefined();
        expect(fileExport.config.safeParse(argsOf('export')).error).toBeUndefined();
        for (const { op, args } of argsOf('columns')['operators'] as readonly Call[])
            expect(operators.find(({ code }) => code === op)!.config.safeParse(args).error).toBeUndefined();
    });
});
