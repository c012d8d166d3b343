import { Product, ProductTranslation } from '@vendure/core';
import { describeAs, members, translated } from '../entities/description';
import { MAX_LARGE } from '../entities/unit-of-work';
import { flag } from '../entities/value-fields';
import { slugOf } from '../entities/slug';
import { facetValue } from './facet-value';
import { ofCatalogue } from './permissions';
import { ProductState } from './product-state';

/** Products, found by their slugs in the run's language, or by their names. */
export const product = describeAs(ProductState, {
    name: 'Product',
    called: ['product', 'products'],
    type: Product,
    texts: ProductTranslation,
    key: { field: 'slug', holds: 'slug', isTranslated: true, made: { of: 'name', by: slugOf }, among: 'channel' },
    isOfChannels: true,
    customFields: 'Product',
    permissions: ofCatalogue('Product'),
    fields: {
        name: translated('name'),
        description: translated('description', { mayBeEmpty: true }),
        enabled: flag('whether it is enabled', true),
        facetValues: members(facetValue, 'list of "facet:value"'),
    },
    further: ['featuredAssetId'],
    mostPlanned: MAX_LARGE,
    uses: [],
});
