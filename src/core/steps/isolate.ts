import type { Script } from '../adapter/loader';
import { asFlowError, type FlowError } from '../errors/flow-error';
import type { LoadTransaction } from '../ports/ports';

/** What is done with the records `from` up to and without `to` of a batch. */
export interface Part<T> {
    load(from: number, to: number): Script<T>;
    /** The record at `index` stood alone and failed all the same. */
    refuse(index: number, error: FlowError): T;
}

/**
 * Finds the guilty records of a batch that the database refused as a whole: each half on its own, and the halves of those
 * that fail. One guilty record among n costs about 2 log₂ n tries; all others are still written in bulk. Answers the
 * parts in the order of their records.
 */
export function* isolate<T>(tx: LoadTransaction, count: number, part: Part<T>): Script<readonly T[]> {
    if (count < 2) return yield* tryPart(0, count);
    return yield* halves(0, count);

    function* halves(from: number, to: number): Script<readonly T[]> {
        const middle = (from + to) >>> 1;
        return [...(yield* tryPart(from, middle)), ...(yield* tryPart(middle, to))];
    }

    function* tryPart(from: number, to: number): Script<readonly T[]> {
        if (from === to) return [];
        const done = yield* tx.savepoint(() => part.load(from, to));
        if (done.ok) return [done.value];
        const error = asFlowError(done.error);
        if (error.treat !== 'record') throw error;
        return to - from === 1 ? [part.refuse(from, error)] : yield* halves(from, to);
    }
}
