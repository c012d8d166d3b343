import {
    addressAttribute,
    choiceAttribute,
    gtinAttribute,
    listAttribute,
    missing,
    periodAttribute,
    textAttribute,
} from './attributes';
import type { FeedRules } from './feed';

/** Meta's catalogue fields for commerce (developers.facebook.com/docs/marketing-api/catalog/reference, November 2026). */
export const metaCatalog: FeedRules = {
    of: 'the Meta catalogue',
    required: ['id', 'title', 'description', 'availability', 'condition', 'price', 'link', 'image_link'],
    stock: { some: 'in stock', none: 'out of stock' },
    attributes: {
        id: textAttribute(100),
        title: textAttribute(100),
        description: textAttribute(5_000),
        link: addressAttribute,
        image_link: addressAttribute,
        additional_image_link: listAttribute(addressAttribute, { most: 20, chars: 2_000 }),
        availability: choiceAttribute(['in stock', 'out of stock', 'preorder', 'available for order', 'discontinued'], {
            backorder: 'available for order',
        }),
        condition: choiceAttribute(['new', 'refurbished', 'used']),
        sale_price_effective_date: periodAttribute('-08:00'),
        brand: textAttribute(100),
        gtin: gtinAttribute,
        mpn: textAttribute(100),
        item_group_id: textAttribute(100),
        color: textAttribute(200),
        size: textAttribute(200),
        gender: choiceAttribute(['male', 'female', 'unisex']),
        age_group: choiceAttribute(['newborn', 'infant', 'toddler', 'kids', 'teen', 'adult', 'all ages']),
    },
    conditions({ brand, gtin: number, mpn }) {
        if (brand === undefined && number === undefined && mpn === undefined)
            throw missing('brand', 'the Meta catalogue needs brand, gtin or mpn of every item');
    },
};
