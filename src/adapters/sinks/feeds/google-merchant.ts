import type { JsonObject } from '../../../core/value/json';
import { element, escapedText, type XmlFrame } from '../../../io/formats/writing/xml';
import {
    addressAttribute,
    choiceAttribute,
    gtinAttribute,
    listAttribute,
    missing,
    timestampAttribute,
    periodAttribute,
    textAttribute,
    yesNoAttribute,
} from './attributes';
import type { FeedRules } from './feed';

const GROUP = { is: /^[A-Za-z0-9_-]+$/, allowed: 'letters, digits, underscores and hyphens' };
/** Clothing and shoes, by their numbers and by their names. */
const APPAREL = /^(?:166|1604|187|Apparel & Accessories(?: >.*)?)$/;
const SIZED = /^(?:1604|187|Apparel & Accessories > (?:Clothing|Shoes)(?: >.*)?)$/;

/** Google's product data specification (support.google.com/merchants/answer/7052112, November 2026). */
export const googleMerchant: FeedRules = {
    of: 'Google Merchant Center',
    required: ['id', 'title', 'description', 'link', 'image_link', 'availability', 'price'],
    stock: { some: 'in_stock', none: 'out_of_stock' },
    attributes: {
        id: textAttribute(50),
        title: textAttribute(150),
        description: textAttribute(5_000),
        link: addressAttribute,
        mobile_link: addressAttribute,
        image_link: addressAttribute,
        additional_image_link: listAttribute(addressAttribute, { most: 10 }),
        availability: choiceAttribute(['in_stock', 'out_of_stock', 'preorder', 'backorder'], {
            available_for_order: 'backorder',
        }),
        availability_date: timestampAttribute('-0800'),
        sale_price_effective_date: periodAttribute('-0800'),
        condition: choiceAttribute(['new', 'refurbished', 'used']),
        brand: textAttribute(70),
        gtin: gtinAttribute,
        mpn: textAttribute(70),
        identifier_exists: yesNoAttribute,
        item_group_id: textAttribute(50, GROUP),
        google_product_category: textAttribute(750),
        product_type: textAttribute(750),
        color: textAttribute(100),
        size: textAttribute(100),
        material: textAttribute(200),
        pattern: textAttribute(100),
        gender: choiceAttribute(['male', 'female', 'unisex']),
        age_group: choiceAttribute(['newborn', 'infant', 'toddler', 'kids', 'adult']),
        adult: yesNoAttribute,
        is_bundle: yesNoAttribute,
        expiration_date: timestampAttribute('-0800'),
    },
    conditions(shaped) {
        const { availability, availability_date: from, identifier_exists: exists } = shaped;
        if ((availability === 'preorder' || availability === 'backorder') && from === undefined)
            throw missing('availability_date', `Google Merchant Center needs it with the availability ${availability}`);
        const { brand, gtin: number, mpn, google_product_category: category = '' } = shaped;
        if (exists !== 'no' && number === undefined && (brand === undefined || mpn === undefined))
            throw missing('gtin', 'give it, or brand and mpn, or identifier_exists "no" for what has none of them');
        if (typeof category !== 'string' || !APPAREL.test(category)) return;
        for (const name of ['color', 'gender', 'age_group', ...(SIZED.test(category) ? ['size'] : [])])
            if (shaped[name] === undefined) throw missing(name, 'Google Merchant Center needs it of clothing');
    },
};

/** The head of a feed. */
interface FeedHead {
    readonly title: string;
    readonly link: string;
    readonly description: string;
}

/** RSS 2.0 with the attributes in Google's namespace. */
export function merchantFrame({ title, link, description }: FeedHead): XmlFrame {
    const named = Object.entries({ title, link, description })
        .map(([name, value]) => `<${name}>${escapedText(value)}</${name}>`)
        .join('');
    return {
        before: `<rss xmlns:g="http://base.google.com/ns/1.0" version="2.0"><channel>${named}`,
        after: '</channel></rss>',
        record: data => `<item>${attributes(data)}</item>`,
    };
}

function attributes(data: JsonObject): string {
    return Object.entries(data)
        .map(([name, value]) => {
            if (name !== 'shipping') return element(`g:${name}`, value);
            return (value as readonly JsonObject[]).map(one => `<g:shipping>${attributes(one)}</g:shipping>`).join('');
        })
        .join('');
}
