import type { Batch, FlowRecord } from '../../core/data/record';

/**
 * Reads each record of a batch once, although it is needed for locks and for the plan, and again after a rollback or in a half. `read` must be
 * pure.
 */
export function oncePerBatch<T extends object>(read: (record: FlowRecord) => T): (batch: Batch) => readonly T[] {
    const known = new WeakMap<FlowRecord, T>();
    return batch =>
        batch.map(record => {
            const found = known.get(record) ?? read(record);
            known.set(record, found);
            return found;
        });
}
