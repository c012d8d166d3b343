import {
    Channel,
    Customer,
    CustomerGroup,
    CustomerGroupEvent,
    EventBus,
    FacetEvent,
    FacetService,
    FacetValueEvent,
    LanguageCode,
    StockLevel,
    StockLocation,
    StockLocationEvent,
    StockLocationService,
    TaxRate,
} from '@vendure/core';
import type { LoaderExample } from '../../src/core/adapter/loader';
import type { JsonObject } from '../../src/core/value/json';
import { loaders } from '../../src/platform';
import { descriptionOf } from '../../src/platform/entities/entity-loader';
import { LoaderBench } from '../../src/testing/loader-bench';
import { saidLike } from '../../test/kit/said';
import type { Database } from '../config/databases';
import { openLoad, platformOf } from '../config/load-harness';
import { publishEffects } from '../config/publish-effects';
import { productsWith } from '../config/small-catalogue';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { DescribedServices, rowsOf } from '../fixtures/described-services';

const described = loaders.flatMap(loader => {
    const entity = descriptionOf(loader);
    return entity ? [{ code: loader.code as string, loader, entity }] : [];
});

/** What the services can be asked for: no renamed fields, and nothing that is rejected. */
const isPlain = ({ config, does, given = [] }: LoaderExample): boolean =>
    config === undefined && !does.includes('reject') && given.every(({ config: own }) => own === undefined);

/** Every loader of described entities, without being named here, does its examples beside Vendure's own services. */
function entities(open: () => Promise<FlowServer>, database: Database): void {
    let shop: FlowServer;
    let channel: Channel;
    beforeAll(async () => {
        shop = await open();
        const channels = shop.dataSource.getRepository(Channel);
        const token = shop.channelToken;
        await channels.update({ token }, { availableLanguageCodes: [LanguageCode.en, LanguageCode.de] });
        channel = await channels.findOneOrFail({ where: { token }, relations: { defaultTaxZone: true } });
    });

    const load = async (code: string, records: readonly JsonObject[], config: JsonObject = {}) => {
        const { loader } = described.find(one => one.code === code)!;
        return (await openLoad(loader, config, { platform: await platformOf(shop.app, channel) }))(records);
    };

    it('are those of more than one loader', () => {
        expect(described.length).toBeGreaterThan(3);
    });

    describe.each(described)('$code', ({ loader, entity }) => {
        const examples = (loader.examples ?? []) as readonly LoaderExample[];

        it.each(examples.filter(isPlain).map((example, i) => [i + 1, example] as const))(
            "stores row by row what Vendure's services store, and makes known what changed: example %i",
            async (number, example) => {
                const platform = await platformOf(shop.app, channel);
                const bench = new LoaderBench(loader, {
                    loaders,
                    platform: () => Promise.resolve(platform),
                    tables: () => Promise.resolve({}),
                });
                const mark = `${entity.name.toLowerCase()}-theirs-${number}-`;
                for (const { loader: code, records } of example.given ?? []) {
                    const kind = described.find(one => one.code === code)!.entity;
                    const services = new DescribedServices(kind, shop.app, platform);
                    for (const record of bench.keyedAs({ keys: example.keys, mark }, records))
                        await services.work(record);
                }
                const services = new DescribedServices(entity, shop.app, platform);
                for (const record of bench.keyedAs({ keys: example.keys, mark }, example.in))
                    await services.work(record);
                const [copy] = await bench.prepare(example, 1);
                const load = await (await bench.open(copy!))(copy!.in);
                const theirs = await rowsOf(entity, shop.dataSource, mark);
                expect(await rowsOf(entity, shop.dataSource, copy!.mark)).toEqual(theirs);
                expect(theirs.length === 0).toBe(example.does.includes('delete'));
                const told = load.effects.map(({ payload }) => [payload['entity'], payload['operation']]);
                const changed = new Set(example.does.filter(action => action !== 'unchanged'));
                expect(told).toEqual([...changed].map(action => [entity.name, action.toUpperCase()]));
            },
        );
    });

    it('of another channel are left alone, and their codes are not given twice', async () => {
        const { ctx } = await platformOf(shop.app);
        const facets = shop.app.get(FacetService);
        const translations = [{ languageCode: LanguageCode.en, name: 'Elsewhere' }];
        await facets.create(ctx, { code: 'elsewhere', isPrivate: false, translations });
        const { verdicts } = await load('facetUpsert', [
            { code: 'elsewhere', name: 'Here' },
            { code: 'elsewhere', __operation: 'DELETE' },
        ]);
        expect(verdicts).toEqual([
            expect.stringMatching(
                saidLike('entity-is-not-assigned', {
                    value: 'elsewhere',
                    kind: 'facet',
                    key: 'code',
                    channel: channel.code,
                }),
            ),
            '=',
        ]);
    });

    it('have codes that the database does not take for the same', async () => {
        await load('facetUpsert', [{ code: 'shade', name: 'Shade' }]);
        const { verdicts } = await load('facetUpsert', [
            { code: 'SHADE', name: 'Shade' },
            { code: 'shade', name: 'Shades' },
            { code: 'Hue', name: 'Hue' },
            { code: 'hue', name: 'Hue' },
        ]);
        const taken = (value: string, other: string): unknown =>
            database === 'mariadb'
                ? expect.stringMatching(saidLike('entity-is-the-same-to-the-database', { value, other }))
                : 'C';
        expect(verdicts).toEqual([taken('SHADE', 'shade'), 'U', 'C', taken('hue', 'Hue')]);
    });

    it('are a record error where several have the key, and a location of another channel is none of them', async () => {
        const { ctx } = await platformOf(shop.app, channel);
        const locations = shop.app.get(StockLocationService);
        for (const name of ['Twin', 'Twin']) await locations.create(ctx, { name });
        await locations.create((await platformOf(shop.app)).ctx, { name: 'Far' });
        const { verdicts } = await load('stockLocationUpsert', [
            { name: 'Twin', description: 'x' },
            { name: 'Far' },
            { name: 'Far' },
        ]);
        expect(verdicts).toEqual([
            expect.stringMatching(
                saidLike('entities-have-this-key', { value: 'Twin', count: 2, kind: 'stock locations' }),
            ),
            'C',
            '=',
        ]);
    });

    it('are not deleted where stock, or a tax rate, would be lost with them', async () => {
        const [variant] = await productsWith(shop.app, ['STOCKED-1']);
        await load('stockLocationUpsert', [{ name: 'Full' }, { name: 'Empty' }]);
        const at = (name: string) => shop.dataSource.getRepository(StockLocation).findOneByOrFail({ name });
        for (const [name, stockOnHand] of [
            ['Full', 3],
            ['Empty', 0],
        ] as const)
            await shop.dataSource.getRepository(StockLevel).save(
                new StockLevel({
                    productVariantId: variant!.id,
                    stockLocationId: (await at(name)).id,
                    stockOnHand,
                    stockAllocated: 0,
                }),
            );
        const gone = await load(
            'stockLocationUpsert',
            ['Full', 'Empty'].map(name => ({ name, __operation: 'DELETE' })),
        );
        expect(gone.verdicts).toEqual([
            expect.stringMatching(
                saidLike('entity-to-delete-is-used-by', { kind: 'stock location', uses: '1 variant in stock' }),
            ),
            'D',
        ]);
        await load('customerGroupUpsert', [{ name: 'Taxed' }, { name: 'Left' }]);
        const groups = shop.dataSource.getRepository(CustomerGroup);
        const [taxed, left] = [
            await groups.findOneByOrFail({ name: 'Taxed' }),
            await groups.findOneByOrFail({ name: 'Left' }),
        ];
        const rates = shop.dataSource.getRepository(TaxRate);
        const [rate] = await rates.find({ take: 1 });
        await rates.update(rate!.id, { customerGroup: taxed });
        const member = await shop.dataSource.getRepository(Customer).save(
            new Customer({
                firstName: 'A',
                lastName: 'B',
                emailAddress: `left-${database}@example.com`,
                groups: [left],
            }),
        );
        const closed = await load(
            'customerGroupUpsert',
            ['Taxed', 'Left'].map(name => ({ name, __operation: 'DELETE' })),
        );
        await rates.update(rate!.id, { customerGroup: null as never });
        expect(closed.verdicts).toEqual([
            expect.stringMatching(
                saidLike('entity-to-delete-is-used-by', { kind: 'customer group', uses: '1 tax rate' }),
            ),
            'D',
        ]);
        const { groups: after } = await shop.dataSource
            .getRepository(Customer)
            .findOneOrFail({ where: { id: member.id }, relations: { groups: true } });
        expect(after).toEqual([]);
    });

    it("are told of one by one where the load says so, also those that are gone, by Vendure's own events", async () => {
        const told: string[] = [];
        const heard = [FacetEvent, FacetValueEvent, StockLocationEvent, CustomerGroupEvent].map(event =>
            shop.app
                .get(EventBus)
                .ofType<FacetEvent | FacetValueEvent | StockLocationEvent | CustomerGroupEvent>(event as never)
                .subscribe(({ type, entity }) => told.push(`${entity.constructor.name} ${type} ${typeof entity.id}`)),
        );
        const each = { sideEffects: 'EACH' };
        const records: ReadonlyArray<readonly [string, JsonObject]> = [
            ['facetUpsert', { code: 'told', name: 'Told' }],
            ['facetValueUpsert', { facet: 'told', code: 'told', name: 'Told' }],
            ['stockLocationUpsert', { name: 'Told' }],
            ['customerGroupUpsert', { name: 'Told' }],
        ];
        const platform = await platformOf(shop.app, channel);
        for (const [code, record] of records)
            await publishEffects((await load(code, [record], each)).effects, platform);
        for (const [code, record] of [...records].reverse())
            await publishEffects((await load(code, [{ ...record, __operation: 'DELETE' }], each)).effects, platform);
        for (const one of heard) one.unsubscribe();
        const names = ['Facet', 'FacetValue', 'StockLocation', 'CustomerGroup'];
        const id = expect.stringMatching(/ (string|number)$/) as string;
        expect(told).toEqual(told.map(() => id));
        expect(told.map(line => line.replace(/ \w+$/, ''))).toEqual([
            ...names.map(name => `${name} created`),
            ...names.reverse().map(name => `${name} deleted`),
        ]);
    });
}

export const describedEntitiesSuite: SharedSuite = { title: 'entities that are described once', tests: entities };
