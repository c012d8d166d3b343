import type { Counters } from '../../core/progress/counters';
import type { StepStatuses } from '../../core/progress/step-statuses';
import type { PipelineShape, RunTotals } from '../../core/progress/outcome';

/** The progress of a run, committed or not, as users see it. */
export interface RunProgress {
    readonly counters: Counters;
    readonly totals: RunTotals;
    readonly signs?: StepStatuses | undefined;
    /** What the totals are made of; absent where they are made of what is stored. */
    readonly shape?: PipelineShape;
}

/** The columns of the run's row that show it. */
export function progressOf({ counters, totals, signs }: RunProgress): Readonly<Record<string, unknown>> {
    return { ...totals, counters, ...(signs && { signs }) };
}
