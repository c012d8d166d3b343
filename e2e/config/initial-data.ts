import { type InitialData, LanguageCode } from '@vendure/core';

/** The data of every test shop at the start: two zones, three tax rates, a shipping method, and no product. */
export const initialData: InitialData = {
    defaultLanguage: LanguageCode.en,
    defaultZone: 'Europe',
    countries: [
        { name: 'Germany', code: 'DE', zone: 'Europe' },
        { name: 'Austria', code: 'AT', zone: 'Europe' },
        { name: 'United States of America', code: 'US', zone: 'Americas' },
    ],
    taxRates: [
        { name: 'Standard Tax', percentage: 20 },
        { name: 'Reduced Tax', percentage: 10 },
        { name: 'Zero Tax', percentage: 0 },
    ],
    shippingMethods: [{ name: 'Standard Shipping', price: 500, taxRate: 20 }],
    paymentMethods: [],
    collections: [],
};
