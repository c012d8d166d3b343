import type { JsonObject, JsonValue } from './json';

/**
 * Where a record came from; shared by every record derived from it. `seq` counts the records of one source within a run,
 * from 0, and is the same again when the run resumes after a crash.
 */
export interface Origin {
    readonly seq: number;
    memo?: Map<string, JsonValue>;
    failed?: boolean;
}

/** One JSON object with its origin. Both are shared between branches, so neither is ever changed in place. */
export interface FlowRecord {
    readonly data: JsonObject;
    readonly origin: Origin;
}

/** What travels: some records of one source, at most `throughput.batchSize` when they leave it. */
export type Batch = readonly FlowRecord[];
