import type { JsonObject } from '../../src';
import { type RunAnswer, until } from '../config/flow-server';
import { AcknowledgedFolders, FOLDERS } from './acknowledged-folders';
import type { CrashBench } from './crash-bench';
import { PATIENCE_MS } from './import';
import { killedAt, type Line } from './killed-at-a-line';

/** The state of files whose worker was killed around the end of the run that had read them. */
export interface AcknowledgedAtALine {
    readonly run: Pick<RunAnswer, 'status' | 'attempt' | 'recordsLoaded'>;
    /** When the worker was dead: how many files were moved or deleted, and how many actions were pending. */
    readonly atDeath: { readonly gone: number; readonly due: number };
    /** Problems, then and at the end. */
    readonly differences: readonly string[];
}

/** Files in each folder. */
export const ACKNOWLEDGED = 4;

interface Moment {
    readonly into: string | RegExp;
    readonly line: Line;
}

/**
 * The moments: the run is not COMPLETED yet; the run is COMPLETED but no action is done; a file is deleted, but that is
 * not stored.
 */
const MOMENTS: readonly Moment[] = [
    { into: 'flow_remote_action', line: 'commit' },
    { into: 'flow_remote_action', line: 'answer' },
    { into: /DELETE FROM ["`]flow_remote_action["`]/, line: 'statement' },
];

/**
 * A run reads two folders, one with files to move and one with files to delete. Its worker is killed once at each
 * moment.
 */
export async function acknowledgedByTheDead(bench: CrashBench): Promise<readonly AcknowledgedAtALine[]> {
    const folders = await AcknowledgedFolders.open(bench);
    try {
        await folders.publish('both', readingBoth(folders));
        const seen: AcknowledgedAtALine[] = [];
        for (const moment of MOMENTS) seen.push(await killedAtOne(bench, folders, moment));
        return seen;
    } finally {
        await folders.close();
    }
}

async function killedAtOne(
    bench: CrashBench,
    folders: AcknowledgedFolders,
    timestamp: Moment,
): Promise<AcknowledgedAtALine> {
    const { crew, shop, database } = bench;
    const dead = killedAt(await crew.proxied(), timestamp);
    crew.bootAhead();
    folders.add(ACKNOWLEDGED);
    const all = folders.left;
    const { id } = await shop.start(`${folders.code}-both`);
    await dead;
    const atDeath = { gone: all - folders.left, due: await folders.due() };
    const early = await folders.lost();
    await bench.endLeases();
    // As if the job of the dead worker had expired.
    await database.rows('UPDATE flow_remote_action SET dispatched_until = NULL');
    await crew.relieve();
    const { status, attempt, recordsLoaded } = await shop.ended(id, PATIENCE_MS);
    const isOver = async (): Promise<number> => folders.left + (await folders.due());
    await until(isOver, many => many === 0, PATIENCE_MS);
    const differences = [...early, ...(await folders.differences())];
    return { run: { status, attempt, recordsLoaded }, atDeath, differences };
}

function readingBoth(folders: AcknowledgedFolders): JsonObject {
    return {
        version: 1,
        steps: [
            { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
            ...FOLDERS.map(folder => folders.reading(folder, folder)),
            { key: 'tags', kind: 'LOAD', config: { adapterCode: 'appendTags' } },
        ],
        edges: FOLDERS.flatMap(folder => [
            { from: 'start', to: folder },
            { from: folder, to: 'tags' },
        ]),
    };
}
