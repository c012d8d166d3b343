import { Address, Permission } from '@vendure/core';
import { type ChildDescription, ref } from '../entities/description';
import { flag, text } from '../entities/value-fields';
import type { EntityState } from '../entities/entity-state';
import { country } from './country';

const DEFAULTS = ['defaultShippingAddress', 'defaultBillingAddress'] as const;

/** Addresses of customers. */
export const address: ChildDescription = {
    name: 'Address',
    called: ['address', 'addresses'],
    type: Address,
    customFields: 'Address',
    fields: {
        fullName: text('full name'),
        company: text('company', { mayBeNumber: true }),
        streetLine1: text('street', { isRequired: true, mayBeNumber: true }),
        streetLine2: text('second line of the street', { mayBeNumber: true }),
        city: text('city'),
        province: text('province', { mayBeNumber: true }),
        postalCode: text('postal code', { mayBeNumber: true }),
        // The APIs of a shop answer no address without one.
        country: ref(country, "country's code", { isRequired: true }),
        phoneNumber: text('phone number', { mayBeNumber: true }),
        defaultShippingAddress: flag('switch that makes it the one to ship to', false),
        defaultBillingAddress: flag('switch that makes it the one to bill to', false),
    },
    onlyOne: DEFAULTS,
    deletedBy: [Permission.DeleteCustomer],
};

interface AddressLists {
    readonly now: readonly EntityState[];
    readonly removed: readonly EntityState[];
}

/**
 * Keeps one default among a customer's addresses, as in CustomerService: the one that a record makes the default now,
 * or the oldest one after the default is removed.
 */
export function keepOneDefault({ now, removed }: AddressLists): void {
    for (const flagged of DEFAULTS) {
        const isDefault = ({ columns }: EntityState): boolean => columns.get(flagged) === true;
        const defaults = now.filter(isDefault);
        const said = defaults.filter(({ columns }) => columns.changed.has(flagged));
        const desired = said.at(-1) ?? defaults[0];
        for (const one of defaults) if (one !== desired) one.columns.set(flagged, false);
        const heir = now.find(({ id }) => id !== undefined) ?? now[0];
        if (!desired && heir && removed.some(isDefault)) heir.columns.set(flagged, true);
    }
}

/** An address in one line, as Vendure's history has it. */
export function addressLine({ columns, refs }: EntityState, language: string): string {
    const to = refs.get('country');
    const countryName = to && (to.text(language, 'name') ?? [...to.texts.values()][0]?.columns.get('name') ?? to.key);
    return [columns.get('streetLine1'), columns.get('postalCode'), countryName].filter(Boolean).join(', ');
}
