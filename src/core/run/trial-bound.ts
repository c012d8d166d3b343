import type { JsonValue } from '../data/json';

/** How much of a trial is kept to be shown: about so many characters of JSON. What is seen again is counted again, but measured once. */
export class TrialBound {
    private readonly lengths = new WeakMap<object, number>();
    private total = 0;

    /** `exceeded` makes what is thrown once it is too much. */
    constructor(
        private readonly characters: number,
        private readonly exceeded: () => Error,
    ) {}

    /** Throws once it is too much. */
    take(value: JsonValue): void {
        this.total += this.lengthOf(value);
        if (this.total > this.characters) throw this.exceeded();
    }

    private lengthOf(value: JsonValue): number {
        if (typeof value !== 'object' || value === null) return JSON.stringify(value).length;
        const known = this.lengths.get(value);
        if (known !== undefined) return known;
        const length = JSON.stringify(value).length;
        this.lengths.set(value, length);
        return length;
    }
}
