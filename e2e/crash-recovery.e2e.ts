import type { Type } from '@vendure/core';
import { writeFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { needs } from '../test/servers/needs';
import { type FlowServer, flowServer, until } from './config/flow-server';
import { type CrashOrder, crashPlugins, RECORDS } from './crash/crash-shop';
import { standBy, type WorkerProcess } from './crash/worker-process';

/** An import that lasts for some seconds, and one of which no batch is ever committed. */
const [SECONDS_MS, NEVER_MS] = [50, 600_000];

interface RunRow {
    readonly status: string;
    readonly attempt: number;
    readonly lease_token: string | null;
}

/** Workers that die and are followed by others, at Flow's own times and where following is in vain. */
function recovers(): void {
    const witness = join(tmpdir(), `flow-recovery-${process.pid}.log`);
    let shop: FlowServer;
    let order: CrashOrder;
    const workers: WorkerProcess[] = [];

    afterEach(async () => {
        await Promise.all(workers.splice(0).map(worker => worker.kill('SIGKILL')));
        await shop?.destroy();
        rmSync(witness, { force: true });
    });

    const open = async (pageMs: number, runtime: CrashOrder['runtime']): Promise<void> => {
        writeFileSync(witness, '');
        const common = { queue: 'sql', redisUrl: undefined, prefix: '', witness, pageMs, runtime } as const;
        const plugins = crashPlugins(common);
        shop = await flowServer('postgres', plugins.at(-1) as Type<unknown>, {
            jobs: 'none',
            plugins: plugins.slice(0, -1),
        });
        order = { ...common, connection: shop.connection };
    };
    const boot = async (): Promise<WorkerProcess> => {
        const worker = await standBy(order);
        workers.push(worker);
        return worker;
    };
    const row = async (): Promise<RunRow> =>
        (await shop.dataSource.query<RunRow[]>('SELECT status, attempt, lease_token FROM flow_pipeline_run'))[0]!;

    it('a run whose worker is killed goes on within a minute where nothing is configured', async () => {
        await open(SECONDS_MS, undefined);
        const [dying, other] = await Promise.all([boot(), boot()]);
        await dying.begin();
        const { id } = await shop.start('crash');
        await until(
            () => shop.run(id),
            ({ recordsProcessed }) => recordsProcessed > 0,
        );
        await other.begin();
        expect(await row()).toMatchObject({ status: 'RUNNING', attempt: 1 });
        await dying.kill('SIGKILL');
        const run = await shop.ended(id, 60_000);
        expect(run).toMatchObject({
            status: 'COMPLETED',
            outcome: 'SUCCESS',
            attempt: 2,
            recordsRead: RECORDS,
            recordsLoaded: 2 * RECORDS,
            recordsRejected: 0,
        });
    }, 120_000);

    it('a run that is taken over three times without a committed batch in between is given up, and says so', async () => {
        await open(NEVER_MS, { leaseMs: 1000, sweepMs: 500 });
        const { id } = await shop.start('crash');
        for (const attempt of [1, 2, 3]) {
            const worker = await boot();
            await worker.begin();
            await until(row, now => now.attempt === attempt && now.lease_token !== null);
            expect((await row()).status).toBe('RUNNING');
            await worker.kill('SIGKILL');
        }
        await (await boot()).begin();
        expect(await shop.ended(id, 30_000)).toMatchObject({
            status: 'FAILED',
            outcome: null,
            recordsLoaded: 0,
            error: {
                code: 'NO_PROGRESS',
                message: 'The run was taken over 3 times without one committed batch in between.',
            },
        });
    }, 180_000);
}

needs('postgres', 'runs whose workers die, on PostgreSQL', recovers);
