import type { JsonValue } from '../value/json';
import { sizeOfValue } from '../data/weight';
import type { QuotaReservation } from '../concurrency/memory-quota';

/** The limit of what a test run keeps, and the error above it. */
interface TestRunLimits {
    readonly chars: number;
    tooMuch(): Error;
    /** At one place of a step. */
    readonly records: number;
    tooMany(): Error;
}

/**
 * Limits how much of a trial is kept for display: about this number of characters, plus an amount for each value. A value that is seen again costs
 * nothing.
 */
export class TestRunBudget {
    private readonly known = new WeakSet<object>();
    private total = 0;

    /** `share` counts all that is taken, and may throw as well. */
    constructor(
        private readonly limits: TestRunLimits,
        private readonly quotaReservation?: QuotaReservation,
    ) {}

    /** Throws when the limit is exceeded. Returns the amount that can be given back. */
    take(value: JsonValue): number {
        if (typeof value === 'object' && value !== null) {
            if (this.known.has(value)) return 0;
            this.known.add(value);
        }
        const weight = sizeOfValue(value, this.limits.chars);
        this.total += weight;
        if (this.total > this.limits.chars) throw this.limits.tooMuch();
        this.quotaReservation?.take(weight);
        return weight;
    }

    /** Checks the number of records at one place. */
    assertFew(records: number): void {
        if (records > this.limits.records) throw this.limits.tooMany();
    }

    /** What is not kept after all. */
    giveBack(weight: number): void {
        this.total -= weight;
        this.quotaReservation?.giveBack(weight);
    }
}
