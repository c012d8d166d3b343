import {
    DefaultJobQueuePlugin,
    DefaultLogger,
    DefaultSearchPlugin,
    LogLevel,
    NoopLogger,
    type VendureConfig,
    mergeConfig,
} from '@vendure/core';
import { testConfig } from '@vendure/testing';
import type { Database as BetterSqlite } from 'better-sqlite3';

/** How TypeORM reaches a scratch database; plain data, so that it can be passed to another process. */
export type DatabaseConnection =
    | { readonly type: 'better-sqlite3'; readonly database: string }
    | ServerConnection<'postgres'>
    | ServerConnection<'mariadb'>;

/** A database on a server. */
export interface ServerConnection<T extends 'postgres' | 'mariadb'> {
    readonly type: T;
    readonly url: string;
    readonly database: string;
}

/** The plugins of Vendure whose tables every scratch database has, whether a suite uses them or not. */
export function pluginsWithTables(): NonNullable<VendureConfig['plugins']> {
    return [DefaultJobQueuePlugin.init({ pollInterval: 50 }), DefaultSearchPlugin.init({ indexStockStatus: true })];
}

/**
 * The configuration that all test servers share. Ids look like `T_1` in the API, log lines appear with `LOG=1`, assets are not kept. Tables
 * are never synchronised at the start: the shop's tables are in the copied database, Flow's tables come from migrations.
 */
export function vendureConfig(
    connection: DatabaseConnection,
    extra: Partial<VendureConfig> = {},
): Required<VendureConfig> {
    // The connection replaces that of testConfig: merged, it would keep the settings for sqljs.
    const base = mergeConfig(
        {
            ...testConfig,
            dbConnectionOptions: { ...connection, ...waitingForNoDisk(connection), synchronize: false, logging: false },
        },
        {
            apiOptions: {
                hostname: '127.0.0.1',
                port: 3100,
                adminApiPath: 'admin-api',
                shopApiPath: 'shop-api',
                cors: true,
            },
            authOptions: { tokenMethod: 'bearer', requireVerification: false },
            logger: process.env.LOG ? new DefaultLogger({ level: LogLevel.Verbose }) : new NoopLogger(),
        },
    );
    return mergeConfig(base, extra);
}

/** As on PostgreSQL (`scratch-databases.ts`): what is committed survives the end of a process, but not a crash of the system. */
function waitingForNoDisk({ type }: DatabaseConnection) {
    if (type !== 'better-sqlite3') return {};
    return { prepareDatabase: (file: BetterSqlite) => void file.pragma('synchronous = OFF') };
}
