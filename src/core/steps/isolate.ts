import type { StatementProgram } from '../adapter/loader';
import { asFlowError, type FlowError } from '../errors/flow-error';
import type { LoadTransaction } from '../ports/ports';

/** What is done with the records `from` up to and without `to` of a batch. */
export interface Part<T> {
    load(from: number, to: number): StatementProgram<T>;
    /** The record at `index` failed although it was alone. */
    refuse(index: number, error: FlowError): T;
}

/**
 * Finds the failing records of a batch that the database rejected as a whole: it tries each half separately, then the halves of those that fail.
 * One failing record among n costs about 2 log₂ n tries; all other records are still written in bulk. Returns the parts in the order of their
 * records.
 */
export function* isolate<T>(tx: LoadTransaction, count: number, part: Part<T>): StatementProgram<readonly T[]> {
    if (count < 2) return yield* tryPart(0, count);
    return yield* halves(0, count);

    function* halves(from: number, to: number): StatementProgram<readonly T[]> {
        const middle = (from + to) >>> 1;
        return [...(yield* tryPart(from, middle)), ...(yield* tryPart(middle, to))];
    }

    function* tryPart(from: number, to: number): StatementProgram<readonly T[]> {
        if (from === to) return [];
        const done = yield* tx.savepoint(() => part.load(from, to));
        if (done.ok) return [done.value];
        const error = asFlowError(done.error);
        if (error.treat !== 'record') throw error;
        return to - from === 1 ? [part.refuse(from, error)] : yield* halves(from, to);
    }
}
