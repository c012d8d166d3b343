import { asFlowError } from '../../../core/errors/flow-error';
import type { JsonObject, JsonValue } from '../../../core/value/json';
import { asCells, Feed, type FeedRules } from './feed';
import { googleMerchant, merchantFrame } from './google-merchant';
import { metaCatalog } from './meta-catalog';
import { feedIncludesTax } from './prices';

const ITEM: JsonObject = {
    id: 'TS-1',
    title: 'T-shirt',
    description: 'Of cotton.',
    link: 'https://shop.example.com/p/t-shirt',
    image_link: 'https://shop.example.com/i/1.jpg',
    availability: 'in_stock',
    price: '19.99 EUR',
    brand: 'Example',
    gtin: '4006381333931',
    condition: 'new',
};

interface Shop {
    readonly country?: string;
    readonly pricesIncludeTax?: boolean;
    readonly currencyCode?: string;
}

function shape(
    rules: FeedRules,
    item: JsonObject,
    { country = 'DE', pricesIncludeTax, currencyCode }: Shop = {},
): JsonObject {
    const money = {
        currencyCode,
        pricesIncludeTax,
        feedIncludesTax: feedIncludesTax(country),
        taxRateField: 'taxRate',
    };
    return new Feed(rules, money).shape(item);
}

const google = (more: JsonObject, shop?: Shop): JsonObject => shape(googleMerchant, { ...ITEM, ...more }, shop);
const meta = (more: JsonObject, shop?: Shop): JsonObject => shape(metaCatalog, { ...ITEM, ...more }, shop);

/** The attribute that an item is rejected for. */
function faultOf(work: () => unknown): unknown {
    try {
        work();
    } catch (thrown) {
        const { treat, details } = asFlowError(thrown);
        expect(treat).toBe('record');
        return details?.['path'];
    }
    return undefined;
}

describe('a feed for Google', () => {
    it.each(['id', 'title', 'description', 'link', 'image_link', 'availability', 'price'])('needs %s', name => {
        expect(faultOf(() => google({}))).toBeUndefined();
        for (const none of ['', ' ', null]) expect(faultOf(() => google({ [name]: none }))).toBe(name);
    });

    it.each<[string, JsonValue, JsonValue]>([
        ['id', 'x'.repeat(50), 'x'.repeat(51)],
        ['title', 'ü'.repeat(150), 'ü'.repeat(151)],
        ['description', 'x'.repeat(5_000), 'x'.repeat(5_001)],
        ['link', 'http://a.example/', 'ftp://a.example/'],
        ['image_link', 'https://a.example/x.jpg', '/x.jpg'],
        ['additional_image_link', ['https://a.example/x.jpg'], Array.from({ length: 11 }, () => 'https://a.example/')],
        ['availability', 'out of stock', 'soon'],
        ['condition', 'refurbished', 'broken'],
        ['brand', 'x'.repeat(70), 'x'.repeat(71)],
        ['mpn', 'x'.repeat(70), 'x'.repeat(71)],
        ['item_group_id', 'TS_1-a', 'TS 1'],
        ['gender', 'Unisex', 'both'],
        ['age_group', 'kids', 'old'],
        ['price', '1 EUR', '1,00 EUR'],
        ['price', '0.01 EUR', '0.00 EUR'],
        ['sale_price', '19.98 EUR', '19.99 EUR'],
        ['sale_price', '1.00 EUR', '1.00 USD'],
        ['gtin', '4006381333931', '4006381333930'],
        ['shipping', [{ country: 'DE', price: '4.90 EUR' }], [{ country: 'Germany', price: '4.90 EUR' }]],
        ['color', 'Blue', { name: 'Blue' }],
    ])('takes a right %s and no wrong one', (name, right, wrong) => {
        expect(faultOf(() => google({ [name]: right }))).toBeUndefined();
        expect(String(faultOf(() => google({ [name]: wrong })))).toMatch(new RegExp(`^${name}(\\.|$)`));
    });

    it('needs a date for items that are not available yet', () => {
        for (const availability of ['preorder', 'backorder']) {
            expect(faultOf(() => google({ availability }))).toBe('availability_date');
            expect(google({ availability, availability_date: '2026-12-24T09:00+01:00' })).toMatchObject({
                availability,
                availability_date: '2026-12-24T09:00+0100',
            });
        }
    });

    it('needs an identifier of an item, or a statement that it has none', () => {
        expect(faultOf(() => google({ gtin: null }))).toBe('gtin');
        expect(faultOf(() => google({ gtin: null, mpn: 'M-1' }))).toBeUndefined();
        expect(faultOf(() => google({ gtin: null, mpn: 'M-1', brand: null }))).toBe('gtin');
        expect(google({ gtin: null, brand: null, identifier_exists: false })).toMatchObject({
            identifier_exists: 'no',
        });
    });

    it('needs color, gender, age group and size of clothing', () => {
        const whole: JsonObject = {
            google_product_category: 'Apparel & Accessories > Clothing > Shirts',
            color: 'Blue',
            gender: 'unisex',
            age_group: 'adult',
            size: 'M',
        };
        expect(faultOf(() => google(whole))).toBeUndefined();
        for (const name of ['color', 'gender', 'age_group', 'size'])
            expect(faultOf(() => google({ ...whole, [name]: null }))).toBe(name);
        expect(
            faultOf(() => google({ ...whole, google_product_category: 'Apparel & Accessories', size: null })),
        ).toBeUndefined();
    });

    it('gives the period of a sale, and needs its price', () => {
        const period = '2026-02-24T13:00-08:00/2026-02-28T15:30-08:00';
        expect(faultOf(() => google({ sale_price_effective_date: period }))).toBe('sale_price');
        const sale = { sale_price: '9 EUR', sale_price_effective_date: period };
        expect(google(sale)).toMatchObject({
            sale_price: '9.00 EUR',
            sale_price_effective_date: '2026-02-24T13:00-0800/2026-02-28T15:30-0800',
        });
        for (const wrong of [
            '2026-02-24',
            '2026-02-28T15:30Z/2026-02-24T13:00Z',
            '2026-13-01T00:00Z/2027-01-01T00:00Z',
        ])
            expect(faultOf(() => google({ ...sale, sale_price_effective_date: wrong }))).toBe(
                'sale_price_effective_date',
            );
    });

    it('derives the availability from the stock', () => {
        expect([3, 0, -1, true, false].map(availability => google({ availability })['availability'])).toEqual([
            'in_stock',
            'out_of_stock',
            'out_of_stock',
            'in_stock',
            'out_of_stock',
        ]);
    });

    it('names shipping in tables and in XML', () => {
        const shipping: JsonValue = [
            { country: 'US', region: 'CA', service: 'Standard', price: '6.49 USD' },
            { country: 'DE', price: 490 },
        ];
        const shaped = google({ shipping }, { currencyCode: 'EUR', pricesIncludeTax: true });
        expect(asCells(shaped)['shipping']).toBe('US:CA:Standard:6.49 USD,DE:::4.90 EUR');
        const { record } = merchantFrame({ title: 't', link: 'l', description: 'd' });
        expect(record(shaped)).toContain(
            '<g:shipping><g:country>US</g:country><g:region>CA</g:region><g:service>Standard</g:service><g:price>6.49 USD</g:price></g:shipping>',
        );
    });

    it('escapes its values, and writes several pictures as several elements', () => {
        const frame = merchantFrame({ title: 'A & B', link: 'https://a.example/?a=1&b=2', description: '<d>' });
        expect(frame.before).toContain(
            '<title>A &amp; B</title><link>https://a.example/?a=1&amp;b=2</link><description>&lt;d&gt;',
        );
        const shaped = google({
            title: 'a\0<b>',
            additional_image_link: ['https://a.example/1,2.jpg', 'https://a.example/3.jpg'],
        });
        expect(frame.record(shaped)).toContain('<g:title>a&lt;b&gt;</g:title>');
        expect(frame.record(shaped).match(/<g:additional_image_link>/g)).toHaveLength(2);
        expect(asCells(shaped)['additional_image_link']).toBe('https://a.example/1%2C2.jpg,https://a.example/3.jpg');
    });

    it('rejects fields that are not attributes, and passes on unknown attributes', () => {
        expect(faultOf(() => google({ 'Unit price': '1' }))).toBe('Unit price');
        expect(google({ custom_label_0: 'sale' })).toMatchObject({ custom_label_0: 'sale' });
    });
});

describe('money in a feed', () => {
    it.each<[string, string, boolean, number, number, string]>([
        ['with tax, of a shop with tax', 'DE', true, 1999, 19, '19.99 EUR'],
        ['with tax, of a shop without', 'DE', false, 1680, 19, '19.99 EUR'],
        ['without tax, of a shop with tax', 'US', true, 1999, 19, '16.80 EUR'],
        ['without tax, of a shop without', 'CA', false, 1680, 19, '16.80 EUR'],
        ['rounded half up', 'DE', false, 50, 1, '0.51 EUR'],
    ])('is %s', (_, country, pricesIncludeTax, price, taxRate, expected) => {
        const shop = { country, pricesIncludeTax, currencyCode: 'EUR' };
        expect(google({ price, taxRate }, shop)).toMatchObject({ price: expected });
        const sold = google({ price: price * 2, sale_price: price, taxRate }, shop);
        expect(sold).toMatchObject({ sale_price: expected });
        expect(sold).not.toHaveProperty('taxRate');
    });

    it('has the decimals of its currency', () => {
        const shop = { country: 'JP', pricesIncludeTax: true };
        expect(google({ price: 1999, currencyCode: 'JPY' }, shop)).toMatchObject({ price: '1999 JPY' });
        expect(google({ price: 1999, currencyCode: 'KWD' }, shop)).toMatchObject({ price: '1.999 KWD' });
        expect(google({ price: '15 USD' })).toMatchObject({ price: '15.00 USD' });
    });

    it('is not guessed', () => {
        expect(faultOf(() => google({ price: 1999 }, { pricesIncludeTax: true }))).toBe('price');
        expect(faultOf(() => google({ price: 1999 }, { currencyCode: 'EUR' }))).toBe('price');
        const net = { currencyCode: 'EUR', pricesIncludeTax: false };
        expect(faultOf(() => google({ price: 1999 }, net))).toBe('taxRate');
        expect(faultOf(() => google({ price: 1999, taxRate: 'much' }, net))).toBe('taxRate');
        for (const price of [19.99, -1, true]) expect(faultOf(() => google({ price, taxRate: 19 }, net))).toBe('price');
    });
});

describe('a catalogue for Meta', () => {
    it.each(['id', 'title', 'description', 'availability', 'condition', 'price', 'link', 'image_link'])(
        'needs %s',
        name => {
            expect(faultOf(() => meta({}))).toBeUndefined();
            expect(faultOf(() => meta({ [name]: null }))).toBe(name);
        },
    );

    it.each<[string, JsonValue, JsonValue]>([
        ['id', 'x'.repeat(100), 'x'.repeat(101)],
        ['title', 'x'.repeat(100), 'x'.repeat(101)],
        ['description', 'x'.repeat(5_000), 'x'.repeat(5_001)],
        ['availability', 'discontinued', 'backordered'],
        ['condition', 'used', 'old'],
        ['color', 'x'.repeat(200), 'x'.repeat(201)],
        ['size', 'x'.repeat(200), 'x'.repeat(201)],
        ['item_group_id', 'x'.repeat(100), 'x'.repeat(101)],
        ['gtin', '4006381333931', '4006381333930'],
        ['link', 'https://a.example/', 'a.example'],
    ])('takes a right %s and no wrong one', (name, right, wrong) => {
        expect(faultOf(() => meta({ [name]: right }))).toBeUndefined();
        expect(faultOf(() => meta({ [name]: wrong }))).toBe(name);
    });

    it('spells with blanks what Google spells with underscores', () => {
        const given: readonly JsonValue[] = ['in_stock', 'out_of_stock', 'backorder', 5, 0];
        const words = given.map(availability => String(meta({ availability })['availability']));
        expect(words.map(word => word.split(' ').join('_'))).toEqual([
            'in_stock',
            'out_of_stock',
            'available_for_order',
            'in_stock',
            'out_of_stock',
        ]);
        expect(words.join()).not.toContain('_');
    });

    it('needs one of brand, gtin and mpn', () => {
        expect(faultOf(() => meta({ brand: null, gtin: null }))).toBe('brand');
        for (const one of [{ brand: 'B' }, { gtin: '4006381333931' }, { mpn: 'M' }] as JsonObject[])
            expect(faultOf(() => meta({ brand: null, gtin: null, ...one }))).toBeUndefined();
    });

    it('has at most 20 further pictures of 2000 characters', () => {
        const pictures = (count: number, length: number): JsonObject => ({
            additional_image_link: Array.from({ length: count }, () => `https://a.example/${'x'.repeat(length)}`),
        });
        expect(faultOf(() => meta(pictures(20, 10)))).toBeUndefined();
        expect(faultOf(() => meta(pictures(21, 10)))).toBe('additional_image_link');
        expect(faultOf(() => meta(pictures(20, 100)))).toBe('additional_image_link');
    });

    it('gives the period of a sale with a colon in the time zone', () => {
        const sale_price_effective_date = '2026-02-24T13:00-0800/2026-02-28T15:30Z';
        expect(meta({ sale_price: '1.00 EUR', sale_price_effective_date })).toMatchObject({
            sale_price_effective_date: '2026-02-24T13:00-08:00/2026-02-28T15:30+00:00',
        });
    });
});
