import { type RunAnswer, until } from '../config/flow-server';
import type { CrashBench } from './crash-bench';
import { deliver } from './delivery';
import { closeGates, gated, GATES, openGates, waitedAt } from './gates';
import { PATIENCE_MS } from './import';

/** Kills one worker after another after a load that none before it has done. None of them commits a position. */
export async function killedBehindEachLoad(
    bench: CrashBench,
): Promise<{ readonly run: RunAnswer; readonly tags: number }> {
    const { crew, order, shop } = bench;
    const name = 'gateddelivery';
    deliver(order.delivery, { name, pages: 1, ready: 1 });
    closeGates(order.delivery);
    await crew.working();
    crew.bootAhead();
    const { id } = await shop.start(gated.code);
    for (let number = 1; number <= GATES; number++) {
        await crew.ready();
        await until(
            () => Promise.resolve(waitedAt(order.delivery)),
            waited => waited.includes(number),
            PATIENCE_MS,
        );
        const worker = await crew.working();
        await worker.kill('SIGKILL');
        await bench.endLeases();
        openGates(order.delivery, number);
        await crew.relieve();
        if (number < GATES) crew.bootAhead();
    }
    const run = await shop.ended(id, PATIENCE_MS);
    const { tag = [] } = await bench.dump();
    return { run, tags: tag.filter(row => row.includes(name)).length };
}
