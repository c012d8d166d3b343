import type { LoaderFixture } from '../../core/adapter/loader';
import { facetValue } from '../entity-descriptions/facet-value';
import { entityLoader } from '../entities/entity-loader';

/** What the examples begin with. */
const room: readonly LoaderFixture[] = [{ loader: 'facetUpsert', records: [{ code: 'room', name: 'Room' }] }];
const attic: readonly LoaderFixture[] = [
    ...room,
    { loader: 'facetValueUpsert', records: [{ facet: 'room', code: 'attic', name: 'Attic' }] },
];

/** Facet values, as FacetValueService would have stored them one by one. */
export const facetValueUpsert = entityLoader({
    code: 'facetValueUpsert',
    title: 'Facet values',
    category: 'Catalogue',
    entity: facetValue,
    notes: [
        "A record is {facet, code, name, translations: {de: {name}}, customFields}. The facet belongs to the run's channel and is named by its code or name.",
        'A record without a code is found by its name. A new value gets a code derived from its name, with a number if another value of the facet has that code. A given code is stored unchanged. Values of different facets may have the same code.',
        'A value that products or variants use is not deleted.',
    ],
    examples: [
        {
            given: room,
            in: [
                { facet: 'room', name: 'Living Room' },
                { facet: 'room', code: 'attic', name: 'Attic', translations: { de: { name: 'Dachboden' } } },
            ],
            keys: ['room'],
            does: ['create', 'create'],
            after: [
                { facet: 'room', code: 'living-room', name: 'Living Room' },
                { facet: 'room', code: 'attic', name: 'Attic', 'translations.de.name': 'Dachboden' },
            ],
        },
        {
            given: attic,
            in: [
                { facet: 'room', code: 'attic', name: 'Loft' },
                { facet: 'room', code: 'attic', name: 'Loft' },
            ],
            keys: ['room'],
            does: ['update', 'unchanged'],
            after: [{ name: 'Loft' }],
        },
        {
            given: attic,
            in: [{ facet: 'room', code: 'attic', __operation: 'DELETE' }],
            keys: ['room'],
            does: ['delete'],
        },
        {
            given: attic,
            config: { strategy: 'CREATE' },
            in: [
                { facet: 'room', code: 'attic', name: 'Attic' },
                { facet: 'colour', code: 'attic', name: 'Attic' },
                { code: 'cellar', name: 'Cellar' },
                { facet: 'room', code: 'cellar', translations: { xx: { name: 'Cellar' } } },
                { facet: 'room', code: 'cellar', name: 'Cellar' },
            ],
            keys: ['room', 'colour'],
            does: ['reject', 'reject', 'reject', 'reject', 'create'],
            rejects: ['code', 'facet', 'facet', 'translations.xx'],
            again: ['reject', 'reject', 'reject', 'reject', 'reject'],
        },
    ],
});
