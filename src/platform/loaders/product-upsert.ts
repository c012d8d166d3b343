import { z } from 'zod';
import { type Change, type Script, type TableSession, defineLoader } from '../../core/adapter/loader';
import type { Batch } from '../../core/data/record';
import { oncePerBatch } from '../entities/once-per-batch';
import {
    fieldArguments,
    fieldNames,
    catalogueArguments,
    priceArguments,
    PRODUCT_FIELDS,
    VARIANT_FIELDS,
} from '../catalogue/load-config';
import { Faults, trimmedIn } from '../entities/faults';
import { fieldsOfProduct } from '../catalogue/known-fields';
import { openCatalogue } from '../catalogue/open-catalogue';
import { type ProductRules, planProduct } from '../catalogue/plan-product';
import { lockOfFacet } from '../catalogue/facet-values';
import { readForProducts } from '../catalogue/read-needed';
import { readProduct } from '../catalogue/read-product';
import { CATALOGUE_PERMISSIONS } from '../catalogue/read-variant';
import { slugOf } from '../entities/slug';
import type { UnitOfWork } from '../entities/unit-of-work';
import { writeCatalogue } from '../catalogue/write-catalogue';
import type { PriceAnswers } from '../catalogue/price-sync';

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
        matchBy: z.enum(['slug', 'sku']).default('slug').meta({
            title: 'Match by',
            description:
                "What finds a product that exists: its slug in the run's language, or the SKU of the record's first variant.",
        }),
        ...fieldArguments([...PRODUCT_FIELDS, ...VARIANT_FIELDS, 'assets']),
    }),
    notes: [
        'Prices are whole minor units (1999 = 19.99); the operator toCents makes them of text.',
        "null in `prices` takes the price of that currency away, save that of the channel's default currency, which cannot be empty.",
        'null in `stock` takes the level of that location away; the last one of a variant stays, and one with stock that is allocated to orders.',
        'A missing slug is made of the name without the blanks round it. Matched by SKU, a slug that another product has gets a number behind it, as in the dashboard.',
        'Variants that a record does not list stay as they are, and option groups are never taken off a product.',
        'Facet values, channels and list custom fields are replaced by those of the record; with the strategy MERGE they are joined.',
        'Assets are not written. Custom fields that are relations take ids: one, or a list of them.',
        'SKUs, options and given slugs are read without the blanks round them.',
        "Prices of other channels follow as the shop's ProductVariantPriceUpdateStrategy says.",
        "A record with the operation DELETE is rejected when the run's user lacks the permission DeleteCatalog.",
    ],
    examples: [
        {
            in: [{ name: 'Desk lamp', sku: 'LAMP-1', price: 4900, stock: 12 }],
            keys: ['Desk lamp', 'LAMP-1'],
            does: ['create'],
            after: [{ name: 'Desk lamp', slug: 'desk-lamp', sku: 'LAMP-1', price: 4900, stock: 12 }],
        },
        {
            note: 'A product with option groups has one variant for each combination that is sold.',
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
            note: 'Only what a record says is changed. When the same comes again, nothing is.',
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
            note: 'Matched by SKU, a product keeps its variants where it gets another slug.',
            given: [{ loader: 'productUpsert', records: [{ name: 'Desk lamp', sku: 'LAMP-1', price: 4900 }] }],
            config: { matchBy: 'sku' },
            in: [{ sku: 'LAMP-1', slug: 'desk-lamp-white' }],
            keys: ['Desk lamp', 'LAMP-1', 'desk-lamp-white'],
            does: ['update'],
            after: [{ slug: 'desk-lamp-white' }],
        },
        {
            note: 'Facets and facet values that are missing are made, where the step says so.',
            config: { createMissingFacetValues: true },
            in: [{ slug: 'desk-lamp', name: 'Desk lamp', facetValues: ['Room:Study'] }],
            keys: ['desk-lamp', 'Room:Study'],
            does: ['create'],
        },
        {
            given: [{ loader: 'productUpsert', records: [{ slug: 'desk-lamp', name: 'Desk lamp', sku: 'LAMP-1' }] }],
            in: [{ slug: 'desk-lamp', __operation: 'DELETE' }],
            keys: ['desk-lamp', 'LAMP-1'],
            does: ['delete'],
        },
        {
            given: [{ loader: 'productUpsert', records: [{ slug: 'desk-lamp', name: 'Desk lamp', sku: 'LAMP-1' }] }],
            config: { strategy: 'CREATE' },
            in: [
                { slug: 'desk-lamp', name: 'Desk lamp' },
                { slug: 'floor-lamp', name: 'Floor lamp', sku: 'LAMP-2', price: '49.00' },
                { slug: 'floor-lamp' },
                { slug: 'floor-lamp', name: 'Floor lamp', sku: 'LAMP-1' },
                { slug: 'floor-lamp', name: 'Floor lamp', facetValues: ['Room:Attic'] },
                { slug: 'floor-lamp', name: 'Floor lamp', sku: 'LAMP-2', price: 4900 },
            ],
            keys: ['desk-lamp', 'floor-lamp', 'LAMP-1', 'LAMP-2'],
            does: ['reject', 'reject', 'reject', 'reject', 'reject', 'create'],
            rejects: ['slug', 'price', 'name', 'sku', 'facetValues.0'],
            again: ['reject', 'reject', 'reject', 'reject', 'reject', 'reject'],
        },
    ],
    requires: CATALOGUE_PERMISSIONS,
    fields: fieldsOfProduct,
    async open(config, cx): Promise<TableSession> {
        const open = await openCatalogue(cx, config);
        const { catalogue, rules, isDryRun } = open;
        const { language } = catalogue.reference;
        const names = fieldNames(config);
        const read = oncePerBatch(({ data }) => {
            const faults = new Faults();
            return { faults, desired: readProduct(data, rules, { names, faults }) };
        });

        return {
            locks(batch) {
                return read(batch).flatMap(({ desired }) =>
                    desired === undefined
                        ? []
                        : [
                              // Without a slug, a new text gets one that is made of its name.
                              ...[...desired.texts].flatMap(([textLanguage, { values }]) => {
                                  const slug = values['slug'] ?? slugOf(values['name'] ?? '');
                                  return slug === '' ? [] : [`slug:${textLanguage}:${slug}`];
                              }),
                              ...(desired.slug === undefined ? [] : [`slug:${language}:${desired.slug}`]),
                              ...(desired.variants ?? []).flatMap(({ sku, facetValues }) => [
                                  `sku:${sku}`,
                                  ...facetLocks(facetValues),
                              ]),
                              ...facetLocks(desired.facetValues),
                          ],
                );
            },
            prepare: batch => open.prepare(read(batch), (work, answers) => planned(batch, work, answers)),
            *plan(batch, answers: PriceAnswers) {
                const work = open.work();
                const changes = yield* planned(batch, work, answers);
                open.settle(work);
                return { changes, apply: () => writeCatalogue(catalogue, work, config.sideEffects) };
            },
            trimmed: batch => trimmedIn(read(batch)),
        };

        function* planned(batch: Batch, work: UnitOfWork, answers: PriceAnswers): Script<readonly Change[]> {
            const productRules: ProductRules = {
                catalogue,
                work,
                answers,
                isLive: !isDryRun,
                strategy: config.strategy,
                createsFacetValues: config.createMissingFacetValues,
                matchBy: config.matchBy,
            };
            const records = read(batch);
            const wanted = records.flatMap(({ desired, faults }) => (faults.isSound && desired) || []);
            yield* readForProducts(productRules, wanted);
            const changes: Change[] = [];
            for (const { desired, faults: found } of records) {
                const faults = new Faults(found);
                changes.push(
                    faults.isSound && desired
                        ? yield* planProduct(productRules, desired, faults)
                        : { action: 'reject', key: undefined, error: faults.error() },
                );
            }
            return changes;
        }

        function facetLocks(wishes: readonly { readonly facet: string }[] | undefined): readonly string[] {
            return config.createMissingFacetValues ? (wishes ?? []).flatMap(lockOfFacet) : [];
        }
    },
});
