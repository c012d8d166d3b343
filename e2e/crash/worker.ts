import 'reflect-metadata';
import { bootstrapWorker, mergeConfig } from '@vendure/core';
import { keepCompiled } from '../config/code-cache.cjs';
import { sqlQueue } from '../config/sql-queue';
import { vendureConfig } from '../config/vendure-config';
import { type CrashOrder, crashPlugins } from './crash-shop';

/** A separate worker process, which will be killed. It is on standby until its input starts it. */
async function work(order: CrashOrder): Promise<void> {
    const config = mergeConfig(vendureConfig(order.connection), {
        plugins: [sqlQueue(order.runsAtOnce), ...crashPlugins(order)],
    });
    const worker = await bootstrapWorker(config);
    process.stdin.once('data', () => {
        process.stdin.destroy();
        void worker.startJobQueue().then(() => process.stdout.write('working\n'));
    });
    keepCompiled();
    process.stdout.write('ready\n');
}

work(JSON.parse(process.argv[2] ?? '{}') as CrashOrder).catch(error => {
    console.error(error);
    process.exit(1);
});
