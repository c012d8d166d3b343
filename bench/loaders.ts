import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type INestApplicationContext } from '@nestjs/common';
import {
    ChannelService,
    CurrencyCode,
    GlobalSettingsService,
    isGraphQlErrorResult,
    LanguageCode,
    PromotionService,
    RoleService,
    ShippingMethodService,
    StockLocationService,
    TaxCategoryService,
    TransactionalConnection,
    Zone,
} from '@vendure/core';
import { platformOf } from '../e2e/config/load-harness';
import { DescribedServices } from '../e2e/fixtures/described-services';
import type { Loader, LoaderExample } from '../src/core/adapter/loader';
import type { JsonObject } from '../src/core/value/json';
import { loaders } from '../src/platform';
import { descriptionOf } from '../src/platform/entities/entity-loader';
import { LoaderBench, type LoaderShop } from '../src/testing/loader-bench';
import { picturesOutbound } from '../test/kit/pictures-outbound';
import { type ByHand, operation, servicesOf, textsOf } from './by-hand';
import { measure, type Measured } from './meter';
import { FolderStorage, SmallPreviews } from './pictures';
import type { Row } from './report';
import { type BenchDatabase, openShop } from './shop';

const BATCH = 500;
const RECORDS = 2_000;
/**
 * Loaders that use services are measured with fewer records: their rate does not depend on the number, except for
 * channels.
 */
const SERVED = 50;
const CHANNEL = 'bench-loaders';

/** The number of records of each loader, and which loaders to measure. */
interface LoadersAsked {
    readonly records?: number | undefined;
    readonly only?: string | undefined;
}

/**
 * Measures every registered loader of entities with the records of its first example that writes, repeated under new
 * keys. The comparison is Vendure's services doing the same one by one, in a transaction each. A loader without such
 * services is measured alone.
 */
export async function benchLoaders(
    database: BenchDatabase,
    { records = RECORDS, only }: LoadersAsked,
): Promise<readonly Row[]> {
    const folder = mkdtempSync(path.join(tmpdir(), 'flow-bench-loaders-'));
    const assets = { assetStorageStrategy: new FolderStorage(folder), assetPreviewStrategy: new SmallPreviews() };
    const shop = await openShop(database, {}, { as: 'server', assets });
    try {
        // A server's application is the injector as well.
        const app = shop.app as Parameters<typeof platformOf>[0];
        await makeChannel(app);
        const { ctx } = await platformOf(app, CHANNEL);
        const byHand = await servicesOf(app, ctx);
        const place: LoaderShop = {
            loaders,
            platform: () => platformOf(app, CHANNEL),
            tables: () => Promise.resolve({}),
            surroundings: { outbound: picturesOutbound },
        };
        const rows: Row[] = [];
        for (const loader of ordersFirst(loaders as readonly Loader[])) {
            const example = exampleOf(loader);
            if (!example || loader.through === 'remote' || (only !== undefined && only !== loader.code)) continue;
            const services = byHand[loader.code] ?? (await describedBy(loader, app));
            const bench = new LoaderBench(loader, place);
            const count = loader.through === 'services' ? Math.min(records, SERVED) : records;
            const begunAt = performance.now();
            const made = await beside({ bench, example, services, database }, count, app);
            rows.push(...made);
            // All of them take minutes. If you stop the bench, you have the results so far.
            const told = made.map(row => `${row.bench} ${row.recordsPerSecond.toFixed(1)}/s`).join(', ');
            const times = made.find(row => row.ratioToVendure !== null)?.ratioToVendure;
            const of = times ? `; ${times.toFixed(1)} times Vendure` : '';
            console.error(`${((performance.now() - begunAt) / 1000).toFixed(1)} s: ${told}${of}`);
        }
        return rows;
    } finally {
        await shop.close();
        rmSync(folder, { recursive: true, force: true });
    }
}

/** Promotions and tax rates of the others would change what their examples cost. */
const ordersFirst = (all: readonly Loader[]): readonly Loader[] => {
    const isOfOrders = ({ code }: Loader): boolean => /order|coupon/i.test(code);
    return [...all.filter(isOfOrders), ...all.filter(loader => !isOfOrders(loader))];
};

/** Returns the first example all of whose records are written, preferably one that needs no configuration. */
function exampleOf({ examples = [] }: Loader): LoaderExample | undefined {
    const writing = examples.filter(({ does }) =>
        does.every(action => action === 'create' || action === 'update' || action === 'delete'),
    );
    return writing.find(({ config }) => config === undefined) ?? writing[0];
}

interface Duel {
    readonly bench: LoaderBench;
    readonly example: LoaderExample;
    readonly services: ByHand | undefined;
    readonly database: BenchDatabase;
}

async function beside(
    { bench, example, services, database }: Duel,
    count: number,
    app: INestApplicationContext,
): Promise<readonly Row[]> {
    const { length } = example.in;
    const recordsOf = async (copies: number): Promise<readonly JsonObject[]> =>
        (await bench.prepare(example, Math.max(1, Math.round(copies / length)))).flatMap(copy => copy.in);
    const { code } = bench.loader;
    const row = (name: string, records: number, { seconds, statements, peakRssMb }: Measured<unknown>): Row => ({
        bench: name,
        database,
        records,
        recordsPerSecond: records / seconds,
        statementsPerRecord: statements / records,
        peakRssMb,
        ratioToRaw: null,
        ratioToVendure: null,
    });
    let vendure: Row | undefined;
    if (services) {
        const records = parentsFirst(await recordsOf(Math.min(count, SERVED)));
        const { ctx } = await platformOf(app as never, CHANNEL);
        const connection = app.get(TransactionalConnection);
        const taken = await measure(async () => {
            for (const record of records) {
                const made = await connection.withTransaction(ctx, own => services(own, record));
                if (isGraphQlErrorResult(made as object | undefined))
                    throw new Error((made as { message: string }).message);
            }
        });
        vendure = row(`${code}: Vendure's services`, records.length, taken);
    }
    const records = await recordsOf(count);
    const load = await bench.open(example);
    const whole = async (): Promise<void> => {
        for (let from = 0; from < records.length; from += BATCH) {
            const { changes } = await load(records.slice(from, from + BATCH));
            for (const change of changes) if (change.action === 'reject') throw change.error;
        }
    };
    const first = row(code, records.length, await measure(whole));
    const again = row(`${code}, the same again`, records.length, await measure(whole));
    const times = vendure && first.recordsPerSecond / vendure.recordsPerSecond;
    return [...(vendure ? [vendure] : []), { ...first, ratioToVendure: times ?? null }, again];
}

const parentsFirst = (records: readonly JsonObject[]): readonly JsonObject[] =>
    [...records].sort((a, b) => Number('parent' in a) - Number('parent' in b));

/** The services of described kinds are in the equality suite. */
async function describedBy(loader: Loader, app: INestApplicationContext): Promise<ByHand | undefined> {
    const entity = descriptionOf(loader);
    if (!entity) return undefined;
    const { dataSource } = await platformOf(app as never, CHANNEL);
    return (ctx, record: JsonObject) => new DescribedServices(entity, app as never, { ctx, dataSource }).work(record);
}

/** A channel as the examples refer to it: with stock locations, a shipping method and a coupon code. */
async function makeChannel(app: Parameters<typeof platformOf>[0]): Promise<void> {
    const { ctx } = await platformOf(app);
    await app.get(TaxCategoryService).create(ctx, { name: 'Reduced Tax' });
    // The services place orders of products that have no stock.
    await app.get(GlobalSettingsService).updateSettings(ctx, { outOfStockThreshold: -1_000_000 });
    const zones = app.get(TransactionalConnection).rawConnection.getRepository(Zone);
    const europe = await zones.findOneByOrFail({ name: 'Europe' });
    await zones.save(new Zone({ name: 'Americas' }));
    const made = await app.get(ChannelService).create(ctx, {
        code: CHANNEL,
        token: CHANNEL,
        pricesIncludeTax: true,
        defaultLanguageCode: LanguageCode.en,
        availableLanguageCodes: [LanguageCode.en, LanguageCode.de],
        defaultCurrencyCode: CurrencyCode.USD,
        availableCurrencyCodes: [CurrencyCode.USD, CurrencyCode.EUR],
        defaultTaxZoneId: europe.id,
        defaultShippingZoneId: europe.id,
    });
    if (isGraphQlErrorResult(made)) throw new Error(made.message);
    const role = await app.get(RoleService).getSuperAdminRole(ctx);
    await app.get(RoleService).assignRoleToChannel(ctx, role.id, made.id);
    const inChannel = (await platformOf(app, CHANNEL)).ctx;
    for (const name of ['Main', 'Outlet']) await app.get(StockLocationService).create(inChannel, { name });
    const shipping = { rate: '500', includesTax: 'include', taxRate: '0' };
    await app.get(ShippingMethodService).create(inChannel, {
        code: 'standard',
        fulfillmentHandler: 'manual-fulfillment',
        checker: operation({ code: 'default-shipping-eligibility-checker', args: { orderMinimum: '0' } }),
        calculator: operation({ code: 'default-shipping-calculator', args: shipping }),
        translations: textsOf({ name: 'Standard', description: '' }),
    });
    await app.get(PromotionService).createPromotion(inChannel, {
        enabled: true,
        couponCode: 'WELCOME10',
        conditions: [],
        actions: [operation({ code: 'order_percentage_discount', args: { discount: '10' } })],
        translations: textsOf({ name: 'Welcome', description: '' }),
    });
}
