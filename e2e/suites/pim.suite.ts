import { randomUUID } from 'node:crypto';
import gql from 'graphql-tag';
import { Asset, Product } from '@vendure/core';
import { type JsonObject, pimConnector } from '../../src';
import type { PimConnectorOptions } from '../../src/connectors/pim/options';
import { ApiServer } from '../../test/kit/api-plays';
import { guideBlocks } from '../../test/kit/guide-blocks';
import { pipelinesOf } from '../../test/kit/guide-pipelines';
import { PimCatalogue } from '../../test/kit/pim/catalogue';
import {
    heldCollections,
    heldProducts,
    shownCollections,
    shownProducts,
    slugOfPim,
    visible,
} from '../../test/kit/pim/compare';
import { everyOther, PIM_FAULTS } from '../../test/kit/pim/faults';
import { PIM_KEY, PimServer } from '../../test/kit/pim/server';
import type { FlowServer, RunAnswer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { as, type PipelineAnswer } from '../fixtures/authoring-api';
import { connectionsOf, makeSecret } from '../fixtures/resource-api';
import { poster, sha256Of } from '../webhooks/poster';

const HOOK_KEY = 'pim-hook-secret';
const SIZE = { products: 40, variantsEvery: 8, categories: 12, depth: 4, assets: 12, prefix: 'pimsync' };
const OPTIONS: PimConnectorOptions = {
    connectionCode: 'pim-endpoint',
    sync: { batchSize: 10, missingMaxShare: 0.5 },
    mapping: { product: { assetsField: 'images' } },
};

function pim(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let server: PimServer;
    let catalogue: PimCatalogue;
    let pipelines: ReturnType<typeof as>;
    const published = new Map<string, PipelineAnswer>();

    beforeAll(async () => {
        shop = await open();
        pipelines = as(shop.adminClient);
        catalogue = new PimCatalogue(SIZE);
        server = await new PimServer(catalogue).listen();
        await speak(['en', 'de', 'fr']);
        await makeSecret(shop.adminClient, 'pim-endpoint-key', PIM_KEY);
        await makeSecret(shop.adminClient, 'pim-webhook-key', HOOK_KEY);
        await connectionsOf(shop.adminClient).create({
            code: 'pim-endpoint',
            type: 'GRAPHQL',
            settings: {
                baseUrl: server.endpoint,
                auth: { type: 'API_KEY', headerName: 'apikey', secretCode: 'pim-endpoint-key' },
            },
        });
        await publish(OPTIONS);
    });
    afterAll(() => server?.close());
    afterEach(() => {
        server.disturb = () => undefined;
    });

    /** The languages of the suite's channel. */
    async function speak(languages: readonly string[]): Promise<void> {
        const { adminClient: client } = shop;
        await client.query(
            gql`mutation Speak($languages: [LanguageCode!]) { updateGlobalSettings(input: { availableLanguages: $languages }) { ... on GlobalSettings { id } } }`,
            { languages },
        );
        const { activeChannel } = await client.query(gql`query Mine { activeChannel { id } }`);
        await client.query(
            gql`mutation Channel($id: ID!, $languages: [LanguageCode!]) { updateChannel(input: { id: $id, availableLanguageCodes: $languages }) { ... on Channel { id } } }`,
            { id: activeChannel.id, languages },
        );
    }

    /** The connector's pipelines, in the channel of the suite. */
    async function publish(options: PimConnectorOptions): Promise<void> {
        for (const { code, name, definition } of pimConnector(options).pipelines) {
            const known = published.get(code);
            const made = known
                ? await pipelines.update(known, { definition })
                : await pipelines.create({ code, name, definition });
            published.set(code, made.hasChanges || !known ? await pipelines.publish(made) : made);
        }
    }

    const sync = (code: string): Promise<RunAnswer> => shop.perform(code);
    const loadOf = ({ counters }: RunAnswer) => counters.find(({ stepKey }) => stepKey === 'load');
    const COMPLETED = { status: 'COMPLETED', error: null, recordsRejected: 0 };

    const seen = () => shownProducts(shop.dataSource, shop.channelToken);
    const collections = () => shownCollections(shop.dataSource, shop.channelToken);

    /** The catalogue shows exactly what the PIM contains. */
    async function equal(): Promise<void> {
        expect(visible(await seen())).toEqual(visible(heldProducts(catalogue)));
    }
    async function equalTree(): Promise<void> {
        expect(visible(await collections())).toEqual(visible(heldCollections(catalogue)));
    }

    describe('a first sync', () => {
        it('creates a tree of all categories, in all languages of the channel', async () => {
            expect(await sync('pim-category-sync')).toMatchObject({ ...COMPLETED, recordsRead: 12 });
            await equalTree();
        });

        it('fetches each picture once, and creates one asset for equal pictures', async () => {
            const run = await sync('pim-asset-sync');
            expect(run).toMatchObject({ ...COMPLETED, recordsRead: 12 });
            expect([...server.fetched].sort()).toEqual(
                [...catalogue.assets.values()]
                    .filter(({ isFolder }) => !isFolder)
                    .map(({ path, key }) => path + key)
                    .sort(),
            );
            const assets = await shop.dataSource
                .getRepository(Asset)
                .find({ where: { channels: { token: shop.channelToken } } });
            expect(assets).toHaveLength(11);
        });

        it('creates the catalogue of the PIM, with variants, prices, stock, pictures, and all languages', async () => {
            expect(await sync('pim-product-sync')).toMatchObject({ ...COMPLETED, recordsRead: 40, recordsLoaded: 40 });
            await equal();
            // The pictures of the products were fetched before.
            expect(server.fetched).toHaveLength(12);
            expect((await seen()).get('pimsync-product-1-en')).toMatchObject({
                names: { de: 'pimsync product 1 de' },
                pictures: 1,
            });
        });
    });

    it('writes nothing the second time', async () => {
        for (const code of ['pim-category-sync', 'pim-asset-sync', 'pim-product-sync']) {
            const run = await sync(code);
            expect(run).toMatchObject({ ...COMPLETED, recordsLoaded: 0 });
            // No record reaches the load.
            expect(loadOf(run)).toBeUndefined();
        }
        expect(server.fetched).toHaveLength(12);
        await equal();
        await equalTree();
    });

    it('writes what has changed, hides what is deleted or unpublished, and shows what returns', async () => {
        const { products } = catalogue;
        for (const id of [1, 2, 3])
            catalogue.touch(products.get(id)!, product => {
                product.price += 1;
                product.name = { ...product.name, de: `${product.name['de']!} neu` };
                product.description = { ...product.description, fr: '' };
            });
        products.delete(4);
        const unpublished = products.get(5)!;
        catalogue.touch(unpublished, product => (product.isPublished = false));
        const withVariants = products.get(8)!;
        catalogue.touch(withVariants.variants[0]!, variant => (variant.isPublished = false));
        catalogue.addVariant(withVariants, 'XL');
        const run = await sync('pim-product-sync');
        expect(run).toMatchObject(COMPLETED);
        expect(loadOf(run)).toMatchObject({ in: 4, updated: 6 });
        await equal();
        expect((await seen()).get('pimsync-product-4-en')).toMatchObject({ enabled: false });
        // It has the content of its last load.
        unpublished.isPublished = true;
        expect(await sync('pim-product-sync')).toMatchObject(COMPLETED);
        await equal();
    });

    it('sells nothing of a product without published variants, and all again when they are published', async () => {
        const product = catalogue.products.get(24)!;
        for (const variant of product.variants) catalogue.touch(variant, one => (one.isPublished = false));
        expect(await sync('pim-product-sync')).toMatchObject(COMPLETED);
        await equal();
        expect((await seen()).get(slugOfPim(product))).toMatchObject({ enabled: true, variants: [] });
        for (const variant of product.variants) catalogue.touch(variant, one => (one.isPublished = true));
        expect(await sync('pim-product-sync')).toMatchObject(COMPLETED);
        await equal();
    });

    it('keeps a product with another name, another SKU, and other variants than before', async () => {
        const before = (
            await shop.dataSource.getRepository(Product).find({ where: { channels: { token: shop.channelToken } } })
        ).length;
        const { products } = catalogue;
        catalogue.touch(products.get(6)!, product => {
            product.name = catalogue.texts('pimsync renamed');
            product.sku = 'PIMSYNC-6-NEW';
        });
        // It gets its first variants.
        const first = products.get(7)!;
        for (const size of ['S', 'M']) catalogue.addVariant(first, size);
        catalogue.touch(products.get(16)!, product => void product.variants.shift());
        const run = await sync('pim-product-sync');
        expect(run).toMatchObject(COMPLETED);
        await equal();
        expect(await sync('pim-product-sync')).toMatchObject({ ...COMPLETED, recordsLoaded: 0 });
        const after = await shop.dataSource
            .getRepository(Product)
            .find({ where: { channels: { token: shop.channelToken } } });
        expect(after).toHaveLength(before);
    });

    it('moves categories, hides deleted ones, and keeps the tree below an unpublished one', async () => {
        const all = [...catalogue.categories.values()];
        const [top, second] = [all[0]!, all[1]!];
        const moved = all[7]!;
        catalogue.touch(moved, category => {
            category.parent = top.id;
            category.path = `${top.path}${top.key}/`;
            category.name = catalogue.texts('pimsync moved');
        });
        catalogue.categories.delete(all[11]!.id);
        expect(await sync('pim-category-sync')).toMatchObject(COMPLETED);
        await equalTree();
        catalogue.touch(second, category => (category.isPublished = false));
        expect(await sync('pim-category-sync')).toMatchObject(COMPLETED);
        expect((await collections()).get(second.slug)).toMatchObject({ isPrivate: true, parent: top.slug });
        catalogue.touch(second, category => (category.isPublished = true));
        expect(await sync('pim-category-sync')).toMatchObject(COMPLETED);
        await equalTree();
    });

    describe('a webhook', () => {
        async function post(code: string, body: unknown, key: string = randomUUID()): Promise<RunAnswer> {
            const text = JSON.stringify(body);
            const answer = await poster(shop.url)(code, text, {
                'x-flow-signature': sha256Of(HOOK_KEY, text),
                'x-idempotency-key': key,
            });
            expect(answer.status).toBe(202);
            return shop.ended(String(answer.body['runId']));
        }
        const event = (eventName: string, id: number, versionOnly = false) => ({
            general: { eventName, timestamp: 1, subjectType: 'object', versionOnly },
            subject: { id },
        });

        it('loads what has changed, and reads nothing else', async () => {
            const product = catalogue.touch(catalogue.products.get(10)!, one => (one.price = 77.5));
            const before = server.asked.length;
            expect(await post('pim-product-sync', { id: 10, action: 'update' })).toMatchObject({
                ...COMPLETED,
                recordsRead: 1,
                recordsLoaded: 1,
            });
            expect(server.asked).toHaveLength(before + 1);
            const variant = catalogue.touch(catalogue.products.get(24)!.variants[0]!, one => (one.stock = 4_711));
            expect(await post('pim-product-sync', event('pimcore.dataobject.postUpdate', variant.id))).toMatchObject({
                ...COMPLETED,
                recordsLoaded: 1,
            });
            await equal();
            expect(product.price).toBe(77.5);
        });

        it('creates what is new', async () => {
            catalogue.addProduct(41);
            expect(await post('pim-product-sync', [{ id: 41, action: 'create' }])).toMatchObject({
                ...COMPLETED,
                recordsLoaded: 1,
            });
            await equal();
        });

        it('hides what is deleted or unpublished, and shows what is published', async () => {
            catalogue.products.delete(11);
            catalogue.touch(catalogue.products.get(12)!, one => (one.isPublished = false));
            catalogue.touch(catalogue.products.get(13)!, one => (one.isPublished = false));
            const run = await post('pim-product-sync', [
                { id: 11, action: 'delete' },
                { id: 12, action: 'unpublish' },
                event('pimcore.dataobject.postUpdate', 13),
                { id: 999, action: 'delete' },
            ]);
            expect(run).toMatchObject({ ...COMPLETED, recordsLoaded: 3 });
            await equal();
            catalogue.products.get(13)!.isPublished = true;
            expect(await post('pim-product-sync', { id: 13, action: 'publish' })).toMatchObject({
                ...COMPLETED,
                recordsLoaded: 1,
            });
            await equal();
        });

        it('hides a deleted variant, and the next sync keeps it hidden', async () => {
            const product = catalogue.products.get(32)!;
            const [gone] = product.variants.splice(0, 1);
            expect(await post('pim-product-sync', { id: gone!.id, action: 'delete' })).toMatchObject({
                ...COMPLETED,
                recordsLoaded: 1,
            });
            await equal();
            expect(await sync('pim-product-sync')).toMatchObject(COMPLETED);
            await equal();
        });

        it('skips drafts and other kinds, and takes each delivery once', async () => {
            const run = await post('pim-product-sync', [
                event('pimcore.dataobject.postUpdate', 14, true),
                event('pimcore.asset.postDelete', 14),
            ]);
            expect(run).toMatchObject({ ...COMPLETED, recordsRead: 2, recordsLoaded: 0 });
            const key = randomUUID();
            const first = await post('pim-product-sync', { id: 14, action: 'update' }, key);
            const again = await post('pim-product-sync', { id: 14, action: 'update' }, key);
            expect(again.id).toBe(first.id);
            await equal();
        });

        it('brings categories as well', async () => {
            const category = [...catalogue.categories.values()][3]!;
            catalogue.touch(category, one => (one.name = catalogue.texts('pimsync told')));
            expect(await post('pim-category-sync', { id: category.id, action: 'update' })).toMatchObject({
                ...COMPLETED,
                recordsLoaded: 1,
            });
            await equalTree();
            catalogue.touch(category, one => (one.isPublished = false));
            expect(await post('pim-category-sync', { id: category.id, action: 'unpublish' })).toMatchObject(COMPLETED);
            await equalTree();
            catalogue.touch(category, one => (one.isPublished = true));
            expect(await post('pim-category-sync', { id: category.id, action: 'publish' })).toMatchObject(COMPLETED);
            await equalTree();
        });

        it('without a signature is rejected', async () => {
            const { status } = await poster(shop.url)('pim-product-sync', '{"id":1,"action":"delete"}', {
                'x-flow-signature': 'ab',
            });
            expect(status).toBe(401);
        });
    });

    describe('if something fails', () => {
        it.each(PIM_FAULTS)('with %s at first, the catalogue is the same', async (_, issue) => {
            for (const product of catalogue.products.values()) catalogue.touch(product, one => (one.price += 1));
            server.disturb = everyOther(issue);
            expect(await sync('pim-product-sync')).toMatchObject(COMPLETED);
            await equal();
        });

        it('with a totalCount that falls while it is read, no product is missed, and no existing one is hidden', async () => {
            for (const product of catalogue.products.values()) catalogue.touch(product, one => (one.price += 1));
            const before = server.asked.length;
            server.disturb = () => {
                if (server.asked.length === before + 3) for (const id of [15, 17]) catalogue.products.delete(id);
                return undefined;
            };
            expect(await sync('pim-product-sync')).toMatchObject({ status: 'COMPLETED' });
            await sync('pim-product-sync');
            await equal();
        });

        it('with a PIM that stays unavailable, the run fails, and nothing is hidden', async () => {
            const shown = await seen();
            let number = 0;
            server.disturb = () => (number++ > 1 ? { status: 403 } : undefined);
            const run = await sync('pim-product-sync');
            expect(run).toMatchObject({ status: 'FAILED', error: { code: 'REMOTE_REFUSED', stepKey: 'extract' } });
            expect(await seen()).toEqual(shown);
        });

        it('with two products of one SKU, the second one is rejected, and nothing is hidden', async () => {
            const twin = catalogue.addProduct(50);
            twin.sku = catalogue.products.get(20)!.sku;
            const run = await sync('pim-product-sync');
            expect(run).toMatchObject({ status: 'COMPLETED', outcome: 'PARTIAL', recordsRejected: 1 });
            catalogue.products.delete(50);
            await equal();
        });
    });

    it('receives what the shop has, as the recipe of the export describes', async () => {
        const posts: JsonObject[] = [];
        const receiver = await new ApiServer(({ body, headers }) => {
            posts.push(...(JSON.parse(body) as JsonObject[]));
            return headers['x-api-key'] === PIM_KEY ? { body: {} } : { status: 403 };
        }).listen();
        try {
            await makeSecret(shop.adminClient, 'pim-import-key', PIM_KEY, '127.0.0.1');
            const [block] = guideBlocks.filter(
                ({ place, heading }) =>
                    place.startsWith('docs/guide/pimcore.md') && heading === 'Export products to a PIM',
            );
            const text = block!.text.replace('https://pim.example.com', receiver.url);
            const { code, definition } = pipelinesOf({ ...block!, text })[0]!;
            await pipelines.publish(await pipelines.create({ code, definition }));
            expect(await sync(code)).toMatchObject({ ...COMPLETED, recordsRead: (await seen()).size });
        } finally {
            await receiver.close();
        }
        const product = catalogue.products.get(26)!;
        const named = ({ translations }: JsonObject) =>
            JSON.stringify(translations).includes(`"${product.name['fr']!}"`);
        expect(posts.find(named)).toEqual({
            id: expect.any(String),
            published: true,
            translations: catalogue.languages.map(languageCode => ({
                languageCode,
                name: product.name[languageCode],
                slug: expect.any(String),
                description: product.description[languageCode],
            })),
            variants: [
                {
                    sku: product.sku,
                    price: product.price,
                    currencyCode: 'USD',
                    stockQuantity: product.stock,
                    enabled: true,
                },
            ],
        });
    });

    it('deletes missing products if the options require it', async () => {
        await publish({ ...OPTIONS, sync: { ...OPTIONS.sync, missing: 'DELETE', deltaSync: false } });
        const before = await seen();
        // Two products are counted and not listed, and then the count drops to zero while it is read.
        server.listings.hidden.add(21).add(23);
        expect(await sync('pim-product-sync')).toMatchObject(COMPLETED);
        server.listings.hidden.clear();
        const requested = server.asked.length;
        server.disturb = async (_request, answer) => {
            await answer();
            if (server.asked.length < requested + 4) return undefined;
            return { body: { data: { getProductListing: { totalCount: 0, edges: [] } } } };
        };
        expect(await sync('pim-product-sync')).toMatchObject(COMPLETED);
        server.disturb = () => undefined;
        expect([...(await seen()).keys()].sort()).toEqual([...before.keys()].sort());
        await equal();
        catalogue.products.delete(21);
        expect(await sync('pim-product-sync')).toMatchObject(COMPLETED);
        expect((await seen()).has('pimsync-product-21-en')).toBe(false);
        await equal();
    });

    it('loads unpublished products if this is configured, and only those below a path', async () => {
        const { products } = catalogue;
        catalogue.touch(products.get(22)!, product => (product.isPublished = false));
        await publish({
            ...OPTIONS,
            sync: { ...OPTIONS.sync, includeUnpublished: true, missing: 'NONE', pathFilter: '/Products/1' },
        });
        const run: RunAnswer = await sync('pim-product-sync');
        const below = [...products.values()].filter(({ path }) => path.startsWith('/Products/1/'));
        expect(run).toMatchObject({ ...COMPLETED, recordsRead: below.length });
        expect((await seen()).get(slugOfPim(products.get(22)!))).toMatchObject({ enabled: false });
    });

    it('does not change variants, prices and stock if they are not configured', async () => {
        const product = catalogue.touch(catalogue.products.get(23)!, one => {
            one.price += 5;
            one.description = catalogue.texts('other words');
        });
        const before = (await seen()).get(slugOfPim(product))!;
        await publish({
            ...OPTIONS,
            sync: { ...OPTIONS.sync, missing: 'NONE' },
            pipelines: { productSync: { syncVariants: false } },
        });
        expect(await sync('pim-product-sync')).toMatchObject(COMPLETED);
        expect((await seen()).get(slugOfPim(product))).toEqual({ ...before, descriptions: product.description });
    });

    it('works with a schema without the usual fields, and with a class of another name', async () => {
        server.configure({ productClass: 'Shoe', without: ['stockQuantity', 'description'] });
        await publish({
            ...OPTIONS,
            sync: { ...OPTIONS.sync, missing: 'NONE' },
            queries: { product: { className: 'shoe' } },
        });
        const product = catalogue.touch(catalogue.products.get(25)!, one => {
            one.price = 5;
            one.stock = 1;
        });
        const before = (await seen()).get(slugOfPim(product))!;
        expect(await sync('pim-product-sync')).toMatchObject(COMPLETED);
        const [was] = before.variants;
        expect((await seen()).get(slugOfPim(product))).toMatchObject({
            variants: [was!.replace(/^(\S+) \d+/, '$1 500')],
        });
    });
}

export const pimSuite: SharedSuite = { title: 'the PIM', tests: pim };
