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
    'LIVE: a record is {code, customer, lines: [{sku, quantity, customFields}], surcharges: [{description, sku, price, priceIncludesTax, taxRate}], shippingLines: [{method}], shippingAddress, billingAddress, couponCodes, payments: [{method, amount, transactionId, metadata}], currencyCode, state, customFields}. The shop prices it, taxes it, holds its stock and sends its mails; what only a record of history can say is a record error.',
    'LIVE: a new order is a draft until its record says that it was paid, or names the state ArrangingPayment; then it is active, and the cart of its customer. A payment is stored as made elsewhere, without calling a provider. Payments must add up to the total of the order in the shop.',
    "LIVE: a SKU is on one line. Several shipping methods need a ShippingLineAssignmentStrategy that assigns the lines; Vendure's default uses the last method for all, which rejects the record. For a placed order, surcharges are not removed, a further one has one tax rate, and relations in custom fields of a line stay, because Vendure cannot change these. Custom fields of orders can be set in every state.",
    "LIVE: an order that was placed is changed by way of the state `Modifying`, as in the Admin API: what it costs less is refunded by its payments' handlers, what it costs more is paid by the method of the record's payment, or waits for that in `ArrangingAdditionalPayment` until a record has that payment. `state` takes a placed order no step back: one that has come by it is as the record says. Shipments and cancellations are for orderTransition.",
    'LIVE: customers, variants, shipping methods and coupon codes are those of the channel, and they have to be there. With the strategy MERGE, lines and coupon codes are joined to those of the order. A record with the operation DELETE deletes an order that was not placed.',
    'LIVE: OrderService writes each record in a separate transaction, and its events are published at the commit. A dry run checks neither the order process nor the eligibility of shipping methods, and does not know totals.',
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
        note: 'An order that was paid elsewhere: the shop prices it, and holds its stock. What differs is changed by way of Modifying.',
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
