import type { Batch } from '../data/record';
import type { Reject } from '../ports/ports';

/** An operator of a transform step. */
export interface ProbedOperator {
    readonly op: string;
    /** Its place in the step, from 1. */
    readonly position: number;
}

/** What an operator made of a batch. */
export interface ProbedWork {
    readonly before: Batch;
    readonly after: Batch;
    /** What it rejected, and what it warned of. */
    readonly faults: readonly Reject[];
}

/**
 * Looks on at one step while a few records are tried on it: what comes to it, what it makes of that, and each of its operators alone.
 * What goes on is the same with it and without, but for ids that operators make up.
 */
export interface StepProbe {
    readonly stepKey: string;
    came(batch: Batch): void;
    gave(batch: Batch, branches?: ReadonlyMap<string, Batch>): void;
    /** Told as soon as the operator is done with a batch. What it answers takes that back: the batch comes again. */
    operator(operator: ProbedOperator, work: ProbedWork): () => void;
}
