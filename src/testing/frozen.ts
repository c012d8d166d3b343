import type { JsonObject } from '../core/value/json';
import type { Batch } from '../core/data/record';

/** Freezes a value deeply, so that every attempt to change it throws. */
export function deepFrozen<T>(value: T): T {
    if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
        Object.freeze(value);
        Object.values(value).forEach(deepFrozen);
    }
    return value;
}

/** Frozen records, numbered in their order. */
export function frozenBatch(records: readonly JsonObject[]): Batch {
    return records.map((data, seq) => ({ data: deepFrozen(data), origin: { seq } }));
}
