import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type INestApplicationContext } from '@nestjs/common';
import {
    bootstrap,
    bootstrapWorker,
    CollectionService,
    DefaultJobQueuePlugin,
    DefaultLogger,
    DefaultSearchPlugin,
    dummyPaymentHandler,
    FacetService,
    FacetValueService,
    JobQueueService,
    LanguageCode,
    LogLevel,
    preBootstrapConfig,
    RequestContextService,
    runMigrations,
    type VendureConfig,
} from '@vendure/core';
import { populateInitialData } from '@vendure/core/cli';
import { DashboardPlugin } from '@vendure/dashboard/plugin';
import { createConnection } from 'mysql2/promise';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { FlowPlugin, type FlowPluginOptions } from '../src';
import { benchExtractor } from './pipelines';
import { FACETS } from './products';

export type BenchDatabase = 'postgres' | 'sqlite' | 'mariadb';

export interface BenchShop {
    readonly app: INestApplicationContext;
    readonly queues: JobQueueService;
    /** The connection that the yardsticks use. */
    readonly target: { readonly url: string } | { readonly file: string };
    close(): Promise<void>;
}

/** The options in which the processes of a shop differ. */
interface ProcessOptions {
    readonly queue?: NonNullable<VendureConfig['plugins']>[number];
    readonly port?: number;
    readonly assets?: VendureConfig['assetOptions'] | undefined;
    /** The folder of a built dashboard that the server serves. */
    readonly dashboard?: string | undefined;
}

/** Whether the shop is opened as a server or worker, where it keeps assets, and which dashboard it has. */
interface Opening extends Pick<ProcessOptions, 'assets' | 'dashboard'> {
    readonly as?: 'worker' | 'server';
}

const BASE_URL = process.env['FLOW_BENCH_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const MARIADB_URL = process.env['FLOW_BENCH_MARIADB_URL'] ?? 'mysql://root@127.0.0.1:3306';

/**
 * A worker or server of a new shop with the bench's facets and pipelines. Its database is deleted when it is closed.
 */
export async function openShop(
    database: BenchDatabase,
    flow: FlowPluginOptions,
    { as = 'worker', assets, dashboard }: Opening = {},
): Promise<BenchShop> {
    const place = await PLACES[database]();
    const config = (isEmpty: boolean): VendureConfig =>
        shopConfig(
            { ...place.options, synchronize: isEmpty },
            isEmpty ? undefined : { ...flow, adapters: [benchExtractor] },
            { assets, dashboard },
        );
    const { dbConnectionOptions } = await preBootstrapConfig(config(true));
    await (await new DataSource(dbConnectionOptions).initialize()).destroy();
    await quietly(() => runMigrations(config(false)));
    await makeLookupIndexes(config(false));
    const app = as === 'worker' ? (await bootstrapWorker(config(false))).app : await bootstrap(config(false));
    await populateInitialData(app, {
        defaultLanguage: LanguageCode.en,
        defaultZone: 'Europe',
        countries: [{ name: 'Germany', code: 'DE', zone: 'Europe' }],
        taxRates: [{ name: 'Standard Tax', percentage: 20 }],
        shippingMethods: [],
        paymentMethods: [],
        collections: [],
    });
    await makeFacets(app);
    await makeCollections(app);
    return {
        app,
        queues: app.get(JobQueueService),
        target: place.target,
        close: async () => {
            await app.close();
            await place.drop();
        },
    };
}

/** The bench's shop: with Flow, or before Flow is installed. */
export function shopConfig(
    dbConnectionOptions: VendureConfig['dbConnectionOptions'],
    flow: FlowPluginOptions | undefined,
    { queue = DefaultJobQueuePlugin.init({ pollInterval: 200 }), port = 0, assets, dashboard }: ProcessOptions = {},
): VendureConfig {
    return {
        apiOptions: { hostname: '127.0.0.1', port, adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
        authOptions: {
            tokenMethod: 'bearer',
            superadminCredentials: { identifier: 'superadmin', password: 'superadmin' },
            cookieOptions: { secret: 'bench' },
        },
        dbConnectionOptions,
        logger: new DefaultLogger({ level: LogLevel.Error }),
        paymentOptions: { paymentMethodHandlers: [dummyPaymentHandler] },
        ...(assets && { assetOptions: assets }),
        plugins: [
            queue,
            // The dashboard queries the state of this plugin on every page.
            DefaultSearchPlugin.init({ indexStockStatus: true }),
            ...(flow ? [FlowPlugin.init(flow)] : []),
            ...(dashboard === undefined ? [] : [DashboardPlugin.init({ route: 'dashboard', appDir: dashboard })]),
        ],
    };
}

/**
 * Creates what the next migration of a shop makes of `lookupIndexes`. A shop that follows the installation guide has
 * these indexes.
 */
async function makeLookupIndexes(config: VendureConfig): Promise<void> {
    const { dbConnectionOptions } = await preBootstrapConfig(config);
    const connection = await new DataSource(dbConnectionOptions).initialize();
    await connection.synchronize();
    await connection.destroy();
}

/** Executes work without console output, since TypeORM prints each statement of a migration. */
async function quietly(work: () => Promise<unknown>): Promise<void> {
    const { log } = console;
    console.log = () => undefined;
    await work().finally(() => {
        console.log = log;
    });
}

async function makeFacets(app: INestApplicationContext): Promise<void> {
    const ctx = await app.get(RequestContextService).create({ apiType: 'admin' });
    for (const [code, values] of Object.entries(FACETS)) {
        const facet = await app
            .get(FacetService)
            .create(ctx, { code, isPrivate: false, translations: [{ languageCode: LanguageCode.en, name: code }] });
        for (const value of values) {
            await app.get(FacetValueService).create(ctx, facet, {
                code: value,
                facetId: facet.id,
                translations: [{ languageCode: LanguageCode.en, name: value }],
            });
        }
    }
}

/** Creates a collection for each group, with a filter. The run has to update them. */
async function makeCollections(app: INestApplicationContext): Promise<void> {
    const ctx = await app.get(RequestContextService).create({ apiType: 'admin' });
    const { items } = await app.get(FacetValueService).findAllList(ctx, { take: 100 });
    for (const { id, code } of items.filter(value => FACETS['group']!.includes(value.code))) {
        await app.get(CollectionService).create(ctx, {
            translations: [{ languageCode: LanguageCode.en, name: code, slug: code, description: '' }],
            filters: [
                {
                    code: 'facet-value-filter',
                    arguments: [
                        { name: 'facetValueIds', value: JSON.stringify([id]) },
                        { name: 'containsAny', value: 'false' },
                    ],
                },
            ],
        });
    }
}

interface Place {
    readonly options:
        | { readonly type: 'postgres' | 'mariadb'; readonly url: string }
        | { readonly type: 'better-sqlite3'; readonly database: string };
    readonly target: BenchShop['target'];
    drop(): Promise<void>;
}

async function newPostgres(): Promise<Place> {
    const name = `flow_bench_${process.pid}`;
    const ask = async (text: string): Promise<void> => {
        const client = new Client({ connectionString: BASE_URL });
        await client.connect();
        await client.query(text).finally(() => client.end());
    };
    await ask(`DROP DATABASE IF EXISTS ${name}`);
    await ask(`CREATE DATABASE ${name}`);
    const url = new URL(BASE_URL);
    url.pathname = `/${name}`;
    return {
        options: { type: 'postgres', url: url.href },
        target: { url: url.href },
        drop: () => ask(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
    };
}

async function newMariaDb(): Promise<Place> {
    const name = `flow_bench_${process.pid}`;
    const ask = async (text: string): Promise<void> => {
        const connection = await createConnection(MARIADB_URL);
        await connection.query(text).finally(() => connection.end());
    };
    await ask(`DROP DATABASE IF EXISTS ${name}`);
    await ask(`CREATE DATABASE ${name}`);
    const url = new URL(MARIADB_URL);
    url.pathname = `/${name}`;
    return {
        options: { type: 'mariadb', url: url.href },
        target: { url: url.href },
        drop: () => ask(`DROP DATABASE IF EXISTS ${name}`),
    };
}

function newSqlite(): Place {
    const folder = mkdtempSync(path.join(tmpdir(), 'flow-bench-'));
    const file = path.join(folder, 'shop.sqlite');
    return {
        options: { type: 'better-sqlite3', database: file },
        target: { file },
        drop: async () => rmSync(folder, { recursive: true, force: true }),
    };
}

const PLACES: Readonly<Record<BenchDatabase, () => Place | Promise<Place>>> = {
    postgres: newPostgres,
    sqlite: newSqlite,
    mariadb: newMariaDb,
};
