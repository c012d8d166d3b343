import type { Batch } from '../data/record';
import type { Reject } from '../ports/ports';

/** An operator of a transform step. */
export interface TappedOperator {
    readonly op: string;
    /** Its place in the step, from 1. */
    readonly position: number;
}

/** What an operator made of a batch. */
export interface TappedBatch {
    readonly before: Batch;
    readonly after: Batch;
    /** Its rejects and warnings. */
    readonly faults: readonly Reject[];
}

/**
 * Observes one step while a few records are tried on it: its input, its output, and each of its operators. The output is the same with and without
 * the probe, except for ids that operators generate.
 */
export interface StepTap {
    readonly stepKey: string;
    came(batch: Batch): void;
    gave(batch: Batch, branches?: ReadonlyMap<string, Batch>): void;
    /** Called as soon as the operator has processed a batch. The returned function revokes the report, because the batch is repeated. */
    operator(operator: TappedOperator, batch: TappedBatch): () => void;
}
