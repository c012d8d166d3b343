import type { JsonObject } from '../../src/core/value/json';
import type { Batch, FlowRecord } from '../../src/core/data/record';
import { deepFrozen, frozenBatch } from '../../src/testing/frozen';

/** A record with its sequence number, as a source creates it. */
export function record(data: JsonObject, seq = 0): FlowRecord {
    return { data: deepFrozen(data), origin: { seq } };
}

/** Records numbered in order. */
export function batchOf(...data: readonly JsonObject[]): Batch {
    return frozenBatch(data);
}
