import { z } from 'zod';
import { defineLoader } from '../../core/adapter/loader';
import type { DesiredProduct } from '../catalogue/desired';
import {
    fieldArguments,
    fieldNames,
    catalogueArguments,
    missingPriceArgument,
    priceArguments,
    PRODUCT_FIELDS,
    VARIANT_FIELDS,
} from '../catalogue/load-config';
import { fieldsOfProduct } from '../catalogue/known-fields';
import { missingProducts } from '../catalogue/missing-products';
import { openCatalogue } from '../catalogue/open-catalogue';
import { planPlainProduct } from '../catalogue/plan-plain';
import { givenSlug, type ProductRules } from '../catalogue/match-products';
import { planProduct } from '../catalogue/plan-product';
import { readForProducts } from '../catalogue/read-needed';
import { readProduct } from '../catalogue/read-product';
import { CATALOGUE_PERMISSIONS } from '../catalogue/read-variant';
import { LIST_MODES, listModeArgument } from '../entities/load-arguments';
import { slugOf } from '../entities/slug';
import { ASSETS_NOTES } from '../entity-assets/read-assets';
import { forgottenProduct } from '../catalogue/forgotten';
import { entitySession } from '../catalogue/session';
import { compareProducts } from '../catalogue/compare-records';
import { product } from '../entity-descriptions/product';
import { missingEntities, missingFilterProblems, missingRequires } from '../entities/missing';
import { mayDelete } from '../lookup/deleting';

/**
 * Products with their variants, prices, stock, options and facet values, written in bulk as ProductService and
 * ProductVariantService would have stored them one by one (ADR 9).
 */
export const productUpsert = defineLoader({
    code: 'productUpsert',
    title: 'Products',
    summary: 'Creates, updates and deletes products with their variants, prices, stock, options and facet values.',
    category: 'Catalogue',
    config: z.strictObject({
        ...catalogueArguments,
        ...priceArguments,
        ...missingPriceArgument,
        matchBy: z.enum(['slug', 'sku']).default('slug').meta({
            title: 'Match by',
            description:
                "How an existing product is found: by its slug in the run's language, or by the SKU of the record's first variant.",
        }),
        channelsMode: listModeArgument('channels'),
        optionGroupsMode: z.enum(LIST_MODES).optional().meta({
            title: 'Mode of optionGroups',
            description:
                'MERGE (default): groups are added to those of the product; null removes all. REPLACE: other groups are removed. REMOVE: the groups in the list are removed. SKIP: groups are not changed.',
        }),
        ...fieldArguments([...PRODUCT_FIELDS, ...VARIANT_FIELDS]),
        missing: missingEntities(['DISABLE', 'ZERO_STOCK', 'DELETE']),
    }),
    notes: [
        'Prices are whole numbers in the smallest unit (1999 = 19.99). The operator toCents converts text.',
        'A new variant needs a price. With missingPrice DISABLE or ZERO, a price of null or empty text counts as missing, and an existing variant keeps its price. With DISABLE, a disabled variant with the price 0 stays disabled until a record brings a price. That record also enables the variant, unless it sets enabled to false.',
        "null in `prices` removes the price of that currency, except for the channel's default currency, which cannot be empty.",
        'null in `stock` removes the stock level at that location. The last level of a variant stays, and so does one with stock allocated to orders.',
        'Without a slug, a product is found by its name, ignoring case and surrounding blanks. A new product gets a slug derived from its name, with a number if another product has that slug. When matching by SKU, a given slug that another product already uses gets a number, as in the dashboard.',
        'Facet values are a list of "facet:value", or an object by facet with one value or a list: {"Vendor": "Acme", "Tag": ["a", "b"]}. Facets and values are found by their code, otherwise by their name.',
        'Variants that a record does not list are not changed.',
        'Facet values, assets, channels and list custom fields are replaced by those of the record; with the strategy MERGE they are added. A mode of the list takes precedence over the strategy.',
        'If an option group is removed from a product, its variants lose their options of that group. A record that would leave two variants with the same options is rejected.',
        ...ASSETS_NOTES,
        'Custom fields that are relations take one id or a list of ids.',
        'Blanks around SKUs, options and given slugs are removed.',
        "Prices of other channels follow the shop's ProductVariantPriceUpdateStrategy.",
        'The operations CREATE and UPDATE mean UPSERT: the strategy of the step decides whether entities may be created or updated.',
        "A record with the operation DELETE is rejected if the run's user lacks the permission DeleteCatalog.",
    ],
    examples: [
        {
            in: [{ name: 'Desk lamp', sku: 'LAMP-1', price: 4900, stock: 12 }],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['create'],
            after: [{ name: 'Desk lamp', slug: 'desk-lamp', sku: 'LAMP-1', price: 4900, stock: 12 }],
        },
        {
            note: 'A product with option groups has one variant for each combination of options that is sold.',
            in: [
                {
                    slug: 'desk-lamp',
                    name: 'Desk lamp',
                    optionGroups: ['Colour'],
                    variants: [
                        { sku: 'LAMP-W', price: 4900, options: { Colour: 'White' } },
                        { sku: 'LAMP-B', price: 4900, options: { Colour: 'Black' } },
                    ],
                },
            ],
            keys: ['desk-lamp', 'LAMP-W', 'LAMP-B'],
            does: ['create'],
        },
        {
            note: 'Only the fields of the record are changed. Loading the same record again changes nothing.',
            given: [
                {
                    loader: 'productUpsert',
                    records: [{ slug: 'desk-lamp', name: 'Desk lamp', sku: 'LAMP-1', price: 4900, stock: 12 }],
                },
            ],
            in: [
                { slug: 'desk-lamp', description: 'Bright', sku: 'LAMP-1', price: 4500 },
                { slug: 'desk-lamp', name: 'Desk lamp' },
            ],
            keys: ['desk-lamp', 'LAMP-1'],
            does: ['update', 'unchanged'],
            after: [{ description: 'Bright', price: 4500 }],
        },
        {
            note: 'When matching by SKU, a product keeps its variants if its slug changes.',
            given: [{ loader: 'productUpsert', records: [{ name: 'Desk lamp', sku: 'LAMP-1', price: 4900 }] }],
            config: { matchBy: 'sku' },
            in: [
                { sku: 'LAMP-1', slug: 'desk-lamp-white' },
                { sku: 'LAMP-1 ', price: 4900 },
            ],
            keys: ['Desk lamp', 'LAMP-1', 'LAMP-1 ', 'desk-lamp-white'],
            does: ['update', 'unchanged'],
            after: [{ slug: 'desk-lamp-white' }],
        },
        {
            note: 'Missing facets and facet values are created if the step allows it.',
            config: { createMissingFacetValues: true },
            in: [{ slug: 'desk-lamp', name: 'Desk lamp', facetValues: ['Room:Study'] }],
            keys: ['desk-lamp', 'Room:Study'],
            does: ['create'],
        },
        {
            note: 'Facet values by facet, each with one value or a list; null means no value.',
            config: { createMissingFacetValues: true },
            in: [
                { slug: 'desk-lamp', name: 'Desk lamp', facetValues: { Vendor: 'Acme', Tag: ['led', 'small'] } },
                { slug: 'desk-lamp', facetValues: { Tag: ['small', 'led'], Vendor: ['Acme'], Year: null } },
                { slug: 'desk-lamp', facetValues: { Tag: 'led' } },
            ],
            keys: ['desk-lamp', 'Acme', 'led', 'small'],
            does: ['create', 'unchanged', 'update'],
            again: ['update', 'unchanged', 'update'],
        },
        {
            note: 'A facet value that does not exist is an error at its facet.',
            in: [{ slug: 'desk-lamp', name: 'Desk lamp', facetValues: { Room: ['Study'] } }],
            keys: ['desk-lamp'],
            does: ['reject'],
            rejects: ['facetValues.Room.0'],
        },
        {
            note: 'An option moves from one variant to another in one record. Two variants of a record cannot have the same options.',
            given: [
                {
                    loader: 'productUpsert',
                    records: [
                        {
                            slug: 'desk-lamp',
                            name: 'Desk lamp',
                            variants: [
                                { sku: 'LAMP-W', price: 4900, options: { Colour: 'White' } },
                                { sku: 'LAMP-B', price: 4900, options: { Colour: 'Black' } },
                            ],
                        },
                    ],
                },
            ],
            in: [
                {
                    slug: 'desk-lamp',
                    variants: [
                        { sku: 'LAMP-W', options: { Colour: 'Ivory' } },
                        { sku: 'LAMP-N', price: 4900, options: { Colour: 'White' } },
                    ],
                },
                {
                    slug: 'desk-lamp',
                    variants: [
                        { sku: 'LAMP-W', options: { Colour: 'Red' } },
                        { sku: 'LAMP-B', options: { Colour: 'Red' } },
                    ],
                },
            ],
            keys: ['desk-lamp', 'LAMP-W', 'LAMP-B', 'LAMP-N'],
            does: ['update', 'reject'],
            rejects: ['variants.1.options'],
            again: ['unchanged', 'reject'],
        },
        {
            note: 'An option group is removed when one variant is left.',
            given: [
                {
                    loader: 'productUpsert',
                    records: [
                        {
                            slug: 'desk-lamp',
                            name: 'Desk lamp',
                            optionGroups: ['Colour'],
                            variants: [
                                { sku: 'LAMP-W', price: 4900, options: { Colour: 'White' } },
                                { sku: 'LAMP-B', price: 4900, options: { Colour: 'Black' } },
                            ],
                        },
                    ],
                },
            ],
            config: { optionGroupsMode: 'REPLACE' },
            in: [
                { slug: 'desk-lamp', optionGroups: [] },
                { slug: 'desk-lamp', optionGroups: [], variants: [{ sku: 'LAMP-B', __operation: 'DELETE' }] },
                { slug: 'desk-lamp', optionGroups: [] },
            ],
            keys: ['desk-lamp', 'LAMP-W', 'LAMP-B'],
            does: ['reject', 'update', 'unchanged'],
            rejects: ['optionGroups'],
            again: ['unchanged', 'unchanged', 'unchanged'],
        },
        {
            note: 'Assets are downloaded from their addresses, in the order of the list; the first one is featured.',
            config: { pictureBaseUrl: 'https://pictures.example.com/' },
            in: [
                {
                    slug: 'desk-lamp',
                    name: 'Desk lamp',
                    assets: ['lamp.png', { url: 'shade.png' }],
                    variants: [{ sku: 'LAMP-1', price: 4900, assets: ['shade.png'] }],
                },
                { slug: 'desk-lamp', assets: ['shade.png', 'lamp.png'], featuredAsset: 'shade.png' },
            ],
            keys: ['desk-lamp', 'LAMP-1', 'lamp.png', 'shade.png'],
            does: ['create', 'update'],
            again: ['update', 'update'],
        },
        {
            given: [
                {
                    loader: 'productUpsert',
                    records: [{ slug: 'desk-lamp', name: 'Desk lamp', sku: 'LAMP-1', price: 4900 }],
                },
            ],
            in: [{ slug: 'desk-lamp', __operation: 'DELETE' }],
            keys: ['desk-lamp', 'LAMP-1'],
            does: ['delete'],
        },
        {
            given: [
                {
                    loader: 'productUpsert',
                    records: [{ slug: 'desk-lamp', name: 'Desk lamp', sku: 'LAMP-1', price: 4900 }],
                },
            ],
            config: { strategy: 'CREATE' },
            in: [
                { slug: 'desk-lamp', name: 'Desk lamp' },
                { slug: 'floor-lamp', name: 'Floor lamp', sku: 'LAMP-2', price: '49.00' },
                { slug: 'floor-lamp', name: 'Floor lamp', sku: 'LAMP-2' },
                { slug: 'floor-lamp' },
                { slug: 'floor-lamp', name: 'Floor lamp', sku: 'LAMP-1' },
                { slug: 'floor-lamp', name: 'Floor lamp', facetValues: ['Room:Attic'] },
                { slug: 'floor-lamp', name: 'Floor lamp', sku: 'LAMP-2', price: 4900 },
            ],
            keys: ['desk-lamp', 'floor-lamp', 'LAMP-1', 'LAMP-2'],
            does: ['reject', 'reject', 'reject', 'reject', 'reject', 'reject', 'create'],
            rejects: ['slug', 'price', 'price', 'name', 'sku', 'facetValues.0'],
            again: ['reject', 'reject', 'reject', 'reject', 'reject', 'reject', 'reject'],
        },
        {
            note: 'A new variant without a price is created disabled, as set in the step.',
            config: { missingPrice: 'DISABLE' },
            in: [
                { slug: 'desk-lamp', name: 'Desk lamp', sku: 'LAMP-1', price: null },
                { slug: 'floor-lamp', name: 'Floor lamp', variants: [{ sku: 'LAMP-2', enabled: true }] },
            ],
            keys: ['desk-lamp', 'floor-lamp', 'LAMP-1', 'LAMP-2'],
            does: ['create', 'create'],
        },
        {
            note: 'A variant that was created disabled without a price is enabled by a record with a price.',
            config: { missingPrice: 'DISABLE' },
            in: [
                { slug: 'desk-lamp', name: 'Desk lamp', sku: 'LAMP-1' },
                { slug: 'desk-lamp', name: 'Desk lamp', sku: 'LAMP-1', price: 4900 },
            ],
            keys: ['desk-lamp', 'LAMP-1'],
            does: ['create', 'update'],
            after: [
                { name: 'Desk lamp', slug: 'desk-lamp', sku: 'LAMP-1', 'variants.LAMP-1.enabled': false, price: 0 },
                { 'variants.LAMP-1.enabled': true, price: 4900 },
            ],
            again: ['unchanged', 'unchanged'],
        },
        {
            note: 'With MERGE, values are added to lists.',
            config: { strategy: 'MERGE', createMissingFacetValues: true },
            in: [
                { slug: 'desk-lamp', name: 'Desk lamp', facetValues: ['Room:Study'] },
                { slug: 'desk-lamp', facetValues: ['Room:Hall'] },
                { slug: 'desk-lamp', facetValues: ['Room:Study'] },
            ],
            keys: ['desk-lamp', 'Room:Study', 'Room:Hall'],
            does: ['create', 'update', 'unchanged'],
            again: ['unchanged', 'unchanged', 'unchanged'],
        },
        {
            note: 'UPDATE only changes existing products.',
            given: [{ loader: 'productUpsert', records: [{ slug: 'desk-lamp', name: 'Desk lamp' }] }],
            config: { strategy: 'UPDATE' },
            in: [
                { slug: 'floor-lamp', name: 'Floor lamp' },
                { slug: 'desk-lamp', description: 'Bright' },
            ],
            keys: ['desk-lamp', 'floor-lamp'],
            does: ['reject', 'update'],
            rejects: ['slug'],
            after: [{ description: 'Bright' }],
        },
    ],
    requires: CATALOGUE_PERMISSIONS,
    mayRequire: mayDelete(product.permissions.delete),
    requiresFor: missingRequires('PRODUCT', product.permissions.delete),
    judge: (config, shop) => missingFilterProblems(config, 'PRODUCT', shop),
    missing: missingProducts,
    fields: fieldsOfProduct,
    customFieldsOf: 'Product',
    async open(config, cx) {
        const open = await openCatalogue(cx, { ...config, gallery: config });
        const { language } = open.catalogue.reference;
        const { matchBy } = config;
        const names = fieldNames(config);
        return entitySession<DesiredProduct, ProductRules>(open, config, {
            rules: common => ({ ...common, matchBy }),
            read: ({ data }, issues) => readProduct(data, open.rules, { names, faults: issues }),
            locks({ texts, slug: given, madeSlug, variants = [], facetValues }, ofFacets) {
                const locks = [...ofFacets(facetValues)];
                for (const [textLanguage, { values }] of texts) {
                    // Without a slug, a new text gets one that is made of its name; in the run's language it is the
                    // record's own slug.
                    const slug = textLanguage === language ? madeSlug : slugOf(values['slug'] ?? values['name'] ?? '');
                    if (slug) locks.push(`slug:${textLanguage}:${slug}`);
                }
                if (given !== undefined && given !== madeSlug) locks.push(`slug:${language}:${given}`);
                for (const { sku, facetValues: facets } of variants) locks.push(`sku:${sku}`, ...ofFacets(facets));
                return locks;
            },
            galleries: ({ gallery, variants = [] }) => [gallery, ...variants.map(variant => variant.gallery)],
            givenKey: desired => givenSlug({ matchBy }, desired),
            compared: compareProducts,
            isReadOnce: false,
            needed: readForProducts,
            planPlain: planPlainProduct,
            plan: planProduct,
            planForgotten: forgottenProduct,
        });
    },
});
