import type { JsonObject } from '../../src';
import { type RunAnswer, until } from '../config/flow-server';
import { AcknowledgedFolders, FOLDERS } from './acknowledged-folders';
import type { CrashBench } from './crash-bench';
import { PATIENCE_MS } from './import';
import { killedAt, type Line } from './killed-at-a-line';

/** What became of files whose worker was killed around the end of the run that had read them. */
export interface AcknowledgedAtALine {
    readonly run: Pick<RunAnswer, 'status' | 'attempt' | 'recordsLoaded'>;
    /** How many files had gone, and of how many it was due, when the worker was dead. */
    readonly atDeath: { readonly gone: number; readonly due: number };
    /** What is wrong, then and at the end. */
    readonly differences: readonly string[];
}

/** In each folder. */
export const ACKNOWLEDGED = 4;

interface Moment {
    readonly into: string | RegExp;
    readonly line: Line;
}

/** The run is not COMPLETED yet; it is, and nothing is done; a file has gone, and that is not written down. */
const MOMENTS: readonly Moment[] = [
    { into: 'flow_remote_action', line: 'commit' },
    { into: 'flow_remote_action', line: 'answer' },
    { into: /DELETE FROM ["`]flow_remote_action["`]/, line: 'statement' },
];

/** A run reads two folders, of which one is to be moved and the other deleted, and its worker is killed; once for each moment. */
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
    // As if the time had passed that the dead man's job may have been on its way.
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
