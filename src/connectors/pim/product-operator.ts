import { z } from 'zod';
import { batchOperator } from '../../core/adapter/operator';
import type { FlowRecord } from '../../core/data/record';
import type { FlowError } from '../../core/errors/flow-error';
import { recordInvalid } from '../../core/errors/record-invalid';
import type { JsonObject } from '../../core/value/json';
import { show } from '../../core/value/show';
import { productMapping } from './mapping';
import { referencedProduct } from './known-products';
import {
    prunedArgument,
    type Holder,
    isPruned,
    languageArgument,
    MatchedInRun,
    rejectingRecord,
} from './operator-parts';
import { RememberedProducts } from './remembered-products';
import { pimIdOf, transformProduct } from './transform';

const flag = (title: string, usual: boolean, description: string) =>
    z.boolean().default(usual).meta({ title, description });

/** Products of the PIM as productUpsert takes them. */
export const pimProduct = batchOperator({
    code: 'pimProduct',
    category: 'PIM',
    title: 'Products of the PIM',
    summary: 'Converts products of the PIM to records for productUpsert.',
    config: z.strictObject({
        defaultLanguage: languageArgument,
        ...productMapping,
        includeVariants: flag(
            'Include variants',
            true,
            'If false, each product is one variant, whatever variants it has in the PIM.',
        ),
        syncVariants: flag(
            'Load variants',
            true,
            'If false, SKU, price, stock and variants in the shop are not changed.',
        ),
        includeUnpublished: flag('Include unpublished', false, 'Unpublished variants become disabled ones.'),
        missing: prunedArgument,
    }),
    notes: [
        'A record has pimId in addition to the fields of productUpsert, which must match by SKU (by slug if syncVariants is false).',
        'The last known keys of a product are remembered: its first SKU stays first, so that a product is found again after its slug or SKUs have changed. A product that has had variants in the PIM keeps the option group "Variant", with options named after the keys of the variants.',
        'Products that arrive as {id, __operation: "DELETE"} are disabled or deleted by their remembered keys, as set in "missing"; products that were never loaded are skipped. A variant that a product no longer has is disabled, or deleted with DELETE.',
        'Prices and stock levels are exact: a price with three decimals rejects the product. A SKU that another product of the same run has also rejects it.',
    ],
    examples: [
        {
            args: { defaultLanguage: 'en' },
            in: [{ id: '7', key: 'lamp', published: true, sku: 'L-1', name: 'Lamp', price: 19.95, stockQuantity: 3 }],
            out: [{ pimId: '7', slug: 'lamp', name: 'Lamp', enabled: true, sku: 'L-1', price: 1995, stock: 3 }],
        },
        {
            args: { defaultLanguage: 'en', skuField: 'article' },
            in: [
                {
                    id: '8',
                    key: 'shade',
                    name: 'Shade',
                    variants: [
                        { id: '9', key: 'red', article: 'S-R', price: '5.00' },
                        { id: '10', key: 'blue', article: 'S-B', price: '6.50' },
                    ],
                },
            ],
            out: [
                {
                    pimId: '8',
                    slug: 'shade',
                    name: 'Shade',
                    optionGroups: ['Variant'],
                    variants: [
                        { sku: 'S-R', price: 500, name: 'red', options: { Variant: 'red' } },
                        { sku: 'S-B', price: 650, name: 'blue', options: { Variant: 'blue' } },
                    ],
                },
            ],
        },
        {
            args: { defaultLanguage: 'en' },
            in: [
                { id: '7', key: 'lamp', sku: 'L-1', price: 'ten' },
                { id: '8', key: 'lamp-2', sku: 'L-2' },
                { id: '9', key: 'lamp-3', sku: 'L-2' },
            ],
            out: [{ pimId: '8', slug: 'lamp-2', name: 'lamp-2', sku: 'L-2' }],
            errors: ['Field "price": "ten" is not a price', 'is that of the product "8" of the PIM as well'],
        },
        {
            args: { defaultLanguage: 'en', missing: 'DELETE' },
            in: [
                { id: '7', key: 'lamp', sku: 'L-1' },
                { id: '11', action: 'delete', __operation: 'DELETE' },
            ],
            out: [{ pimId: '7', slug: 'lamp', name: 'lamp', sku: 'L-1' }],
            note: 'Products that were never loaded are skipped.',
        },
    ],
    async open({ missing, ...args }, cx) {
        const languages = (await cx.languages?.()) ?? [];
        const options = { ...args, mapping: args, languages };
        return async (batch, call) => {
            const made = new Map<FlowRecord, JsonObject>();
            for (const record of batch) {
                await call.turn();
                if (isPruned(record.data)) continue;
                const product = rejectingRecord(call, record, () => transformProduct(record.data, options));
                if (product) made.set(record, product);
            }
            const memory = await RememberedProducts.of(batch, made, call);
            const foreigns = new Map([...made].map(([record, product]) => [record, memory.foreign(product)]));
            const owners = [...foreigns.values()].flatMap(foreign => [...foreign.values()]);
            const met = args.syncVariants
                ? await MatchedInRun.of([...made.values()].map(holderOf), owners, call)
                : undefined;
            const out: FlowRecord[] = [];
            for (const record of batch) {
                const product = made.get(record);
                if (product) {
                    const taken = met?.taken(record, holderOf(product));
                    if (taken) {
                        call.reject(record, twice(taken, args.skuField));
                        continue;
                    }
                    const before = memory.product(pimIdOf(record.data));
                    // With DELETE the other product gives them up in this run.
                    const foreign = missing === 'DELETE' ? undefined : foreigns.get(record);
                    const kept = before || !foreign || !met ? undefined : stillKept(product, foreign, met);
                    if (kept) {
                        call.reject(record, elsewhere(kept, args.skuField));
                        continue;
                    }
                    const { data, known } = referencedProduct(product, before, { missing, languages, foreign });
                    memory.keep(record, pimIdOf(record.data), known);
                    memory.own(record, product);
                    out.push({ ...record, data });
                } else if (isPruned(record.data)) {
                    const gone = rejectingRecord(call, record, () => memory.gone(record, missing, args.syncVariants));
                    if (gone) out.push({ ...record, data: gone });
                }
            }
            return out;
        };
    },
});

function skusIn({ sku, variants }: JsonObject): readonly string[] {
    const list = (variants ?? [{ sku }]) as ReadonlyArray<{ readonly sku?: string }>;
    return list.flatMap(one => one.sku ?? []);
}

function holderOf(product: JsonObject): Holder {
    return { id: String(product['pimId']), keys: skusIn(product) };
}

function twice({ key, owner }: { readonly key: string; readonly owner: string }, field: string): FlowError {
    return recordInvalid(field, `is ${show(key)}, which is that of the product ${show(owner)} of the PIM as well`);
}

/**
 * The existing product of the PIM that a new product would replace, since it could only be found by SKUs that the
 * other one has in the shop.
 */
function stillKept(
    product: JsonObject,
    foreign: ReadonlyMap<string, string>,
    met: MatchedInRun,
): { readonly key: string; readonly owner: string } | undefined {
    const skus = skusIn(product);
    if (skus.length === 0 || !skus.every(sku => foreign.has(sku))) return undefined;
    const key = skus.find(sku => met.has(foreign.get(sku)!));
    return key === undefined ? undefined : { key, owner: foreign.get(key)! };
}

function elsewhere({ key, owner }: { readonly key: string; readonly owner: string }, field: string): FlowError {
    const problem = `is ${show(key)}, which the shop has as a variant of the product ${show(owner)} of the PIM; sync.missing DELETE frees it`;
    return recordInvalid(field, problem);
}
