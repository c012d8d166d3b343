import {
    Asset,
    Channel,
    Collection,
    CollectionService,
    type ID,
    LanguageCode,
    Permission,
    Product,
    ProductAsset,
    ProductService,
    ProductVariant,
    ProductVariantService,
} from '@vendure/core';
import type { Loader } from '../../src/core/adapter/loader';
import type { JsonObject, JsonValue } from '../../src/core/value/json';
import { OutboundGateway } from '../../src/io/outbound/gateway';
import { databaseOf } from '../../src/database/open-database';
import type { VendurePlatform } from '../../src/platform/context';
import { assetAttach } from '../../src/platform/loaders/asset-attach';
import { assetImport } from '../../src/platform/loaders/asset-import';
import { collectionUpsert } from '../../src/platform/loaders/collection-upsert';
import { productUpsert } from '../../src/platform/loaders/product-upsert';
import { variantUpsert } from '../../src/platform/loaders/variant-upsert';
import { openLoaderTestRun } from '../../src/testing/loader-test-run';
import { pictureOfText } from '../../test/kit/pictures-outbound';
import { naming } from '../../test/kit/naming';
import { type StubServer, StubServers } from '../../test/kit/stub-server';
import type { FlowServer } from '../config/flow-server';
import { platformOf } from '../config/load-harness';
import type { SharedSuite } from '../config/shared-shop';

/** The assets of an entity in the tables. */
interface Stored {
    readonly assets: ReadonlyArray<readonly [position: number, name: string]>;
    readonly featured: string | undefined;
}

/** The assets of products, variants and collections. */
function galleries(open: () => Promise<FlowServer>): void {
    const servers = new StubServers();
    let shop: FlowServer;
    let platform: VendurePlatform;
    let server: StubServer;
    let gateway: OutboundGateway;
    let isAway = false;
    /** The permissions that the user of the runs lacks. */
    let gaps: readonly Permission[] = [];
    beforeAll(async () => {
        shop = await open();
        const channel = await shop.dataSource
            .getRepository(Channel)
            .findOneOrFail({ where: { token: shop.channelToken }, relations: { defaultTaxZone: true } });
        platform = { ...(await platformOf(shop.app, channel)), database: databaseOf(shop.dataSource) };
    });
    beforeEach(async () => {
        isAway = false;
        gaps = [];
        gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] });
        servers.atEnd(() => gateway.close());
        server = await servers.serve((request, response) => {
            const path = request.url!;
            if (isAway || path.startsWith('/broken')) response.writeHead(isAway ? 503 : 500).end();
            else if (path.startsWith('/missing')) response.writeHead(404).end();
            else if (request.headers['if-none-match'] === `"${path}"`) response.writeHead(304).end();
            else response.writeHead(200, { 'content-type': 'image/png', etag: `"${path}"` }).end(pictureOfText(path));
        });
    });

    /** A separate run in the suite's channel. */
    const load = async (loader: Loader, records: readonly JsonObject[], config: JsonObject = {}) => {
        const { ctx } = await platformOf(shop.app, platform.ctx.channel, LanguageCode.en);
        ctx.userHasPermissions = permissions => permissions.some(permission => !gaps.includes(permission));
        const step = await openLoaderTestRun({
            loader,
            config: { pictureBaseUrl: `http://127.0.0.1:${server.port}/`, ...config },
            platform: { ...platform, ctx },
            surroundings: { outbound: gateway.forRun({ scope: 'galleries', rateLimitRps: 0 }) },
        });
        const done = await step(records);
        const outcomes = done.changes.map(change =>
            change.action === 'reject' ? change.error.message : change.action,
        );
        return { ...done, verdicts: outcomes };
    };
    type Kind = typeof Product | typeof ProductVariant | typeof Collection;
    const storedOf = async (kind: Kind, id: ID): Promise<Stored> => {
        const found = await shop.dataSource.getRepository<Product | ProductVariant | Collection>(kind).findOneOrFail({
            where: { id },
            relations: [
                'assets',
                'assets.asset',
                'assets.asset.translations',
                'featuredAsset',
                'featuredAsset.translations',
            ],
        });
        const nameOf = ({ translations }: Asset) => translations[0]!.name;
        const featured = found.featuredAsset as Asset | null;
        return {
            assets: found.assets
                .map(({ position, asset }) => [position, nameOf(asset)] as const)
                .sort(([a], [b]) => a - b),
            featured: featured ? nameOf(featured) : undefined,
        };
    };
    const productOf = async (slug: string): Promise<ID> =>
        (await shop.dataSource.getRepository(Product).findOneByOrFail({ translations: { slug } })).id;
    const variantOf = async (sku: string): Promise<ID> =>
        (await shop.dataSource.getRepository(ProductVariant).findOneByOrFail({ sku })).id;
    const collectionOf = async (slug: string): Promise<ID> =>
        (await shop.dataSource.getRepository(Collection).findOneByOrFail({ translations: { slug } })).id;
    const assetNamed = async (name: string): Promise<ID> =>
        (await shop.dataSource.getRepository(Asset).findOneByOrFail({ translations: { name } })).id;

    it("are stored for products, variants and collections in the same way as by Vendure's own services", async () => {
        const made: JsonObject = {
            name: 'Equal',
            assets: ['eq-a.png', 'eq-b.png', 'eq-c.png'],
            featuredAsset: 'eq-b.png',
        };
        const moved: JsonObject = { assets: ['eq-c.png', 'eq-a.png'] };
        const emptied: JsonObject = { assets: null };
        const texts = [{ languageCode: LanguageCode.en, name: 'Equal', slug: 'eq-theirs', description: '' }];
        await load(productUpsert, [{ slug: 'eq-owner', name: 'Owner' }]);
        const { ctx } = platform;
        const [products, variants, collections] = [
            shop.app.get(ProductService),
            shop.app.get(ProductVariantService),
            shop.app.get(CollectionService),
        ];
        await load(
            assetImport,
            ['a', 'b', 'c'].map(name => ({ url: `eq-${name}.png` })),
        );
        const ids = await Promise.all(['a', 'b', 'c'].map(name => assetNamed(`eq-${name}.png`)));
        const [a, b, c] = ids as [ID, ID, ID];
        const input = { assetIds: [a, b, c], featuredAssetId: b };
        const theirs = {
            product: (await products.create(ctx, { translations: texts, ...input })).id,
            variant: (
                await variants.create(ctx, [
                    {
                        productId: (await products.create(ctx, { translations: [{ ...texts[0]!, slug: 'eq-of' }] })).id,
                        sku: 'EQ-THEIRS',
                        translations: [{ languageCode: LanguageCode.en, name: 'Equal' }],
                        ...input,
                    },
                ])
            )[0]!.id,
            collection: (await collections.create(ctx, { translations: texts, filters: [], ...input })).id,
        };
        const same = async () => {
            const [ours, expected] = [
                [
                    await storedOf(Product, await productOf('eq-ours')),
                    await storedOf(ProductVariant, await variantOf('EQ-OURS')),
                    await storedOf(Collection, await collectionOf('eq-ours')),
                ],
                [
                    await storedOf(Product, theirs.product),
                    await storedOf(ProductVariant, theirs.variant),
                    await storedOf(Collection, theirs.collection),
                ],
            ];
            expect(ours).toEqual(expected);
            return ours;
        };
        const ours = async (fields: JsonObject) => [
            ...(await load(productUpsert, [{ slug: 'eq-ours', ...fields }])).verdicts,
            ...(await load(variantUpsert, [{ sku: 'EQ-OURS', productSlug: 'eq-owner', price: 0, ...fields }])).verdicts,
            ...(await load(collectionUpsert, [{ slug: 'eq-ours', ...fields }])).verdicts,
        ];
        expect(await ours(made)).toEqual(['create', 'create', 'create']);
        const [first] = await same();
        expect(first).toMatchObject({
            featured: 'eq-b.png',
            assets: [
                [0, 'eq-a.png'],
                [1, 'eq-b.png'],
                [2, 'eq-c.png'],
            ],
        });
        for (const [fields, assetIds] of [
            [moved, [c, a]],
            [emptied, []],
        ] as const) {
            expect(await ours(fields)).toEqual(['update', 'update', 'update']);
            await products.update(ctx, { id: theirs.product, assetIds: [...assetIds] });
            await variants.update(ctx, [{ id: theirs.variant, assetIds: [...assetIds] }]);
            await collections.update(ctx, { id: theirs.collection, assetIds: [...assetIds] });
            await same();
            expect(await ours(fields)).toEqual(['unchanged', 'unchanged', 'unchanged']);
        }
        // Assets that are attached without the product come after the existing ones.
        const attached = async (assets: readonly string[]) => [
            ...(await load(assetAttach, [{ slug: 'eq-ours', assets: [...assets] }])).verdicts,
            ...(
                await load(assetAttach, [{ sku: 'EQ-OURS', assets: [...assets] }], {
                    entity: 'PRODUCT_VARIANT',
                })
            ).verdicts,
        ];
        for (const [assets, assetIds] of [
            [['eq-b.png'], [b]],
            [
                ['eq-a.png', 'eq-c.png'],
                [b, a, c],
            ],
        ] as const) {
            expect(await attached(assets)).toEqual(['update', 'update']);
            const featuredAssetId = b;
            await products.update(ctx, { id: theirs.product, assetIds: [...assetIds], featuredAssetId });
            await variants.update(ctx, [{ id: theirs.variant, assetIds: [...assetIds], featuredAssetId }]);
            await same();
            expect(await attached(assets)).toEqual(['unchanged', 'unchanged']);
        }
    });

    it('cost the same few statements, however many there are', async () => {
        const records = (mark: string, many: number) =>
            Array.from({ length: many }, (_, i) => ({
                name: `${mark} ${i}`,
                assets: [`${mark}-${i}.png`, `${mark}-shared.png`],
                variants: [{ sku: `${mark}-${i}`, price: 1, assets: [`${mark}-shared.png`] }],
            }));
        const count = async (mark: string, many: number) => {
            const made = await load(productUpsert, records(mark, many));
            const again = await load(productUpsert, records(mark, many));
            expect([...new Set([...made.verdicts, '|', ...again.verdicts])]).toEqual(['create', '|', 'unchanged']);
            return [made, again].map(({ planned, written }) => planned.length + written.length);
        };
        expect(await count('many', 24)).toEqual(await count('few', 4));
    });

    it('follow the mode of their list, which overrides the strategy', async () => {
        await load(productUpsert, [{ slug: 'modes', name: 'Modes', assets: ['m-1.png', 'm-2.png'] }]);
        const id = await productOf('modes');
        const after = async (assets: readonly string[], config: JsonObject) => {
            await load(productUpsert, [{ slug: 'modes', assets: [...assets] }], config);
            return (await storedOf(Product, id)).assets.map(([, name]) => name);
        };
        expect(await after(['m-3.png'], { strategy: 'MERGE' })).toEqual(['m-1.png', 'm-2.png', 'm-3.png']);
        expect(await after([], { strategy: 'MERGE' })).toEqual(['m-1.png', 'm-2.png', 'm-3.png']);
        expect(await after(['m-2.png'], { strategy: 'MERGE', assetsMode: 'REMOVE' })).toEqual(['m-1.png', 'm-3.png']);
        expect((await storedOf(Product, id)).featured).toBe('m-1.png');
        expect(await after(['m-4.png'], { assetsMode: 'SKIP' })).toEqual(['m-1.png', 'm-3.png']);
        expect(await after(['m-3.png'], { strategy: 'MERGE', assetsMode: 'REPLACE' })).toEqual(['m-3.png']);
        expect(await after(['m-1.png'], { assetsMode: 'REMOVE' })).toEqual(['m-3.png']);
        expect((await storedOf(Product, id)).featured).toBeUndefined();
        expect(server.seen.map(({ url }) => url)).not.toContain('/m-4.png');
    });

    it('that cannot be fetched reject their record, or are left out with a note and remove nothing', async () => {
        await load(productUpsert, [{ slug: 'torn', name: 'Torn', assets: ['t-1.png', 't-2.png'] }]);
        const records = [{ slug: 'torn', assets: ['t-2.png', 'missing.png'] }];
        const rejected = await load(productUpsert, records);
        expect(rejected.verdicts).toEqual([expect.stringMatching(naming('assets.1', 404))]);
        expect(rejected.changes[0]).toMatchObject({ error: { details: { field: 'assets.1' } } });
        const skipped = await load(productUpsert, [...records, { slug: 'torn', assets: ['broken.png', 't-3.png'] }], {
            onPictureError: 'SKIP',
        });
        expect(skipped.changes).toMatchObject([
            {
                action: 'unchanged',
                note: {
                    code: 'PICTURES_SKIPPED',
                    example: expect.stringContaining('missing.png'),
                    why: expect.stringContaining('404'),
                },
            },
            { action: 'update', note: { code: 'PICTURES_SKIPPED', example: expect.stringContaining('broken.png') } },
        ]);
        const { assets } = await storedOf(Product, await productOf('torn'));
        expect(assets.map(([, name]) => name)).toEqual(['t-1.png', 't-2.png', 't-3.png']);
    });

    it('of a server that is unavailable are waited for, and reject nothing', async () => {
        isAway = true;
        const record = { url: 'away.png' };
        await expect(load(assetImport, [record])).rejects.toMatchObject({ code: 'REMOTE_BUSY', treat: 'transient' });
        await expect(load(assetAttach, [{ slug: 'torn', assets: ['away.png'] }])).rejects.toMatchObject({
            code: 'REMOTE_BUSY',
        });
        isAway = false;
        await gateway.close();
        gateway = new OutboundGateway({ allowedHostnames: ['127.0.0.1'] });
        servers.atEnd(() => gateway.close());
        expect((await load(assetImport, [record])).verdicts).toEqual(['create']);
    });

    it('are not created from new pictures for a user who may not create assets', async () => {
        await load(productUpsert, [{ slug: 'limited', name: 'Limited', assets: ['known.png'] }]);
        const records = ['known.png', 'unknown.png'].map(name => ({ slug: 'limited', assets: [name] }));
        gaps = [Permission.CreateCatalog, Permission.CreateAsset];
        expect((await load(assetAttach, records)).changes).toMatchObject([
            { action: 'unchanged' },
            { action: 'reject', error: { details: { field: 'assets.0' } } },
        ]);
    });

    it('are added to another channel together with their product', async () => {
        const { dataSource } = shop;
        const other = await dataSource.getRepository(Channel).findOneByOrFail({ code: '__default_channel__' });
        const further = await dataSource.getRepository(Channel).find();
        const target = further.find(({ id }) => id !== other.id && id !== platform.ctx.channelId)!;
        await load(productUpsert, [
            {
                slug: 'goes',
                name: 'Goes',
                assets: ['g-1.png'],
                variants: [{ sku: 'GOES-1', price: 1, assets: ['g-2.png'] }],
            },
        ]);
        const { verdicts: outcomes } = await load(productUpsert, [{ slug: 'goes', channels: [target.token] }]);
        expect(outcomes).toEqual(['update']);
        for (const name of ['g-1.png', 'g-2.png']) {
            const { channels } = await dataSource
                .getRepository(Asset)
                .findOneOrFail({ where: { translations: { name } }, relations: { channels: true } });
            expect(channels.map(({ id }) => id)).toContain(target.id);
        }
    });

    it('of the shop are found by their ids, names and sources, within the channel', async () => {
        await load(assetImport, [
            { url: 'named-1.png', name: 'One' },
            { url: 'named-2.png', name: 'Twice' },
            { url: 'named-3.png', name: 'Twice' },
        ]);
        await load(productUpsert, [{ slug: 'named', name: 'Named' }]);
        const id = await assetNamed('One');
        const { ctx } = await platformOf(shop.app);
        const hidden = await shop.dataSource.getRepository(Asset).save(
            new Asset({
                type: 'IMAGE' as never,
                mimeType: 'image/png',
                source: 'x',
                preview: 'x',
                fileSize: 1,
                channels: [ctx.channel],
            }),
        );
        const channel = platform.ctx.channel.code;
        const attach = async (asset: JsonValue) =>
            (await load(assetAttach, [{ slug: 'named', assets: [asset] }])).verdicts[0];
        expect(await attach({ id })).toBe('update');
        expect(await attach({ name: 'One' })).toBe('unchanged');
        expect(await attach({ name: 'Twice' })).toMatch(naming('assets.0.name', '"Twice"', 2, channel));
        expect(await attach({ id: hidden.id })).toMatch(naming('assets.0.id', hidden.id, channel));
        expect(await attach({ id: 'no id' })).toMatch(naming('assets.0.id', '"no id"', channel));
        const { source } = await shop.dataSource.getRepository(Asset).findOneByOrFail({ id });
        expect(await attach({ source })).toBe('unchanged');
        expect(await attach({ source: hidden.source })).toMatch(naming('assets.0.source', '"x"', 'URL', channel));
        // An asset of another channel: it stays with the product, and no message mentions it.
        const { id: productId } = await shop.dataSource
            .getRepository(Product)
            .findOneByOrFail({ translations: { slug: 'named' } });
        const asset = { productId, assetId: hidden.id, position: 1 };
        await shop.dataSource.getRepository(ProductAsset).save(new ProductAsset(asset));
        const emptied = await load(assetAttach, [{ slug: 'named', assets: [] }], { assetsMode: 'REPLACE' });
        expect(emptied.changes).toMatchObject([
            { before: { assets: ['One'], featuredAsset: 'One' }, after: { assets: [], featuredAsset: null } },
        ]);
        const left = await shop.dataSource.getRepository(ProductAsset).findBy({ productId });
        expect(left.map(({ assetId }) => assetId)).toEqual([hidden.id]);
    });
}

export const galleriesSuite: SharedSuite = { title: 'galleries', tests: galleries };
