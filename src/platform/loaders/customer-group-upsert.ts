import type { LoaderFixture } from '../../core/adapter/loader';
import { customerGroup } from '../entity-descriptions/customer';
import { groupMembers } from '../entity-descriptions/customer-groups';
import { entityLoader } from '../entities/entity-loader';

/** What the examples begin with. */
const trade: readonly LoaderFixture[] = [{ loader: 'customerGroupUpsert', records: [{ name: 'Trade' }] }];

/** Customer groups with their members, as CustomerGroupService would have stored them one by one. */
export const customerGroupUpsert = entityLoader({
    code: 'customerGroupUpsert',
    title: 'Customer groups',
    category: 'Customers',
    entity: customerGroup,
    refinement: groupMembers,
    notes: [
        'A record is {name, customers, customFields}; customers is a list of e-mail addresses. Groups belong to the whole shop, not to a channel. They are matched by name, ignoring case; a name that several groups have is rejected.',
        "Customers of other channels stay in a group; lists only affect customers of the run's channel.",
        'Deleting a group removes its customers from it. A group that a tax rate uses is not deleted.',
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
            note: 'The list of members has its own mode.',
            given: [
                ...trade,
                {
                    loader: 'customerUpsert',
                    records: [{ emailAddress: 'anna@example.com', firstName: 'Anna', lastName: 'Lund' }],
                },
            ],
            config: { customersMode: 'MERGE' },
            in: [
                { name: 'Trade', customers: ['anna@example.com'] },
                { name: 'Trade', customers: ['nobody@example.com'] },
            ],
            keys: ['Trade', 'anna@example.com', 'nobody@example.com'],
            does: ['update', 'reject'],
            rejects: ['customers.0'],
            after: [{ customers: ['anna@example.com'] }],
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
