import type { JsonValue } from '../data/json';
import { weightOf } from '../data/weight';
import type { Share } from '../work/shares';

/** How much of a trial is kept to be shown: about so many characters, and something for each value. What is seen again is counted again, but measured once. */
export class TrialBound {
    private readonly weights = new WeakMap<object, number>();
    private total = 0;

    /** `exceeded` makes what is thrown once it is too much; `share` hears of all that is taken, and may throw as well. */
    constructor(
        private readonly characters: number,
        private readonly exceeded: () => Error,
        private readonly share?: Share,
    ) {}

    /** Throws once it is too much. */
    take(value: JsonValue): void {
        const weight = this.weightOf(value);
        this.total += weight;
        if (this.total > this.characters) throw this.exceeded();
        this.share?.take(weight);
    }

    private weightOf(value: JsonValue): number {
        if (typeof value !== 'object' || value === null) return weightOf(value);
        const known = this.weights.get(value);
        if (known !== undefined) return known;
        const weight = weightOf(value, this.characters);
        this.weights.set(value, weight);
        return weight;
    }
}
