import path from 'node:path';
import { DefaultJobQueuePlugin, DefaultLogger, DefaultSearchPlugin, LogLevel, type VendureConfig } from '@vendure/core';
import { DashboardPlugin } from '@vendure/dashboard/plugin';
import { FlowPlugin } from '../src';
import { demoPipelines } from './pipelines';

const root = path.resolve(__dirname, '..');

/** The files of the demo, which are deleted and created again at every start. */
export const demoFolder = path.join(root, '.flow-demo');
export const dashboardFolder = path.join(demoFolder, 'dashboard');

export interface DemoPlace {
    readonly port: number;
    readonly databaseFile: string;
}

/** The demo's shop: SQLite and the SQL job queue, everything in one process. */
export function demoConfig({ port, databaseFile }: DemoPlace, isEmpty = false): VendureConfig {
    return {
        apiOptions: {
            hostname: '127.0.0.1',
            port,
            adminApiPath: 'admin-api',
            shopApiPath: 'shop-api',
            trustProxy: false,
        },
        authOptions: {
            tokenMethod: ['bearer', 'cookie'],
            superadminCredentials: { identifier: 'superadmin', password: 'superadmin' },
            cookieOptions: { secret: 'flow-demo' },
        },
        dbConnectionOptions: { type: 'better-sqlite3', database: databaseFile, synchronize: isEmpty },
        logger: new DefaultLogger({ level: LogLevel.Error }),
        paymentOptions: { paymentMethodHandlers: [] },
        plugins: [
            DefaultJobQueuePlugin.init({ pollInterval: 100 }),
            DefaultSearchPlugin.init({ indexStockStatus: true }),
            // The shop's own tables are created before Flow is installed. Flow creates its tables by its migration.
            ...(isEmpty
                ? []
                : [
                      FlowPlugin.init({
                          pipelines: demoPipelines,
                          files: { storage: { type: 'local', directory: `${databaseFile}-files` } },
                      }),
                  ]),
            DashboardPlugin.init({ route: 'dashboard', appDir: dashboardFolder }),
        ],
    };
}

/** Read by the dashboard's build. */
export const config: VendureConfig = demoConfig({
    port: 3000,
    databaseFile: path.join(demoFolder, 'shop-3000.sqlite'),
});
