import {
    ChannelService,
    CurrencyCode,
    isGraphQlErrorResult,
    LanguageCode,
    RoleService,
    StockLocationService,
} from '@vendure/core';
import type { INestApplication } from '@nestjs/common';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { platformOf } from '../../e2e/config/load-harness';
import { type RunningServer, testServer } from '../../e2e/config/test-server';
import { maskedMessage } from '../../src/core/errors/masked';
import { setUp } from '../../src/plugin/setup';
import { LoaderBench, type LoaderShop } from '../../src/testing/loader-bench';
import { bearsRecords, loaderContract } from '../../src/testing/loader-contract';
import { recordsFor } from '../kit/fuzz';
import { spoilt, tellsSecret } from '../kit/spoilt-records';
import { needs } from '../servers/needs';

const CHANNEL = 'loader-contract';
const loaders = setUp({}).registry.list('loader');

// Every loader that Flow has, without being named here: it brings its examples.
needs('postgres', 'every loader on one shop', () => {
    let server: RunningServer;
    beforeAll(async () => {
        server = await testServer('postgres', { jobs: 'none' });
        await makeChannel(server.app);
    });
    afterAll(() => server?.destroy());

    const shop: LoaderShop = {
        loaders,
        platform: () => platformOf(server.app, CHANNEL),
        tables: () => rowVersions(server.dataSource),
    };

    describe.each(loaders.map(loader => [loader.code, loader] as const))('%s', (_code, loader) => {
        for (const { name, run } of loaderContract(loader, shop)) it(name, run);

        it('bears any record at all, and loads its neighbours', async () => {
            const bench = new LoaderBench(loader, shop);
            const sound = bench.examples.filter(({ does }) => !does.includes('reject'));
            const records = fc.array(recordsFor(sound.flatMap(example => example.in)), { maxLength: 12 });
            await fc.assert(
                fc.asyncProperty(fc.constantFrom(...sound), records, async (example, hostile) => {
                    await bearsRecords(bench, { example, records: hostile });
                }),
                { numRuns: 25 },
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

/** A channel as the examples speak of it: two currencies, two languages, the stock locations "Main" and "Outlet". */
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
}

/** A digest of each table's rows with the transactions that wrote them, so that a row that is written as it was is seen, too. */
async function rowVersions(dataSource: DataSource): Promise<Readonly<Record<string, string>>> {
    const tables = [...new Set(dataSource.entityMetadatas.map(({ tableName }) => tableName))];
    const digests = tables.map(
        table =>
            `SELECT '${table}' AS name, md5(string_agg(xmin::text || ' ' || ctid::text || ' ' || t::text, ',' ORDER BY ctid)) AS digest FROM "${table}" t`,
    );
    const rows = await dataSource.query<Array<{ name: string; digest: string | null }>>(digests.join(' UNION ALL '));
    return Object.fromEntries(rows.map(({ name, digest }) => [name, digest ?? 'empty']));
}
