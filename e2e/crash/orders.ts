import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../config/flow-server';
import type { CrashBench } from './crash-bench';
import { PLACED, TOLD } from './crash-shop';
import { standBy } from './worker-process';

/** The result for orders that were placed while the placing servers and the workers were killed. */
export interface Placed {
    readonly orders: number;
    /** Orders without exactly one completed run, and runs without an order. */
    readonly differences: readonly string[];
}

/** Places orders on one server after another. Each server is killed, and so is one worker after another. */
export async function ordersPlaced(
    bench: CrashBench,
    { orders, kills }: { readonly orders: number; readonly kills: number },
): Promise<Placed> {
    const { crew, database, order } = bench;
    const counted = async (statement: string): Promise<number> => {
        const [found] = await database.rows<{ n: unknown }>(statement);
        return Number(found?.n);
    };
    const placed = (): Promise<number> => counted(`SELECT count(*) AS n FROM "order" WHERE code LIKE '${PLACED}%'`);
    const told = (): Promise<number> => counted(`SELECT count(*) AS n FROM tag WHERE value LIKE '${TOLD}%'`);
    const left = (): Promise<number> =>
        counted(`SELECT (SELECT count(*) FROM flow_event_trigger_outbox) + (SELECT count(*) FROM flow_pipeline_run
            WHERE trigger_type = 'EVENT' AND status IN ('PENDING', 'RUNNING')) AS n`);
    const atLeast = (many: number) => (found: number) => found >= many;
    await crew.working();
    let server = await standBy(order, { script: 'placer.ts' });
    await server.begin();
    for (let kill = 1; kill <= kills; kill++) {
        crew.bootAhead();
        const next = standBy(order, { script: 'placer.ts' });
        const share = Math.floor((orders * kill) / (kills + 1));
        await until(placed, atLeast(share));
        await sleep(Math.random() * 100);
        await server.kill('SIGKILL');
        server = await next;
        await server.begin();
        await until(told, atLeast(Math.floor(share / 2)));
        await sleep(Math.random() * 100);
        const worker = await crew.working();
        await worker.kill('SIGKILL');
        await crew.relieve();
    }
    await until(placed, atLeast(orders));
    await server.kill('SIGKILL');
    await until(
        async () => {
            await crew.working();
            return left();
        },
        count => count === 0,
    );
    return { orders: await placed(), differences: await compared(bench) };
}

async function compared({ database }: CrashBench): Promise<readonly string[]> {
    const orders = await database.rows<{ id: unknown }>(`SELECT id FROM "order" WHERE code LIKE '${PLACED}%'`);
    const tags = await database.rows<{ value: string }>(`SELECT value FROM tag WHERE value LIKE '${TOLD}%'`);
    const times = new Map<string, number>();
    for (const { value } of tags) times.set(value, (times.get(value) ?? 0) + 1);
    const due = new Set(orders.map(({ id }) => `${TOLD}${String(id)}`));
    return [
        ...[...due].filter(value => times.get(value) !== 1).map(value => `${value}: ${times.get(value) ?? 0} times`),
        ...[...times.keys()].filter(value => !due.has(value)).map(value => `${value}: there is no such order`),
    ];
}
