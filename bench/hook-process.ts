import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { bootstrap, bootstrapWorker, DefaultJobQueuePlugin } from '@vendure/core';
import { BullMQJobQueuePlugin } from '@vendure/job-queue-plugin/package/bullmq';
import { ExclusiveJob } from '../src/plugin/leases/exclusive-job';
import { HOOK_OPTIONS, type ProcessOrder } from './hooks';
import { benchExtractor } from './pipelines';
import { shopConfig } from './shop';
import { storefrontOptions } from './storefront';

process.env['VENDURE_DISABLE_TELEMETRY'] = 'true';

/** For what this process has held alone: how often that was the collections. */
let refreshes = 0;
const { hold } = ExclusiveJob.prototype;
ExclusiveJob.prototype.hold = async function (this: ExclusiveJob, name) {
    const lease = await hold.call(this, name);
    if (lease && name === 'collections') refreshes++;
    return lease;
};

const queueOf = ({ queue, prefix }: ProcessOrder) => {
    // As shops have it: Vendure's default times.
    if (queue === 'sql') return DefaultJobQueuePlugin.init({});
    const { hostname: host, port } = new URL(process.env['FLOW_BENCH_REDIS_URL'] ?? 'redis://127.0.0.1:6379');
    const connection = { host, port: Number(port || 6379), maxRetriesPerRequest: null };
    return BullMQJobQueuePlugin.init({ connection, queueOptions: { prefix }, workerOptions: { prefix } });
};

/** A server or a worker of the bench's shop in a separate process. */
async function work(order: ProcessOrder): Promise<void> {
    const { as, url, imports, isBare } = order;
    const flow = isBare
        ? {}
        : imports === undefined
          ? HOOK_OPTIONS
          : { ...storefrontOptions(imports), adapters: [benchExtractor] };
    const config = shopConfig({ type: 'postgres', url }, flow, { queue: queueOf(order) });
    if (as === 'worker') {
        const worker = await bootstrapWorker(config);
        await worker.startJobQueue();
        process.on('message', () => process.send!(refreshes));
        process.send!({ port: 0 });
    } else {
        const app = await bootstrap(config);
        const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
        process.send!({ port });
    }
    process.on('disconnect', () => process.exit(1));
}

work(JSON.parse(process.argv[2]!) as ProcessOrder).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
});
