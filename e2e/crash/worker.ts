import 'reflect-metadata';
import { bootstrapWorker, mergeConfig } from '@vendure/core';
import { keepCompiled } from '../config/code-cache.cjs';
import { sqlQueue } from '../config/sql-queue';
import { vendureConfig } from '../config/vendure-config';
import { type CrashOrder, crashPlugins } from './crash-shop';

/** A worker process of its own, made to be killed. It stands by until it is told on its input to begin. */
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
