import { Facet, Product } from '@vendure/core';
import type { Shop } from '../shop';
import { makeSuiteChannels } from '../suite-channels';

/** Vendure as it comes, save for custom fields that are relations, with channels for suites that share it. */
export const shop: Shop = {
    config: {
        customFields: {
            Product: [
                { name: 'goesWith', type: 'relation', entity: Product, list: true },
                { name: 'mainFacet', type: 'relation', entity: Facet },
            ],
            CustomerGroup: [{ name: 'facets', type: 'relation', entity: Facet, list: true }],
        },
    },
    populate: makeSuiteChannels,
};
