import type { ChannelFacts, ShopReference } from '../../src/platform/lookup/reference';
import type { CustomFields } from '../../src/platform/entities/custom-fields';
import type { RecordRules } from '../../src/platform/catalogue/read-variant';
import { product } from '../../src/platform/entity-descriptions/product';
import { variant } from '../../src/platform/entity-descriptions/variant';
import { textFieldsOf } from '../../src/platform/entities/read-texts';

const channel: ChannelFacts = {
    id: 1,
    token: 'own',
    code: 'own',
    defaultLanguage: 'en',
    defaultCurrency: 'USD',
    currencies: ['USD', 'EUR'],
    pricesIncludeTax: false,
    locations: [
        { id: 1, publicId: 'L_1', name: 'Main' },
        { id: 2, publicId: 'L_2', name: 'Outlet' },
    ],
    isWritable: true,
};
const closed: ChannelFacts = { ...channel, id: 2, token: 'closed', code: 'closed', isWritable: false };
const reference: ShopReference = {
    channel,
    defaultChannel: channel,
    channels: [channel, closed],
    languages: ['en', 'de'],
    language: 'en',
    taxCategories: [{ id: 1, name: 'Standard' }],
    defaultTaxCategory: { id: 1, name: 'Standard' },
    defaultLocation: { id: 1, name: 'Main' },
    outOfStockThreshold: 0,
    tracksInventory: true,
    deleting: { isAllowed: true, permission: 'DeleteCatalog' },
    priceIn: (_, price) => price,
};
const none = { base: [], localised: [], find: () => undefined, read: () => undefined } as unknown as CustomFields;
/** The settings for reading a record in a shop with two languages, two currencies and two stock locations. */
export const rules: RecordRules = {
    reference,
    product: textFieldsOf(product, none, () => undefined),
    variant: textFieldsOf(variant, none, () => undefined),
    prices: { max: 2_147_483_647, allowsNegative: false },
    maxStock: 2_147_483_647,
    skuLimit: undefined,
    pictures: { pictureMaxBytes: 1_000, pictureAllowSvg: false, pictureRefresh: 'CHANGED' },
};
