import { defaultFields } from './export-fields';
import type { ExportPlan, ExportShop } from './export-plan';

/** Names of facets with brands. */
const BRAND = /^(?:brand|marke|manufacturer|hersteller|maker|marque|marca|merk)$/i;

/** All products and variants as a CSV file that is downloaded once. */
export function newPlan(shop: ExportShop, timezone: string): ExportPlan {
    const brand = shop.facets.find(({ code, name }) => BRAND.test(code) || BRAND.test(name));
    return {
        entity: 'VARIANTS',
        filters: {},
        language: shop.defaultLanguage,
        fields: defaultFields('VARIANTS', shop, shop.defaultLanguage),
        format: 'CSV',
        delimiter: ',',
        feed: {
            productUrl: '',
            pictureUrl: shop.pictureUrl,
            country: '',
            ...(brand && { brandFacet: brand.code }),
        },
        destination: 'DOWNLOAD',
        connectionCode: '',
        folder: '',
        fileName: '',
        timezone,
    };
}
