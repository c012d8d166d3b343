import type { LoaderExample, LoaderFixture } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';

const config = { mode: 'LIVE' } as const;

const shop: readonly LoaderFixture[] = [
    { loader: 'productUpsert', records: [{ name: 'Desk lamp', sku: 'LAMP-1', price: 4900, stock: 50 }] },
    { loader: 'customerUpsert', records: [{ emailAddress: 'jo@example.com', firstName: 'Jo', lastName: 'Doe' }] },
];
const keys = ['Desk lamp', 'LAMP-1', 'jo@example.com', 'M-2001'];

const draft: JsonObject = {
    code: 'M-2001',
    customer: 'jo@example.com',
    lines: [{ sku: 'LAMP-1', quantity: 2 }],
};
const sent: JsonObject = {
    ...draft,
    shippingLines: [{ method: 'standard' }],
    shippingAddress: { fullName: 'Jo Doe', streetLine1: 'Main street 1', city: 'Berlin', countryCode: 'DE' },
};
const paid: JsonObject = { ...sent, payments: [{ method: 'marketplace', amount: 10300, transactionId: 'M-77' }] };

const orders = (...records: readonly JsonObject[]): readonly LoaderFixture[] => [
    ...shop,
    { loader: 'orderUpsert', config, records },
];

/** The stored order with which examples of other loaders begin: a draft or a paid one, with their keys. */
export const liveOrder = { draft: orders(sent), paid: orders(paid), keys };

/** The notes about the mode LIVE. */
export const liveNotes: readonly string[] = [
    'LIVE: a record is {code, customer, lines: [{sku, quantity, customFields}], surcharges: [{description, sku, price, priceIncludesTax, taxRate}], shippingLines: [{method}], shippingAddress, billingAddress, couponCodes, payments: [{method, amount, transactionId, metadata}], currencyCode, state, customFields}. The shop calculates prices and taxes, allocates stock and sends mails. Records with fields that only HISTORY supports are rejected.',
    "LIVE: a new order is a draft until its record has a payment or the state ArrangingPayment; then it becomes the customer's active order. A payment is stored as made elsewhere, without calling a provider. Payments must add up to the order total in the shop.",
    "LIVE: a SKU may be on one line only. Several shipping methods need a ShippingLineAssignmentStrategy that assigns the lines; Vendure's default uses the last method for all lines, so the record is rejected. Vendure cannot change some parts of a placed order: surcharges are not removed, a new surcharge has one tax rate, and relations in custom fields of a line stay. Custom fields of orders can be set in every state.",
    "LIVE: a placed order is changed through the state `Modifying`, as in the Admin API: a lower total is refunded by the handlers of its payments; a higher total is paid with the method of the record's payment, or the order waits in `ArrangingAdditionalPayment` until a record has that payment. `state` never moves a placed order back: an order that has already passed that state is unchanged. Use orderTransition for shipments and cancellations.",
    'LIVE: customers, variants, shipping methods and coupon codes must exist in the channel. With the strategy MERGE, lines and coupon codes are added to those of the order. A record with the operation DELETE deletes an order that was not placed.',
    'LIVE: OrderService writes each record in a separate transaction and publishes its events at the commit. A dry run checks neither the order process nor the eligibility of shipping methods, and does not calculate totals.',
];

/** Orders that are made and changed by OrderService. */
export const liveExamples: ReadonlyArray<LoaderExample<{ mode: 'LIVE' }>> = [
    {
        note: 'A draft, by OrderService.',
        config,
        given: shop,
        in: [draft],
        keys,
        does: ['create'],
        after: [{ customer: 'jo@example.com', lines: [{ sku: 'LAMP-1', quantity: 2 }] }],
    },
    {
        note: 'An order that was paid elsewhere: the shop calculates its prices and allocates its stock. Later differences are applied through Modifying.',
        config,
        given: shop,
        in: [
            paid,
            { code: 'M-2001', billingAddress: { streetLine1: 'Side street 2', countryCode: 'DE' } },
            { ...draft, lines: [{ sku: 'LAMP-0', quantity: 1 }] },
            { ...draft, lines: [{ sku: 'LAMP-1', quantity: 1, price: 4500 }] },
            { code: 'M-2001', __operation: 'DELETE' },
        ],
        keys,
        does: ['create', 'update', 'reject', 'reject', 'reject'],
        rejects: ['lines.0.sku', 'lines.0.price', '__operation'],
        again: ['unchanged', 'unchanged', 'reject', 'reject', 'reject'],
    },
];
