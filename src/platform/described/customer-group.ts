import { Customer, CustomerGroup, Permission, TaxRate } from '@vendure/core';
import { describeEntity } from '../entities/description';
import { asMember, inColumn } from '../entities/uses';

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
    fields: {},
    uses: [
        inColumn({ called: ['tax rate', 'tax rates'], of: TaxRate, property: 'customerGroup' }),
        // Its members leave it, as in Vendure.
        asMember({ called: undefined, of: Customer, relation: 'groups' }),
    ],
});
