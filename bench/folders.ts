import { TransactionalConnection } from '@vendure/core';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pipeline } from '../src';
import { FileWatcher } from '../src/plugin/file-triggers/file-watcher';
import { startSftp } from '../test/servers/sftp-server';
import { type BenchDatabase, openShop } from './shop';

const USUAL_FILES = 5_000;
const LOOK_MS = 200;
const PATIENCE_MS = 30 * 60_000;
const CODE = 'bench-folder';

/**
 * Watches a folder of small files on an SFTP server, one record each. Measures how long a listing takes, how many runs
 * per second are stored, how many files per second are loaded, and finally how long a poll of the known folder takes.
 */
export async function benchFolders(database: BenchDatabase, files = USUAL_FILES): Promise<boolean> {
    const folder = mkdtempSync(join(tmpdir(), 'flow-bench-folder-'));
    mkdirSync(join(folder, 'in'));
    for (let i = 0; i < files; i++)
        writeFileSync(join(folder, 'in', `${i}.csv`), `sku,name,slug\nFOLDER-${i},File ${i},folder-${i}\n`);
    const server = await startSftp({ folder });
    const settings = { host: '127.0.0.1', port: server.port, username: 'shop', passwordSecretCode: 'bench-folder' };
    const shop = await openShop(database, {
        secrets: [{ code: 'bench-folder', provider: 'INLINE', value: 'secret' }],
        connections: [{ code: CODE, type: 'SFTP', settings }],
        security: { allowedHostnames: ['127.0.0.1'], unknownHostKeys: true },
        pipelines: [
            pipeline(CODE)
                .trigger('drop', {
                    type: 'FILE',
                    fileWatch: { connectionCode: CODE, path: '/in', minFileAge: 0, pollIntervalMs: 86_400_000 },
                })
                .extract('read', { adapterCode: 'ftp', connectionCode: CODE, remotePath: '/in' })
                .load('products', { adapterCode: 'productUpsert' })
                .edge('drop', 'read')
                .edge('read', 'products')
                .build(),
        ],
    });
    try {
        const watcher = shop.app.get(FileWatcher);
        const { rawConnection } = shop.app.get(TransactionalConnection);
        const count = async (where: string): Promise<number> =>
            Number(
                (
                    await rawConnection.query<ReadonlyArray<{ readonly n: string }>>(
                        `SELECT count(*) AS n FROM flow_pipeline_run WHERE ${where}`,
                    )
                )[0]!.n,
            );
        let days = 0;
        /** Polls a day later. Returns how long that took, in seconds. */
        const poll = async (): Promise<number> => {
            const begunAt = performance.now();
            const at = { steadyMs: performance.now() + ++days * 86_500_000, wallMs: Date.now() };
            await watcher.look(new AbortController().signal, at);
            await watcher.idle();
            return (performance.now() - begunAt) / 1_000;
        };
        const listing = await poll();
        const storing = await poll();
        const stored = await count('1 = 1');
        console.log(
            `${database}: ${files} files: the first listing ${listing.toFixed(2)} s; ${stored} runs stored in ${storing.toFixed(1)} s (${(stored / storing).toFixed(0)} a second)`,
        );
        const begunAt = performance.now();
        await shop.queues.start();
        while ((await count(`status IN ('PENDING', 'RUNNING')`)) > 0) {
            if (performance.now() - begunAt > PATIENCE_MS) throw new Error('the runs do not end');
            await sleep(LOOK_MS);
        }
        const working = (performance.now() - begunAt) / 1_000;
        const completed = await count(`status = 'COMPLETED'`);
        console.log(
            `${database}: ${completed} files loaded in ${working.toFixed(1)} s (${(completed / working).toFixed(1)} a second)`,
        );
        await poll();
        console.log(`${database}: a poll of the known folder ${(await poll()).toFixed(2)} s`);
        const isHeld = completed === files && (await count('1 = 1')) === files;
        if (!isHeld) console.log('NOT EACH FILE WAS LOADED ONCE.');
        return isHeld;
    } finally {
        await shop.close();
        await server.close();
        rmSync(folder, { recursive: true, force: true });
    }
}
