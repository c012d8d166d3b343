import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src';
import { scratchFolder } from '../../test/servers/process';
import { startSftp } from '../../test/servers/sftp-server';
import { until } from '../config/flow-server';
import { as } from '../fixtures/authoring-api';
import { connectionsOf } from '../fixtures/resource-api';
import type { CrashBench } from './crash-bench';
import { PATIENCE_MS } from './import';
import { counted, settled, tagged } from './killed-at-a-line';

/** What becomes of the files of a folder once they are loaded. */
const FOLDERS = ['moved', 'deleted'] as const;
type Folder = (typeof FOLDERS)[number];

/** What became of files whose readers and movers were killed. */
export interface AcknowledgedFiles {
    /** Files that were loaded not at all or more than once, that went before they were loaded, or that were left. */
    readonly differences: readonly string[];
    readonly runs: number;
}

interface Order {
    readonly kills: number;
    readonly tell?: (line: string) => void;
}

/** As many files as one worker after another reads until he is killed, in both folders together, and those that wait to be noticed meanwhile. */
const FILES_A_KILL = 80;
const MOST_WAITING = 1_200;

/** Behind what somebody is killed, and within how many milliseconds. */
const MOMENTS = [
    ['a run has completed', 40],
    ['something is due', 80],
    ['a file has gone', 20],
    ['whenever', 1_000],
] as const;

/**
 * Two watched folders on an SFTP server: what is loaded of one is moved, of the other deleted. One worker after another is killed meanwhile, half of the time with
 * a second one beside him. Whoever is killed may lead, since there is nobody else.
 */
export async function filesAcknowledged(
    bench: CrashBench,
    { kills, tell = () => undefined }: Order,
): Promise<AcknowledgedFiles> {
    const { crew, shop } = bench;
    const code = `ack-${Date.now().toString(36)}`;
    const root = scratchFolder();
    const server = await startSftp({ folder: root, password: 'test' });
    const author = as(shop.adminClient);
    const lying = (folder: string): readonly string[] => readdirSync(join(root, folder));
    const names: string[] = [];
    const skuOf = (folder: Folder, name: string): string => `${code}-${folder}-${name.slice(0, 5)}`;
    const left = (): number => FOLDERS.flatMap(lying).length;
    /** Others are added as soon as few lie there, rather than all at first: what nobody is killed over would be read at the end. */
    const supply = (killsToCome: number): void => {
        const wanted = Math.min(MOST_WAITING, killsToCome * FILES_A_KILL);
        for (let missing = (wanted - left()) / FOLDERS.length; missing > 0; missing--) {
            const name = `${String(names.length).padStart(5, '0')}.csv`;
            for (const folder of FOLDERS) writeFileSync(join(root, folder, name), `sku\n${skuOf(folder, name)}\n`);
            names.push(name);
        }
    };
    /** Of which there is no tag, though they have gone: they were taken away before they were loaded. */
    const lost = async (): Promise<readonly string[]> => {
        const gone = FOLDERS.flatMap(folder => {
            const there = new Set(lying(folder));
            return names.filter(name => !there.has(name)).map(name => skuOf(folder, name));
        });
        const tags = await tagged(bench, `${code}-`);
        return gone.filter(sku => !tags.has(sku));
    };
    const has = (what: string): Promise<number> => counted(bench, `SELECT count(*) AS n FROM ${what}`);
    const moments = {
        'a run has completed': () => has(`flow_pipeline_run WHERE status = 'COMPLETED'`),
        'something is due': () => has('flow_remote_action'),
        'a file has gone': () => Promise.resolve(-left()),
        whenever: () => Promise.resolve(0),
    };
    try {
        await connectionsOf(shop.adminClient).create({
            code,
            type: 'SFTP',
            settings: { host: '127.0.0.1', port: server.port, username: 'shop', passwordSecretCode: 'test' },
        });
        for (const folder of FOLDERS) mkdirSync(join(root, folder));
        supply(kills);
        const pipelines = [];
        for (const folder of FOLDERS)
            pipelines.push(
                await author.publish(
                    await author.create({ code: `${code}-${folder}`, definition: watching(code, folder) }),
                ),
            );
        await crew.working();
        await until(
            () => moments['a run has completed'](),
            count => count > 0,
            PATIENCE_MS,
        );
        const early: string[] = [];
        for (let kill = 0; kill < kills; kill++) {
            const [moment, withinMs] = MOMENTS[kill % MOMENTS.length]!;
            await crew.ready();
            const worker = await crew.working();
            const isBeside = kill % 2 === 1;
            if (isBeside) await crew.relieve();
            const before = await moments[moment]();
            await until(moments[moment], now => moment === 'whenever' || now > before, PATIENCE_MS);
            await sleep(Math.random() * withinMs);
            await worker.kill('SIGKILL');
            if (!isBeside) await crew.relieve();
            crew.bootAhead();
            early.push(...(await lost()));
            tell(
                `kill ${kill + 1}, when ${moment}${isBeside ? ', two at once' : ''}: ${left()} of ${FOLDERS.length * names.length} files lie there`,
            );
            if (left() < 20) throw new Error(`all files were taken away by kill ${kill + 1} of ${kills}`);
            supply(kills - kill - 1);
        }
        const isOver = async (): Promise<number> => {
            await crew.working();
            return left() + (await moments['something is due']());
        };
        await until(isOver, many => many === 0, 3 * PATIENCE_MS);
        await settled(bench);
        for (const pipeline of pipelines) await author.disable(pipeline);
        const tags = await tagged(bench, `${code}-`);
        const skus = FOLDERS.flatMap(folder => names.map(name => skuOf(folder, name)));
        const done = new Set(lying('done'));
        const runs = await has(
            `flow_pipeline_run r JOIN flow_pipeline p ON p.id = r.pipeline_id WHERE p.code LIKE '${code}-%'`,
        );
        return {
            differences: [
                ...skus.filter(sku => tags.get(sku) !== 1).map(sku => `${sku}: ${tags.get(sku) ?? 0} times`),
                ...new Set(early.map(sku => `${sku} went before it was loaded`)),
                ...names.filter(name => !done.has(name)).map(name => `${name} was not moved`),
                ...(done.size === names.length ? [] : [`${done.size} files were moved of ${names.length}`]),
                ...(runs === skus.length ? [] : [`${runs} runs of ${skus.length} files`]),
            ],
            runs,
        };
    } finally {
        await server.close();
    }
}

function watching(connectionCode: string, folder: Folder): JsonObject {
    const afterwards: JsonObject =
        folder === 'deleted'
            ? { deleteAfterProcess: true }
            : { moveAfterProcess: { enabled: true, destinationPath: '/done' } };
    return {
        version: 1,
        steps: [
            {
                key: 'drop',
                kind: 'TRIGGER',
                config: {
                    type: 'FILE',
                    fileWatch: { connectionCode, path: `/${folder}`, minFileAge: 0, pollIntervalMs: 30_000 },
                },
            },
            {
                key: 'read',
                kind: 'EXTRACT',
                config: { adapterCode: 'ftp', connectionCode, remotePath: `/${folder}`, ...afterwards },
            },
            { key: 'tags', kind: 'LOAD', config: { adapterCode: 'appendTags' } },
        ],
        edges: [
            { from: 'drop', to: 'read' },
            { from: 'read', to: 'tags' },
        ],
    };
}
