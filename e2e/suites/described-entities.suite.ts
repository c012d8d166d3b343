import { Channel, LanguageCode } from '@vendure/core';
import type { LoaderExample } from '../../src/core/adapter/loader';
import { loaders } from '../../src/platform';
import { descriptionOf } from '../../src/platform/entities/entity-loader';
import { LoaderBench } from '../../src/testing/loader-bench';
import { platformOf } from '../config/load-harness';
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
function entities(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let channel: Channel;
    beforeAll(async () => {
        shop = await open();
        const channels = shop.dataSource.getRepository(Channel);
        const token = shop.channelToken;
        await channels.update({ token }, { availableLanguageCodes: [LanguageCode.en, LanguageCode.de] });
        channel = await channels.findOneOrFail({ where: { token }, relations: { defaultTaxZone: true } });
    });

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
}

export const describedEntitiesSuite: SharedSuite = { title: 'entities that are described once', tests: entities };
