import type { Batch } from '../data/record';

/** An operator of a transform step. */
export interface ProbedOperator {
    readonly op: string;
    /** Its place in the step, from 1. */
    readonly position: number;
}

/**
 * Looks on at one step while a few records are tried on it: what comes to it, what it makes of that, and each of its operators alone.
 * What goes on is the same with it and without, but for ids that operators make up.
 */
export interface StepProbe {
    readonly stepKey: string;
    came(batch: Batch): void;
    gave(batch: Batch, branches?: ReadonlyMap<string, Batch>): void;
    operator(operator: ProbedOperator, before: Batch, after: Batch): void;
}
