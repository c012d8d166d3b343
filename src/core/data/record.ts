import type { JsonObject } from '../value/json';

/**
 * The origin of a record, shared by every record derived from it. `seq` counts the records of one source within a run,
 * from 0, and is the same again when the run resumes after a crash.
 */
export interface Origin {
    readonly seq: number;
    /** The origins that a joint origin combines. If it fails, all of them fail, and if one of them fails, it fails. */
    readonly parts?: readonly Origin[];
}

/** One JSON object with its origin. Both are shared between branches and never changed in place. */
export interface FlowRecord {
    readonly data: JsonObject;
    readonly origin: Origin;
}

/** Some records of one source, at most `throughput.batchSize` when they leave it. */
export type Batch = readonly FlowRecord[];

/**
 * The origin of a record that was made from these records: their common origin, otherwise a joint one. A record that
 * was made from none of a batch is identified by `seq` alone.
 */
export function originOf(from: Batch, seq = 0): Origin {
    const parts = new Set(from.map(({ origin }) => origin));
    const [first = { seq }] = parts;
    return parts.size === 1 ? first : { seq: first.seq, parts: [...parts] };
}
