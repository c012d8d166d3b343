import {
    ChannelService,
    CurrencyCode,
    dummyPaymentHandler,
    isGraphQlErrorResult,
    LanguageCode,
    PromotionService,
    RoleService,
    ShippingMethodService,
    StockLocationService,
} from '@vendure/core';
import type { INestApplication } from '@nestjs/common';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { platformOf } from '../../e2e/config/load-harness';
import { FlowTablesOnly, makeFlowTables } from '../../e2e/config/flow-tables';
import { type RunningServer, testServer } from '../../e2e/config/test-server';
import { Secret } from '../../src/core/adapter/secret';
import { maskedMessage } from '../../src/core/errors/masked';
import type { VendurePlatform } from '../../src/platform/context';
import { setUp } from '../../src/plugin/setup';
import { LoaderBench, type LoaderShop } from '../../src/testing/loader-bench';
import { bearsRecords, loaderContract } from '../../src/testing/loader-contract';
import { recordsFor } from '../kit/fuzz';
import { spoilt, tellsSecret } from '../kit/spoilt-records';
import { contractOutbound } from '../kit/contract-outbound';
import { needs } from '../servers/needs';

const CHANNEL = 'loader-contract';
const loaders = setUp({}).registry.list('loader');

// Every loader that Flow has, without being named here: it brings its examples.
needs('postgres', 'every loader on one shop', () => {
    let server: RunningServer;
    let platform: VendurePlatform;
    beforeAll(async () => {
        server = await testServer('postgres', {
            jobs: 'none',
            plugins: [FlowTablesOnly],
            config: { paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] } },
        });
        await makeFlowTables(server.connection);
        await makeChannel(server.app);
        platform = await platformOf(server.app, CHANNEL);
    });
    afterAll(() => server?.destroy());

    const shop: LoaderShop = {
        loaders,
        // The superadmin's channels are many when channels have been loaded: they are looked up once.
        platform: () => Promise.resolve({ ...platform, ctx: platform.ctx.copy() }),
        tables: () => rowVersions(server.dataSource),
        surroundings: { outbound: contractOutbound, secrets: { get: code => new Secret(code, 'a-token') } },
    };

    describe.each(loaders.map(loader => [loader.code, loader] as const))('%s', (_code, loader) => {
        // Promotions that one loader makes would take something off the orders of another one.
        afterAll(() =>
            server.dataSource.query(
                `UPDATE promotion SET enabled = false WHERE "couponCode" IS DISTINCT FROM 'WELCOME10'`,
            ),
        );
        for (const { name, run } of loaderContract(loader, shop)) it(name, run);

        it('bears any record at all, and loads its neighbours', async () => {
            const bench = new LoaderBench(loader, shop);
            const sound = bench.examples.filter(({ does }) => !does.includes('reject'));
            const records = fc.array(recordsFor(sound.flatMap(example => example.in)), { maxLength: 12 });
            // What takes its records one by one, each in a transaction of its own, is tried with fewer of them.
            await fc.assert(
                fc.asyncProperty(fc.constantFrom(...sound), records, async (example, hostile) => {
                    await bearsRecords(bench, { example, records: hostile });
                }),
                { numRuns: loader.through === 'services' ? 10 : 25 },
            );
        });

        it('says what is wrong with a record without its values to those who may not read records', async () => {
            const bench = new LoaderBench(loader, shop);
            let told = 0;
            for (const example of bench.examples) {
                const load = await bench.open(example, 'dryRun');
                for (const record of example.in) {
                    const { changes } = await load(spoilt(record));
                    for (const change of changes) {
                        if (change.action !== 'reject') continue;
                        if (tellsSecret(change.error.message)) told++;
                        const masked = maskedMessage(change.error);
                        if (tellsSecret(masked)) throw new Error(`${change.error.message} is still told as ${masked}`);
                    }
                }
            }
            expect(told).toBeGreaterThan(0);
        });
    });
});

/**
 * A channel as the examples speak of it: two currencies, two languages, the stock locations "Main" and "Outlet", the shipping method "standard"
 * for 5.00, and 10 % off with the coupon code "WELCOME10".
 */
async function makeChannel(app: INestApplication): Promise<void> {
    const { ctx } = await platformOf(app);
    const made = await app.get(ChannelService).create(ctx, {
        code: CHANNEL,
        token: CHANNEL,
        pricesIncludeTax: true,
        defaultLanguageCode: LanguageCode.en,
        availableLanguageCodes: [LanguageCode.en, LanguageCode.de],
        defaultCurrencyCode: CurrencyCode.USD,
        availableCurrencyCodes: [CurrencyCode.USD, CurrencyCode.EUR],
        defaultTaxZoneId: ctx.channel.defaultTaxZone.id,
        defaultShippingZoneId: ctx.channel.defaultShippingZone.id,
    });
    if (isGraphQlErrorResult(made)) throw new Error(made.message);
    // What the administrator's mutation does beside the service.
    const role = await app.get(RoleService).getSuperAdminRole(ctx);
    await app.get(RoleService).assignRoleToChannel(ctx, role.id, made.id);
    const inChannel = (await platformOf(app, CHANNEL)).ctx;
    for (const name of ['Main', 'Outlet']) await app.get(StockLocationService).create(inChannel, { name });
    const shipping = { rate: '500', includesTax: 'include', taxRate: '0' };
    await app.get(ShippingMethodService).create(inChannel, {
        code: 'standard',
        fulfillmentHandler: 'manual-fulfillment',
        checker: { code: 'default-shipping-eligibility-checker', arguments: args({ orderMinimum: '0' }) },
        calculator: { code: 'default-shipping-calculator', arguments: args(shipping) },
        translations: [{ languageCode: LanguageCode.en, name: 'Standard', description: '' }],
    });
    await app.get(PromotionService).createPromotion(inChannel, {
        enabled: true,
        couponCode: 'WELCOME10',
        conditions: [],
        actions: [{ code: 'order_percentage_discount', arguments: args({ discount: '10' }) }],
        translations: [{ languageCode: LanguageCode.en, name: 'Welcome' }],
    });
}

function args(values: Readonly<Record<string, string>>): Array<{ name: string; value: string }> {
    return Object.entries(values).map(([name, value]) => ({ name, value }));
}

/** Of each table how many rows it has, and the transactions that wrote them together, so that a row that is written as it was is seen, too. */
async function rowVersions(dataSource: DataSource): Promise<Readonly<Record<string, string>>> {
    const tables = [...new Set(dataSource.entityMetadatas.map(({ tableName }) => tableName))];
    const digests = tables.map(
        table =>
            `SELECT '${table}' AS name, count(*) || ' ' || COALESCE(sum(xmin::text::bigint), 0) AS digest FROM "${table}"`,
    );
    const rows = await dataSource.query<Array<{ name: string; digest: string }>>(digests.join(' UNION ALL '));
    return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}
