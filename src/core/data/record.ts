import type { JsonObject } from '../value/json';

/**
 * Where a record came from; shared by every record derived from it. `seq` counts the records of one source within a run,
 * from 0, and is the same again when the run resumes after a crash.
 */
export interface Origin {
    readonly seq: number;
    /** Of a joint origin: those it stands for. What fails it fails them all, and what fails one of them fails it. */
    readonly parts?: readonly Origin[];
}

/** One JSON object with its origin. Both are shared between branches, so neither is ever changed in place. */
export interface FlowRecord {
    readonly data: JsonObject;
    readonly origin: Origin;
}

/** What travels: some records of one source, at most `throughput.batchSize` when they leave it. */
export type Batch = readonly FlowRecord[];

/**
 * The origin of what was made from these records: theirs where they have one in common, else a joint one. What was made from none of
 * a batch is told apart by `seq` alone.
 */
export function originOf(from: Batch, seq = 0): Origin {
    const parts = new Set(from.map(({ origin }) => origin));
    const [first = { seq }] = parts;
    return parts.size === 1 ? first : { seq: first.seq, parts: [...parts] };
}
