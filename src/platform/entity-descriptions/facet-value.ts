import { FacetValue, FacetValueTranslation, Product, ProductVariant } from '@vendure/core';
import { slugOf } from '../entities/slug';
import { describeEntity, ref, translated } from '../entities/description';
import { memberReference } from '../entities/delete-references';
import { facet } from './facet';
import { ofCatalogue } from './permissions';

/** The values of facets; a code is that of one value of its facet. */
export const facetValue = describeEntity({
    name: 'FacetValue',
    called: ['facet value', 'facet values'],
    type: FacetValue,
    texts: FacetValueTranslation,
    key: { field: 'code', holds: 'code', within: 'facet', made: { of: 'name', by: slugOf }, among: 'shop' },
    isOfChannels: true,
    customFields: 'FacetValue',
    permissions: ofCatalogue('Facet'),
    fields: {
        facet: ref(facet, "facet's code or name"),
        name: translated('name'),
    },
    uses: [
        memberReference({ called: ['product', 'products'], of: Product, relation: 'facetValues' }),
        memberReference({ called: ['variant', 'variants'], of: ProductVariant, relation: 'facetValues' }),
    ],
});
