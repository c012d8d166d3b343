import {
    Asset,
    AssetService,
    Channel,
    Collection,
    CollectionService,
    ConfigService,
    Country,
    CountryService,
    Customer,
    CustomerGroup,
    CustomerGroupService,
    CustomerService,
    Facet,
    FacetService,
    FacetValue,
    FacetValueService,
    type ID,
    LanguageCode,
    PaymentMethod,
    PaymentMethodService,
    Product,
    ProductService,
    ProductVariant,
    ProductVariantService,
    Promotion,
    PromotionService,
    type RequestContext,
    ShippingMethod,
    ShippingMethodService,
    StockLocation,
    StockLocationService,
    TaxRate,
    TaxRateService,
    ZoneService,
} from '@vendure/core';
import { type EntityTarget, IsNull, type ObjectLiteral } from 'typeorm';
import type { Change, Effect } from '../../src/core/adapter/loader';
import type { JsonObject } from '../../src/core/value/json';
import type { VendurePlatform } from '../../src/platform/context';
import { loaders } from '../../src/platform';
import { pictureOfText } from '../../test/kit/pictures-outbound';
import type { FlowServer } from '../config/flow-server';
import { type LoadOptions, openLoad, platformOf } from '../config/load-harness';
import { publishEffects } from '../config/publish-effects';
import { tableDump, type TableDump } from '../fixtures/table-dump';

/** One entity of each kind, with a given mark in its fields. */
interface Kind {
    readonly entity: string;
    readonly type: EntityTarget<ObjectLiteral>;
    /** Loads that create one, or two of which the first is deleted. */
    readonly given: (mark: string) => ReadonlyArray<readonly [loader: string, record: JsonObject]>;
    /** Creates entities that no load creates. */
    readonly made?: (shop: FlowServer, ctx: RequestContext, mark: string) => Promise<unknown>;
    /** The condition that finds it, in Vendure's fields and in those of a record. */
    readonly where: (mark: string) => ObjectLiteral;
    readonly key: (mark: string) => JsonObject;
    readonly theirs: (shop: FlowServer, ctx: RequestContext, id: ID) => Promise<unknown>;
}

const texts = (slug: string): ObjectLiteral => ({ translations: { slug } });
const lamp = (slug: string): JsonObject => ({
    slug,
    name: slug,
    optionGroups: ['Colour'],
    variants: ['White', 'Black'].map(colour => ({
        sku: `${slug}-${colour}`,
        price: 4900,
        stock: 5,
        options: { Colour: colour },
    })),
});

const KINDS: readonly Kind[] = [
    {
        entity: 'PRODUCT',
        type: Product,
        given: mark => [['productUpsert', lamp(`${mark}-product`)]],
        where: mark => texts(`${mark}-product`),
        key: mark => ({ slug: `${mark}-product` }),
        theirs: ({ app }, ctx, id) => app.get(ProductService).softDelete(ctx, id),
    },
    {
        entity: 'PRODUCT_VARIANT',
        type: ProductVariant,
        given: mark => [['productUpsert', lamp(`${mark}-whole`)]],
        where: mark => ({ sku: `${mark}-whole-White` }),
        key: mark => ({ sku: `${mark}-whole-White` }),
        theirs: ({ app }, ctx, id) => app.get(ProductVariantService).softDelete(ctx, id),
    },
    {
        entity: 'COLLECTION',
        type: Collection,
        given: mark => [['collectionUpsert', { slug: `${mark}-collection`, name: mark }]],
        where: mark => texts(`${mark}-collection`),
        key: mark => ({ slug: `${mark}-collection` }),
        theirs: ({ app }, ctx, id) => app.get(CollectionService).delete(ctx, id),
    },
    {
        entity: 'FACET',
        type: Facet,
        given: mark => [
            ['facetUpsert', { code: `${mark}-facet`, name: mark }],
            ['facetValueUpsert', { facet: `${mark}-facet`, code: `${mark}-of-facet`, name: mark }],
        ],
        where: mark => ({ code: `${mark}-facet` }),
        key: mark => ({ code: `${mark}-facet` }),
        theirs: ({ app }, ctx, id) => app.get(FacetService).delete(ctx, id),
    },
    {
        entity: 'FACET_VALUE',
        type: FacetValue,
        given: mark => [
            ['facetUpsert', { code: `${mark}-stays`, name: mark }],
            ['facetValueUpsert', { facet: `${mark}-stays`, code: `${mark}-value`, name: mark }],
        ],
        where: mark => ({ code: `${mark}-value` }),
        key: mark => ({ facet: `${mark}-stays`, code: `${mark}-value` }),
        theirs: ({ app }, ctx, id) => app.get(FacetValueService).delete(ctx, id),
    },
    {
        entity: 'ASSET',
        type: Asset,
        given: mark => [
            [
                'assetImport',
                { base64: pictureOfText(mark).toString('base64'), name: `${mark}-asset.png`, tags: ['deleted'] },
            ],
        ],
        where: mark => ({ translations: { name: `${mark}-asset.png` } }),
        key: () => ({}),
        theirs: ({ app }, ctx, id) => app.get(AssetService).delete(ctx, [id]),
    },
    {
        entity: 'CUSTOMER',
        type: Customer,
        given: mark => [
            [
                'customerUpsert',
                {
                    emailAddress: `${mark}@example.com`,
                    firstName: 'Ada',
                    lastName: mark,
                    addresses: [{ streetLine1: `${mark} 1`, country: 'DE' }],
                },
            ],
        ],
        where: mark => ({ emailAddress: `${mark}@example.com` }),
        key: mark => ({ emailAddress: `${mark}@example.com` }),
        theirs: ({ app }, ctx, id) => app.get(CustomerService).softDelete(ctx, id),
    },
    {
        entity: 'CUSTOMER_GROUP',
        type: CustomerGroup,
        given: mark => [['customerGroupUpsert', { name: `${mark}-group` }]],
        where: mark => ({ name: `${mark}-group` }),
        key: mark => ({ name: `${mark}-group` }),
        theirs: ({ app }, ctx, id) => app.get(CustomerGroupService).delete(ctx, id),
    },
    {
        entity: 'STOCK_LOCATION',
        type: StockLocation,
        given: mark => [['stockLocationUpsert', { name: `${mark}-location` }]],
        where: mark => ({ name: `${mark}-location` }),
        key: mark => ({ name: `${mark}-location` }),
        theirs: ({ app }, ctx, id) => app.get(StockLocationService).delete(ctx, { id }),
    },
    {
        entity: 'TAX_RATE',
        type: TaxRate,
        given: mark => [['taxRateUpsert', { name: `${mark}-rate`, value: 3, category: 'Reduced Tax', zone: 'Europe' }]],
        where: mark => ({ name: `${mark}-rate` }),
        key: mark => ({ name: `${mark}-rate` }),
        theirs: ({ app }, ctx, id) => app.get(TaxRateService).delete(ctx, id),
    },
    {
        entity: 'SHIPPING_METHOD',
        type: ShippingMethod,
        given: mark => [
            [
                'shippingMethodUpsert',
                {
                    code: `${mark}-parcel`,
                    name: mark,
                    fulfillmentHandler: 'manual-fulfillment',
                    checker: { code: 'default-shipping-eligibility-checker', args: { orderMinimum: 0 } },
                    calculator: { code: 'default-shipping-calculator', args: { rate: 490, taxRate: 20 } },
                },
            ],
        ],
        where: mark => ({ code: `${mark}-parcel` }),
        key: mark => ({ code: `${mark}-parcel` }),
        theirs: ({ app }, ctx, id) => app.get(ShippingMethodService).softDelete(ctx, id),
    },
    {
        entity: 'PROMOTION',
        type: Promotion,
        given: mark => [['promotionUpsert', { name: mark, couponCode: mark, actions: [{ code: 'free_shipping' }] }]],
        where: mark => ({ couponCode: mark }),
        key: mark => ({ name: mark }),
        theirs: ({ app }, ctx, id) => app.get(PromotionService).softDeletePromotion(ctx, id),
    },
    {
        entity: 'PAYMENT_METHOD',
        type: PaymentMethod,
        given: mark => [
            [
                'paymentMethodUpsert',
                { code: `${mark}-card`, name: mark, handler: { code: 'gateway', args: { apiKey: 'sk', regions: [] } } },
            ],
        ],
        where: mark => ({ code: `${mark}-card` }),
        key: mark => ({ code: `${mark}-card` }),
        theirs: ({ app }, ctx, id) => app.get(PaymentMethodService).delete(ctx, id),
    },
    {
        entity: 'COUNTRY',
        type: Country,
        given: () => [],
        made: async ({ app }, ctx, mark) => {
            const translations = [{ languageCode: LanguageCode.en, name: mark }];
            const { id } = await app.get(CountryService).create(ctx, { code: mark, enabled: true, translations });
            const [zone] = (await app.get(ZoneService).findAll(ctx)).items;
            await app.get(ZoneService).addMembersToZone(ctx, { zoneId: zone!.id, memberIds: [id] });
        },
        where: mark => ({ code: mark }),
        key: mark => ({ code: mark }),
        theirs: ({ app }, ctx, id) => app.get(CountryService).delete(ctx, id),
    },
];

const [OURS, THEIRS] = ['deleted-by-us', 'deleted-by-them'];

const fieldsOf = (changes: readonly Change[]): readonly unknown[] =>
    changes.map(change => (change.action === 'reject' ? change.error.details?.['field'] : change.action));

/** How many more rows each table of the shop has. */
function grown(before: TableDump, after: TableDump): Record<string, number> {
    const tables = Object.entries(after).filter(([table]) => !table.startsWith('flow_'));
    return Object.fromEntries(tables.map(([table, rows]) => [table, rows.length - before[table]!.length] as const));
}

/** Compares the entities that `entityDelete` deletes with what Vendure's own services leave of them. */
export function entityDeletes(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let platform: VendurePlatform;
    beforeAll(async () => {
        shop = await open();
        platform = await platformOf(shop.app, shop.channelToken);
    });

    const load = async (
        code: string,
        records: readonly JsonObject[],
        config: JsonObject = {},
        options: Partial<LoadOptions> = {},
    ) => {
        const loader = loaders.find(one => one.code === code)!;
        return (await openLoad(loader, config, { platform, ...options }))(records);
    };
    const remove = (entity: string, records: readonly JsonObject[], config: JsonObject = {}) =>
        load('entityDelete', records, { entity, ...config });
    const idOf = async ({ type, where }: Kind, mark: string): Promise<ID> => {
        const { id } = await shop.dataSource.getRepository(type).findOneOrFail({ where: where(mark) });
        return id as ID;
    };
    const make = async ({ given, made }: Kind, mark: string): Promise<void> => {
        await made?.(shop, platform.ctx, mark);
        for (const [code, record] of given(mark)) expect((await load(code, [record])).verdicts).toEqual(['C']);
    };

    it("leave row by row what Vendure's services leave, found by key or by id", async () => {
        // What a shop creates only once: the root of its collections, a tag.
        for (const entity of ['COLLECTION', 'ASSET'])
            await make(
                KINDS.find(one => one.entity === entity)!,
                'first',
            );
        const dumps = [await tableDump(shop.dataSource)];
        const effects: Effect[] = [];
        for (const [i, kind] of KINDS.entries()) {
            await make(kind, OURS);
            const byId = i % 2 === 1 || kind.entity === 'ASSET';
            const record = byId ? { id: await idOf(kind, OURS) } : kind.key(OURS);
            const done = await remove(kind.entity, [record, record], byId ? { matchBy: 'id' } : {});
            expect([kind.entity, ...done.verdicts]).toEqual([kind.entity, 'D', '=']);
            effects.push(...done.effects);
        }
        await publishEffects(effects, platform);
        dumps.push(await tableDump(shop.dataSource));
        for (const kind of KINDS) {
            await make(kind, THEIRS);
            await kind.theirs(shop, platform.ctx, await idOf(kind, THEIRS));
        }
        dumps.push(await tableDump(shop.dataSource));
        const [none, ours, theirs] = dumps as [TableDump, TableDump, TableDump];
        expect(grown(none, ours)).toEqual(grown(ours, theirs));
        const marked = (mark: string) =>
            Object.entries(theirs).flatMap(([table, rows]) =>
                rows
                    .filter(row => row.includes(mark))
                    .map(row => `${table} ${row.replaceAll(mark, '')}`.replace(/"\w+:\d+"|:\d+\b/g, 'id'))
                    .sort(),
            );
        expect(marked(OURS)).toEqual(marked(THEIRS));
        const told = effects.map(({ payload }) => `${String(payload['entity'])} ${String(payload['operation'])}`);
        expect(told.filter(text => !text.startsWith('undefined'))).toEqual([
            'Product DELETE',
            'ProductVariant DELETE',
            ...['ProductVariant', 'Collection', 'Facet', 'FacetValue'].map(name => `${name} DELETE`),
            // It remains in the default channel.
            'Asset UPDATE',
            ...['Customer', 'CustomerGroup', 'StockLocation', 'Country'].map(name => `${name} DELETE`),
        ]);
    });

    it('cost the same few statements at batch 10 and 500', async () => {
        const kinds: ReadonlyArray<readonly [string, string, (i: string) => JsonObject, keyof JsonObject & string]> = [
            ['PRODUCT', 'productUpsert', i => ({ slug: i, name: i, sku: i, price: 1, stock: 1 }), 'slug'],
            ['FACET', 'facetUpsert', i => ({ code: i, name: i }), 'code'],
        ];
        for (const [entity, code, recordOf, key] of kinds) {
            const counts: number[] = [];
            for (const many of [10, 500]) {
                const records = Array.from({ length: many }, (_, i) => recordOf(`bulk-${many}-${i}`));
                expect(new Set((await load(code, records)).verdicts)).toEqual(new Set(['C']));
                const gone = await remove(
                    entity,
                    records.map(record => ({ [key]: record[key]! })),
                );
                expect(new Set(gone.verdicts)).toEqual(new Set(['D']));
                counts.push(gone.statements);
            }
            expect(counts[1]).toBe(counts[0]);
            expect(counts[0]).toBeLessThanOrEqual(12);
        }
    });

    it('are kept if something needs them, or if they do not belong to the channel', async () => {
        const picture = (mark: string): JsonObject => ({
            base64: pictureOfText(mark).toString('base64'),
            name: `${mark}.png`,
        });
        await load('assetImport', ['featured', 'shared', 'gone'].map(picture));
        const assets = shop.dataSource.getRepository(Asset);
        const named = (name: string) =>
            assets.findOneOrFail({ where: { translations: { name: `${name}.png` } }, relations: { channels: true } });
        // The storage of the tests gives the same name to all files.
        for (const name of ['featured', 'shared', 'gone'])
            await assets.update((await named(name)).id, { source: `kept/${name}`, preview: `kept/${name}-preview` });
        const [featured, shared, gone] = [await named('featured'), await named('shared'), await named('gone')];
        await load('collectionUpsert', [{ slug: 'kept-pictures', name: 'Pictures' }]);
        const collection = await shop.dataSource
            .getRepository(Collection)
            .findOneOrFail({ where: { translations: { slug: 'kept-pictures' } } });
        await shop.dataSource
            .getRepository(Collection)
            .update(collection.id, { featuredAsset: { id: featured.id } } as never);
        // As if it belonged to no other channel.
        const own = shop.dataSource.createQueryBuilder().relation(Asset, 'channels').of(gone.id);
        await own.remove(gone.channels.filter(({ id }) => id !== platform.ctx.channelId));
        const done = await remove(
            'ASSET',
            [featured, shared, gone, shared].map(({ source }) => ({ source })),
        );
        expect(fieldsOf(done.changes)).toEqual(['source', 'delete', 'delete', 'unchanged']);
        expect((await named('shared')).channels.map(({ code }) => code)).toEqual(['__default_channel__']);
        const { assetStorageStrategy: storage } = shop.app.get(ConfigService).assetOptions;
        const exists = jest.spyOn(storage, 'fileExists').mockResolvedValue(true);
        const taken = jest.spyOn(storage, 'deleteFile').mockResolvedValue(undefined);
        await publishEffects(done.effects, platform);
        expect(taken.mock.calls.flat()).toEqual([gone.source, gone.preview]);
        exists.mockRestore();
        taken.mockRestore();

        const elsewhere = await shop.app.get(FacetService).create((await platformOf(shop.app)).ctx, {
            code: 'not-here',
            isPrivate: false,
            translations: [],
        });
        const byId = await remove('FACET', [{ id: elsewhere.id }, { id: 'no id' }, {}], { matchBy: 'id' });
        expect(fieldsOf(byId.changes)).toEqual(['unchanged', 'id', 'id']);
        const root = await shop.dataSource.getRepository(Collection).findOneByOrFail({ isRoot: true });
        const channels = await shop.dataSource.getRepository(Channel).find({ where: { id: platform.ctx.channelId } });
        const roots = await remove('COLLECTION', [{ id: root.id }], { matchBy: 'id' });
        expect(fieldsOf(roots.changes)).not.toContain('delete');
        const ofChannels = await remove(
            'CHANNEL',
            ['__default_channel__', channels[0]!.code, 'none'].map(code => ({ code })),
        );
        expect(fieldsOf(ofChannels.changes)).toEqual(['__operation', '__operation', 'unchanged']);
        expect(await shop.dataSource.getRepository(Collection).countBy({ isRoot: true })).toBeGreaterThan(0);
    });

    it('are not changed by the id of a deleted entity, even if a new one has its name', async () => {
        const given: JsonObject = { name: 'twice-named', couponCode: 'TWICE', actions: [{ code: 'free_shipping' }] };
        const idOfLiving = async (): Promise<ID> => {
            const where = { couponCode: 'TWICE', deletedAt: IsNull() };
            return (await shop.dataSource.getRepository(Promotion).findOneByOrFail(where)).id;
        };
        await load('promotionUpsert', [given]);
        const id = (await idOfLiving()) as number;
        expect((await remove('PROMOTION', [{ id }], { matchBy: 'id' })).verdicts).toEqual(['D']);
        await load('promotionUpsert', [given]);
        expect((await remove('PROMOTION', [{ id }], { matchBy: 'id' })).verdicts).toEqual(['=']);
        expect(await idOfLiving()).not.toBe(id);
    });

    it('are countries only if no address uses them', async () => {
        const used = { emailAddress: 'kept@example.com', firstName: 'K', lastName: 'T' };
        await load('customerUpsert', [{ ...used, addresses: [{ streetLine1: 'Quay 1', country: 'DE' }] }]);
        const done = await remove('COUNTRY', [{ code: 'DE' }, { code: 'ZZ' }, { code: 'AT', __operation: 'UPSERT' }]);
        expect(fieldsOf(done.changes)).toEqual(['code', 'unchanged', '__operation']);
        expect(await shop.dataSource.getRepository(Country).countBy({ code: 'DE' })).toBe(1);
    });

    it('are missing in the later steps of a dry run, which deletes nothing', async () => {
        await load('productUpsert', [{ slug: 'dry-gone', name: 'Gone', sku: 'DRY-GONE', price: 1 }]);
        const dry = { mode: 'dryRun', platform: await platformOf(shop.app, shop.channelToken) } as const;
        const planned = await load('entityDelete', [{ slug: 'dry-gone' }], { entity: 'PRODUCT' }, dry);
        expect(planned.changes).toEqual([
            expect.objectContaining({ action: 'delete', before: { slug: 'dry-gone', name: 'Gone', description: '' } }),
        ]);
        const update = await load('variantUpsert', [{ sku: 'DRY-GONE', price: 2 }], { strategy: 'UPDATE' }, dry);
        expect(fieldsOf(update.changes)).toEqual(['sku']);
        const rows = await shop.dataSource.getRepository(ProductVariant).findOneByOrFail({ sku: 'DRY-GONE' });
        expect(rows.deletedAt).toBeNull();
    });

    it('are not configured with an argument that has no effect', async () => {
        const wrong: readonly JsonObject[] = [
            { entity: 'PRODUCT', matchBy: 'sku' },
            { entity: 'PRODUCT', facetField: 'f' },
            { entity: 'TAX_RATE', sideEffects: 'NONE' },
            { entity: 'ORDER' },
        ];
        for (const config of wrong) await expect(load('entityDelete', [], config)).rejects.toThrow(/./);
    });
}
