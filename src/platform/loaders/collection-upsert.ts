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
        'A record without a slug is found by its name among the collections with the same parent; without parent, at the top level, or elsewhere if it is the only one with that name. parent null means the top level. A new one gets a slug that is derived from the name, with a number if another collection has it.',
        '`parent` is the slug or the name of another collection; null puts it at the top. The records of a batch may come in any order. A parent that comes in a later batch is not there yet: such a record is rejected, unless createMissingParents is true.',
        'Without `position` a new or moved collection comes after its siblings. A position is stored as it is given; siblings keep theirs.',
        'A filter is {code, args: {name: value}}. Its arguments are checked against the definition that the shop has. Facet values are named as "facet:value", variants by their SKUs, products by their slugs.',
        'Filters are replaced by those of the record, null takes all of them away; with the strategy MERGE they are joined.',
        'Which variants collections hold is brought up to date once, at the end of the run, also of those below; with the side effects NONE it is not.',
        'A collection with children is not deleted, unless the children are deleted in the same batch.',
        'Slugs in other languages that another collection has get a number as suffix, as in the dashboard.',
        'Assets are replaced by those of the record; with the strategy MERGE they are added. A mode of the list takes precedence over the strategy.',
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
            note: 'A picture that is fetched from its address, and shown first.',
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
            note: 'A parent that is not there. One that is the collection itself is not made.',
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
