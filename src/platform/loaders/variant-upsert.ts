import { z } from 'zod';
import { defineLoader } from '../../core/adapter/loader';
import type { DesiredVariant } from '../catalogue/desired';
import { fieldsOfVariant } from '../catalogue/known-fields';
import {
    fieldArguments,
    fieldNames,
    catalogueArguments,
    missingPriceArgument,
    priceArguments,
} from '../catalogue/load-config';
import { missingVariants } from '../catalogue/missing-products';
import { openCatalogue } from '../catalogue/open-catalogue';
import { FieldReader } from '../entities/read-field';
import { readForVariantRecords } from '../catalogue/read-needed';
import type { PlanRules } from '../catalogue/plan-rules';
import { CATALOGUE_PERMISSIONS, readVariant } from '../catalogue/read-variant';
import { planVariantRecord } from '../catalogue/plan-variant-record';
import { ASSETS_NOTES } from '../entity-assets/read-assets';
import { forgottenVariant } from '../catalogue/forgotten';
import { entitySession } from '../catalogue/session';
import { compareVariants } from '../catalogue/compare-records';
import { product } from '../entity-descriptions/product';
import { variant } from '../entity-descriptions/variant';
import { keysFor } from '../entities/identity';
import { missingEntities, missingFilterProblems, missingRequires } from '../entities/missing';
import { mayDelete } from '../lookup/deleting';

const FIELDS = [
    'sku',
    'name',
    'translations',
    'enabled',
    'price',
    'prices',
    'stock',
    'taxCategory',
    'trackInventory',
    'options',
    'facetValues',
    'assets',
    'featuredAsset',
    'customFields',
    'productSlug',
] as const;

/** Variants of products that exist, matched by SKU; written in bulk as ProductVariantService would have stored them (ADR 9). */
export const variantUpsert = defineLoader({
    code: 'variantUpsert',
    title: 'Product variants',
    summary: 'Creates, updates and deletes product variants, matched by SKU.',
    category: 'Catalogue',
    config: z.strictObject({
        ...catalogueArguments,
        ...priceArguments,
        ...missingPriceArgument,
        ...fieldArguments(FIELDS),
        missing: missingEntities(['DISABLE', 'ZERO_STOCK', 'DELETE']),
    }),
    notes: [
        'The slug or the name of the product is only needed to create a variant. An existing variant stays with its product, whatever the slug.',
        'A new variant takes one option of each option group of its product; options that do not exist yet are created.',
        'Facet values are a list of "facet:value", or an object by facet with one value or a list: {"Vendor": "Acme", "Tag": ["a", "b"]}. Facets and values are found by their code, otherwise by their name.',
        'Facet values and assets are replaced by those of the record; with the strategy MERGE they are added. A mode of the list takes precedence over the strategy.',
        ...ASSETS_NOTES,
        'Prices are whole numbers in the smallest unit (1999 = 19.99). The operator toCents converts text.',
        'A new variant needs a price. With missingPrice DISABLE or ZERO, a price of null or empty text counts as missing, and an existing variant keeps its price. With DISABLE, a disabled variant with the price 0 stays disabled until a record brings a price. That record also enables the variant, unless it sets enabled to false.',
        "null in `prices` removes the price of that currency, except for the channel's default currency, which cannot be empty.",
        'null in `stock` removes the stock level at that location. The last level of a variant stays, and so does one with stock allocated to orders.',
        'Blanks around SKUs, options and slugs are removed.',
        "Prices of other channels follow the shop's ProductVariantPriceUpdateStrategy.",
        'The operations CREATE and UPDATE mean UPSERT: the strategy of the step decides whether entities may be created or updated.',
        "A record with the operation DELETE is rejected if the run's user lacks the permission DeleteCatalog.",
    ],
    examples: [
        {
            note: 'A missing option of the product is created. Two variants cannot have the same options.',
            given: [
                {
                    loader: 'productUpsert',
                    records: [
                        {
                            slug: 'desk-lamp',
                            name: 'Desk lamp',
                            optionGroups: ['Colour'],
                            variants: [{ sku: 'LAMP-W', price: 4900, options: { Colour: 'White' } }],
                        },
                    ],
                },
            ],
            in: [
                { sku: 'LAMP-B', productSlug: 'desk-lamp', price: 4500, options: { Colour: 'Black' } },
                { sku: 'LAMP-N', productSlug: 'desk-lamp', price: 4500, options: { Colour: 'White' } },
                { sku: 'LAMP-N', productSlug: 'desk-lamp', price: 4500 },
                { sku: 'LAMP-N', productSlug: 'desk-lamp', price: 4500, options: { Colour: 'Red', Size: 'L' } },
            ],
            keys: ['desk-lamp', 'LAMP-W', 'LAMP-B', 'LAMP-N'],
            does: ['create', 'reject', 'reject', 'reject'],
            rejects: ['options', 'options', 'options.Size'],
            after: [{ sku: 'LAMP-B', name: 'Desk lamp Black', options: ['Black'], price: 4500 }],
        },
        {
            note: 'Facet values by facet, each with one value or a list.',
            given: [
                {
                    loader: 'productUpsert',
                    records: [{ slug: 'desk-lamp', name: 'Desk lamp', sku: 'LAMP-1', price: 4900 }],
                },
            ],
            config: { createMissingFacetValues: true },
            in: [
                { sku: 'LAMP-1', facetValues: { Finish: 'matt', Tag: ['led', 'small'] } },
                { sku: 'LAMP-1', facetValues: { Tag: ['small', 'led'], Finish: ['matt'] } },
            ],
            keys: ['desk-lamp', 'LAMP-1', 'matt', 'led', 'small'],
            does: ['update', 'unchanged'],
            again: ['unchanged', 'unchanged'],
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
                { sku: 'LAMP-1', name: 'Desk lamp, white', price: 4500 },
                { sku: 'LAMP-1', stock: 12 },
            ],
            keys: ['desk-lamp', 'LAMP-1'],
            does: ['update', 'unchanged'],
            after: [{ name: 'Desk lamp, white', price: 4500 }],
        },
        {
            given: [
                {
                    loader: 'productUpsert',
                    records: [{ slug: 'desk-lamp', name: 'Desk lamp', sku: 'LAMP-1', price: 4900 }],
                },
            ],
            in: [{ sku: 'LAMP-1', __operation: 'DELETE' }],
            keys: ['desk-lamp', 'LAMP-1'],
            does: ['delete'],
        },
        {
            given: [{ loader: 'productUpsert', records: [{ slug: 'desk-lamp', name: 'Desk lamp' }] }],
            in: [
                { sku: 'LAMP-1', price: 4900 },
                { sku: 'LAMP-1', productSlug: 'floor-lamp' },
                { sku: 'LAMP-1', productSlug: 'desk-lamp', price: '49.00' },
                { sku: 'LAMP-1', productSlug: 'desk-lamp' },
                { sku: 'LAMP-1', productSlug: 'desk-lamp', price: 4900 },
            ],
            keys: ['desk-lamp', 'floor-lamp', 'LAMP-1'],
            does: ['reject', 'reject', 'reject', 'reject', 'create'],
            rejects: ['productSlug', 'productSlug', 'price', 'price'],
            again: ['unchanged', 'unchanged', 'reject', 'unchanged', 'unchanged'],
        },
        {
            note: 'A new variant without a price is created disabled, as set in the step, and stays disabled until it has one.',
            given: [{ loader: 'productUpsert', records: [{ slug: 'desk-lamp', name: 'Desk lamp' }] }],
            config: { missingPrice: 'DISABLE' },
            in: [
                { sku: 'LAMP-1', productSlug: 'desk-lamp', enabled: true },
                { sku: 'LAMP-1', enabled: true },
                { sku: 'LAMP-1', enabled: true, price: 4900 },
            ],
            keys: ['desk-lamp', 'LAMP-1'],
            does: ['create', 'unchanged', 'update'],
            after: [
                { sku: 'LAMP-1', name: 'Desk lamp', enabled: false, price: 0 },
                { enabled: true, price: 4900 },
            ],
            again: ['unchanged', 'unchanged', 'unchanged'],
        },
    ],
    requires: CATALOGUE_PERMISSIONS,
    mayRequire: mayDelete(variant.permissions.delete),
    requiresFor: missingRequires('PRODUCT_VARIANT', variant.permissions.delete),
    judge: (config, shop) => missingFilterProblems(config, 'PRODUCT_VARIANT', shop),
    missing: missingVariants,
    fields: fieldsOfVariant,
    customFieldsOf: 'ProductVariant',
    async open(config, cx) {
        const open = await openCatalogue(cx, { ...config, gallery: config });
        const { language } = open.catalogue.reference;
        const names = fieldNames(config);
        return entitySession<DesiredVariant, PlanRules>(open, config, {
            rules: common => common,
            read: ({ data }, issues) =>
                readVariant(new FieldReader(data, issues), open.rules, { names, isFlat: false }),
            locks: ({ sku, productSlug, facetValues }, ofFacets) => [
                `sku:${sku}`,
                // Creating a variant first reads the product's other variants.
                ...(productSlug === undefined
                    ? []
                    : keysFor(product, productSlug).map(slug => `slug:${language}:${slug}`)),
                ...ofFacets(facetValues),
            ],
            galleries: ({ gallery }) => [gallery],
            compared: compareVariants,
            isReadOnce: true,
            needed: readForVariantRecords,
            plan: planVariantRecord,
            planForgotten: forgottenVariant,
        });
    },
});
