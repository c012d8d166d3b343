import type { AdapterContext } from '../adapter/context';
import type { Batch } from '../data/record';
import type { FlowError } from '../errors/flow-error';
import type { StepCounters } from '../run/counters';
import type { Pace } from '../run/pace';
import type { Reject, RunPorts } from '../run/ports';

/** What a step has of the run that executes it. */
export interface StepEnv {
    readonly ports: RunPorts;
    readonly pace: Pace;
    /** What the step's adapter may touch. */
    readonly adapter: AdapterContext;
}

/** One coming of a batch to a step. */
export interface Visit {
    readonly sourceKey: string;
    readonly batchNo: number;
    /** 0, or more where several ways lead a batch to the same step. */
    readonly number: number;
    /** What this batch brought to the step at its earlier visits. */
    readonly earlier: readonly Batch[];
}

export interface StepResult {
    readonly out: Batch;
    /** What became of the others; `in` and `out` are counted by the trip. */
    readonly counts: Partial<StepCounters>;
    /** Rejected records that are not durable yet. */
    readonly rejects: readonly Reject[];
}

/** Every step is one function of a batch (architecture, decision 2). May be called again for the same visit after a throw. */
export type StepFn = (batch: Batch, visit: Visit) => Promise<StepResult>;

/** What compiling a step gives: it is opened once a run. */
export interface Step {
    readonly key: string;
    open(env: StepEnv): Promise<StepFn>;
}

/** A step and where its records go on to, in the order of the edges. */
export interface Node {
    readonly step: Step;
    readonly next: readonly Node[];
}

/**
 * Makes the rejects of one visit. Records of one origin are told apart by their order at the step, over all visits of the
 * batch, so a batch that comes again after a crash reports each of them under the same key.
 */
export function rejecter(stepKey: string, batch: Batch, visit: Visit): (index: number, error: FlowError) => Reject {
    let ordinals: readonly number[] | undefined;
    return (index, error) => {
        ordinals ??= ordinalsOf(batch, visit.earlier);
        const { data, origin } = batch[index]!;
        const field = error.details?.['path'] ?? error.details?.['field'];
        return {
            stepKey,
            sourceKey: visit.sourceKey,
            seq: origin.seq,
            ordinal: ordinals[index]!,
            code: error.code,
            message: error.message,
            path: typeof field === 'string' ? field : undefined,
            payload: data,
        };
    };
}

function ordinalsOf(batch: Batch, earlier: readonly Batch[]): readonly number[] {
    const seen = new Map<number, number>();
    const next = (seq: number): number => {
        const ordinal = seen.get(seq) ?? 0;
        seen.set(seq, ordinal + 1);
        return ordinal;
    };
    for (const before of earlier) for (const { origin } of before) next(origin.seq);
    return batch.map(({ origin }) => next(origin.seq));
}
