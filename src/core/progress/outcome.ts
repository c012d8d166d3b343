import type { FlowError } from '../errors/flow-error';
import { type Counters, countsOf } from './counters';
import type { RunOutcome } from './state';

/** The steps that the totals of a run are made of. */
export interface PipelineShape {
    readonly sources: readonly string[];
    readonly loads: readonly string[];
    /** Steps without outgoing edges: their output has reached an end. */
    readonly leaves: readonly string[];
}

/** The totals of a run. */
export interface RunTotals {
    /** The rows in the sources, including rows that were not records. */
    readonly recordsRead: number;
    /** Records that reached an end: of the pipeline, by a filter, or by being rejected. */
    readonly recordsProcessed: number;
    /** Created, updated or deleted. */
    readonly recordsLoaded: number;
    readonly recordsUnchanged: number;
    readonly recordsFiltered: number;
    readonly recordsRejected: number;
}

export function totalsOf(counters: Counters, shape: PipelineShape): RunTotals {
    const of = (step: string) => countsOf(counters, step);
    const all = Object.values(counters);
    const recordsFiltered = sum(all.map(step => step.filtered));
    const recordsRejected = sum(all.map(step => step.rejected));
    return {
        recordsRead: sum(shape.sources.map(key => of(key).in)),
        recordsProcessed: sum(shape.leaves.map(key => of(key).out)) + recordsFiltered + recordsRejected,
        recordsLoaded: sum(shape.loads.map(key => of(key).created + of(key).updated + of(key).deleted)),
        recordsUnchanged: sum(shape.loads.map(key => of(key).unchanged)),
        recordsFiltered,
        recordsRejected,
    };
}

/** The outcome of a run that ended well. `isPartial`: a source was not read completely. */
export function outcomeOf(totals: RunTotals, isPartial = false): RunOutcome {
    if (totals.recordsRead === 0) return 'EMPTY';
    return totals.recordsRejected > 0 || isPartial ? 'PARTIAL' : 'SUCCESS';
}

/** The final status of a run that this error stopped; undefined if the run has not ended but continues elsewhere or later. */
export function endOf(error: FlowError): 'FAILED' | 'CANCELLED' | undefined {
    if (error.code === 'RUN_CANCELLED') return 'CANCELLED';
    return error.treat === 'stop' || error.code === 'DATABASE_LOST' ? undefined : 'FAILED';
}

function sum(numbers: readonly number[]): number {
    return numbers.reduce((total, number) => total + number, 0);
}
