import {
    type Collection,
    CollectionTranslation,
    Customer,
    Product,
    ProductTranslation,
    ProductVariant,
    StockLevel,
} from '@vendure/core';
import { In, IsNull } from 'typeorm';
import { z } from 'zod';
import { type BuiltinCatalogue, createPipelineBuilder, defineExtractor, type JsonObject } from '../../src';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';

/** What the suppliers have just now. */
let feed: readonly JsonObject[] = [];

const shrinking = defineExtractor({
    code: 'shrinking',
    title: 'Shrinking supplier',
    summary: 'Reads what the supplier has just now.',
    config: z.strictObject({}),
    async *extract() {
        yield { records: feed };
    },
});

type Catalogue = Omit<BuiltinCatalogue, 'extractors'> & { readonly extractors: readonly [typeof shrinking] };
const build = (code: string) =>
    createPipelineBuilder<Catalogue>()(code)
        .throughput({ batchSize: 3 })
        .trigger('start', { type: 'MANUAL' })
        .extract('in', { adapterCode: 'shrinking' });

const maxShare = 0.5;
const additions = {
    adapters: [shrinking],
    pipelines: [
        build('missing-products')
            .load('products', { adapterCode: 'productUpsert', missing: { action: 'DISABLE', maxShare } })
            .build(),
        build('missing-by-sku')
            .load('products', { adapterCode: 'productUpsert', matchBy: 'sku', missing: { action: 'DELETE', maxShare } })
            .build(),
        build('missing-stock')
            .load('variants', { adapterCode: 'variantUpsert', missing: { action: 'ZERO_STOCK' } })
            .build(),
        build('missing-collections')
            .load('collections', { adapterCode: 'collectionUpsert', missing: { action: 'DISABLE', maxShare } })
            .build(),
        build('missing-customers')
            .load('customers', { adapterCode: 'customerUpsert', missing: { action: 'DELETE', maxShare } })
            .build(),
    ],
} satisfies Partial<SharedSuite>;

const names = (...numbers: number[]): readonly string[] => numbers.map(n => `missing-${n}`);

function missing(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;

    beforeAll(async () => {
        shop = await open();
    });

    const performed = async (code: string, records: readonly JsonObject[], step: string) => {
        feed = records;
        const run = await shop.perform(code);
        expect(run).toMatchObject({ status: 'COMPLETED', error: null });
        return run.counters.find(({ stepKey }) => stepKey === step);
    };
    const product = (slug: string): JsonObject => ({ slug, name: slug, sku: slug.toUpperCase(), price: 100, stock: 5 });

    it('hides products, which a dry run shows, and shows them again when they come back', async () => {
        const enabled = async (): Promise<readonly boolean[]> => {
            const found = await shop.dataSource.getRepository(ProductTranslation).find({
                where: { slug: In([...names(1, 2, 3)]) },
                relations: { base: true },
                order: { slug: 'ASC' },
            });
            return found.map(({ base }) => base.enabled);
        };
        await performed('missing-products', names(1, 2, 3).map(product), 'products');
        feed = names(2, 3).map(product);
        const dry = await shop.perform('missing-products', 'dryRunFlowPipeline');
        expect(dry.report?.differences).toEqual([
            { action: 'UPDATE', key: 'missing-1', before: { enabled: true }, after: { enabled: false } },
        ]);
        expect(await enabled()).toEqual([true, true, true]);
        expect(await performed('missing-products', names(2, 3).map(product), 'products')).toMatchObject({
            ...{ in: 2, updated: 1, unchanged: 2 },
        });
        expect(await enabled()).toEqual([false, true, true]);
        const back = names(1, 2, 3).map(slug => ({ ...product(slug), enabled: true }));
        await performed('missing-products', back, 'products');
        expect(await enabled()).toEqual([true, true, true]);
        // More than the share.
        expect(await performed('missing-products', names(3).map(product), 'products')).toMatchObject({ updated: 0 });
        expect(await enabled()).toEqual([true, true, true]);
    });

    it('deletes products that are matched by SKU, and leaves those that nobody has loaded', async () => {
        await performed('missing-by-sku', names(4, 5).map(product), 'products');
        expect(await performed('missing-by-sku', names(5).map(product), 'products')).toMatchObject({ deleted: 1 });
        const left = await shop.dataSource.getRepository(Product).find({
            where: { deletedAt: IsNull(), translations: { slug: In([...names(1, 2, 3, 4, 5)]) } },
        });
        expect(left).toHaveLength(4);
    });

    it('sets the stock of variants to 0, with the brake of a tenth', async () => {
        const slugs = names(...Array.from({ length: 11 }, (_, i) => 20 + i));
        const stockOf = async (sku: string): Promise<readonly number[]> => {
            const variant = await shop.dataSource.getRepository(ProductVariant).findOneByOrFail({ sku });
            const levels = await shop.dataSource.getRepository(StockLevel).findBy({ productVariantId: variant.id });
            return levels.map(({ stockOnHand }) => stockOnHand).filter(stock => stock > 0);
        };
        await performed('missing-products', [...names(1, 2, 3), ...slugs].map(product), 'products');
        const variants = slugs.map(slug => ({ sku: slug.toUpperCase(), stock: 7 }));
        await performed('missing-stock', variants, 'variants');
        expect(await performed('missing-stock', variants.slice(1), 'variants')).toMatchObject({ updated: 1 });
        expect([await stockOf('MISSING-20'), await stockOf('MISSING-21')]).toEqual([[], [7]]);
        expect(await performed('missing-stock', variants.slice(3), 'variants')).toMatchObject({ updated: 0 });
        expect(await stockOf('MISSING-21')).toEqual([7]);
    });

    it('hides collections, and deletes customers', async () => {
        const collections = names(1, 2).map(slug => ({ slug, name: slug }));
        await performed('missing-collections', collections, 'collections');
        await performed('missing-collections', collections.slice(1), 'collections');
        const hidden = await shop.dataSource
            .getRepository(CollectionTranslation)
            .find({ where: { slug: In([...names(1, 2)]) }, relations: { base: true }, order: { slug: 'ASC' } });
        expect(hidden.map(({ base }: { base: Collection }) => base.isPrivate)).toEqual([true, false]);
        const customers = names(1, 2).map(name => ({
            emailAddress: `${name}@Example.com`,
            firstName: 'A',
            lastName: 'B',
        }));
        await performed('missing-customers', customers, 'customers');
        expect(await performed('missing-customers', customers.slice(1), 'customers')).toMatchObject({ deleted: 1 });
        const repository = shop.dataSource.getRepository(Customer);
        const gone = await repository.findBy({ emailAddress: In(names(1, 2).map(name => `${name}@example.com`)) });
        expect(gone.map(({ emailAddress, deletedAt }) => [emailAddress, deletedAt !== null]).sort()).toEqual([
            ['missing-1@example.com', true],
            ['missing-2@example.com', false],
        ]);
    });
}

export const missingSuite: SharedSuite = { title: 'what is missing in the source', ...additions, tests: missing };
