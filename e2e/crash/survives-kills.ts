import type { Type } from '@vendure/core';
import Redis from 'ioredis';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FlowServer, flowServer, until } from '../config/flow-server';
import { BATCH, CONCURRENCY, type CrashOrder, crashPlugins, PAGES, RECORDS } from './crash-shop';
import { redisConnections } from './redis-connections';
import { differences, shopDump } from './shop-dump';
import { standBy, startWorker, type WorkerProcess } from './worker-process';

const KILLS = Number(process.env.FLOW_TEST_KILLS ?? 20);
/** How long a worker works on average between taking the run and being killed. */
const WORK_MS = 900;
/** A worker that died is noticed soon, so that many can. */
const SHORT = { leaseMs: 3000, sweepMs: 500 };

/** The crash rows of the fault catalogue, on PostgreSQL, with one of the job queues. */
export function survivesKills(queue: CrashOrder['queue'], redisUrl?: string): void {
    const prefix = `flow-crash-${process.pid}-${queue}`;
    const witness = join(tmpdir(), `${prefix}.log`);
    let shop: FlowServer;
    let order: CrashOrder;
    let worker: WorkerProcess | undefined;
    let next: WorkerProcess | undefined;

    beforeEach(() => writeFileSync(witness, ''));
    afterEach(async () => {
        await Promise.all([worker?.kill('SIGKILL'), next?.kill('SIGKILL')]);
        [worker, next] = [undefined, undefined];
        await close();
    });
    afterAll(async () => {
        rmSync(witness, { force: true });
        if (redisUrl) await forget(redisUrl, prefix);
    });

    /** A shop whose server starts runs and leaves the work to the worker processes. */
    const open = async (pageMs: number): Promise<void> => {
        const common = { queue, redisUrl, prefix: `${prefix}-${pageMs}`, witness, pageMs, runtime: SHORT };
        const plugins = crashPlugins(common);
        shop = await flowServer('postgres', plugins.at(-1) as Type<unknown>, {
            jobs: 'none',
            plugins: plugins.slice(0, -1),
        });
        order = { ...common, connection: shop.connection };
    };
    const close = async (): Promise<void> => {
        const connections = redisConnections(shop.app);
        await shop.destroy();
        for (const connection of connections) connection.disconnect();
    };
    const query = <T>(text: string): Promise<T[]> => shop.dataSource.query<T[]>(text);
    const committed = async (): Promise<string> =>
        JSON.stringify(await query('SELECT step_key, value FROM flow_checkpoint ORDER BY step_key'));
    /** When its effects are known and Vendure's own jobs have done the rest. */
    const atRest = async (): Promise<void> => {
        await until(
            () => query<{ n: string }>('SELECT count(*) AS n FROM flow_pending_effect'),
            ([row]) => row?.n === '0',
            60_000,
        );
        await until(
            () => query<{ n: string }>('SELECT count(*) AS n FROM search_index_item'),
            ([row]) => row?.n === String(RECORDS),
            120_000,
        );
    };

    it(`C2: a run whose worker is killed ${KILLS} times completes by itself, and the shop is what it would have been without`, async () => {
        await open(0);
        worker = await startWorker(order);
        const quiet = await shop.perform('crash');
        expect(quiet).toMatchObject({ status: 'COMPLETED', outcome: 'SUCCESS' });
        await atRest();
        const undisturbed = await shopDump(shop.dataSource);
        await worker.kill('SIGKILL');
        await close();

        writeFileSync(witness, '');
        await open(Math.ceil((KILLS * WORK_MS * 2) / PAGES));
        const { id } = await shop.start('crash');
        for (let kills = 0; kills < KILLS; kills++) {
            const before = await committed();
            worker = next ?? (await standBy(order));
            await worker.begin();
            // The next one boots while this one works and its lease runs out.
            const booting = standBy(order);
            // One batch at least: a run that is taken over again and again without getting on is given up, which is another test.
            await until(committed, now => now !== before, 30_000);
            await sleep(Math.random() * WORK_MS);
            await worker.kill('SIGKILL');
            next = await booting;
        }
        expect((await shop.run(id)).status).toBe('RUNNING');
        await next?.begin();
        const run = await shop.ended(id, 120_000);
        expect(run).toMatchObject({
            status: 'COMPLETED',
            outcome: 'SUCCESS',
            error: null,
            recordsRead: RECORDS,
            recordsLoaded: 2 * RECORDS,
            recordsRejected: 0,
            attempt: KILLS + 1,
        });
        expect(run.counters).toEqual(quiet.counters);
        await atRest();
        expect(differences(undisturbed, await shopDump(shop.dataSource))).toEqual([]);
        const worked = readFileSync(witness, 'utf8').trim().split('\n').length;
        expect(worked - RECORDS / BATCH).toBeLessThanOrEqual(KILLS * CONCURRENCY);
    }, 1_200_000);

    it('C6: a worker that is told to stop gives its run back, and the next one goes on without a takeover', async () => {
        await open(100);
        const { id } = await shop.start('crash');
        const before = await committed();
        const leaving = await startWorker(order);
        await until(committed, now => now !== before);
        const toldAt = Date.now();
        await leaving.kill('SIGTERM');
        expect(Date.now() - toldAt).toBeLessThan(15_000);
        expect(await query('SELECT status, lease_token, takeovers FROM flow_pipeline_run')).toEqual([
            { status: 'RUNNING', lease_token: null, takeovers: 0 },
        ]);
        worker = await startWorker(order);
        expect(await shop.ended(id, 60_000)).toMatchObject({
            status: 'COMPLETED',
            attempt: 1,
            recordsLoaded: 2 * RECORDS,
        });
    }, 180_000);
}

async function forget(url: string, prefix: string): Promise<void> {
    const redis = new Redis(url);
    try {
        const keys = await redis.keys(`${prefix}*`);
        if (keys.length > 0) await redis.del(...keys);
    } finally {
        redis.disconnect();
    }
}
