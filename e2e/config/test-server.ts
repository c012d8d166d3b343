import type { Server as HttpServer } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import { TransactionalConnection, type VendureConfig, mergeConfig } from '@vendure/core';
import { type SimpleGraphQLClient, type TestServer, createTestEnvironment } from '@vendure/testing';
import type { DataSource } from 'typeorm';
import { FIRST_PORT, freePort } from '../../test/servers/process';
import { type Database, scratchDatabase } from './databases';
import { type ShopName, loadShop } from './shop';
import { SparingQueue, sqlQueue } from './sql-queue';
import { type DatabaseConnection, vendureConfig } from './vendure-config';

/** The options of a suite's server. */
export interface TestServerOptions {
    /** Plugins in addition to those of the shop: Flow, DefaultSearchPlugin, BullMQJobQueuePlugin … */
    readonly plugins?: VendureConfig['plugins'];
    /** `sql`: Vendure's queue in the database. `memory` (default): jobs are in the process. `none`: jobs are stored and not processed. */
    readonly jobs?: 'sql' | 'memory' | 'none';
    readonly shop?: ShopName;
    readonly config?: Partial<VendureConfig>;
}

/** A started server with a separate database. */
export interface RunningServer {
    readonly server: TestServer;
    readonly app: INestApplication;
    readonly dataSource: DataSource;
    readonly adminClient: SimpleGraphQLClient;
    readonly shopClient: SimpleGraphQLClient;
    readonly connection: DatabaseConnection;
    readonly url: string;
    /** Stops the server and drops its database. */
    destroy(): Promise<void>;
}

let pluginsOfThisFile: string | undefined;

/** Vendure evaluates its AppModule once in a process, with the plugins of the first start; another set would silently be missing. */
function assertSamePlugins(names: string): void {
    if (pluginsOfThisFile === undefined || names === pluginsOfThisFile) return;
    throw new Error(
        `One test file boots one set of plugins. First: ${pluginsOfThisFile || 'none'}; now: ${names || 'none'}. Use a second file.`,
    );
}

function namesOf({ plugins }: Required<VendureConfig>): string {
    return plugins
        .map(plugin => ('module' in plugin ? plugin.module.name : (plugin as { name: string }).name))
        .join(', ');
}

/** Starts a Vendure server for one suite; the admin client is logged in as superadmin. */
export async function testServer(database: Database, options: TestServerOptions = {}): Promise<RunningServer> {
    process.env.VENDURE_DISABLE_TELEMETRY = 'true';
    const shopName = options.shop ?? 'plain';
    const scratch = await scratchDatabase(database, shopName);
    try {
        const config = await configOf(scratch.connection, shopName, options);
        const plugins = namesOf(config);
        assertSamePlugins(plugins);
        const { server, adminClient, shopClient } = createTestEnvironment(config);
        await server.bootstrap();
        // A start that was rejected because of its options has evaluated nothing.
        pluginsOfThisFile = plugins;
        // If the server closes an idle connection at the moment when a client uses it, the request would fail.
        (server.app.getHttpServer() as HttpServer).keepAliveTimeout = 0;
        await adminClient.asSuperAdmin();
        return {
            server,
            adminClient,
            shopClient,
            app: server.app,
            dataSource: server.app.get(TransactionalConnection).rawConnection,
            connection: scratch.connection,
            url: `http://127.0.0.1:${config.apiOptions.port}`,
            destroy: async () => {
                await server.destroy().finally(() => scratch.drop());
            },
        };
    } catch (error) {
        await scratch.drop();
        throw error;
    }
}

async function configOf(
    connection: DatabaseConnection,
    shopName: ShopName,
    options: TestServerOptions,
): Promise<Required<VendureConfig>> {
    const { jobs = 'memory', plugins = [], config = {} } = options;
    const shop = loadShop(shopName).config;
    const queue = jobs === 'memory' ? [] : [sqlQueue(), SparingQueue];
    const merged = mergeConfig(vendureConfig(connection, shop), config);
    return mergeConfig(merged, {
        apiOptions: { port: await freePort(FIRST_PORT) },
        plugins: [...queue, ...(shop.plugins ?? []), ...(config.plugins ?? []), ...plugins],
        // The server of `@vendure/testing` always starts its queues; with a list of unknown names none of them starts.
        ...(jobs === 'none' ? { jobQueueOptions: { activeQueues: ['(none)'] } } : {}),
    });
}
