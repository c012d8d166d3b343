import { Customer, CustomerGroup, normalizeEmailAddress, Permission, TaxRate } from '@vendure/core';
import {
    children,
    describeAs,
    describeEntity,
    type EntityDescription,
    members,
    refined,
} from '../entities/description';
import { text } from '../entities/value-fields';
import { memberReference, inColumn } from '../entities/delete-references';
import { address } from './address';
import { CustomerState } from './customer-accounts';

/** Groups of customers, found by their names; they belong to the whole shop. */
export const customerGroup = describeEntity({
    name: 'CustomerGroup',
    called: ['customer group', 'customer groups'],
    type: CustomerGroup,
    key: { field: 'name', holds: 'name', among: 'shop' },
    isOfChannels: false,
    customFields: 'CustomerGroup',
    permissions: {
        read: [Permission.ReadCustomerGroup, Permission.ReadCustomer],
        create: [Permission.CreateCustomerGroup],
        update: [Permission.UpdateCustomerGroup],
        delete: [Permission.DeleteCustomerGroup],
    },
    fields: { customers: members(customers, 'list of e-mail addresses of customers') },
    uses: [
        inColumn({ called: ['tax rate', 'tax rates'], of: TaxRate, property: 'customerGroup' }),
        // Its members leave it, as in Vendure.
        memberReference({ called: undefined, of: Customer, relation: 'groups' }),
    ],
});

/** Customers, found by their e-mail addresses, which no index keeps unique. */
export const customer = describeAs(CustomerState, {
    name: 'Customer',
    called: ['customer', 'customers'],
    type: Customer,
    key: { field: 'emailAddress', holds: 'e-mail address', normal: mail, among: 'shop' },
    isOfChannels: true,
    customFields: 'Customer',
    permissions: {
        read: [Permission.ReadCustomer],
        create: [Permission.CreateCustomer],
        update: [Permission.UpdateCustomer],
        delete: [Permission.DeleteCustomer],
    },
    fields: {
        title: text('title', { empty: null }),
        firstName: text('first name', { isRequired: true }),
        lastName: text('last name', { isRequired: true }),
        phoneNumber: text('phone number', { empty: null, mayBeNumber: true }),
        verified: refined('whether the e-mail address is verified'),
        groups: members(customerGroup, 'list of names of customer groups'),
        addresses: children(address, {
            holds: 'list of addresses',
            owner: 'customer',
            key: ['fullName', 'streetLine1', 'streetLine2', 'postalCode', 'city', 'country'],
        }),
    },
    uses: [],
});

/** A mail as Vendure's own function has it, which throws where a text is longer than any address. */
function mail(address: string): string {
    return address.length > 1000 ? address : normalizeEmailAddress(address);
}

function customers(): EntityDescription {
    return customer as unknown as EntityDescription;
}
