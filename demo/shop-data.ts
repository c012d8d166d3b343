import { LanguageCode, type InitialData } from '@vendure/core';

/** The usual first data of a shop: one country group, two taxes, one way to ship, one to pay. */
export const shopData: InitialData = {
    defaultLanguage: LanguageCode.en,
    defaultZone: 'Europe',
    taxRates: [
        { name: 'Standard Tax', percentage: 19 },
        { name: 'Reduced Tax', percentage: 7 },
    ],
    shippingMethods: [{ name: 'Parcel', price: 490 }],
    paymentMethods: [],
    countries: [
        { name: 'Germany', code: 'DE', zone: 'Europe' },
        { name: 'Austria', code: 'AT', zone: 'Europe' },
        { name: 'Denmark', code: 'DK', zone: 'Europe' },
    ],
    collections: [],
};
