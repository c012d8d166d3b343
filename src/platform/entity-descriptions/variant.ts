import { ProductVariant, ProductVariantTranslation } from '@vendure/core';
import { describeAs, members, translated } from '../entities/description';
import { MAX_LARGE } from '../entities/unit-of-work';
import { flag } from '../entities/value-fields';
import { facetValue } from './facet-value';
import { ofCatalogue } from './permissions';
import { VariantState } from './variant-state';

/** Variants of products, found by their SKUs, which no index keeps unique. */
export const variant = describeAs(VariantState, {
    name: 'ProductVariant',
    called: ['variant', 'variants'],
    type: ProductVariant,
    texts: ProductVariantTranslation,
    key: { field: 'sku', holds: 'SKU', among: 'channel' },
    isOfChannels: true,
    customFields: 'ProductVariant',
    permissions: ofCatalogue('Product'),
    fields: {
        name: translated('name'),
        enabled: flag('whether it is enabled', true),
        facetValues: members(facetValue, 'list of "facet:value"'),
    },
    further: [
        'productId',
        'trackInventory',
        'taxCategoryId',
        'outOfStockThreshold',
        'useGlobalOutOfStockThreshold',
        'featuredAssetId',
    ],
    mostPlanned: MAX_LARGE,
    uses: [],
});
