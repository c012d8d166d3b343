import { flowError } from '../errors/flow-error';
import type { ErrorHandling } from '../schema/settings';
import type { RunTotals } from '../progress/outcome';

const JUDGED_FROM = 100;

/** The number of rejected records that a run tolerates. Records that earlier slices of the run read and rejected count too. */
export class ErrorBudget {
    private read: number;
    private rejected: number;

    constructor(
        private readonly limits: Pick<ErrorHandling, 'maxErrors' | 'maxErrorRate'>,
        soFar: Pick<RunTotals, 'recordsRead' | 'recordsRejected'>,
    ) {
        this.read = soFar.recordsRead;
        this.rejected = soFar.recordsRejected;
    }

    /** Excludes this number of upcoming rejected records, because an earlier run has already counted them. */
    forgive(rejected: number): void {
        this.rejected -= rejected;
    }

    /** Counts, and throws ERROR_BUDGET_EXCEEDED when it is too much. */
    spend(counts: { readonly read?: number; readonly rejected?: number }): void {
        this.read += counts.read ?? 0;
        this.rejected += counts.rejected ?? 0;
        const { maxErrors, maxErrorRate } = this.limits;
        if (maxErrors !== undefined && this.rejected > maxErrors) this.exceeded('maxErrors', maxErrors);
        if (maxErrorRate === undefined || this.read < JUDGED_FROM) return;
        if (this.rejected / this.read > maxErrorRate) this.exceeded('maxErrorRate', maxErrorRate);
    }

    private exceeded(limit: string, allowed: number): never {
        throw flowError('ERROR_BUDGET_EXCEEDED', { rejected: this.rejected, read: this.read, limit, allowed });
    }
}
