import { show } from '../../core/value/show';
import { z } from 'zod';
import { type Change, type TableSession, type Script, defineLoader } from '../../core/adapter/loader';
import type { Batch } from '../../core/data/record';
import { oncePerBatch } from '../entities/once-per-batch';
import { touchProduct, variantOf } from '../catalogue/catalogue';
import { lockOfFacet } from '../catalogue/facet-values';
import type { DesiredVariant } from '../catalogue/desired';
import { Diff } from '../entities/diff';
import { Faults, trimmedIn } from '../entities/faults';
import { fieldsOfVariant } from '../catalogue/known-fields';
import { fieldArguments, fieldNames, catalogueArguments, priceArguments } from '../catalogue/load-config';
import { openCatalogue } from '../catalogue/open-catalogue';
import { OptionsDraft } from '../catalogue/plan-options';
import { type PlanRules, planVariant, removeVariant } from '../catalogue/plan-variant';
import { FieldReader } from '../entities/read-field';
import { ownerOf, readForVariantRecords } from '../catalogue/read-needed';
import { CATALOGUE_PERMISSIONS, readVariant } from '../catalogue/read-variant';
import { Columns } from '../entities/columns';
import { ProductState } from '../described/product-state';
import type { UnitOfWork } from '../entities/unit-of-work';
import { writeCatalogue } from '../catalogue/write-catalogue';
import type { PriceAnswers } from '../catalogue/price-sync';

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
    'customFields',
    'productSlug',
] as const;

/** Variants of products that exist, matched by SKU; written in bulk as ProductVariantService would have stored them (ADR 9). */
export const variantUpsert = defineLoader({
    code: 'variantUpsert',
    title: 'Product variants',
    summary: 'Creates, updates and deletes product variants, matched by SKU.',
    category: 'Catalogue',
    config: z.strictObject({ ...catalogueArguments, ...priceArguments, ...fieldArguments(FIELDS) }),
    notes: [
        'The slug of the product is needed only where a variant is created.',
        'A new variant takes one option of each option group of its product; options that do not exist yet are created.',
        'Prices are whole minor units (1999 = 19.99); the operator toCents makes them of text.',
        "null in `prices` takes the price of that currency away, save that of the channel's default currency, which cannot be empty.",
        'null in `stock` takes the level of that location away; the last one of a variant stays, and one with stock that is allocated to orders.',
        'SKUs, options and slugs are read without the blanks round them.',
        "Prices of other channels follow as the shop's ProductVariantPriceUpdateStrategy says.",
        "A record with the operation DELETE is rejected when the run's user lacks the permission DeleteCatalog.",
    ],
    examples: [
        {
            note: 'An option that its product does not have yet is made.',
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
            in: [{ sku: 'LAMP-B', productSlug: 'desk-lamp', price: 4500, options: { Colour: 'Black' } }],
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
                { sku: 'LAMP-1', name: 'Desk lamp, white', price: 4500 },
                { sku: 'LAMP-1', stock: 12 },
            ],
            keys: ['desk-lamp', 'LAMP-1'],
            does: ['update', 'unchanged'],
            after: [{ name: 'Desk lamp, white', price: 4500 }],
        },
        {
            given: [{ loader: 'productUpsert', records: [{ slug: 'desk-lamp', name: 'Desk lamp', sku: 'LAMP-1' }] }],
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
                { sku: 'LAMP-1', productSlug: 'desk-lamp', price: 4900 },
            ],
            keys: ['desk-lamp', 'floor-lamp', 'LAMP-1'],
            does: ['reject', 'reject', 'reject', 'create'],
            rejects: ['productSlug', 'productSlug', 'price'],
            again: ['unchanged', 'unchanged', 'reject', 'unchanged'],
        },
    ],
    requires: CATALOGUE_PERMISSIONS,
    fields: fieldsOfVariant,
    async open(config, cx): Promise<TableSession> {
        const open = await openCatalogue(cx, config);
        const { catalogue, rules, isDryRun } = open;
        const { language } = catalogue.reference;
        const names = fieldNames(config);
        const read = oncePerBatch(({ data }) => {
            const faults = new Faults();
            return { faults, desired: readVariant(new FieldReader(data, faults), rules, { names, isFlat: false }) };
        });

        return {
            locks(batch) {
                return read(batch).flatMap(({ desired }) =>
                    desired === undefined
                        ? []
                        : [
                              `sku:${desired.sku}`,
                              // Whoever creates a variant looks at the product's other variants first.
                              ...(desired.productSlug === undefined ? [] : [`slug:${language}:${desired.productSlug}`]),
                              ...(config.createMissingFacetValues
                                  ? (desired.facetValues ?? []).flatMap(lockOfFacet)
                                  : []),
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
            const planRules: PlanRules = {
                catalogue,
                work,
                answers,
                isLive: !isDryRun,
                strategy: config.strategy,
                createsFacetValues: config.createMissingFacetValues,
            };
            const records = read(batch);
            yield* readForVariantRecords(
                planRules,
                records.flatMap(({ desired, faults }) => (faults.isSound && desired) || []),
            );
            const changes: Change[] = [];
            for (const { desired, faults } of records) {
                changes.push(
                    faults.isSound && desired
                        ? yield* planRecord(planRules, desired, new Faults(faults))
                        : { action: 'reject', key: undefined, error: faults.error() },
                );
            }
            return changes;
        }
    },
});

function* planRecord(rules: PlanRules, desired: DesiredVariant, faults: Faults): Script<Change> {
    const { work, strategy } = rules;
    const { sku, names } = desired;
    const existing = variantOf(work, sku);
    const diff = new Diff();
    if (desired.isDelete) {
        if (!existing) return { action: 'unchanged', key: sku };
        removeVariant(rules, existing, { diff, prefix: '' });
        return { action: 'delete', key: sku, before: { sku } };
    }
    if (existing && strategy === 'CREATE')
        faults.add(names.sku, `${show(sku)} exists already, and the strategy is CREATE`, sku);
    const product = ownerOf(rules, desired);
    if (!existing && strategy !== 'UPDATE' && !product) {
        const { productSlug } = desired;
        faults.add(
            names.productSlug,
            productSlug === undefined
                ? 'is missing; a new variant needs the slug of its product'
                : `${show(productSlug)} is the slug of no product`,
            productSlug,
        );
    }
    if (!existing && strategy === 'UPDATE')
        faults.add(names.sku, `no variant has the SKU ${show(sku)}, and the strategy is UPDATE`, sku);
    if (desired.options && existing && !product?.groups)
        faults.add(names.options, "cannot be set: the product is not in the run's channel");
    if (faults.count > 0) return { action: 'reject', key: sku, error: faults.error() };
    const draft = product?.groups ? new OptionsDraft(product, faults) : undefined;
    draft?.choose(desired);
    // Nothing is asked of the product of a variant that exists but who it is.
    const owner = product ?? new ProductState(existing!.productId, new Columns({}), '');
    const commit = planVariant(rules, {
        desired,
        product: owner,
        draft,
        faults,
        diff,
        prefix: '',
        productTexts: new Map(),
    });
    if (faults.count > 0) return { action: 'reject', key: sku, error: faults.error() };
    if (draft?.addsGroups === true) touchProduct(work, owner);
    draft?.commit();
    yield* commit();
    return diff.change(sku, !existing);
}
