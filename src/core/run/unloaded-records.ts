import type { StepLog } from '../adapter/context';
import { logEvent } from '../adapter/log-event';
import { show } from '../value/show';

/** What of a source that has failed was read and is not loaded. */
interface UnloadedRecords {
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
    const [gate = gates[0]] = held.keys();
    if (gate === undefined) logEvent(log, 'RECORDS_LEFT_IN_BATCH', { records });
    else logEvent(log, 'RECORDS_LEFT_AT_GATE', { records, gate: show(gate) });
}
