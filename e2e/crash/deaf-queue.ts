import { type PollingJobQueueStrategy, type VendureConfig, VendurePlugin } from '@vendure/core';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { RUN_QUEUE } from '../../src/plugin/tokens';

/** A file next to the delivery, so that it reaches every worker process. */
const deafFile = (delivery: string): string => `${delivery}.deaf`;

/** From now on no run is delivered to any worker; other jobs are. */
export function closeEars(delivery: string): void {
    writeFileSync(deafFile(delivery), '');
}

export function openEars(delivery: string): void {
    rmSync(deafFile(delivery), { force: true });
}

/**
 * Makes Vendure's SQL queue deliver no run while it is switched off. Jobs are still accepted. Must be configured after
 * `DefaultJobQueuePlugin`.
 */
export function deafQueue(delivery: string): NonNullable<VendureConfig['plugins']>[number] {
    const file = deafFile(delivery);

    @VendurePlugin({
        configuration: config => {
            const strategy = config.jobQueueOptions.jobQueueStrategy as unknown as PollingJobQueueStrategy;
            const next = strategy.next.bind(strategy);
            strategy.next = queueName =>
                queueName === RUN_QUEUE && existsSync(file) ? Promise.resolve(undefined) : next(queueName);
            return config;
        },
    })
    class DeafQueuePlugin {}
    return DeafQueuePlugin;
}
