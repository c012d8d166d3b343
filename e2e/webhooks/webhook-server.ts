import 'reflect-metadata';
import { bootstrap, mergeConfig } from '@vendure/core';
import { keepCompiled } from '../config/code-cache.cjs';
import { loadShop } from '../config/shop';
import { sqlQueue } from '../config/sql-queue';
import { type DatabaseConnection, vendureConfig } from '../config/vendure-config';
import { largerBodies, webhookPlugin } from './webhook-shop';

/** The settings of a server process. */
export interface ServerOrder {
    readonly connection: DatabaseConnection;
    readonly port: number;
}

/** A second server process in addition to that of the tests, which will be killed. */
async function serve({ connection, port }: ServerOrder): Promise<void> {
    const parsing = mergeConfig(vendureConfig(connection, loadShop('plain').config), largerBodies('/'));
    const config = mergeConfig(parsing, {
        apiOptions: { port },
        plugins: [sqlQueue(), webhookPlugin()],
    });
    await bootstrap(config);
    keepCompiled();
    process.stdout.write('ready\n');
}

serve(JSON.parse(process.argv[2] ?? '{}') as ServerOrder).catch(error => {
    console.error(error);
    process.exit(1);
});
