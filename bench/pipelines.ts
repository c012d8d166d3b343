import { z } from 'zod';
import { type BuiltinCatalogue, createPipelineBuilder, defineExtractor, type PipelineSource } from '../src';
import { benchProduct, changed } from './products';

const PAGE = 1_000;

/** Yields the bench's products as a CSV reader would: all values are text, and each row is a record. */
export const benchExtractor = defineExtractor({
    code: 'benchProducts',
    title: 'Bench products',
    summary: 'Made-up products, as rows of text.',
    config: z.strictObject({
        series: z.string().meta({ title: 'Series', description: 'Prefix of the SKUs.' }),
        count: z.number().int().meta({ title: 'Count', description: 'How many.' }),
        isChange: z.boolean().meta({ title: 'Change', description: 'True: only SKU, new price and new level.' }),
    }),
    async *extract({ series, count, isChange }, { resumeFrom }) {
        for (let start = Number(resumeFrom ?? 0); start < count; start += PAGE) {
            const end = Math.min(count, start + PAGE);
            const records = Array.from({ length: end - start }, (_, k) => {
                const product = benchProduct(start + k, series);
                const { price, stock } = isChange ? changed(product) : product;
                const small = { sku: product.sku, price: (price / 100).toFixed(2), stock: String(stock) };
                return isChange
                    ? small
                    : {
                          ...small,
                          name: product.name,
                          slug: product.slug,
                          description: product.description,
                          facets: product.facets.join('|'),
                      };
            });
            yield { records, checkpoint: end };
            await new Promise(resolve => setImmediate(resolve));
        }
    },
});

const pipeline = createPipelineBuilder<
    Omit<BuiltinCatalogue, 'extractors'> & { readonly extractors: readonly [typeof benchExtractor] }
>();

/** The name of an import, what it imports, and how. */
export interface ImportShape {
    readonly code: string;
    readonly series: string;
    readonly records: number;
    readonly batchSize: number;
    readonly concurrency?: number;
}

export function importPipeline({ code, series, records, batchSize, concurrency = 1 }: ImportShape): PipelineSource {
    return pipeline(code)
        .trigger('start', { type: 'MANUAL' })
        .extract('rows', { adapterCode: 'benchProducts', series, count: records, isChange: false })
        .transform('shape', [
            { op: 'toCents', args: { source: 'price', target: 'price' } },
            { op: 'toNumber', args: { source: 'stock' } },
            { op: 'split', args: { source: 'facets', target: 'facetValues', delimiter: '|' } },
            { op: 'remove', args: { path: 'facets' } },
        ])
        .load('catalogue', { adapterCode: 'productUpsert' })
        .throughput({ batchSize, concurrency })
        .build();
}

/** New prices and stock levels for the products of an earlier import of the same series. */
export function changePipeline({ code, series, records, batchSize }: Omit<ImportShape, 'concurrency'>): PipelineSource {
    return pipeline(code)
        .trigger('start', { type: 'MANUAL' })
        .extract('rows', { adapterCode: 'benchProducts', series, count: records, isChange: true })
        .transform('shape', [
            { op: 'toCents', args: { source: 'price', target: 'price' } },
            { op: 'toNumber', args: { source: 'stock' } },
        ])
        .load('prices-and-stock', { adapterCode: 'variantUpsert', strategy: 'UPDATE' })
        .throughput({ batchSize })
        .build();
}
