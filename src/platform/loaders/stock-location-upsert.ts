import type { LoaderFixture } from '../../core/adapter/loader';
import { stockLocation } from '../entity-descriptions/stock-location';
import { entityLoader } from '../entities/entity-loader';

/** What the examples begin with. */
const depot: readonly LoaderFixture[] = [
    { loader: 'stockLocationUpsert', records: [{ name: 'Depot', description: 'By the river' }] },
];

/** Stock locations, as StockLocationService would have stored them one by one. */
export const stockLocationUpsert = entityLoader({
    code: 'stockLocationUpsert',
    title: 'Stock locations',
    category: 'Catalogue',
    entity: stockLocation,
    notes: [
        "A record is {name, description, customFields}. Found are the locations of the run's channel; a name that several of them have is a record error. The case of names does not count.",
        'A location in which a variant has stock, be it allocated, is not deleted: Vendure would delete that stock. The last location of the shop stays, too.',
        'Steps of the same run that load stock know the locations that there were when the run began.',
    ],
    examples: [
        {
            in: [{ name: 'Depot', description: 'By the river' }, { name: 'Shop window' }],
            keys: ['Depot', 'Shop window'],
            does: ['create', 'create'],
            after: [{ name: 'Depot', description: 'By the river' }, { name: 'Shop window' }],
        },
        {
            note: 'null empties the description.',
            given: depot,
            in: [{ name: 'Depot', description: null }, { name: 'Depot' }],
            keys: ['Depot'],
            does: ['update', 'unchanged'],
            after: [{ description: '' }],
        },
        {
            given: depot,
            in: [{ name: 'Depot', __operation: 'DELETE' }],
            keys: ['Depot'],
            does: ['delete'],
        },
        {
            given: depot,
            config: { strategy: 'UPDATE' },
            in: [
                { name: 'Cellar' },
                { name: 'Depot', description: 7 },
                { description: 'Nowhere' },
                { name: 'Depot', description: 'By the sea' },
            ],
            keys: ['Depot', 'Cellar'],
            does: ['reject', 'reject', 'reject', 'update'],
            rejects: ['name', 'description', 'name'],
        },
    ],
});
