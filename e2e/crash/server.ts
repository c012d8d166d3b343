import 'reflect-metadata';
import { bootstrap, mergeConfig } from '@vendure/core';
import { keepCompiled } from '../config/code-cache.cjs';
import { loadShop } from '../config/shop';
import { sqlQueue } from '../config/sql-queue';
import { vendureConfig } from '../config/vendure-config';
import { type CrashOrder, crashPlugins } from './crash-shop';

/** The settings of a server process. */
export interface ServerOrder extends CrashOrder {
    readonly port: number;
}

/** A server of the admin API in a separate process, which will be killed. It processes no queue. */
async function serve({ port, ...order }: ServerOrder): Promise<void> {
    await bootstrap(
        mergeConfig(vendureConfig(order.connection, loadShop('plain').config), {
            apiOptions: { port },
            plugins: [sqlQueue(), ...crashPlugins(order)],
        }),
    );
    keepCompiled();
    process.stdout.write('ready\n');
}

serve(JSON.parse(process.argv[2] ?? '{}') as ServerOrder).catch(error => {
    console.error(error);
    process.exit(1);
});
