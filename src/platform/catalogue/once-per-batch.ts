import type { Batch, FlowRecord } from '../../core/data/record';

/** Reads the records of a batch once, though it is asked for its locks and for its plan, and again after a rollback. Must be pure. */
export function oncePerBatch<T>(read: (record: FlowRecord) => T): (batch: Batch) => readonly T[] {
    const known = new WeakMap<Batch, readonly T[]>();
    return batch => {
        let records = known.get(batch);
        if (!records) known.set(batch, (records = batch.map(read)));
        return records;
    };
}
