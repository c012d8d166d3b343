/** What all trials of a process hold together, in characters. Each gives back what it has taken once it is over. */
export class TrialShares {
    private total = 0;

    constructor(private readonly most: number) {}

    /** The share of one trial. `exceeded` makes what is thrown where all of them together hold too much. */
    open(exceeded: () => Error): TrialShare {
        let taken = 0;
        let isOver = false;
        return {
            take: weight => {
                // A step that was given up may still hand on what nobody would ever give back.
                if (isOver) throw exceeded();
                taken += weight;
                this.total += weight;
                if (this.total > this.most) throw exceeded();
            },
            release: () => {
                isOver = true;
                this.total -= taken;
                taken = 0;
            },
        };
    }
}

/** What one trial holds of what all may. */
export interface TrialShare {
    take(weight: number): void;
    release(): void;
}
