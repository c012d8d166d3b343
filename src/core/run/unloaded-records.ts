import type { StepLog } from '../adapter/context';
import { trustedLine } from '../adapter/trusted-line';
import { show } from '../value/show';

/** What of a source that has failed was read and is not loaded. */
export interface UnloadedRecords {
    /** Records of its last batch. */
    readonly rest: number;
    /** The steps that may hold its batches, and how many records each of them holds. */
    readonly gates: readonly string[];
    readonly held: ReadonlyMap<string, number>;
}

/** Warns of records that a failed source has read and that the run does not load; silent if there are none. */
export function unloadedLine(log: StepLog, { rest, gates, held }: UnloadedRecords): void {
    const records = rest + [...held.values()].reduce((sum, count) => sum + count, 0);
    if (records === 0) return;
    const [gate] = held.keys();
    const why =
        gates.length > 0
            ? `The gate ${show(gate ?? gates[0]!)} had not released them, and a failed run drops what its gates hold.`
            : 'A worker stopped while it loaded their batch, which can only be loaded again as a whole.';
    const what = `Records that were read before the source failed, and are not loaded: ${records}.`;
    trustedLine(log, 'WARN', `${what} ${why} The next run reads them again.`, { code: 'SOURCE_UNLOADED', records });
}
