import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../config/flow-server';
import type { CrashBench } from './crash-bench';
import { approved, TOLD } from './crash-shop';
import { deliver, PAGE } from './delivery';
import { PATIENCE_MS } from './import';
import { approve, placedOrder, settled, tagged } from './killed-at-a-line';
import { postTo } from './starts-at-a-line';

/** The result of a shop while its Redis was away. */
export interface WithoutRedis {
    /** The final status of each run that existed before or was added meanwhile. */
    readonly statuses: readonly string[];
    /** What was not loaded exactly once, and how often it was. */
    readonly differences: readonly string[];
}

const POSTS = 10;
const ORDERS = 5;
let times = 0;

/**
 * Stops Redis while a run is in the middle of its loads and another one waits at a gate, and starts it again empty.
 * Meanwhile webhooks are posted, orders are placed and the gate is approved.
 */
export async function withoutRedis(
    bench: CrashBench,
    { pages, awayMs }: { readonly pages: number; readonly awayMs: number },
): Promise<WithoutRedis> {
    const { redis, order, shop, crew } = bench;
    if (!redis) throw new Error("Only the bench's own Redis may be stopped");
    const mark = `noredis${++times}`;
    await crew.working();
    const [last] = await bench.database.rows<{ id: unknown }>('SELECT max(id) AS id FROM flow_pipeline_run');
    deliver(order.delivery, { name: `${mark}gate`, pages: 1, ready: 1 });
    const { id: atGate } = await shop.start(approved.code);
    await until(
        () => shop.run(atGate),
        ({ status }) => status === 'PAUSED',
        PATIENCE_MS,
    );
    const disturbed = await bench.begin(pages);
    const goOn = await disturbed.reach('inLoad');

    await redis.interrupt();
    await goOn();
    const skus = Array.from({ length: POSTS }, (_, i) => `${mark}post-${i}`);
    // Each post is either stored, or its sender has to repeat it. None is accepted and lost.
    const post = async (sku: string): Promise<number> => (await postTo(shop.url, sku)).status;
    const statuses = await Promise.all(skus.map(post));
    const orders: string[] = [];
    for (let i = 0; i < ORDERS; i++) orders.push(await placedOrder(bench));
    const answer = await approve(shop, atGate);
    if (answer !== 'approved') throw new Error(`The approval was answered with ${answer}`);
    await sleep(awayMs); // The length of the outage; it does not wait for an event.
    await redis.resume();

    const again = statuses.flatMap((status, i) => (status === 202 ? [] : [skus[i]!]));
    for (const sku of again) if ((await post(sku)) !== 202) throw new Error(`${sku} is not accepted`);
    disturbed.openAll();
    await disturbed.ended();
    await settled(bench);
    const due: ReadonlyArray<readonly [prefix: string, many: number]> = [
        [`${mark}gate-`, PAGE],
        [`${mark}post-`, POSTS],
        [`${disturbed.name}-`, pages * PAGE],
        ...orders.map(id => [`${TOLD}${id}`, 1] as const),
    ];
    const differences: string[] = [];
    for (const [prefix, many] of due) {
        const tags = [...(await tagged(bench, prefix))].filter(([value]) => many > 1 || value === prefix);
        if (tags.length !== many) differences.push(`${prefix}: ${tags.length} of ${many}`);
        for (const [value, count] of tags) if (count !== 1) differences.push(`${value}: ${count} times`);
    }
    const runs = await bench.database.rows<{ status: string }>(
        `SELECT status FROM flow_pipeline_run WHERE id > ${String(last?.id ?? 0)}`,
    );
    return { statuses: runs.map(({ status }) => status), differences };
}
