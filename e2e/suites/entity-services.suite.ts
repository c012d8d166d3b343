import {
    Channel,
    ChannelEvent,
    ChannelService,
    EventBus,
    TaxCategory,
    TaxRate,
    TaxRateEvent,
    TaxRateService,
    type VendureEvent,
    Zone,
} from '@vendure/core';
import { DEFAULT_CHANNEL_CODE } from '@vendure/common/lib/shared-constants';
import gql from 'graphql-tag';
import { type BuiltinCatalogue, createPipelineBuilder, type JsonObject } from '../../src';
import { type FlowServer, until } from '../config/flow-server';
import { adapterContext, openLoad, platformOf } from '../config/load-harness';
import type { SharedSuite } from '../config/shared-shop';
import { channelUpsert } from '../../src/platform/loaders/channel-upsert';
import { taxRateUpsert } from '../../src/platform/loaders/tax-rate-upsert';
import type { Loader } from '../../src/core/adapter/loader';
import { flowError } from '../../src/core/errors/flow-error';
import { servedByServices } from '../../src/platform/service-kinds';

const rate = { name: 'served-rate', value: 7, category: 'Reduced Tax', zone: 'Europe' };
const channel = {
    code: 'served-channel',
    token: 'served-channel-token',
    defaultLanguageCode: 'en',
    defaultCurrencyCode: 'EUR',
    pricesIncludeTax: true,
    defaultTaxZone: 'Europe',
    defaultShippingZone: 'Americas',
    seller: 'Default Seller',
};

const pipeline = (code: string, adapterCode: 'taxRateUpsert' | 'channelUpsert', records: readonly JsonObject[]) =>
    createPipelineBuilder<BuiltinCatalogue>()(code)
        .throughput({ batchSize: 2 })
        .trigger('start', { type: 'MANUAL' })
        .extract('read', { adapterCode: 'inMemory', data: [...records] })
        .load('write', { adapterCode })
        .build();

const rates = pipeline('served-rates', 'taxRateUpsert', [
    rate,
    { ...rate, name: 'served-nowhere', zone: 'Atlantis' },
    { ...rate, value: 5 },
    { ...rate, value: 5 },
]);

const RATES = gql`
    query {
        taxRates(options: { filter: { name: { eq: "served-rate" } } }) {
            items {
                name
                value
                enabled
                category {
                    name
                }
                zone {
                    name
                }
                customerGroup {
                    name
                }
            }
        }
    }
`;

const CHANNELS = gql`
    query {
        channels(options: { filter: { code: { eq: "served-channel" } } }) {
            items {
                token
                defaultLanguageCode
                availableLanguageCodes
                defaultCurrencyCode
                availableCurrencyCodes
                pricesIncludeTax
                trackInventory
                outOfStockThreshold
                defaultTaxZone {
                    name
                }
                defaultShippingZone {
                    name
                }
                seller {
                    name
                }
            }
        }
    }
`;

function byServices(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    const heard: string[] = [];

    beforeAll(async () => {
        shop = await open();
        const hears = (event: VendureEvent & { type: string; entity: { name?: string; code?: string } }): void => {
            const { name, code } = event.entity;
            if ((name ?? code)?.startsWith('served-') === true) heard.push(`${event.type} ${name ?? code}`);
        };
        const bus = shop.app.get(EventBus);
        bus.ofType(TaxRateEvent).subscribe(hears);
        bus.ofType(ChannelEvent).subscribe(hears);
    });
    /** Events arrive a while after the commit: an unexpected event would be found by the next test. */
    const told = async (...events: readonly string[]): Promise<void> => {
        await until(
            async () => heard.length,
            count => count >= events.length,
        );
        expect(heard.splice(0).sort()).toEqual([...events].sort());
    };

    const load = async (loader: Loader, records: readonly JsonObject[], config: JsonObject = {}) =>
        (await openLoad(loader, config, { platform: await platformOf(shop.app) }))(records);
    const rateRow = (name: string): Promise<TaxRate | null> =>
        shop.dataSource.getRepository(TaxRate).findOneBy({ name });

    it('write what the Admin API returns, publish it once, and nothing about rejected or unchanged records', async () => {
        expect(await shop.perform('served-rates')).toMatchObject({
            outcome: 'PARTIAL',
            recordsLoaded: 2,
            recordsUnchanged: 1,
            recordsRejected: 1,
        });
        const { taxRates } = await shop.adminClient.query(RATES);
        expect(taxRates.items).toEqual([
            {
                name: 'served-rate',
                value: 5,
                enabled: true,
                category: { name: 'Reduced Tax' },
                zone: { name: 'Europe' },
                customerGroup: null,
            },
        ]);
        await told('created served-rate', 'updated served-rate');
        expect(await rateRow('served-nowhere')).toBeNull();
    });

    it('call no service for unchanged entities', async () => {
        const before = await rateRow('served-rate');
        const { verdicts: outcomes } = await load(taxRateUpsert, [{ ...rate, value: 5 }, { name: 'served-rate' }]);
        expect(outcomes).toEqual(['=', '=']);
        expect((await rateRow('served-rate'))!.updatedAt).toEqual(before!.updatedAt);
        await load(taxRateUpsert, [{ ...rate, value: 6 }]);
        await told('updated served-rate');
    });

    it('are charged at once, and no longer when they are deleted', async () => {
        const { ctx } = await platformOf(shop.app);
        const books = await shop.dataSource.getRepository(TaxCategory).save(new TaxCategory({ name: 'served-books' }));
        const zone = await shop.dataSource.getRepository(Zone).findOneByOrFail({ name: 'Europe' });
        const applied = async (): Promise<number> =>
            (await shop.app.get(TaxRateService).getApplicableTaxRate(ctx, zone, books)).value;
        const record = { ...rate, name: 'served-applied', category: 'served-books', value: 12.5 };
        await load(taxRateUpsert, [record]);
        expect(await applied()).toBe(12.5);
        expect((await load(taxRateUpsert, [{ name: record.name, __operation: 'DELETE' }])).verdicts).toEqual(['D']);
        expect(await applied()).toBe(0);
        await told('created served-applied', 'deleted served-applied');
    });

    it('create channels that users can work in, and remove deleted ones from caches', async () => {
        const known = async (): Promise<string> =>
            (
                await shop.app
                    .get(ChannelService)
                    .getChannelFromToken(channel.token)
                    .catch(() => ({ code: 'none' }))
            ).code;
        expect((await load(channelUpsert, [channel])).verdicts).toEqual(['C']);
        const { channels } = await shop.adminClient.query(CHANNELS);
        const { code: _, defaultTaxZone, defaultShippingZone, seller, ...plain } = channel;
        expect(channels.items).toEqual([
            {
                ...plain,
                availableLanguageCodes: ['en'],
                availableCurrencyCodes: ['EUR'],
                trackInventory: true,
                outOfStockThreshold: 0,
                defaultTaxZone: { name: defaultTaxZone },
                defaultShippingZone: { name: defaultShippingZone },
                seller: { name: seller },
            },
        ]);
        expect(await known()).toBe('served-channel');
        expect((await load(channelUpsert, [{ code: channel.code, __operation: 'DELETE' }])).verdicts).toEqual(['D']);
        expect(await known()).toBe('none');
        await told('created served-channel', 'deleted served-channel');
    });

    it('keep the default channel, and the one of the run', async () => {
        const platform = await platformOf(shop.app, shop.channelToken);
        const own = platform.ctx.channel.code;
        const records = [own, DEFAULT_CHANNEL_CODE].map(code => ({ code, __operation: 'DELETE' }));
        const { changes } = await (await openLoad(channelUpsert, {}, { platform }))(records);
        expect(changes).toMatchObject(records.map(() => ({ action: 'reject', error: { code: 'RECORD_INVALID' } })));
        expect(await shop.dataSource.getRepository(Channel).countBy({ code: own })).toBe(1);
    });

    it('leave nothing in the caches of a channel whose transaction was rolled back', async () => {
        const { ctx, database } = await platformOf(shop.app);
        const session = await channelUpsert.open(channelUpsert.config.parse({}), {
            ...adapterContext(await platformOf(shop.app)),
        });
        const record = { data: { ...channel, code: 'served-ghost', token: 'served-ghost' }, origin: { seq: 0 } };
        const known = (): Promise<string> =>
            shop.app
                .get(ChannelService)
                .getChannelFromToken('served-ghost')
                .then(
                    ({ code }) => code,
                    () => 'none',
                );
        const undone = database.managed(tx =>
            servedByServices(ctx, tx, async own => {
                expect((await session.loadOne(own, record)).action).toBe('create');
                throw flowError('SERVICE_REFUSED', { problem: 'a test' });
            }),
        );
        await expect(undone).rejects.toMatchObject({ code: 'SERVICE_REFUSED' });
        expect(await known()).toBe('served-ghost');
        await session.undone!();
        expect(await known()).toBe('none');
        await load(taxRateUpsert, [{ ...rate, value: 8 }]);
        await told('updated served-rate');
    });
}

/** Loads that write tax rates and channels with Vendure's services. */
export const entityServicesSuite: SharedSuite = {
    title: 'tax rates and channels',
    pipelines: [rates],
    tests: byServices,
};
