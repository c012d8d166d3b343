import type { JournalEvent } from '../ports/ports';
import { addCounters, type Counters, countsOf } from '../progress/counters';
import { totalsOf } from '../progress/outcome';
import type { CompiledPipeline } from './compile';
import { ErrorBudget } from './error-budget';

/** What an execution has counted: of the whole run, what earlier slices committed and what has settled since. */
export class Progress {
    counters: Counters = {};
    private budget: ErrorBudget;
    private readonly spentMs = new Map<string, number>();

    constructor(private readonly compiled: Pick<CompiledPipeline, 'definition' | 'shape'>) {
        this.budget = this.budgetFrom({});
    }

    /** Goes on from what is committed. So many rejected records an earlier run has answered for. */
    begin(counters: Counters, rejectedBefore: number): void {
        this.counters = counters;
        this.budget = this.budgetFrom(counters);
        this.budget.forgive(rejectedBefore);
    }

    add(counters: Counters): void {
        this.counters = addCounters(this.counters, counters);
    }

    /** Throws ERROR_BUDGET_EXCEEDED when it is too much. */
    spend(counts: { readonly read?: number; readonly rejected?: number }): void {
        this.budget.spend(counts);
    }

    forgive(rejected: number): void {
        this.budget.forgive(rejected);
    }

    took(stepKey: string, ms: number): void {
        this.spentMs.set(stepKey, (this.spentMs.get(stepKey) ?? 0) + ms);
    }

    /** Whether the step has written something in the run, or found it written by the run that this one goes on for. */
    hasWritten(stepKey: string): boolean {
        const { created, updated, deleted, unchanged } = countsOf(this.counters, stepKey);
        return created + updated + deleted + unchanged > 0;
    }

    /** What is told of a step at the end. */
    summaryOf(stepKey: string): JournalEvent {
        const counters = { ...countsOf(this.counters, stepKey) };
        return { type: 'step.finished', stepKey, counters, ms: this.spentMs.get(stepKey) ?? 0 };
    }

    private budgetFrom(counters: Counters): ErrorBudget {
        const { definition, shape } = this.compiled;
        return new ErrorBudget(definition.errorHandling, totalsOf(counters, shape));
    }
}
