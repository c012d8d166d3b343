import type { LoaderFixture } from '../../core/adapter/loader';
import { collectionTree } from '../collections/collection-tree';
import { collection } from '../entity-descriptions/collection';
import { ASSETS_NOTES } from '../entity-assets/read-assets';
import { entityLoader } from '../entities/entity-loader';

/** What the examples begin with. */
const lamps: readonly LoaderFixture[] = [
    {
        loader: 'collectionUpsert',
        records: [
            { slug: 'lighting', name: 'Lighting' },
            { slug: 'lamps', name: 'Lamps', parent: 'lighting' },
        ],
    },
];

/** Collections with their tree and their filters, as CollectionService would have stored them one by one. */
export const collectionUpsert = entityLoader({
    code: 'collectionUpsert',
    title: 'Collections',
    category: 'Catalogue',
    entity: collection,
    refinement: collectionTree,
    missing: {
        entity: 'COLLECTION',
        told: { DISABLE: { isPrivate: true } },
        open: { DISABLE: { field: 'isPrivate', operator: 'eq', value: false } },
    },
    notes: [
        'A record is {slug, name, description, parent, position, isPrivate, inheritFilters, filters, assets, featuredAsset, translations: {de: {name, slug, description}}, customFields}.',
        'A record without a slug is matched by its name among the collections with the same parent; without parent, at the top level, or elsewhere if only one collection has that name. parent null means the top level. A new collection gets a slug derived from its name, with a number if another collection has that slug.',
        '`parent` is the slug or the name of another collection; null means the top level. The records of a batch may come in any order. A record whose parent comes in a later batch is rejected, unless createMissingParents is true.',
        'Without `position`, a new or moved collection comes after its siblings. A given position is stored unchanged; siblings keep theirs.',
        'A filter is {code, args: {name: value}}. Its arguments are checked against the shop\'s definition. Facet values are named as "facet:value", variants by SKU, products by slug.',
        "The record's filters replace the existing ones, null removes them all; with the strategy MERGE they are added.",
        'The variants of collections and of their descendants are updated once, at the end of the run, except with the side effects NONE.',
        'A collection with children is not deleted, unless the children are deleted in the same batch.',
        'A slug in another language that another collection has gets a number as suffix, as in the dashboard.',
        "The record's assets replace the existing ones; with the strategy MERGE they are added. A mode of the list takes precedence over the strategy.",
        ...ASSETS_NOTES,
    ],
    examples: [
        {
            note: 'A parent may come after its children.',
            in: [
                { slug: 'lamps', name: 'Lamps', parent: 'lighting', translations: { de: { name: 'Lampen' } } },
                { slug: 'lighting', name: 'Lighting', description: 'All that shines', isPrivate: true },
            ],
            keys: ['lamps', 'lighting', 'Lampen'],
            does: ['create', 'create'],
            after: [
                {
                    slug: 'lamps',
                    name: 'Lamps',
                    description: '',
                    parent: 'lighting',
                    'translations.de.slug': 'lampen',
                    'translations.de.name': 'Lampen',
                    'translations.de.description': '',
                },
                { slug: 'lighting', name: 'Lighting', description: 'All that shines', isPrivate: true },
            ],
        },
        {
            note: 'Moved to the top level, with only its own filter.',
            given: lamps,
            in: [
                {
                    slug: 'lamps',
                    parent: null,
                    position: 7,
                    inheritFilters: false,
                    filters: [{ code: 'variant-name-filter', args: { operator: 'contains', term: 'shade' } }],
                },
                { slug: 'lamps', name: 'Lamps' },
            ],
            keys: ['lighting', 'lamps'],
            does: ['update', 'unchanged'],
            after: [
                {
                    parent: null,
                    position: 7,
                    inheritFilters: false,
                    filters: [
                        {
                            code: 'variant-name-filter',
                            args: [
                                { name: 'operator', value: 'contains' },
                                { name: 'term', value: 'shade' },
                                { name: 'combineWithAnd', value: 'true' },
                            ],
                        },
                    ],
                },
            ],
        },
        {
            note: 'Variants that have a facet value.',
            given: [
                { loader: 'facetUpsert', records: [{ code: 'room', name: 'Room' }] },
                { loader: 'facetValueUpsert', records: [{ facet: 'room', code: 'attic', name: 'Attic' }] },
            ],
            in: [
                {
                    name: 'Below the roof',
                    filters: [
                        { code: 'facet-value-filter', args: { facetValueIds: ['room:attic'], containsAny: true } },
                    ],
                },
            ],
            keys: ['room', 'room:attic', 'Below the roof'],
            does: ['create'],
        },
        {
            given: lamps,
            in: [
                { slug: 'lighting', __operation: 'DELETE' },
                { slug: 'lamps', __operation: 'DELETE' },
            ],
            keys: ['lighting', 'lamps'],
            does: ['delete', 'delete'],
        },
        {
            note: 'An image downloaded from its address and used as featured asset.',
            config: { pictureBaseUrl: 'https://pictures.example.com/' },
            given: lamps,
            in: [{ slug: 'lamps', assets: ['lamps.png'] }],
            keys: ['lighting', 'lamps', 'lamps.png'],
            does: ['update'],
            after: [
                {
                    assets: ['https://pictures.example.com/lamps.png'],
                    featuredAsset: 'https://pictures.example.com/lamps.png',
                },
            ],
        },
        {
            note: 'A missing parent is created. A collection cannot be its own parent.',
            config: { createMissingParents: true },
            in: [
                { slug: 'lamps', name: 'Lamps', parent: 'lighting' },
                { slug: 'doors', name: 'Doors', parent: 'Doors' },
            ],
            keys: ['lamps', 'lighting', 'doors', 'Doors'],
            does: ['create', 'reject'],
            rejects: ['parent'],
        },
        {
            given: lamps,
            in: [
                { slug: 'lighting', __operation: 'DELETE' },
                { slug: 'lighting', parent: 'lamps' },
                { slug: 'lamps', parent: 'chairs' },
                { slug: 'lamps', filters: [{ code: 'variant-name-filter', args: { operator: 'contains' } }] },
                { slug: 'lamps', position: -1 },
                { slug: 'tables' },
            ],
            keys: ['lighting', 'lamps', 'chairs', 'tables'],
            does: ['reject', 'reject', 'reject', 'reject', 'reject', 'reject'],
            rejects: ['__operation', 'parent', 'parent', 'filters.0.args.term', 'position', 'name'],
        },
    ],
});
