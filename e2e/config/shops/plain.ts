import { dummyPaymentHandler, Facet, LanguageCode, PaymentMethodHandler, Product } from '@vendure/core';
import type { Shop } from '../shop';
import { makeSuiteChannels } from '../suite-channels';

/** Takes payments on a remote server, with a key that is never shown. */
const gateway = new PaymentMethodHandler({
    code: 'gateway',
    description: [{ languageCode: LanguageCode.en, value: 'Gateway' }],
    args: {
        apiKey: { type: 'string', ui: { component: 'password-form-input' } },
        regions: { type: 'string', list: true, required: false },
    },
    createPayment: (_ctx, _order, amount) => ({ amount, state: 'Settled', transactionId: 'none' }),
    settlePayment: () => ({ success: true }),
});

/**
 * Vendure without changes, except for custom fields of what services load or that are relations, with channels for suites that share it.
 */
export const shop: Shop = {
    config: {
        customFields: {
            Product: [
                { name: 'goesWith', type: 'relation', entity: Product, list: true },
                { name: 'mainFacet', type: 'relation', entity: Facet },
            ],
            CustomerGroup: [{ name: 'facets', type: 'relation', entity: Facet, list: true }],
            Customer: [
                { name: 'vatNumber', type: 'string' },
                { name: 'interests', type: 'relation', entity: Facet, list: true },
            ],
            Order: [
                { name: 'marketId', type: 'string' },
                { name: 'parcels', type: 'int' },
                { name: 'topics', type: 'relation', entity: Facet, list: true },
            ],
            OrderLine: [
                { name: 'engraving', type: 'string' },
                { name: 'theme', type: 'relation', entity: Facet },
            ],
            Address: [{ name: 'doorCode', type: 'string' }],
            Promotion: [
                { name: 'badge', type: 'localeString', nullable: true },
                { name: 'weight', type: 'int', defaultValue: 1, min: 0 },
                { name: 'mainFacet', type: 'relation', entity: Facet },
            ],
            TaxRate: [{ name: 'ledgers', type: 'string', list: true, nullable: true }],
        },
        paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler, gateway] },
    },
    populate: makeSuiteChannels,
};
