import { preBootstrapConfig, type VendureLogger } from '@vendure/core';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { flowMigrations } from '../../migrations';
import { flowEntities } from './entities/flow-entities';
import { FlowPlugin } from './flow.plugin';

/** A database in memory with Flow's entities registered as in a shop. Its migrations have not been run. */
export async function memoryShop(): Promise<DataSource> {
    // Sets the types of the columns, as a shop does before it connects.
    const { dbConnectionOptions } = await preBootstrapConfig({
        apiOptions: { port: 3000, adminApiPath: 'admin-api', shopApiPath: 'shop-api' },
        authOptions: {},
        paymentOptions: { paymentMethodHandlers: [] },
        dbConnectionOptions: { type: 'better-sqlite3', database: ':memory:', migrations: flowMigrations },
        plugins: [FlowPlugin],
    });
    return new DataSource({ ...dbConnectionOptions, entities: flowEntities } as DataSourceOptions).initialize();
}

/** A logger that adds all lines to a list, with the level as a prefix. */
export function loggingInto(told: string[]): VendureLogger {
    return new Proxy({} as VendureLogger, {
        get: (_, level) => (text: string) => void told.push(`${String(level)}: ${text}`),
    });
}
