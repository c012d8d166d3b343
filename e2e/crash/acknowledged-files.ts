import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src';
import { until } from '../config/flow-server';
import { as } from '../fixtures/authoring-api';
import { AcknowledgedFolders, type Folder, FOLDERS } from './acknowledged-folders';
import type { CrashBench } from './crash-bench';
import { PATIENCE_MS } from './import';
import { counted, settled } from './killed-at-a-line';

/** The state of files whose readers and movers were killed. */
export interface AcknowledgedFiles {
    /** Files that were not loaded exactly once, that were removed before they were loaded, or that were left. */
    readonly differences: readonly string[];
    readonly runs: number;
}

interface Order {
    readonly kills: number;
    readonly tell?: (line: string) => void;
}

/** The highest number of files in both folders: slightly more than a worker reads until it is killed. */
const MOST = 1_200;
const FILES_A_KILL = 16;
/** With fewer waiting files a kill would hardly hit anything. */
const FEWEST = 40;

/** After what a worker is killed, and within how many milliseconds. */
const MOMENTS = [
    ['a run has completed', 40],
    ['an action is pending', 80],
    ['a file is removed', 20],
    ['whenever', 1_000],
] as const;

/**
 * Two watched folders on an SFTP server: loaded files of one are moved, those of the other deleted. Workers are killed
 * one after another, half of the time with a second one running. A killed worker may be the leader, since there is no
 * other process.
 */
export async function filesAcknowledged(
    bench: CrashBench,
    { kills, tell = () => undefined }: Order,
): Promise<AcknowledgedFiles> {
    const { crew, shop } = bench;
    const author = as(shop.adminClient);
    const folders = await AcknowledgedFolders.open(bench);
    const { code } = folders;
    const has = (what: string): Promise<number> => counted(bench, `SELECT count(*) AS n FROM ${what}`);
    const runs = (): Promise<number> =>
        has(`flow_pipeline_run r JOIN flow_pipeline p ON p.id = r.pipeline_id WHERE p.code LIKE '${code}-%'`);
    /** Adds files, and lets the worker live until it notices them: a new watcher looks twice, half a minute apart. */
    const supply = async (killsToCome: number): Promise<void> => {
        folders.add(Math.min(MOST, 3 * FEWEST + killsToCome * FILES_A_KILL) / FOLDERS.length);
        await crew.working();
        await until(runs, many => many === FOLDERS.length * folders.names.length, PATIENCE_MS);
    };
    const moments = {
        'a run has completed': () => has(`flow_pipeline_run WHERE status = 'COMPLETED'`),
        'an action is pending': () => folders.due(),
        'a file is removed': () => Promise.resolve(-folders.left),
        whenever: () => Promise.resolve(0),
    };
    try {
        const pipelines = [];
        for (const folder of FOLDERS) pipelines.push(await folders.publish(folder, watching(folders, folder)));
        const early: string[] = [];
        for (let kill = 0; kill < kills; kill++) {
            const [moment, withinMs] = MOMENTS[kill % MOMENTS.length]!;
            if ((await has(`flow_pipeline_run WHERE status = 'PENDING'`)) < FEWEST) await supply(kills - kill);
            await crew.ready();
            const worker = await crew.working();
            const isBeside = kill % 2 === 1;
            if (isBeside) await crew.relieve();
            const before = await moments[moment]();
            // Some pending actions wait long, since dead workers have claimed them.
            await until(moments[moment], now => moment === 'whenever' || now !== before, PATIENCE_MS);
            await sleep(Math.random() * withinMs);
            await worker.kill('SIGKILL');
            if (!isBeside) await crew.relieve();
            crew.bootAhead();
            early.push(...(await folders.lost()));
            const { left, names } = folders;
            tell(
                `kill ${kill + 1}, when ${moment}${isBeside ? ', two at once' : ''}: ${left} of ${FOLDERS.length * names.length} files are left`,
            );
        }
        const isOver = async (): Promise<number> => {
            await crew.working();
            return folders.left + (await folders.due());
        };
        await until(isOver, many => many === 0, 3 * PATIENCE_MS);
        await settled(bench);
        for (const pipeline of pipelines) await author.disable(pipeline);
        const due = FOLDERS.length * folders.names.length;
        const started = await runs();
        const differences = [...new Set(early), ...(await folders.differences())];
        return {
            differences: [...differences, ...(started === due ? [] : [`${started} runs of ${due} files`])],
            runs: started,
        };
    } finally {
        await folders.close();
    }
}

function watching(folders: AcknowledgedFolders, folder: Folder): JsonObject {
    const fileWatch = { connectionCode: folders.code, path: `/${folder}`, minFileAge: 0, pollIntervalMs: 30_000 };
    return {
        version: 1,
        steps: [
            { key: 'drop', kind: 'TRIGGER', config: { type: 'FILE', fileWatch } },
            folders.reading(folder, 'read'),
            { key: 'tags', kind: 'LOAD', config: { adapterCode: 'appendTags' } },
        ],
        edges: [
            { from: 'drop', to: 'read' },
            { from: 'read', to: 'tags' },
        ],
    };
}
