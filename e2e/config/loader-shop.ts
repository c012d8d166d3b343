import type { INestApplication } from '@nestjs/common';
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
import type { DataSource } from 'typeorm';
import { Secret } from '../../src/core/adapter/secret';
import { EVERY_HOST } from '../../src/core/adapter/secret-hosts';
import type { Loader } from '../../src/core/adapter/loader';
import type { VendurePlatform } from '../../src/platform/context';
import { setUp } from '../../src/plugin/setup';
import type { LoaderShop } from '../../src/testing/loader-bench';
import { contractOutbound } from '../../test/kit/contract-outbound';
import { needs } from '../../test/servers/needs';
import { FlowTablesOnly, makeFlowTables } from './flow-tables';
import { platformOf } from './load-harness';
import { type RunningServer, testServer } from './test-server';

const CHANNEL = 'loader-contract';

/** Tests of every registered loader on one shop, which fulfils what the examples of loaders require. */
export function onLoaderShop(title: string, tests: (loader: Loader, shop: LoaderShop) => void): void {
    const loaders = setUp({}).registry.list('loader');
    needs('postgres', title, () => {
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
            surroundings: {
                outbound: contractOutbound,
                secrets: { get: code => new Secret(code, 'a-token', EVERY_HOST) },
            },
        };

        describe.each(loaders.map(loader => [loader.code, loader] as const))('%s', (_code, loader) => {
            // Promotions from one loader would change the prices in the orders of another.
            afterAll(() =>
                server.dataSource.query(
                    `UPDATE promotion SET enabled = false WHERE "couponCode" IS DISTINCT FROM 'WELCOME10'`,
                ),
            );
            tests(loader, shop);
        });
    });
}

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
