import { Facet, FacetTranslation, FacetValue, Product, ProductVariant } from '@vendure/core';
import { slugOf } from '../entities/slug';
import { describeEntity, translated } from '../entities/description';
import { flag } from '../entities/value-fields';
import { memberReference } from '../entities/delete-references';
import { ofCatalogue } from './permissions';

const through = { type: FacetValue, owner: 'facetId' };

/** Facets; a code is that of one facet in the whole shop. */
export const facet = describeEntity({
    name: 'Facet',
    called: ['facet', 'facets'],
    type: Facet,
    texts: FacetTranslation,
    key: { field: 'code', holds: 'code', made: { of: 'name', by: slugOf }, among: 'index' },
    isOfChannels: true,
    customFields: 'Facet',
    permissions: ofCatalogue('Facet'),
    fields: {
        name: translated('name'),
        isPrivate: flag('whether it is hidden from customers', false),
    },
    uses: [
        memberReference({ called: ['product', 'products'], of: Product, relation: 'facetValues', through }),
        memberReference({ called: ['variant', 'variants'], of: ProductVariant, relation: 'facetValues', through }),
    ],
});
