import { facet } from '../entity-descriptions/facet';
import { entityLoader } from '../entities/entity-loader';

/** Facets, as FacetService would have stored them one by one. */
export const facetUpsert = entityLoader({
    code: 'facetUpsert',
    title: 'Facets',
    category: 'Catalogue',
    entity: facet,
    notes: [
        'A record is {code, name, isPrivate, translations: {de: {name}}, customFields}. A record without a code is found by its name; a new facet gets a code derived from its name, with a number if another facet has that code. A given code is stored unchanged.',
        'A facet is not deleted if products or variants use its values. Deleting a facet also deletes its values.',
    ],
    examples: [
        {
            in: [{ name: 'Room' }, { code: 'material', name: 'Material', isPrivate: true }],
            keys: ['Room', 'material'],
            does: ['create', 'create'],
            after: [
                { code: 'room', name: 'Room' },
                { code: 'material', name: 'Material', isPrivate: true },
            ],
        },
        {
            note: 'Only the fields of the record are changed. Loading the same record again changes nothing.',
            given: [{ loader: 'facetUpsert', records: [{ code: 'room', name: 'Room' }] }],
            in: [
                { code: 'room', isPrivate: true, translations: { de: { name: 'Zimmer' } } },
                { code: 'room', name: 'Room' },
            ],
            keys: ['room'],
            does: ['update', 'unchanged'],
            after: [{ isPrivate: true, 'translations.de.name': 'Zimmer' }],
        },
        {
            note: 'A renamed field also has its new name in translations.',
            config: { codeField: 'id', nameField: 'label' },
            in: [{ id: 'room', label: 'Room', translations: { de: { label: 'Zimmer' } } }],
            keys: ['room'],
            does: ['create'],
        },
        {
            given: [{ loader: 'facetUpsert', records: [{ code: 'room', name: 'Room' }] }],
            in: [{ code: 'room', __operation: 'DELETE' }],
            keys: ['room'],
            does: ['delete'],
        },
        {
            given: [
                { loader: 'facetUpsert', records: [{ code: 'room', name: 'Room' }] },
                { loader: 'facetValueUpsert', records: [{ facet: 'room', code: 'attic', name: 'Attic' }] },
                {
                    loader: 'productUpsert',
                    records: [{ slug: 'lamp', name: 'Lamp', facetValues: ['room:attic'] }],
                },
            ],
            in: [
                { code: 'room', __operation: 'DELETE' },
                { code: 'colour' },
                { code: 'room', isPrivate: 'maybe' },
                { code: 'colour', name: 'Colour' },
            ],
            keys: ['room', 'room:attic', 'lamp', 'colour'],
            does: ['reject', 'reject', 'reject', 'create'],
            rejects: ['__operation', 'name', 'isPrivate'],
            again: ['reject', 'unchanged', 'reject', 'unchanged'],
        },
    ],
});
