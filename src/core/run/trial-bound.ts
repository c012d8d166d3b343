import type { JsonValue } from '../data/json';
import { weightOf } from '../data/weight';
import type { Share } from '../work/shares';

/** How much of a trial is kept to be shown: about so many characters, and something for each value. What is seen again takes nothing more. */
export class TrialBound {
    private readonly known = new WeakSet<object>();
    private total = 0;

    /** `exceeded` makes what is thrown once it is too much; `share` hears of all that is taken, and may throw as well. */
    constructor(
        private readonly characters: number,
        private readonly exceeded: () => Error,
        private readonly share?: Share,
    ) {}

    /** Throws once it is too much. Answers what can be given back. */
    take(value: JsonValue): number {
        if (typeof value === 'object' && value !== null) {
            if (this.known.has(value)) return 0;
            this.known.add(value);
        }
        const weight = weightOf(value, this.characters);
        this.total += weight;
        if (this.total > this.characters) throw this.exceeded();
        this.share?.take(weight);
        return weight;
    }

    /** What is not kept after all. */
    giveBack(weight: number): void {
        this.total -= weight;
        this.share?.giveBack(weight);
    }
}
