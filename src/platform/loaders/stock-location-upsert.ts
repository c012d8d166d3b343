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
        "A record is {name, description, customFields}. It is matched with the locations of the run's channel by name, ignoring case. A name that several locations have is rejected.",
        'A location with stock, including allocated stock, is not deleted, because Vendure would delete that stock. The last location of the shop is not deleted either.',
        'Steps of the same run that load stock only know the locations that existed when the run started.',
    ],
    examples: [
        {
            in: [{ name: 'Depot', description: 'By the river' }, { name: 'Shop window' }],
            keys: ['Depot', 'Shop window'],
            does: ['create', 'create'],
            after: [{ name: 'Depot', description: 'By the river' }, { name: 'Shop window' }],
        },
        {
            note: 'null clears the description.',
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
