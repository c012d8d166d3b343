import type { LoaderGiven } from '../../core/adapter/loader';
import { customer } from '../described/customer';
import { accounts } from '../described/customer-accounts';
import { entityLoader } from '../entities/entity-loader';
import { missingEntities } from '../entities/missing';

const anna = { emailAddress: 'anna@example.com', firstName: 'Anna', lastName: 'Lund' };
/** What the examples begin with. */
const given: readonly LoaderGiven[] = [
    { loader: 'customerUpsert', records: [{ ...anna, addresses: [{ streetLine1: 'Quay 1', country: 'DE' }] }] },
];
const group: readonly LoaderGiven[] = [{ loader: 'customerGroupUpsert', records: [{ name: 'Trade' }] }];

/** Customers with their addresses, groups and accounts, as CustomerService would have stored them one by one. */
export const customerUpsert = entityLoader({
    code: 'customerUpsert',
    title: 'Customers',
    category: 'Customers',
    entity: customer,
    refinement: { ...accounts, config: { missing: missingEntities(['DELETE']) } },
    missing: { entity: 'CUSTOMER', told: {}, open: {} },
    notes: [
        'A record is {emailAddress, title, firstName, lastName, phoneNumber, verified, groups, addresses, customFields}; an address is {fullName, company, streetLine1, streetLine2, city, province, postalCode, country, phoneNumber, defaultShippingAddress, defaultBillingAddress, customFields}.',
        'An e-mail address is read in small letters; that of a new customer has an @ and no blanks. The address is what customers are found by, so that it cannot be changed.',
        'A new customer gets an account without a password, and no mail is sent; a password is set by asking for a new one. `verified` says whether the e-mail address is known to belong to the customer; without it, the shop decides (requireVerification). A guest whose record has `verified` gets an account.',
        'The addresses of a customer are told apart by streetLine1 and postalCode. Those that a list does not name are deleted where its mode is REPLACE, for which the run needs DeleteCustomer.',
        'At most one address is the default; the last of a record that says so.',
        'Groups are named, and must exist. Groups and addresses have modes of their own.',
        "Customers of another channel are not touched; one with the same e-mail address is a record error. A deleted customer leaves all groups, and the account goes as well; open sessions end when the shop's session cache lets go of them.",
        'History entries are written as Vendure does, one for what a batch changed.',
    ],
    examples: [
        {
            in: [{ ...anna, addresses: [{ streetLine1: 'Quay 1', country: 'DE', defaultShippingAddress: true }] }],
            keys: ['anna@example.com'],
            does: ['create'],
            after: [
                {
                    ...anna,
                    addresses: [['Quay 1', '']],
                    'addresses.0.streetLine1': 'Quay 1',
                    'addresses.0.country': 'DE',
                    'addresses.0.defaultShippingAddress': true,
                },
            ],
        },
        {
            note: 'The lists of a record take the place of those in the shop, or have a mode of their own.',
            given: [...group, ...given],
            config: { addressesMode: 'MERGE' },
            in: [
                {
                    emailAddress: 'anna@example.com',
                    phoneNumber: '0123',
                    groups: ['Trade'],
                    addresses: [{ streetLine1: 'Hill 2', country: 'DE' }],
                },
                { emailAddress: 'anna@example.com', groups: ['Trade'] },
            ],
            keys: ['anna@example.com', 'Trade'],
            does: ['update', 'unchanged'],
            after: [
                {
                    phoneNumber: '0123',
                    groups: ['Trade'],
                    addresses: [
                        ['Quay 1', ''],
                        ['Hill 2', ''],
                    ],
                    'addresses.0.streetLine1': 'Hill 2',
                    'addresses.0.country': 'DE',
                },
            ],
        },
        {
            given,
            config: { addressesMode: 'REMOVE' },
            in: [{ emailAddress: 'anna@example.com', addresses: [{ streetLine1: 'Quay 1' }, { streetLine1: 'No 9' }] }],
            keys: ['anna@example.com'],
            does: ['update'],
        },
        {
            given: [{ loader: 'customerUpsert', records: [{ ...anna, verified: true }] }],
            config: { strategy: 'UPDATE' },
            in: [{ emailAddress: 'anna@example.com', verified: false }],
            keys: ['anna@example.com'],
            does: ['update'],
            after: [{ verified: false }],
        },
        {
            given,
            in: [{ emailAddress: 'anna@example.com', __operation: 'DELETE' }],
            keys: ['anna@example.com'],
            does: ['delete'],
        },
        {
            given,
            in: [
                { emailAddress: 'berta@example.com', firstName: 'Berta' },
                { emailAddress: 'anna@example.com', groups: ['Nobody'] },
                { emailAddress: 'anna@example.com', addresses: [{ streetLine1: 'Quay 1', country: 'ZZ' }] },
                { emailAddress: 'anna@example.com', addresses: [{ city: 'Hull', country: 'DE' }] },
                { emailAddress: 'anna@example.com', addresses: [{ streetLine1: 'Quay 9' }] },
                { emailAddress: 'anna@example.com', verified: 'yes' },
                { ...anna, emailAddress: 'berta at example.com' },
                { emailAddress: 'anna@example.com', title: 'Dr' },
            ],
            keys: ['anna@example.com', 'berta@example.com', 'berta at example.com', 'Nobody'],
            does: ['reject', 'reject', 'reject', 'reject', 'reject', 'reject', 'reject', 'update'],
            rejects: [
                'lastName',
                'groups.0',
                'addresses.0.country',
                'addresses.0.streetLine1',
                'addresses.0.country',
                'verified',
                'emailAddress',
            ],
        },
    ],
});
