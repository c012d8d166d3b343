import 'reflect-metadata';
import type { INestApplication } from '@nestjs/common';
import { bootstrap, mergeConfig } from '@vendure/core';
import { populateInitialData } from '@vendure/core/cli';
import { freePort } from '../../test/servers/process';
import { initialData } from './initial-data';
import { makeFlowTables } from './flow-tables';
import { type ShopName, loadShop } from './shop';
import { type DatabaseConnection, pluginsWithTables, vendureConfig } from './vendure-config';

/** What `databases.ts` passes as the one argument. */
export interface PopulateOrder {
    readonly shop: ShopName;
    readonly connection: DatabaseConnection;
}

/** Makes the tables of a shop, fills in the initial data and adds Flow's tables. */
async function populate({ shop, connection }: PopulateOrder): Promise<void> {
    const { config, populate: fill } = loadShop(shop);
    const withTables = mergeConfig(vendureConfig(connection, config), {
        apiOptions: { port: await freePort() },
        dbConnectionOptions: { synchronize: true },
        plugins: [...pluginsWithTables(), ...(config.plugins ?? [])],
    });
    const app: INestApplication = await bootstrap(withTables);
    await populateInitialData(app, initialData);
    await fill?.(app);
    await app.close();
    await makeFlowTables(connection);
}

populate(JSON.parse(process.argv[2] ?? '{}') as PopulateOrder).then(
    () => process.exit(0),
    error => {
        console.error(error);
        process.exit(1);
    },
);
