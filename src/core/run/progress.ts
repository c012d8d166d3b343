import { byName } from '../data/own-properties';
import type { JournalEvent, RunPorts } from '../ports/ports';
import { addCounters, type Counters, countsOf } from '../progress/counters';
import type { RetryWait, StepStatus } from '../progress/step-statuses';
import { totalsOf } from '../progress/outcome';
import type { CompiledPipeline } from './compile';
import { ErrorBudget } from './error-budget';

/** The counters of an execution, for the whole run: what earlier slices committed and what has settled since. */
export class Progress {
    counters: Counters = {};
    private budget: ErrorBudget;
    private readonly signs = byName<StepStatus>();
    private hasBegun = false;

    constructor(
        private readonly compiled: Pick<CompiledPipeline, 'definition' | 'shape'>,
        private readonly told: RunPorts['progress'],
    ) {
        this.budget = this.budgetFrom({});
    }

    /** Resumes from the committed counters. `rejectedBefore` is the number of rejected records that an earlier run has already counted. */
    begin(counters: Counters, rejectedBefore: number): void {
        this.counters = counters;
        this.budget = this.budgetFrom(counters);
        this.budget.forgive(rejectedBefore);
        this.hasBegun = true;
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
        const sign = this.signs[stepKey];
        this.signs[stepKey] = { ...sign, ms: (sign?.ms ?? 0) + ms };
    }

    /** A source has read up to this place. */
    came(sourceKey: string, place: string | undefined): void {
        if (place !== undefined) this.signs[sourceKey] = { ms: 0, ...this.signs[sourceKey], place };
    }

    /** A wait begins, or is over. */
    waits(stepKey: string, waits: RetryWait | undefined): void {
        const { waits: _before, ...sign } = this.signs[stepKey] ?? { ms: 0 };
        this.signs[stepKey] = { ...sign, ...(waits && { waits }) };
        this.tell();
    }

    /** Reports the progress to the observer, once it is known. */
    tell(): void {
        if (this.hasBegun) this.told(this.counters, { ...this.signs });
    }

    /** Whether the step has written something in this run, or found it written by the run that this one continues. */
    hasWritten(stepKey: string): boolean {
        const { created, updated, deleted, unchanged } = countsOf(this.counters, stepKey);
        return created + updated + deleted + unchanged > 0;
    }

    /** The event at the end of a step. */
    summaryOf(stepKey: string): JournalEvent {
        const counters = { ...countsOf(this.counters, stepKey) };
        return { type: 'step.finished', stepKey, counters, ms: this.signs[stepKey]?.ms ?? 0 };
    }

    private budgetFrom(counters: Counters): ErrorBudget {
        const { definition, shape } = this.compiled;
        return new ErrorBudget(definition.errorHandling, totalsOf(counters, shape));
    }
}
