import {
    Channel,
    Customer,
    CustomerGroup,
    CustomerGroupChangeEvent,
    CustomerGroupEvent,
    CustomerService,
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
import type { ObjectLiteral } from 'typeorm';
import type { LoaderExample } from '../../src/core/adapter/loader';
import type { JsonObject } from '../../src/core/value/json';
import { loaders } from '../../src/platform';
import { descriptionOf } from '../../src/platform/entities/entity-loader';
import { LoaderBench } from '../../src/testing/loader-bench';
import { pictureOfText } from '../../test/kit/pictures-outbound';
import { naming } from '../../test/kit/naming';
import type { Database } from '../config/databases';
import { openLoad, platformOf } from '../config/load-harness';
import { publishEffects } from '../config/publish-effects';
import { productsWith } from '../config/small-catalogue';
import type { FlowServer } from '../config/flow-server';
import type { SharedSuite } from '../config/shared-shop';
import { DescribedServices, rowsOf } from '../fixtures/described-services';
import { entityDeletes } from './entity-deletes';

const described = loaders.flatMap(loader => {
    const entity = descriptionOf(loader);
    return entity ? [{ code: loader.code as string, loader, entity }] : [];
});

/** What the services can do as well: no renamed fields, and nothing that is rejected. */
const isPlain = ({ config, does, given = [] }: LoaderExample): boolean =>
    config === undefined && !does.includes('reject') && given.every(({ config: own }) => own === undefined);

/** Compares the examples of every loader of described entities with Vendure's own services. Loaders need not be named here. */
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

    /** Uses any loader, including those that are not for described entities. */
    const loadAny = async (code: string, records: readonly JsonObject[]) => {
        const loader = loaders.find(one => one.code === code)!;
        return (await openLoad(loader, {}, { platform: await platformOf(shop.app, channel) }))(records);
    };

    it('have more than one loader', () => {
        expect(described.length).toBeGreaterThan(3);
    });

    describe.each(described)('$code', ({ loader, entity }) => {
        const examples = (loader.examples ?? []) as readonly LoaderExample[];

        it.each(examples.filter(isPlain).map((example, i) => [i + 1, example] as const))(
            "stores row by row what Vendure's services store, and publishes the changes: example %i",
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
                const isBelow = ({ parent }: JsonObject): number => (typeof parent === 'string' ? 1 : 0);
                for (const record of [...bench.keyedAs({ keys: example.keys, mark }, example.in)].sort(
                    (a, b) => isBelow(a) - isBelow(b),
                ))
                    await services.work(record);
                const [copy] = await bench.prepare(example, 1);
                const load = await (await bench.open(copy!))(copy!.in);
                const theirs = await rowsOf(entity, shop.dataSource, mark);
                expect(await rowsOf(entity, shop.dataSource, copy!.mark)).toEqual(theirs);
                expect(theirs.length === 0).toBe(example.does.includes('delete'));
                const own = load.effects.filter(({ payload }) => payload['entity'] === entity.name);
                const told = own.map(({ payload }) => [payload['entity'], payload['operation']]);
                const changed = new Set(example.does.filter(action => action !== 'unchanged'));
                expect(told).toEqual([...changed].map(action => [entity.name, action.toUpperCase()]));
            },
        );
    });

    it("are stored, if they are customers, with account, addresses and history like those of Vendure's services", async () => {
        const platform = await platformOf(shop.app, channel);
        const service = shop.app.get(CustomerService);
        const person = { title: 'Dr', firstName: 'Ida', lastName: 'Berg', phoneNumber: '1' };
        const quay = { streetLine1: 'Quay 1', postalCode: '20095', city: 'Hamburg', defaultShippingAddress: true };
        const hill = { streetLine1: 'Hill 2', defaultShippingAddress: true, defaultBillingAddress: true };
        const made = (await service.create(platform.ctx, {
            ...person,
            emailAddress: 'theirs@example.com',
        })) as Customer;
        for (const address of [quay, hill])
            await service.createAddress(platform.ctx, made.id, { ...address, countryCode: 'DE' });
        await service.update(platform.ctx, { id: made.id, firstName: 'Ina' });
        const record = { ...person, emailAddress: 'Ours@Example.com' };
        const twice = [quay, hill].map(address => ({ ...address, country: 'DE' }));
        const addresses = [{ ...twice[0], defaultShippingAddress: false }, twice[1]!];
        const first = await load('customerUpsert', [
            { ...record, addresses: twice },
            { ...record, addresses },
        ]);
        expect(first.verdicts).toEqual([expect.stringContaining('addresses.1.defaultShippingAddress'), 'C']);
        const { verdicts: outcomes } = await load('customerUpsert', [{ ...record, firstName: 'Ina', addresses }]);
        expect(outcomes).toEqual(['U']);
        const ours = await customerRows(shop, 'ours@example.com');
        expect(ours).toEqual(await customerRows(shop, 'theirs@example.com'));
        const gone = await load('customerUpsert', [{ emailAddress: 'ours@example.com', __operation: 'DELETE' }]);
        await service.softDelete(platform.ctx, made.id);
        expect(gone.verdicts).toEqual(['D']);
        expect(await customerRows(shop, 'ours@example.com')).toEqual(await customerRows(shop, 'theirs@example.com'));
    });

    it('of another channel are not changed, and their codes are not used twice', async () => {
        const { ctx } = await platformOf(shop.app);
        const facets = shop.app.get(FacetService);
        const translations = [{ languageCode: LanguageCode.en, name: 'Elsewhere' }];
        await facets.create(ctx, { code: 'elsewhere', isPrivate: false, translations });
        const { verdicts: outcomes } = await load('facetUpsert', [
            { code: 'elsewhere', name: 'Here' },
            { code: 'elsewhere', __operation: 'DELETE' },
        ]);
        expect(outcomes).toEqual([
            expect.stringMatching(naming('code', '"elsewhere"', 'facet', 'assigned', channel.code)),
            '=',
        ]);
    });

    it('are rejected if the database takes their code for that of another one', async () => {
        await load('facetUpsert', [{ code: 'shade', name: 'Shade' }]);
        const { verdicts: outcomes } = await load('facetUpsert', [
            { code: 'SHADE', name: 'Shade' },
            { code: 'shade', name: 'Shades' },
            { code: 'Hue', name: 'Hue' },
            { code: 'hue', name: 'Hue' },
        ]);
        const taken = (value: string, other: string): unknown =>
            database === 'mariadb'
                ? expect.stringMatching(naming('code', `"${value}"`, `"${other}"`, 'database'))
                : 'C';
        // In another spelling, a code is the same only if the name is, too.
        expect(outcomes).toEqual(['=', 'U', 'C', taken('hue', 'Hue')]);
    });

    it('are rejected if several entities have the key; a location of another channel does not count', async () => {
        const { ctx } = await platformOf(shop.app, channel);
        const locations = shop.app.get(StockLocationService);
        for (const name of ['Twin', 'Twin']) await locations.create(ctx, { name });
        await locations.create((await platformOf(shop.app)).ctx, { name: 'Far' });
        const { verdicts: outcomes } = await load('stockLocationUpsert', [
            { name: 'Twin', description: 'x' },
            { name: 'Far' },
            { name: 'Far' },
        ]);
        expect(outcomes).toEqual([expect.stringMatching(naming('name', '"Twin"', 2, 'stock locations')), 'C', '=']);
    });

    it('are not deleted if stock, or a tax rate, would be lost with them', async () => {
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
            expect.stringMatching(naming('__operation', '"DELETE"', 'stock location', '1 variant')),
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
            expect.stringMatching(naming('__operation', '"DELETE"', 'customer group', '1 tax rate')),
            'D',
        ]);
        const { groups: after } = await shop.dataSource
            .getRepository(Customer)
            .findOneOrFail({ where: { id: member.id }, relations: { groups: true } });
        expect(after).toEqual([]);
    });

    it('cost the same few statements at batch 10 and 500, if they are customers, groups or assets', async () => {
        const costs = async (many: number): Promise<readonly number[]> => {
            const all = Array.from({ length: many }, (_, i) => `bulk-${many}-${i}`);
            const customers = (more: JsonObject): readonly JsonObject[] =>
                all.map(mark => ({
                    emailAddress: `${mark}@example.com`,
                    firstName: mark,
                    lastName: 'Lund',
                    groups: [`${mark} group`],
                    addresses: [{ streetLine1: mark, country: 'DE', ...more }],
                    ...more,
                }));
            const groups = (...members: readonly string[]): readonly JsonObject[] =>
                all.map(mark => ({ name: `${mark} group`, customers: members.map(name => `${mark}${name}`) }));
            const pictures = (name: string): readonly JsonObject[] =>
                all.map(mark => ({
                    base64: pictureOfText(mark).toString('base64'),
                    name: `${mark} ${name}`,
                    // A tag that exists already needs one statement less.
                    tags: [`${name} of ${many}`],
                }));
            const gone = { __operation: 'DELETE' };
            const rounds: ReadonlyArray<readonly [string, readonly JsonObject[], string]> = [
                ['customerGroupUpsert', groups(), 'C'],
                ['customerUpsert', customers({}), 'C'],
                ['customerUpsert', customers({}), '='],
                ['customerUpsert', customers({ phoneNumber: '1' }), 'U'],
                ['customerGroupUpsert', groups('@example.com'), '='],
                ['customerGroupUpsert', groups(), 'U'],
                ['customerGroupUpsert', groups('@example.com'), 'U'],
                ['customerUpsert', customers(gone), 'D'],
                ['customerGroupUpsert', all.map(mark => ({ name: `${mark} group`, ...gone })), 'D'],
                ['assetImport', pictures('one'), 'C'],
                ['assetImport', pictures('one'), '='],
                ['assetImport', pictures('two'), 'U'],
            ];
            const statements: number[] = [];
            for (const [code, records, outcome] of rounds) {
                const done = await loadAny(code, records);
                expect([code, ...new Set(done.verdicts)]).toEqual([code, outcome]);
                statements.push(done.statements);
            }
            return statements;
        };
        const few = await costs(10);
        expect(await costs(500)).toEqual(few);
        expect(Math.max(...few)).toBeLessThanOrEqual(30);
    });

    it('are found by e-mail addresses in another case, unless several match', async () => {
        const rows = shop.dataSource.getRepository(Customer);
        const stored = (emailAddress: string): Promise<Customer> =>
            rows.save(new Customer({ emailAddress, firstName: 'Old', lastName: 'Row', channels: [channel] }));
        const { id } = await stored('Case@Example.com');
        await stored('Twin@example.com');
        await stored('twin@Example.com');
        const named = (emailAddress: string): JsonObject => ({ emailAddress, firstName: 'New', lastName: 'Row' });
        const mails = [
            'CASE@example.com',
            'case@example.com',
            'twin@example.com',
            'Fresh@example.com',
            'fresh@Example.com',
        ];
        const { verdicts: outcomes } = await load('customerUpsert', mails.map(named));
        const twins = expect.stringMatching(naming('emailAddress', '"twin@example.com"', 2, 'customers')) as unknown;
        expect(outcomes).toEqual(['U', '=', twins, 'C', '=']);
        expect(await rows.findOneByOrFail({ id })).toMatchObject({
            emailAddress: 'Case@Example.com',
            firstName: 'New',
        });
        // An invalid e-mail address is found exactly as it is stored, and no new customer gets one.
        await stored('No-Mail');
        const rejected = expect.stringContaining('"emailAddress"') as unknown;
        expect((await load('customerUpsert', ['No-Mail', 'no-mail'].map(named))).verdicts).toEqual(['U', rejected]);
    });

    it("notify each group of the customers who have joined and left it, with Vendure's own events", async () => {
        const told: unknown[] = [];
        const heard = shop.app
            .get(EventBus)
            .ofType(CustomerGroupChangeEvent)
            .subscribe(({ type, customGroup, customers }) =>
                told.push([type, customGroup.name, customers.map(({ emailAddress }) => emailAddress).sort()]),
            );
        const each = { sideEffects: 'EACH' };
        const platform = await platformOf(shop.app, channel);
        const run = async (code: string, record: JsonObject, config: JsonObject = each): Promise<void> =>
            publishEffects((await load(code, [record], config)).effects, platform);
        const person = (name: string, more: JsonObject): JsonObject => ({
            emailAddress: `${name}@example.com`,
            firstName: name,
            lastName: 'Lund',
            ...more,
        });
        await run('customerGroupUpsert', { name: 'Joined' });
        await run('customerUpsert', person('joins', { groups: ['Joined'] }));
        await run('customerUpsert', person('quiet', { groups: ['Joined'] }), {});
        await run('customerGroupUpsert', { name: 'Joined', customers: ['joins@example.com'] });
        await run('customerUpsert', person('joins', { __operation: 'DELETE' }));
        heard.unsubscribe();
        expect(told).toEqual([
            ['assigned', 'Joined', ['joins@example.com']],
            ['removed', 'Joined', ['quiet@example.com']],
            ['removed', 'Joined', ['joins@example.com']],
        ]);
    });

    it("are published one by one if the load is configured so, including deleted ones, with Vendure's own events", async () => {
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

/** Everything that is stored for a customer, without ids, times, tokens and the e-mail address. */
async function customerRows({ dataSource }: FlowServer, emailAddress: string): Promise<unknown> {
    const customer = await dataSource.getRepository(Customer).findOneOrFail({
        where: { emailAddress },
        relations: {
            channels: true,
            groups: true,
            addresses: { country: true },
            user: { roles: true, authenticationMethods: true },
        },
    });
    const history = await dataSource.getRepository<ObjectLiteral>('CustomerHistoryEntry').find({
        where: { customer: { id: customer.id } },
        relations: { administrator: true },
        order: { id: 'ASC' },
    });
    const hidden = new Set(['id', 'createdAt', 'updatedAt', 'lastLogin', 'verificationToken']);
    const text = JSON.stringify({ customer, history }, (name, value: unknown) =>
        hidden.has(name) ? undefined : name === 'deletedAt' ? value !== null : value,
    );
    return JSON.parse(text.replaceAll(emailAddress, 'mail')) as unknown;
}

export const describedEntitiesSuite: SharedSuite = {
    title: 'entities that are described once',
    tests(open, database) {
        entities(open, database);
        describe('when they are deleted', () => entityDeletes(open));
    },
};
