import { api, useChannel, usePermissions, useQuery, useServerConfig } from '@vendure/dashboard';
import { useMemo } from 'react';
import type { ExportShop, ExportTaxRate } from './export-plan';

/** Vendure's part of the admin API; only Flow's part has generated types. */
const FACETS = `query FlowExportFacets { facets { items { code name translations { languageCode name } } } }`;
const VALUES = `query FlowExportFacetValues($code: String!) {
    facets(options: { filter: { code: { eq: $code } } }) { items { values { code name } } }
}`;
const LOCATIONS = `query FlowExportLocations { stockLocations(options: { take: 100, sort: { name: ASC } }) { items { name } } }`;
const PICTURE = `query FlowExportPicture { assets(options: { take: 1 }) { items { preview } } }`;

const TAX_RATES = `query FlowExportTaxRates {
    activeChannel { defaultTaxZone { id } }
    taxRates(options: { take: 100 }) { items { enabled value category { name } customerGroup { id } zone { id members { code } } } }
}`;

interface TaxRates {
    readonly activeChannel: { readonly defaultTaxZone: { readonly id: string } | null };
    readonly taxRates: {
        readonly items: ReadonlyArray<{
            readonly enabled: boolean;
            readonly value: number;
            readonly category: { readonly name: string };
            readonly customerGroup: { readonly id: string } | null;
            readonly zone: { readonly id: string; readonly members: ReadonlyArray<{ readonly code: string }> };
        }>;
    };
}

interface FacetRow {
    readonly code: string;
    readonly name: string;
    readonly translations: ReadonlyArray<{ readonly languageCode: string; readonly name: string }>;
}

/** What exports depend on; undefined until it is known. What the user may not read is left out. */
export function useExportShop(): ExportShop | undefined {
    const { activeChannel } = useChannel();
    const config = useServerConfig();
    const { hasPermissions } = usePermissions();
    const channel = activeChannel?.id;
    const facets = useQuery({
        queryKey: ['flow', 'export-facets', channel],
        queryFn: () => api.query<{ readonly facets: { readonly items: readonly FacetRow[] } }>(FACETS),
        enabled: hasPermissions(['ReadCatalog']) || hasPermissions(['ReadFacet']),
        retry: false,
    });
    const locations = useQuery({
        queryKey: ['flow', 'export-locations', channel],
        queryFn: () =>
            api.query<{ readonly stockLocations: { readonly items: ReadonlyArray<{ readonly name: string }> } }>(
                LOCATIONS,
            ),
        enabled: hasPermissions(['ReadCatalog']) || hasPermissions(['ReadStockLocation']),
        retry: false,
    });
    const pictures = useQuery({
        queryKey: ['flow', 'export-picture', channel],
        queryFn: () =>
            api.query<{ readonly assets: { readonly items: ReadonlyArray<{ readonly preview: string }> } }>(PICTURE),
        enabled: hasPermissions(['ReadCatalog']) || hasPermissions(['ReadAsset']),
        retry: false,
    });
    const taxes = useQuery({
        queryKey: ['flow', 'export-tax-rates', channel],
        queryFn: () => api.query<TaxRates>(TAX_RATES),
        enabled: hasPermissions(['ReadSettings']) || hasPermissions(['ReadTaxRate']),
        retry: false,
    });
    const isPending = [facets, locations, pictures, taxes].some(({ isLoading }) => isLoading);
    return useMemo(() => {
        if (!activeChannel || !config || isPending) return undefined;
        const { defaultLanguageCode: defaultLanguage, availableLanguageCodes, defaultCurrencyCode } = activeChannel;
        const [picture] = pictures.data?.assets.items ?? [];
        return {
            languages: availableLanguageCodes ?? [defaultLanguage],
            defaultLanguage,
            currency: defaultCurrencyCode,
            pricesIncludeTax: activeChannel.pricesIncludeTax,
            moneyDecimals: config.moneyStrategyPrecision,
            taxRates: taxes.data ? taxRatesOf(taxes.data) : [],
            facets: (facets.data?.facets.items ?? []).map(({ code, name, translations }) => ({
                code,
                name: translations.find(one => one.languageCode === defaultLanguage)?.name ?? name,
            })),
            stockLocations: [...new Set((locations.data?.stockLocations.items ?? []).map(({ name }) => name))],
            customFields: config.entityCustomFields.flatMap(({ entityName, customFields }) =>
                customFields.flatMap(({ name, type, list, label }) =>
                    type === 'relation' || type === 'struct' || list
                        ? []
                        : [{ entity: entityName, name, label: label?.[0]?.value ?? name }],
                ),
            ),
            pictureUrl: picture ? beforePreview(picture.preview) : '',
        };
    }, [activeChannel, config, facets.data, locations.data, pictures.data, taxes.data, isPending]);
}

/** The rates that all customers of a zone pay. */
function taxRatesOf({ activeChannel, taxRates }: TaxRates): readonly ExportTaxRate[] {
    return taxRates.items
        .filter(({ enabled, customerGroup }) => enabled && !customerGroup)
        .map(({ value, category, zone }) => ({
            category: category.name,
            percent: value,
            countries: zone.members.map(({ code }) => code),
            isDefault: zone.id === activeChannel.defaultTaxZone?.id,
        }));
}

/** The address before the path under which the shop stores a picture. */
function beforePreview(address: string): string {
    const at = address.indexOf('/preview/');
    return at < 0 ? '' : address.slice(0, at + 1);
}

interface FacetValue {
    readonly code: string;
    readonly name: string;
}

/** The values of a facet. */
export function useFacetValues(code: string | undefined): readonly FacetValue[] {
    const { data } = useQuery({
        queryKey: ['flow', 'export-facet-values', code],
        queryFn: () =>
            api.query<{
                readonly facets: { readonly items: ReadonlyArray<{ readonly values: readonly FacetValue[] }> };
            }>(VALUES, { code }),
        enabled: code !== undefined,
    });
    return data?.facets.items[0]?.values ?? [];
}
