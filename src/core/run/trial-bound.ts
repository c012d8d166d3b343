import type { JsonValue } from '../value/json';
import { weightOf } from '../data/weight';
import type { Share } from '../work/shares';

/** How much of a trial may be kept, and what is thrown where that is not enough. */
export interface TrialLimits {
    readonly chars: number;
    tooMuch(): Error;
    /** At one place of a step. */
    readonly records: number;
    tooMany(): Error;
}

/** How much of a trial is kept to be shown: about so many characters, and something for each value. What is seen again takes nothing more. */
export class TrialBound {
    private readonly known = new WeakSet<object>();
    private total = 0;

    /** `share` counts all that is taken, and may throw as well. */
    constructor(
        private readonly limits: TrialLimits,
        private readonly share?: Share,
    ) {}

    /** Throws once it is too much. Answers what can be given back. */
    take(value: JsonValue): number {
        if (typeof value === 'object' && value !== null) {
            if (this.known.has(value)) return 0;
            this.known.add(value);
        }
        const weight = weightOf(value, this.limits.chars);
        this.total += weight;
        if (this.total > this.limits.chars) throw this.limits.tooMuch();
        this.share?.take(weight);
        return weight;
    }

    /** So many records came to one place. */
    assertFew(records: number): void {
        if (records > this.limits.records) throw this.limits.tooMany();
    }

    /** What is not kept after all. */
    giveBack(weight: number): void {
        this.total -= weight;
        this.share?.giveBack(weight);
    }
}
