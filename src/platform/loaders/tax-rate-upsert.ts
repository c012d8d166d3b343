import { Permission, TaxRate, TaxRateService } from '@vendure/core';
import type { CreateTaxRateInput, UpdateTaxRateInput } from '@vendure/common/lib/generated-types';
import type { LoaderFixture } from '../../core/adapter/loader';
import { withFreshIndexes } from '../services/fresh-indexes';
import {
    customerGroupName,
    unpaddedText,
    percentage,
    taxCategoryName,
    booleanValue,
    zoneName,
} from '../services/service-field';
import { serviceLoader } from '../services/service-loader';

const europe = { name: 'Books Europe', value: 7, category: 'Reduced Tax', zone: 'Europe' };

/** What the examples begin with. */
const books: readonly LoaderFixture[] = [{ loader: 'taxRateUpsert', records: [europe] }];

/** Tax rates, by TaxRateService. */
export const taxRateUpsert = serviceLoader({
    code: 'taxRateUpsert',
    title: 'Tax rates',
    category: 'Settings',
    entity: {
        name: 'TaxRate',
        called: ['tax rate', 'tax rates'],
        type: TaxRate,
        key: 'name',
        customFields: 'TaxRate',
        permissions: {
            create: [Permission.CreateSettings, Permission.CreateTaxRate],
            update: [Permission.UpdateSettings, Permission.UpdateTaxRate],
            delete: [Permission.DeleteSettings, Permission.DeleteTaxRate],
        },
        fields: {
            name: unpaddedText('name'),
            value: percentage('percentage'),
            enabled: booleanValue('whether it is enabled', { initially: true }),
            category: taxCategoryName('name of the tax category', { isNeeded: true }),
            zone: zoneName('name of the zone', { isNeeded: true }),
            customerGroup: customerGroupName('name of the customer group that it applies to', {}),
        },
        open({ injector }) {
            const rates = injector.get(TaxRateService);
            return {
                create: (ctx, input) => rates.create(ctx, input as unknown as CreateTaxRateInput),
                update: (ctx, input) => rates.update(ctx, input as UpdateTaxRateInput),
                remove: (ctx, id) => rates.delete(ctx, id),
                refresh: ctx => withFreshIndexes(rates, 'activeTaxRates', ctx),
            };
        },
    },
    notes: [
        'A record is {name, value, enabled, category, zone, customerGroup, customFields}; `value` is a percentage: 19 means 19 %. A new tax rate needs name, value, category and zone. Default: enabled.',
        "Tax rates belong to the whole shop, not to a channel. The customer group of a rate can be changed but not removed, because Vendure's service ignores that.",
        'Vendure commits a changed tax rate before it publishes the change. If a worker dies in between, the record is loaded again and found unchanged.',
    ],
    examples: [
        {
            in: [europe, { ...europe, name: 'Books Americas', zone: 'Americas', enabled: false }],
            keys: ['Books Europe', 'Books Americas'],
            does: ['create', 'create'],
            after: [europe, { ...europe, name: 'Books Americas', zone: 'Americas', enabled: false }],
        },
        {
            note: 'Only differences are written.',
            given: books,
            in: [
                { name: 'Books Europe', value: 5.5, zone: 'Europe' },
                { name: 'Books Europe', value: 5.5, category: 'Reduced Tax' },
            ],
            keys: ['Books Europe'],
            does: ['update', 'unchanged'],
            after: [{ value: 5.5 }],
        },
        {
            given: books,
            in: [{ name: 'Books Europe', __operation: 'DELETE' }],
            keys: ['Books Europe'],
            does: ['delete'],
        },
        {
            given: books,
            in: [
                { name: 'Books Europe', zone: 'Atlantis' },
                { name: 'Books Europe', value: '7 %' },
                { name: 'Games', value: 19 },
                { name: 'Books Europe', enabled: false },
            ],
            keys: ['Books Europe', 'Games'],
            does: ['reject', 'reject', 'reject', 'update'],
            rejects: ['zone', 'value', 'category'],
            after: [{ enabled: false }],
        },
    ],
});
