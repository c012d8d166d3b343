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
import { EVERY_HOST } from '../../src/core/adapter/secret-hosts';
import { redactedMessage } from '../../src/core/errors/redacted-text';
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

// Every loader of Flow is found by itself, and brings its examples.
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
        await countWrites(server.dataSource);
        platform = await platformOf(server.app, CHANNEL);
    });
    afterAll(() => server?.destroy());

    const shop: LoaderShop = {
        loaders,
        // The superadmin has many channels after channels were loaded, so they are looked up only once.
        platform: () => Promise.resolve({ ...platform, ctx: platform.ctx.copy() }),
        tables: () => writes(server.dataSource),
        surroundings: { outbound: contractOutbound, secrets: { get: code => new Secret(code, 'a-token', EVERY_HOST) } },
    };

    describe.each(loaders.map(loader => [loader.code, loader] as const))('%s', (_code, loader) => {
        // Promotions from one loader would change the prices in the orders of another.
        afterAll(() =>
            server.dataSource.query(
                `UPDATE promotion SET enabled = false WHERE "couponCode" IS DISTINCT FROM 'WELCOME10'`,
            ),
        );
        for (const { name, run } of loaderContract(loader, shop)) it(name, run);

        it('survives any record, and loads the other records of the batch', async () => {
            const bench = new LoaderBench(loader, shop);
            const sound = bench.examples.filter(({ does }) => !does.includes('reject'));
            const records = fc.array(recordsFor(sound.flatMap(example => example.in)), { maxLength: 12 });
            // A loader that takes records one by one, each in a separate transaction, is tested with fewer of them.
            await fc.assert(
                fc.asyncProperty(fc.constantFrom(...sound), records, async (example, hostile) => {
                    await bearsRecords(bench, { example, records: hostile });
                }),
                { numRuns: loader.through === 'services' ? 5 : 12 },
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
                        const masked = redactedMessage(change.error);
                        if (tellsSecret(masked))
                            throw new Error(`${change.error.message} still contains the value when masked: ${masked}`);
                    }
                }
            }
            expect(told).toBeGreaterThan(0);
        });
    });
});

/**
 * The channel of the examples: two currencies, two languages, the stock locations "Main" and "Outlet", the shipping method "standard" for 5.00, and
 * 10 % off with the coupon code "WELCOME10".
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
    // The administrator's mutation does this in addition to calling the service.
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

/** Counts the writes to each table, row by row. This includes rows that were written unchanged, and writes that were rolled back. */
async function countWrites(dataSource: DataSource): Promise<void> {
    await dataSource.query(`
        CREATE SCHEMA written;
        CREATE FUNCTION written.note() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM nextval('written.' || quote_ident(TG_TABLE_NAME)); RETURN NULL; END $$`);
    const tables = [...new Set(dataSource.entityMetadatas.map(({ tableName }) => tableName))];
    await dataSource.query(
        tables
            .map(
                table => `CREATE SEQUENCE written."${table}"; CREATE TRIGGER written
                    AFTER INSERT OR UPDATE OR DELETE ON "${table}" FOR EACH ROW EXECUTE FUNCTION written.note()`,
            )
            .join(';'),
    );
}

/** How many rows of each table have been written. To read the tables themselves takes a hundred times as long. */
async function writes(dataSource: DataSource): Promise<Readonly<Record<string, string>>> {
    const rows = await dataSource.query<Array<{ name: string; count: string | null }>>(
        `SELECT sequencename AS name, last_value::text AS count FROM pg_sequences WHERE schemaname = 'written'`,
    );
    return Object.fromEntries(rows.map(({ name, count }) => [name, count ?? '0']));
}
