import { z } from 'zod';
import type { LoaderFixture } from '../../core/adapter/loader';
import { customer } from '../entity-descriptions/customer';
import { accounts } from '../entity-descriptions/customer-accounts';
import { entityLoader } from '../entities/entity-loader';
import { missingEntities } from '../entities/missing';
import { ADDRESS_TEXTS } from '../orders/order-address';

const addressMatchFields = z
    .array(z.enum(ADDRESS_TEXTS))
    .min(1)
    .default(['fullName', 'streetLine1', 'streetLine2', 'postalCode', 'city', 'country'])
    .meta({
        title: 'Match addresses by',
        description:
            'The address fields that must all be equal for an address to match. A missing field counts as empty.',
    });

const anna = { emailAddress: 'anna@example.com', firstName: 'Anna', lastName: 'Lund' };
/** What the examples begin with. */
const given: readonly LoaderFixture[] = [
    { loader: 'customerUpsert', records: [{ ...anna, addresses: [{ streetLine1: 'Quay 1', country: 'DE' }] }] },
];
const group: readonly LoaderFixture[] = [{ loader: 'customerGroupUpsert', records: [{ name: 'Trade' }] }];

/** Customers with their addresses, groups and accounts, as CustomerService would have stored them one by one. */
export const customerUpsert = entityLoader({
    code: 'customerUpsert',
    title: 'Customers',
    category: 'Customers',
    entity: customer,
    refinement: {
        open: rules => accounts.open(rules, {}),
        config: { addressMatchFields, missing: missingEntities(['DELETE']) },
    },
    missing: { entity: 'CUSTOMER', told: {}, open: {} },
    notes: [
        'A record is {emailAddress, title, firstName, lastName, phoneNumber, verified, groups, addresses, customFields}; an address is {fullName, company, streetLine1, streetLine2, city, province, postalCode, country, phoneNumber, defaultShippingAddress, defaultBillingAddress, customFields}.',
        'E-mail addresses are converted to lower case; that of a new customer must contain an @ and no blanks. Customers are matched by this address, so it cannot be changed.',
        'A new customer gets an account without a password, and no mail is sent; the customer sets a password by requesting a new one. `verified` says whether the e-mail address is verified; without it, the shop decides (requireVerification). A guest whose record has `verified` gets an account.',
        'An address of a record matches one of the customer if all addressMatchFields are equal: by default fullName, streetLine1, streetLine2, postalCode, city and country. A different name or city means a different address. With the mode REPLACE, addresses that are not in the list are deleted, which requires DeleteCustomer.',
        'A whole number is read as text in postalCode, phoneNumber, company, province and the street lines, because XLSX files contain numbers there.',
        'At most one address is the default: the last one that a record marks.',
        'Groups are identified by name and must exist. Groups and addresses have their own modes.',
        "Customers of other channels are not changed; a record with the same e-mail address is rejected. Deleting a customer removes it from all groups and deletes its account; open sessions end when the shop's session cache expires.",
        'History entries are written as in Vendure, one for the changes of a batch.',
    ],
    examples: [
        {
            in: [{ ...anna, addresses: [{ streetLine1: 'Quay 1', country: 'DE', defaultShippingAddress: true }] }],
            keys: ['anna@example.com'],
            does: ['create'],
            after: [
                {
                    ...anna,
                    addresses: [['', 'Quay 1', '', '', '', 'DE']],
                    'addresses.0.streetLine1': 'Quay 1',
                    'addresses.0.country': 'DE',
                    'addresses.0.defaultShippingAddress': true,
                },
            ],
        },
        {
            note: 'The lists of a record replace those in the shop, unless their mode says otherwise.',
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
                        ['', 'Quay 1', '', '', '', 'DE'],
                        ['', 'Hill 2', '', '', '', 'DE'],
                    ],
                    'addresses.0.streetLine1': 'Hill 2',
                    'addresses.0.country': 'DE',
                },
            ],
        },
        {
            given,
            config: { addressesMode: 'REMOVE', addressMatchFields: ['streetLine1'] },
            in: [{ emailAddress: 'anna@example.com', addresses: [{ streetLine1: 'Quay 1' }, { streetLine1: 'No 9' }] }],
            keys: ['anna@example.com'],
            does: ['update'],
        },
        {
            note: 'Two people at the same address have two addresses. Numbers in a file are read as text.',
            given: [
                {
                    loader: 'customerUpsert',
                    records: [{ ...anna, addresses: [{ fullName: 'Anna', streetLine1: 'Quay 1', country: 'DE' }] }],
                },
            ],
            config: { addressesMode: 'MERGE' },
            in: [
                {
                    emailAddress: 'anna@example.com',
                    phoneNumber: 40123,
                    addresses: [
                        { fullName: 'Anna', streetLine1: 'Quay 1', country: 'DE', phoneNumber: 40123 },
                        { fullName: 'Berta', streetLine1: 'Quay 1', postalCode: 20095, country: 'DE' },
                    ],
                },
            ],
            keys: ['anna@example.com'],
            does: ['update'],
            after: [
                {
                    phoneNumber: '40123',
                    addresses: [
                        ['Anna', 'Quay 1', '', '', '', 'DE'],
                        ['Berta', 'Quay 1', '', '20095', '', 'DE'],
                    ],
                    'addresses.0.phoneNumber': '40123',
                    'addresses.1.fullName': 'Berta',
                    'addresses.1.streetLine1': 'Quay 1',
                    'addresses.1.postalCode': '20095',
                    'addresses.1.country': 'DE',
                },
            ],
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
