import {
    ChangeChannelEvent,
    Channel,
    EventBus,
    Facet,
    type ID,
    LanguageCode,
    MissingConditionsError,
    PaymentMethod,
    PaymentMethodService,
    Permission,
    Promotion,
    PromotionEvent,
    PromotionService,
    ShippingMethod,
    ShippingMethodService,
    TaxRate,
    type VendureEvent,
} from '@vendure/core';
import type { CreatePromotionInput } from '@vendure/common/lib/generated-types';
import type { ObjectType } from 'typeorm';
import { type BuiltinCatalogue, createPipelineBuilder, type JsonObject } from '../../src';
import type { RunMode } from '../../src/core/adapter/context';
import type { Loader } from '../../src/core/adapter/loader';
import { customerGroupUpsert } from '../../src/platform/loaders/customer-group-upsert';
import { facetUpsert } from '../../src/platform/loaders/facet-upsert';
import { facetValueUpsert } from '../../src/platform/loaders/facet-value-upsert';
import { paymentMethodUpsert } from '../../src/platform/loaders/payment-method-upsert';
import { promotionUpsert } from '../../src/platform/loaders/promotion-upsert';
import { shippingMethodUpsert } from '../../src/platform/loaders/shipping-method-upsert';
import { taxRateUpsert } from '../../src/platform/loaders/tax-rate-upsert';
import { operationsOf, translatedKey, translatedText, booleanValue } from '../../src/platform/services/service-field';
import { serviceLoader } from '../../src/platform/services/service-loader';
import type { VendurePlatform } from '../../src/platform/context';
import { type FlowServer, until } from '../config/flow-server';
import { openLoad, platformOf } from '../config/load-harness';
import type { SharedSuite } from '../config/shared-shop';
import { rowsOf } from '../fixtures/described-services';

const discount = (percent: number) => ({ code: 'order_percentage_discount', args: { discount: percent } });
const from = (amount: number) => ({ code: 'minimum_order_amount', args: { amount, taxInclusive: false } });
const sale = { name: 'settings-sale', conditions: [from(5000)], actions: [discount(10)] };
const rate = (price: number) => ({
    code: 'default-shipping-calculator',
    args: { rate: price, includesTax: 'auto', taxRate: 19 },
});
const payload = {
    code: 'settings-parcel',
    name: 'Parcel',
    checker: { code: 'default-shipping-eligibility-checker', args: { orderMinimum: 0 } },
    calculator: rate(490),
    fulfillmentHandler: 'manual-fulfillment',
};
const card = {
    code: 'settings-card',
    name: 'Card',
    handler: { code: 'gateway', args: { apiKey: 'sk-first', regions: ['eu', 'us'] } },
};

const sales = createPipelineBuilder<BuiltinCatalogue>()('settings-sales')
    .throughput({ batchSize: 2 })
    .trigger('start', { type: 'MANUAL' })
    .extract('read', {
        adapterCode: 'inMemory',
        data: [
            { ...sale, name: 'settings-run' },
            { ...sale, name: 'settings-none', actions: [{ code: 'order_percentage_discount', args: {} }] },
            { ...sale, name: 'settings-run', actions: [discount(20)] },
            { ...sale, name: 'settings-run', actions: [discount(20)] },
        ],
    })
    .load('write', { adapterCode: 'promotionUpsert' })
    .build();

/** Writes, and then returns an error. */
const refusingUpsert = serviceLoader({
    code: 'refusingUpsert',
    title: 'Refusing',
    category: 'Settings',
    entity: {
        name: 'Promotion',
        called: ['promotion', 'promotions'],
        type: Promotion,
        key: 'name',
        customFields: 'Promotion',
        permissions: {
            create: [Permission.CreatePromotion],
            update: [Permission.UpdatePromotion],
            delete: [Permission.DeletePromotion],
        },
        fields: {
            name: translatedKey('name'),
            description: translatedText('description', { initially: '' }),
            enabled: booleanValue('flag', { initially: true }),
            conditions: operationsOf('conditions', o => o.promotionOptions.promotionConditions ?? [], {
                initially: [],
            }),
            actions: operationsOf('actions', o => o.promotionOptions.promotionActions ?? [], { initially: [] }),
        },
        open({ injector }) {
            const promotions = injector.get(PromotionService);
            return {
                async create(ctx, input) {
                    await promotions.createPromotion(ctx, input as unknown as CreatePromotionInput);
                    return new MissingConditionsError();
                },
                update: (ctx, { id }) => promotions.softDeletePromotion(ctx, id),
                async remove(ctx, id) {
                    await promotions.softDeletePromotion(ctx, id);
                    return { result: 'NOT_DELETED', message: 'it is needed' };
                },
            };
        },
    },
    notes: [],
    examples: [],
});

/** Operations in the form of Vendure's services. */
const input = ({ code, args }: { readonly code: string; readonly args: object }) => ({
    code,
    arguments: Object.entries(args).map(([name, value]) => ({
        name,
        value: typeof value === 'string' ? value : JSON.stringify(value),
    })),
});
const texts = (name: string, description: string, german: string) => [
    { languageCode: LanguageCode.en, name, description },
    { languageCode: LanguageCode.de, name: german, description: '' },
];

function bySettings(open: () => Promise<FlowServer>): void {
    let shop: FlowServer;
    let channel: Channel;
    const heard: string[] = [];
    const namesOf = new Map<ID, string>();

    beforeAll(async () => {
        shop = await open();
        const channels = shop.dataSource.getRepository(Channel);
        const token = shop.channelToken;
        await channels.update({ token }, { availableLanguageCodes: [LanguageCode.en, LanguageCode.de] });
        channel = await channels.findOneOrFail({ where: { token }, relations: { defaultTaxZone: true } });
        const bus = shop.app.get(EventBus);
        const hears = (event: VendureEvent, word: string, name: string | undefined): void => {
            if (name?.startsWith('settings-') === true) heard.push(`${event.constructor.name} ${word} ${name}`);
        };
        bus.ofType(PromotionEvent).subscribe(event => {
            // If a text changes in one language, the event contains only that language.
            const { id, translations } = event.entity;
            const name = translations
                .map(text => text.name as string | undefined)
                .find(text => text?.startsWith('settings-'));
            if (name !== undefined) namesOf.set(id, name);
            hears(event, event.type, namesOf.get(id));
        });
        bus.ofType(ChangeChannelEvent).subscribe(event => {
            hears(event, event.type, (event.entity as unknown as { readonly code?: string }).code);
        });
    });

    /** Events arrive a while after the commit: an unexpected event would be found by the next check. */
    const told = async (...events: readonly string[]): Promise<void> => {
        await until(
            async () => heard.length,
            count => count >= events.length,
        );
        expect(heard.splice(0).sort()).toEqual([...events].sort());
    };
    interface How {
        readonly config?: JsonObject;
        readonly mode?: RunMode;
        readonly platform?: VendurePlatform;
    }
    const load = async (loader: Loader, records: readonly JsonObject[], how: How = {}) => {
        const { config = {}, mode = 'live', platform = await platformOf(shop.app, channel) } = how;
        return (await openLoad(loader, config, { platform, mode }))(records);
    };
    const rows = (type: ObjectType<Promotion | ShippingMethod | PaymentMethod>, mark: string) =>
        rowsOf(
            { name: 'Product', type: type as never, texts: type as never, isOfChannels: true, key: {} },
            shop.dataSource,
            mark,
        );
    const promotion = (name: string): Promise<Promotion | null> =>
        shop.dataSource.getRepository(Promotion).findOne({ where: { translations: { name } } });

    it('are stored row by row like promotions of PromotionService', async () => {
        const { ctx } = await platformOf(shop.app, channel);
        const service = shop.app.get(PromotionService);
        const times = { startsAt: '2026-07-01T00:00:00.000Z', endsAt: '2026-08-31T21:59:59.000Z' };
        const limits = { couponCode: 'SUN', perCustomerUsageLimit: 1, usageLimit: 100 };
        const made = (await service.createPromotion(ctx, {
            translations: texts('theirs-sale', 'All', 'Alles'),
            enabled: true,
            startsAt: new Date(times.startsAt),
            endsAt: new Date(times.endsAt),
            ...limits,
            conditions: [input(from(5000))],
            actions: [input(discount(10))],
        })) as Promotion;
        await service.updatePromotion(ctx, {
            id: made.id,
            couponCode: null as never,
            translations: [{ languageCode: LanguageCode.de, name: 'Wenig' }],
            conditions: [input(from(100))],
            actions: [input(discount(10))],
        });
        const record = { ...sale, description: 'All', ...times, ...limits };
        const { verdicts: outcomes } = await load(promotionUpsert, [
            { ...record, name: 'ours-sale', translations: { de: { name: 'Alles' } } },
            { name: 'ours-sale', couponCode: null, conditions: [from(100)], translations: { de: { name: 'Wenig' } } },
        ]);
        expect(outcomes).toEqual(['C', 'U']);
        const theirs = await rows(Promotion, 'theirs-');
        expect(theirs).toHaveLength(1);
        expect(await rows(Promotion, 'ours-')).toEqual(theirs);
        expect(theirs[0]).toMatch(/"priorityScore":[1-9]/);
    });

    it('are stored row by row like shipping methods of ShippingMethodService', async () => {
        const { ctx } = await platformOf(shop.app, channel);
        const service = shop.app.get(ShippingMethodService);
        const { id } = await service.create(ctx, {
            ...payload,
            code: 'theirs-parcel',
            translations: texts('Parcel', 'Slow', 'Paket'),
            checker: input(payload.checker),
            calculator: input(rate(490)),
        });
        await service.update(ctx, { id, translations: [], calculator: input(rate(590)) });
        const record = {
            ...payload,
            code: 'ours-parcel',
            description: 'Slow',
            translations: { de: { name: 'Paket' } },
        };
        const { verdicts: outcomes } = await load(shippingMethodUpsert, [record, { ...record, calculator: rate(590) }]);
        expect(outcomes).toEqual(['C', 'U']);
        const theirs = await rows(ShippingMethod, 'theirs-');
        expect(theirs).toHaveLength(1);
        expect(await rows(ShippingMethod, 'ours-')).toEqual(theirs);
    });

    it('are stored row by row like payment methods of PaymentMethodService, and show no keys', async () => {
        const { ctx } = await platformOf(shop.app, channel);
        const service = shop.app.get(PaymentMethodService);
        const second = { code: 'gateway', args: { apiKey: 'sk-second', regions: ['eu'] } };
        const { id } = await service.create(ctx, {
            code: 'theirs-card',
            enabled: true,
            translations: texts('Card', '', 'Karte'),
            handler: input(card.handler),
        });
        await service.update(ctx, { id, enabled: false, handler: input(second) });
        const record = { ...card, code: 'ours-card', translations: { de: { name: 'Karte' } } };
        const { verdicts: outcomes, changes } = await load(paymentMethodUpsert, [
            record,
            { code: 'ours-card', enabled: false, handler: second },
            { ...record, enabled: false, handler: second },
        ]);
        expect(outcomes).toEqual(['C', 'U', '=']);
        const theirs = await rows(PaymentMethod, 'theirs-');
        expect(theirs).toHaveLength(1);
        expect(await rows(PaymentMethod, 'ours-')).toEqual(theirs);
        expect(changes[1]).toMatchObject({
            before: { handler: { code: 'gateway', args: { apiKey: '(secret)', regions: ['eu', 'us'] } } },
            after: { enabled: false, handler: { code: 'gateway', args: { apiKey: '(secret)', regions: ['eu'] } } },
        });
        expect(JSON.stringify(changes)).not.toContain('sk-');
    });

    it('are loaded by a run, which publishes each once, and none that it rejects', async () => {
        expect(await shop.perform('settings-sales')).toMatchObject({
            outcome: 'PARTIAL',
            recordsLoaded: 2,
            recordsUnchanged: 1,
            recordsRejected: 1,
        });
        await told('PromotionEvent created settings-run', 'PromotionEvent updated settings-run');
        expect((await promotion('settings-run'))?.actions).toEqual([
            { code: 'order_percentage_discount', args: [{ name: 'discount', value: '20' }] },
        ]);
        expect(await promotion('settings-none')).toBeNull();
    });

    it('call no service for unchanged entities, however the dashboard has written them', async () => {
        const service = shop.app.get(PromotionService);
        await load(promotionUpsert, [sale]);
        await told('PromotionEvent created settings-sale');
        const { id } = (await promotion('settings-sale'))!;
        await shop.dataSource.getRepository(Promotion).update(id, {
            actions: [{ code: 'order_percentage_discount', args: [{ name: 'discount', value: '10.0' }] }],
        });
        const before = await promotion('settings-sale');
        const requested = [
            'createPromotion',
            'updatePromotion',
            'softDeletePromotion',
            'assignPromotionsToChannel',
        ] as const;
        const spies = requested.map(method => jest.spyOn(service, method));
        try {
            const gone = { name: 'settings-gone', __operation: 'DELETE' };
            const { verdicts: outcomes } = await load(promotionUpsert, [
                sale,
                { name: 'settings-sale', channels: null },
                gone,
            ]);
            expect(outcomes).toEqual(['=', '=', '=']);
            expect(spies.flatMap(({ mock }) => mock.calls)).toEqual([]);
        } finally {
            for (const spy of spies) spy.mockRestore();
        }
        expect((await promotion('settings-sale'))!.updatedAt).toEqual(before!.updatedAt);
    });

    it('are added to further channels and removed from them, without writing anything else', async () => {
        const others = shop.dataSource.getRepository(Channel);
        const other = (await others.find({ order: { id: 'ASC' } })).find(({ code }) => code !== channel.code)!;
        const second = (await others.find({ order: { id: 'DESC' } })).find(
            ({ code }) => code.startsWith('suite-') && code !== channel.code,
        )!;
        const always = [channel.token, other.token].sort();
        const all = [...always, second.token].sort();
        const { changes } = await load(shippingMethodUpsert, [
            payload,
            { code: payload.code, channels: [second.code] },
            { code: payload.code, channels: [second.token] },
            { code: payload.code, channels: [] },
        ]);
        expect(changes.slice(1)).toEqual([
            { action: 'update', key: payload.code, before: { channels: always }, after: { channels: all } },
            { action: 'unchanged', key: payload.code },
            { action: 'update', key: payload.code, before: { channels: all }, after: { channels: always } },
        ]);
        await told(
            `ChangeChannelEvent assigned ${payload.code}`,
            `ChangeChannelEvent assigned ${payload.code}`,
            `ChangeChannelEvent removed ${payload.code}`,
        );
        const merged = await load(
            shippingMethodUpsert,
            [
                { code: payload.code, channels: [second.token] },
                { code: payload.code, channels: [] },
            ],
            { config: { strategy: 'MERGE' } },
        );
        expect(merged.verdicts).toEqual(['U', '=']);
        await told(`ChangeChannelEvent assigned ${payload.code}`);
    });

    it('are found only in the channel of the run', async () => {
        const elsewhere = await platformOf(shop.app);
        await load(paymentMethodUpsert, [{ ...card, code: 'settings-elsewhere' }], { platform: elsewhere });
        expect((await load(paymentMethodUpsert, [{ ...card, code: 'settings-elsewhere' }])).verdicts).toEqual(['C']);
        // Both of them are in the default channel now.
        const { changes } = await load(paymentMethodUpsert, [{ code: 'settings-elsewhere', __operation: 'DELETE' }], {
            platform: elsewhere,
        });
        expect(changes).toMatchObject([{ action: 'reject', error: { details: { field: 'code' } } }]);
        const own = await load(paymentMethodUpsert, [{ ...card, code: 'settings-both' }]);
        expect(own.verdicts).toEqual(['C']);
        for (const mode of ['dryRun', 'live'] as const) {
            const rejected = await load(paymentMethodUpsert, [{ code: 'settings-both', __operation: 'DELETE' }], {
                platform: elsewhere,
                mode,
            });
            expect(rejected.changes).toMatchObject([
                { action: 'reject', error: { details: { field: '__operation' } } },
            ]);
        }
        await told(
            'ChangeChannelEvent assigned settings-both',
            'ChangeChannelEvent assigned settings-elsewhere',
            'ChangeChannelEvent assigned settings-elsewhere',
        );
    });

    it('have custom fields, in all languages', async () => {
        const facet = await shop.dataSource
            .getRepository(Facet)
            .save(new Facet({ code: 'settings-facet', isPrivate: false, translations: [], channels: [] }));
        const customFields = { badge: 'New', weight: 7, mainFacet: facet.id };
        const record = {
            ...sale,
            name: 'settings-custom',
            customFields,
            translations: { de: { name: 'Eigen', customFields: { badge: 'Neu' } } },
        };
        const { verdicts: outcomes } = await load(promotionUpsert, [
            record,
            record,
            { name: 'settings-custom', customFields: { weight: 8, mainFacet: null, badge: null } },
        ]);
        expect(outcomes).toEqual(['C', '=', 'U']);
        const stored = (await shop.dataSource.getRepository(Promotion).findOne({
            where: { id: (await promotion('settings-custom'))!.id },
            relations: ['customFields.mainFacet'],
        }))!;
        expect(stored.customFields).toMatchObject({
            weight: 8,
            mainFacet: null,
        });
        const badges = stored.translations.map(text => [text.languageCode, text.customFields]);
        expect(Object.fromEntries(badges)).toMatchObject({ en: { badge: null }, de: { badge: 'Neu' } });
        const faulty = await load(promotionUpsert, [
            { name: 'settings-custom', customFields: { weight: -1 } },
            { name: 'settings-custom', customFields: { colour: 'red' } },
            { name: 'settings-custom', translations: { de: { customFields: { weight: 1 } } } },
        ]);
        expect(faulty.changes).toMatchObject(
            ['customFields.weight', 'customFields.colour', 'translations.de.customFields.weight'].map(field => ({
                action: 'reject',
                error: { details: { field } },
            })),
        );
        const books = { name: 'settings-rate', value: 7, category: 'Reduced Tax', zone: 'Europe' };
        const ledgers = (...list: readonly string[]) => ({ ...books, customFields: { ledgers: list } });
        expect((await load(taxRateUpsert, [ledgers('a'), ledgers('a'), ledgers('a', 'b')])).verdicts).toEqual([
            'C',
            '=',
            'U',
        ]);
        const merged = await load(taxRateUpsert, [ledgers('b', 'c')], { config: { strategy: 'MERGE' } });
        expect(merged.verdicts).toEqual(['U']);
        const { customFields: own } = await shop.dataSource
            .getRepository(TaxRate)
            .findOneByOrFail({ name: 'settings-rate' });
        expect(own).toMatchObject({ ledgers: ['a', 'b', 'c'] });
        await told('PromotionEvent created settings-custom', 'PromotionEvent updated settings-custom');
    });

    it('are rolled back if the service returns an error after its writes, and publish no event', async () => {
        const rejected = { action: 'reject', error: { code: 'SERVICE_REFUSED' } };
        await load(promotionUpsert, [{ ...sale, name: 'settings-needed' }]);
        await told('PromotionEvent created settings-needed');
        const { changes } = await load(refusingUpsert, [
            { name: 'settings-refused', actions: [discount(10)], conditions: [from(1)] },
            { name: 'settings-needed', __operation: 'DELETE' },
        ]);
        expect(changes).toMatchObject([rejected, rejected]);
        expect(await promotion('settings-refused')).toBeNull();
        expect(await promotion('settings-needed')).toMatchObject({ deletedAt: null });
        await load(promotionUpsert, [{ name: 'settings-needed', __operation: 'DELETE' }]);
        await told('PromotionEvent deleted settings-needed');
        expect((await promotion('settings-needed'))!.deletedAt).not.toBeNull();
    });

    it('see in a dry run what its earlier steps would create, and refer to that by name', async () => {
        const platform = await platformOf(shop.app, channel);
        const dry = (loader: Loader, records: readonly JsonObject[]) =>
            load(loader, records, { platform, mode: 'dryRun' });
        const name = 'settings-regulars';
        const books = { name: 'settings-dry', value: 7, category: 'Reduced Tax', zone: 'Europe', customerGroup: name };
        const winter: JsonObject = {
            name: 'settings-winter',
            conditions: [
                { code: 'customer_group', args: { customerGroupId: name } },
                { code: 'at_least_n_with_facets', args: { minimum: 2, facets: ['settings-season:winter'] } },
            ],
            actions: [{ code: 'free_shipping' }],
        };
        const early = await dry(promotionUpsert, [winter]);
        expect(early.changes).toMatchObject([
            { action: 'reject', error: { details: { field: 'conditions.0.args.customerGroupId' } } },
        ]);
        await dry(customerGroupUpsert, [{ name }]);
        await dry(facetUpsert, [{ code: 'settings-season', name: 'Season' }]);
        await dry(facetValueUpsert, [{ facet: 'settings-season', code: 'winter', name: 'Winter' }]);
        expect((await dry(taxRateUpsert, [books, books])).verdicts).toEqual(['C', '=']);
        const planned = await dry(promotionUpsert, [winter, winter]);
        expect(planned.verdicts).toEqual(['C', '=']);
        expect(planned.changes[0]).toMatchObject({ after: { conditions: winter['conditions'] } });
        expect(await promotion('settings-winter')).toBeNull();
        const spring = await dry(promotionUpsert, [{ name: 'settings-winter', conditions: [from(1)] }]);
        expect(spring.changes[0]).toMatchObject({ before: { conditions: winter['conditions'] } });
        await dry(customerGroupUpsert, [{ name, __operation: 'DELETE' }]);
        const late = await dry(taxRateUpsert, [{ ...books, name: 'settings-late' }]);
        expect(late.changes).toMatchObject([{ action: 'reject', error: { details: { field: 'customerGroup' } } }]);
    });
}

/** Loads that write promotions, shipping and payment methods with Vendure's services; custom fields and errors of all such loads. */
export const settingsByServicesSuite: SharedSuite = {
    title: 'promotions, shipping and payment methods',
    pipelines: [sales],
    tests: bySettings,
};
