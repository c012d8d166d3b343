import type { LoaderGiven } from '../../core/adapter/loader';
import { customerGroup } from '../described/customer-group';
import { entityLoader } from '../entities/entity-loader';

/** What the examples begin with. */
const trade: readonly LoaderGiven[] = [{ loader: 'customerGroupUpsert', records: [{ name: 'Trade' }] }];

/** Customer groups without their members, as CustomerGroupService would have stored them one by one. */
export const customerGroupUpsert = entityLoader({
    code: 'customerGroupUpsert',
    title: 'Customer groups',
    category: 'Customers',
    entity: customerGroup,
    notes: [
        'A record is {name, customFields}. Groups belong to the whole shop, whatever the channel; a name that several of them have is a record error.',
        'Customers leave a group that is deleted. One that a tax rate is for is not deleted.',
    ],
    examples: [
        {
            in: [{ name: 'Trade' }, { name: 'Staff' }],
            keys: ['Trade', 'Staff'],
            does: ['create', 'create'],
            after: [{ name: 'Trade' }, { name: 'Staff' }],
        },
        {
            given: trade,
            in: [{ name: 'Trade' }, { name: 'Trade' }],
            keys: ['Trade'],
            does: ['unchanged', 'unchanged'],
        },
        {
            given: trade,
            in: [{ name: 'Trade', __operation: 'DELETE' }],
            keys: ['Trade'],
            does: ['delete'],
        },
        {
            given: trade,
            config: { strategy: 'CREATE' },
            in: [{ name: 'Trade' }, { name: '' }, { name: 'Staff' }],
            keys: ['Trade', 'Staff'],
            does: ['reject', 'reject', 'create'],
            rejects: ['name', 'name'],
            again: ['reject', 'reject', 'reject'],
        },
    ],
});
