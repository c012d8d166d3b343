import 'reflect-metadata';
import { bootstrapWorker, RequestContextService } from '@vendure/core';
import { RunPlatform } from '../src/plugin/run-platform';
import { peakRssMb } from './peak';
import { ctxThatMay, throughExecutor } from './platform-query';
import { shopConfig } from './shop';

process.env['VENDURE_DISABLE_TELEMETRY'] = 'true';

/** Reads all products of a shop once, in a separate process. */
async function read(url: string): Promise<void> {
    const { app } = await bootstrapWorker(shopConfig({ type: 'postgres', url }, {}));
    const ctx = await app.get(RequestContextService).create({ apiType: 'admin' });
    const start = performance.now();
    const count = await throughExecutor(app.get(RunPlatform).of(ctxThatMay(ctx)));
    const seconds = (performance.now() - start) / 1000;
    process.stdout.write(JSON.stringify({ count, seconds, peakRssMb: peakRssMb() }), () => process.exit(0));
}

read(process.argv[2]!).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
});
