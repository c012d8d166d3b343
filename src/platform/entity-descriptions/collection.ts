import { Collection, CollectionTranslation } from '@vendure/core';
import { describeAs, refined, translated } from '../entities/description';
import { flag } from '../entities/value-fields';
import { slugOf } from '../entities/slug';
import { CollectionState } from './collection-state';
import { ofCatalogue } from './permissions';

/** Collections, found by their slugs in the run's language, or by their names among those of one parent. */
export const collection = describeAs(CollectionState, {
    name: 'Collection',
    called: ['collection', 'collections'],
    type: Collection,
    texts: CollectionTranslation,
    key: {
        field: 'slug',
        holds: 'slug',
        isTranslated: true,
        made: { of: 'name', by: slugOf, nameWithin: 'parent' },
        among: 'channel',
    },
    isOfChannels: true,
    customFields: 'Collection',
    permissions: ofCatalogue('Collection'),
    fields: {
        name: translated('name'),
        description: translated('description', { mayBeEmpty: true }),
        isPrivate: flag('switch that hides it from customers', false),
        inheritFilters: flag('whether it inherits the filters of its parent', true),
        parent: refined('slug or name of the parent collection'),
        position: refined('number that it is sorted by among its siblings'),
        filters: refined('list of filters, {code, args} each'),
        assets: refined('list of assets'),
        featuredAsset: refined('asset that is shown first'),
    },
    further: ['parentId', 'position', 'filters', 'isRoot', 'featuredAssetId'],
    uses: [],
});
