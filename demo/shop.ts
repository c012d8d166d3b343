import { type INestApplication } from '@nestjs/common';
import {
    bootstrap,
    JobQueueService,
    LanguageCode,
    preBootstrapConfig,
    runMigrations,
    type VendureConfig,
} from '@vendure/core';
import { populateInitialData } from '@vendure/core/cli';
import { DataSource } from 'typeorm';
import { type AdminApi } from './admin-api';
import { type DemoPlace, demoConfig } from './config';
import { shopData } from './shop-data';

const KEPT_ALIVE_MS = 600_000;

/** A new shop: its own tables, then Flow's by its migration, server and worker in one process, and the usual initial data. */
export async function startShop(place: DemoPlace): Promise<INestApplication> {
    await createShopTables(demoConfig(place, true));
    await quietly(() => runMigrations(demoConfig(place)));
    if (process.exitCode) throw new Error("Flow's migration failed; the message is above.");
    const app = await quietly(() => bootstrap(demoConfig(place)));
    // Server, worker and SQLite are one process: on a busy machine a batch may block it for longer than the five seconds after which Node closes an idle
    // connection, at the moment when the demo sends its next request on it.
    app.getHttpServer().keepAliveTimeout = KEPT_ALIVE_MS;
    await quietly(() => populateInitialData(app, shopData));
    await app.get(JobQueueService).start();
    return app;
}

async function createShopTables(config: VendureConfig): Promise<void> {
    const { dbConnectionOptions } = await preBootstrapConfig(config);
    const dataSource = await new DataSource(dbConnectionOptions).initialize();
    await dataSource.destroy();
}

/** English and German, the shop's two languages. */
export async function openLanguages(api: AdminApi): Promise<void> {
    await api.ask(
        'mutation($codes: [LanguageCode!]) { updateGlobalSettings(input: { availableLanguages: $codes }) { __typename } }',
        {
            codes: [LanguageCode.en, LanguageCode.de],
        },
    );
    const { activeChannel } = await api.ask<{ activeChannel: { id: string } }>('{ activeChannel { id } }');
    await api.ask(
        `mutation($id: ID!, $codes: [LanguageCode!]) {
            updateChannel(input: { id: $id, availableLanguageCodes: $codes, defaultCurrencyCode: EUR, availableCurrencyCodes: [EUR], pricesIncludeTax: true }) { __typename }
        }`,
        { id: activeChannel.id, codes: [LanguageCode.en, LanguageCode.de] },
    );
}

/** Vendure logs to the console while it starts. Only the demo's own lines should be visible. */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
    const { log } = console;
    console.log = () => undefined;
    try {
        return await work();
    } finally {
        console.log = log;
    }
}
