import { LanguageCode } from '@vendure/core';
import type { Shop } from '../shop';

const label = (value: string) => [{ languageCode: LanguageCode.en, value }];

/** A shop with custom fields of every kind on products and variants. */
export const shop: Shop = {
    config: {
        customFields: {
            Product: [
                { name: 'supplierCode', type: 'string', length: 20, label: label('Supplier code') },
                { name: 'weight', type: 'float' },
                { name: 'isEco', type: 'boolean', defaultValue: false },
                { name: 'rank', type: 'int', min: 1, max: 10 },
                { name: 'launchedOn', type: 'datetime' },
                { name: 'tags', type: 'string', list: true },
                { name: 'notes', type: 'text' },
                { name: 'tagline', type: 'localeString' },
            ],
            ProductVariant: [
                { name: 'gtin', type: 'string', nullable: true },
                { name: 'season', type: 'string', options: [{ value: 'summer' }, { value: 'winter' }] },
                { name: 'remark', type: 'localeString' },
            ],
        },
    },
};
