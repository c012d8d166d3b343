import type { JsonObject } from '../../src/core/data/json';
import type { Batch, FlowRecord } from '../../src/core/data/record';

/** A record as a source numbers it. */
export function record(data: JsonObject, seq = 0): FlowRecord {
    return { data, origin: { seq } };
}

/** Records numbered in their order. */
export function batchOf(...data: readonly JsonObject[]): Batch {
    return data.map((one, seq) => record(one, seq));
}
