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

/** The current records of the suppliers. */
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
        build('missing-filtered')
            .load('products', {
                adapterCode: 'productUpsert',
                createMissingFacetValues: true,
                missing: {
                    action: 'DISABLE',
                    scope: 'FILTER',
                    filters: [
                        {
                            field: 'facetValues',
                            operator: 'in',
                            value: ['missing-season:winter', 'missing-season:fall'],
                        },
                        { field: 'slug', operator: 'like', value: 'missing-%' },
                    ],
                    maxShare,
                },
            })
            .build(),
        build('missing-sold-out')
            .load('products', { adapterCode: 'productUpsert', missing: { action: 'ZERO_STOCK', maxShare } })
            .build(),
        build('missing-sold-out-by-sku')
            .load('products', {
                adapterCode: 'productUpsert',
                matchBy: 'sku',
                missing: {
                    action: 'ZERO_STOCK',
                    scope: 'FILTER',
                    filters: [{ field: 'variants.sku', operator: 'like', value: 'MISSING-5_-%' }],
                    maxShare,
                },
            })
            .build(),
        build('missing-variants')
            .load('variants', {
                adapterCode: 'variantUpsert',
                missing: {
                    action: 'DELETE',
                    scope: 'FILTER',
                    filters: [
                        { field: 'product.slug', operator: 'eq', value: 'missing-60' },
                        { field: 'stock', operator: 'gt', value: 0 },
                        { field: 'facetValues', operator: 'ne', value: 'missing-season:winter' },
                    ],
                    maxShare,
                },
            })
            .build(),
        build('missing-below')
            .load('collections', {
                adapterCode: 'collectionUpsert',
                missing: {
                    action: 'DISABLE',
                    scope: 'FILTER',
                    filters: [{ field: 'parent.slug', operator: 'eq', value: 'missing-root' }],
                    maxShare,
                },
            })
            .build(),
        build('missing-members')
            .load('customers', {
                adapterCode: 'customerUpsert',
                missing: {
                    action: 'DELETE',
                    scope: 'FILTER',
                    filters: [{ field: 'groups', operator: 'eq', value: 'Missing members' }],
                    maxShare,
                },
            })
            .build(),
        build('missing-names')
            .load('products', { adapterCode: 'productUpsert', missing: { action: 'DISABLE', maxShare } })
            .build(),
        build('missing-named-collections')
            .load('collections', { adapterCode: 'collectionUpsert', missing: { action: 'DISABLE', maxShare } })
            .build(),
        build('missing-load')
            .load('products', { adapterCode: 'productUpsert', createMissingFacetValues: true })
            .build(),
        build('missing-groups').load('groups', { adapterCode: 'customerGroupUpsert' }).build(),
        build('missing-load-customers').load('customers', { adapterCode: 'customerUpsert' }).build(),
        build('missing-load-collections').load('collections', { adapterCode: 'collectionUpsert' }).build(),
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

    it('hides products, which a dry run shows, and shows them again when they return', async () => {
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
        // The keys of some are in their translations.
        const { slug, ...rest } = product('missing-3');
        const there = [product('missing-2'), { ...rest, translations: { en: { slug: slug!, name: slug! } } }];
        expect(await performed('missing-products', there, 'products')).toMatchObject({
            ...{ in: 2, updated: 1, unchanged: 2 },
        });
        expect(await enabled()).toEqual([false, true, true]);
        const back = names(1, 2, 3).map(slug => ({ ...product(slug), enabled: true }));
        await performed('missing-products', back, 'products');
        expect(await enabled()).toEqual([true, true, true]);
        // More than the allowed share.
        expect(await performed('missing-products', names(3).map(product), 'products')).toMatchObject({ updated: 0 });
        expect(await enabled()).toEqual([true, true, true]);
    });

    it('distinguishes products without slugs by their names, and recognises them when the source contains their slugs', async () => {
        const disabled = async (): Promise<readonly string[]> => {
            const found = await shop.dataSource
                .getRepository(ProductTranslation)
                .find({ where: { base: { enabled: false } }, relations: { base: true } });
            return found.flatMap(({ name }) => (name.startsWith('Missing Nova') ? [name] : [])).sort();
        };
        const named = (...list: readonly string[]): readonly JsonObject[] =>
            list.map(name => ({ name: `Missing Nova ${name}` }));
        await performed('missing-names', named('S24', 'S24+', 'S25', 'S26'), 'products');
        await performed('missing-names', named('s24', 'S24+', 'S25', 'S26'), 'products');
        await performed('missing-names', named('S24', 'S24+', 'S25', 'S26'), 'products');
        expect(await disabled()).toEqual([]);
        await performed('missing-names', named('S24', 'S25', 'S26'), 'products');
        expect(await disabled()).toEqual(['Missing Nova S24+']);
        const slugs = [{ slug: 'missing-nova-s24' }, ...named('S25', 's26')];
        expect(await performed('missing-names', slugs, 'products')).toMatchObject({ in: 3, updated: 1 });
        expect(await disabled()).toEqual(['Missing Nova S24+']);
    });

    it('distinguishes collections without slugs by their names and parents', async () => {
        const hidden = async (): Promise<readonly string[]> => {
            const found = await shop.dataSource
                .getRepository(CollectionTranslation)
                .find({ where: { base: { isPrivate: true } }, relations: { base: { parent: true } } });
            return found.flatMap(({ name, base }) =>
                name === 'Missing Shoes' ? [base.parent.translations[0]!.name] : [],
            );
        };
        const [men, women] = [{ name: 'Missing Men' }, { name: 'Missing Women' }];
        const shoes = (parent: { readonly name: string }): JsonObject => ({
            name: 'Missing Shoes',
            parent: parent.name,
        });
        await performed('missing-named-collections', [men, women, shoes(men), shoes(women)], 'collections');
        // The same parent in another case, and by its slug.
        for (const parent of ['missing WOMEN', 'missing-women', 'Missing Women']) {
            const named = { name: 'Missing Shoes', parent };
            await performed('missing-named-collections', [men, women, shoes(men), named], 'collections');
            expect(await hidden()).toEqual([]);
        }
        await performed('missing-named-collections', [men, women, shoes(women)], 'collections');
        expect(await hidden()).toEqual(['Missing Men']);
    });

    it('deletes products that are matched by SKU, and keeps those that were never loaded', async () => {
        await performed('missing-by-sku', names(4, 5).map(product), 'products');
        expect(await performed('missing-by-sku', names(5).map(product), 'products')).toMatchObject({ deleted: 1 });
        const left = await shop.dataSource.getRepository(Product).find({
            where: { deletedAt: IsNull(), translations: { slug: In([...names(1, 2, 3, 4, 5)]) } },
        });
        expect(left).toHaveLength(4);
    });

    it('keeps a product whose SKUs are in another order in the source than before', async () => {
        const sized = (...sizes: readonly string[]): JsonObject => ({
            slug: 'missing-6',
            name: 'missing-6',
            variants: sizes.map(size => ({ sku: `MISSING-6-${size}`, price: 100, options: { Size: size } })),
        });
        await performed('missing-by-sku', [sized('S', 'M'), product('missing-5')], 'products');
        expect(await performed('missing-by-sku', [sized('M', 'S'), product('missing-5')], 'products')).toMatchObject({
            ...{ in: 2, unchanged: 2, deleted: 0 },
        });
        expect(
            await shop.dataSource.getRepository(ProductVariant).countBy({
                sku: In(['MISSING-6-S', 'MISSING-6-M']),
                deletedAt: IsNull(),
            }),
        ).toBe(2);
    });

    it('sets the stock of variants to 0, unless more than a tenth are missing', async () => {
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

    describe('with the scope FILTER', () => {
        const enabled = async (slugs: readonly string[]): Promise<readonly string[]> => {
            const found = await shop.dataSource
                .getRepository(ProductTranslation)
                .find({ where: { slug: In([...slugs]) }, relations: { base: true }, order: { slug: 'ASC' } });
            return found.flatMap(({ slug, base }) => (base.enabled ? [slug] : []));
        };
        const stockOf = async (skus: readonly string[]): Promise<readonly number[]> => {
            const variants = await shop.dataSource
                .getRepository(ProductVariant)
                .find({ where: { sku: In([...skus]) }, relations: { stockLevels: true }, order: { sku: 'ASC' } });
            return variants.map(({ stockLevels }) =>
                stockLevels.reduce((sum, { stockOnHand }) => sum + stockOnHand, 0),
            );
        };

        it('hides products by their facet values, even if no load has written them before', async () => {
            const slugs = names(40, 41, 42, 43);
            const seasons = ['winter', 'winter', 'fall', 'spring'];
            const all = slugs.map((slug, i) => ({ ...product(slug), facetValues: [`missing-season:${seasons[i]!}`] }));
            await performed('missing-load', all, 'products');
            feed = all.slice(1, 2);
            const dry = await shop.perform('missing-filtered', 'dryRunFlowPipeline');
            expect(dry.report?.differences).toMatchObject([]);
            expect(await enabled(slugs)).toEqual(slugs);
            // Two of three are more than half.
            expect(await performed('missing-filtered', all.slice(1, 2), 'products')).toMatchObject({ updated: 0 });
            const two = all.slice(1, 3);
            feed = two;
            const shown = await shop.perform('missing-filtered', 'dryRunFlowPipeline');
            expect(shown.report?.differences).toMatchObject([{ action: 'UPDATE', key: 'missing-40' }]);
            expect(await performed('missing-filtered', two, 'products')).toMatchObject({ in: 2, updated: 1 });
            expect(await enabled(slugs)).toEqual(names(41, 42, 43));
            expect(await performed('missing-filtered', two, 'products')).toMatchObject({ updated: 0, unchanged: 2 });
        });

        it('sets the stock of all variants of a product to 0, found by its slug or by any of their SKUs', async () => {
            const several = (n: number): JsonObject => ({
                slug: `missing-${n}`,
                name: `missing-${n}`,
                variants: ['S', 'M'].map(size => ({
                    sku: `MISSING-${n}-${size}`,
                    price: 1,
                    stock: 3,
                    options: { size },
                })),
            });
            const all = [50, 51, 52].map(several);
            const skus = [50, 51, 52].flatMap(n => ['M', 'S'].map(size => `MISSING-${n}-${size}`));
            await performed('missing-sold-out', all, 'products');
            expect(await performed('missing-sold-out', all.slice(1), 'products')).toMatchObject({ updated: 1 });
            expect(await stockOf(skus)).toEqual([0, 0, 3, 3, 3, 3]);
            // The first one has no stock, so it cannot be missing; the last one is found by its second variant.
            const second = { slug: 'missing-52', name: 'missing-52', sku: 'MISSING-52-M' };
            expect(await performed('missing-sold-out-by-sku', [second], 'products')).toMatchObject({ updated: 1 });
            expect(await stockOf(skus)).toEqual([0, 0, 0, 0, 3, 3]);
        });

        it('deletes variants of a product that have stock, and hides what is below a collection', async () => {
            const sizes = ['S', 'M', 'L', 'XL', 'XS'];
            const variants = sizes.map(size => ({
                ...{ sku: `MISSING-60-${size}`, price: 1, stock: size === 'XL' ? 0 : 3, options: { size } },
                facetValues: size === 'XS' ? ['missing-season:winter'] : [],
            }));
            await performed('missing-load', [{ slug: 'missing-60', name: 'missing-60', variants }], 'products');
            const one = [
                { sku: 'MISSING-60-S', price: 1 },
                { sku: 'MISSING-60-M', price: 1 },
            ];
            expect(await performed('missing-variants', one, 'variants')).toMatchObject({ deleted: 1 });
            const left = await shop.dataSource
                .getRepository(ProductVariant)
                .findBy({ sku: In(variants.map(({ sku }) => sku)), deletedAt: IsNull() });
            expect(left.map(({ sku }) => sku).sort()).toEqual(['M', 'S', 'XL', 'XS'].map(size => `MISSING-60-${size}`));
            const collection = (slug: string, parent?: string): JsonObject => ({
                slug,
                name: slug,
                ...(parent && { parent }),
            });
            const below = names(61, 62).map(slug => collection(slug, 'missing-root'));
            await performed('missing-load-collections', [collection('missing-root'), ...below], 'collections');
            expect(await performed('missing-below', below.slice(1), 'collections')).toMatchObject({ updated: 1 });
            const hidden = await shop.dataSource
                .getRepository(CollectionTranslation)
                .find({ where: { slug: In(['missing-root', ...names(61, 62)]) }, relations: { base: true } });
            expect(hidden.flatMap(({ slug, base }) => ((base as Collection).isPrivate ? [slug] : []))).toEqual(
                names(61),
            );
        });

        it('deletes the customers of a group', async () => {
            const customer = (n: number, groups: readonly string[]): JsonObject => ({
                ...{ emailAddress: `missing-${n}@example.com`, firstName: 'A', lastName: 'B', groups: [...groups] },
            });
            await performed('missing-groups', [{ name: 'Missing members' }], 'groups');
            const members = [70, 71].map(n => customer(n, ['Missing members']));
            await performed('missing-load-customers', [...members, customer(72, [])], 'customers');
            expect(await performed('missing-members', members.slice(1), 'customers')).toMatchObject({ deleted: 1 });
            const left = await shop.dataSource
                .getRepository(Customer)
                .findBy({ emailAddress: In([70, 71, 72].map(n => `missing-${n}@example.com`)), deletedAt: IsNull() });
            expect(left.map(({ emailAddress }) => emailAddress).sort()).toEqual([
                'missing-71@example.com',
                'missing-72@example.com',
            ]);
        });
    });
}

export const missingSuite: SharedSuite = { title: 'what is missing in the source', ...additions, tests: missing };
