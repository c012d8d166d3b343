import { Address, Country, Permission } from '@vendure/core';
import { describeEntity, translated } from '../entities/description';
import { flag } from '../entities/value-fields';
import { inColumn } from '../entities/delete-references';

/** Countries, found by their codes; they belong to the whole shop. */
export const country = describeEntity({
    name: 'Country',
    called: ['country', 'countries'],
    type: Country,
    // Vendure does not export its class.
    texts: 'RegionTranslation',
    key: { field: 'code', holds: 'code', among: 'shop' },
    isOfChannels: false,
    customFields: 'Region',
    permissions: {
        read: [Permission.ReadSettings, Permission.ReadCountry],
        create: [Permission.CreateSettings, Permission.CreateCountry],
        update: [Permission.UpdateSettings, Permission.UpdateCountry],
        delete: [Permission.DeleteSettings, Permission.DeleteCountry],
    },
    fields: { name: translated('name'), enabled: flag('switch that offers it to customers', true) },
    uses: [inColumn({ called: ['address', 'addresses'], of: Address, property: 'country' })],
});
