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
        isPrivate: flag('whether it is hidden from customers', false),
        inheritFilters: flag('whether it inherits the filters of its parent', true),
        parent: refined('parent collection: its slug or name, or the list of the names from the top level down to it'),
        position: refined('position among its siblings'),
        filters: refined('list of filters, each as {code, args}'),
        assets: refined('list of assets'),
        featuredAsset: refined('featured asset'),
    },
    further: ['parentId', 'position', 'filters', 'isRoot', 'featuredAssetId'],
    uses: [],
});
