import { type LogLine, eventLog } from '../../../test/kit/event-log';
import type { Loader } from '../../core/adapter/loader';
import type { JsonObject } from '../../core/value/json';
import { LoadWarningSummary } from '../../core/steps/load-warning-summary';
import { orderUpsert } from '../loaders/order-upsert';
import { priceUpdate } from '../loaders/price-update';
import { productUpsert } from '../loaders/product-upsert';
import { stockAdjust } from '../loaders/stock-adjust';
import { variantUpsert } from '../loaders/variant-upsert';

/** What the loader says of a record that it loads. */
function remarks(loader: Loader, record: JsonObject, config: JsonObject = {}): readonly unknown[] {
    const lines: LogLine[] = [];
    const fields = loader.fields!(loader.config.parse(config));
    const seen = new LoadWarningSummary({ code: loader.code, fields });
    seen.take([{ data: record, origin: { seq: 0 } }], undefined);
    seen.log(eventLog(lines));
    return lines.map(({ code, facts }) => ({ code, facts }));
}

const notLoaded = (loader: Loader, ...fields: readonly string[]) => ({
    code: 'FIELDS_NOT_LOADED',
    facts: { loader: loader.code, fields },
});

const VARIANT: JsonObject = {
    sku: 'a',
    name: 'A',
    price: 1,
    prices: { EUR: 1 },
    stock: { Main: 1 },
    taxCategory: 'Standard',
    trackInventory: true,
    options: { size: 'M' },
    facetValues: ['a:b'],
    customFields: { any: 1 },
    enabled: true,
    translations: { de: { name: 'A', customFields: { any: 1 } } },
    __operation: 'UPSERT',
};
const PRODUCT: JsonObject = {
    slug: 'a',
    name: 'A',
    description: 'A',
    enabled: true,
    translations: { de: { name: 'A', slug: 'a', description: 'A', customFields: { any: 1 } } },
    facetValues: ['a:b'],
    assets: [],
    featuredAsset: null,
    channels: ['a'],
    optionGroups: ['size'],
    customFields: { any: 1 },
    variants: [VARIANT],
    __operation: 'UPSERT',
};

describe('the fields that loaders know', () => {
    it.each<[Loader, JsonObject]>([
        [productUpsert, PRODUCT],
        [productUpsert, { slug: 'a', sku: 'a', price: 1, prices: {}, stock: 1, options: {}, trackInventory: false }],
        [variantUpsert, { ...VARIANT, productSlug: 'a' }],
        [stockAdjust, { sku: 'a', stock: 1, __operation: 'UPSERT' }],
        [priceUpdate, { sku: 'a', price: 1, prices: { EUR: 1 }, __operation: 'UPSERT' }],
    ])('are those that they load (%#)', (loader, record) => {
        expect(remarks(loader, record)).toEqual([]);
    });

    it.each<[Loader, JsonObject, readonly string[]]>([
        [productUpsert, { slug: 'a', ean: 1, productSlug: 'b' }, ['ean', 'productSlug']],
        [productUpsert, { variants: [{ sku: 'a', colour: 'red' }] }, ['variants.colour']],
        [productUpsert, { translations: { de: { title: 'A' } } }, ['translations.title']],
        [
            productUpsert,
            { variants: [{ sku: 'a', translations: { de: { slug: 'A' } } }] },
            ['variants.translations.slug'],
        ],
        [variantUpsert, { sku: 'a', slug: 'b' }, ['slug']],
        [stockAdjust, { sku: 'a', stock: 1, price: 1 }, ['price']],
        [priceUpdate, { sku: 'a', price: 1, stock: 1 }, ['stock']],
    ])('do not include others (%#)', (loader, record, fields) => {
        expect(remarks(loader, record)).toEqual([notLoaded(loader, ...fields)]);
    });

    it('are known in objects that are not lists, too', () => {
        const record = {
            code: 'a',
            shippingAddress: { fullName: 'A', street: 'B', zip: null },
            billingAddress: { name: 'A' },
        };
        expect(remarks(orderUpsert, record, { mode: 'HISTORY' })).toEqual([
            notLoaded(orderUpsert, 'shippingAddress.street', 'billingAddress.name'),
        ]);
    });

    it('have those names in nested variants and translations, too', () => {
        const record = {
            titel: 'A',
            translations: { de: { titel: 'A' } },
            variants: [{ sku: 'a', titel: 'A', translations: { de: { titel: 'A' } } }],
        };
        expect(remarks(productUpsert, record, { nameField: 'titel' })).toEqual([]);
        expect(remarks(productUpsert, record)).toEqual([
            notLoaded(productUpsert, 'titel', 'translations.titel', 'variants.titel', 'variants.translations.titel'),
        ]);
    });

    it.each<[Loader, JsonObject]>([
        [productUpsert, { slug: 'a' }],
        [variantUpsert, {}],
        [stockAdjust, { stock: 1 }],
        [priceUpdate, { price: 1 }],
    ])('have the names that the step gives them (%#)', (loader, rest) => {
        const config = { skuField: 'artikel' };
        expect(remarks(loader, { ...rest, artikel: 'a' }, config)).toEqual([]);
        expect(remarks(loader, { ...rest, sku: 'a' }, config)).toEqual([notLoaded(loader, 'sku')]);
    });
});
