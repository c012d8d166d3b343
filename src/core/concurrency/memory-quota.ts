/** What many hold together, in characters. Each gives back what it has taken once it is over. */
export class MemoryQuota {
    private total = 0;

    constructor(private readonly most: number) {}

    /** The share of one. `exceeded` makes what is thrown where all of them together hold too much. */
    open(exceeded: () => Error): QuotaReservation {
        let taken = 0;
        let isOver = false;
        return {
            take: weight => {
                // Abandoned work may still take from the share, and nothing would ever give that back.
                if (isOver) throw exceeded();
                taken += weight;
                this.total += weight;
                if (this.total > this.most) throw exceeded();
            },
            giveBack: weight => {
                taken -= weight;
                this.total -= weight;
            },
            release: () => {
                isOver = true;
                this.total -= taken;
                taken = 0;
            },
        };
    }
}

/** What one holds of what all may. */
export interface QuotaReservation {
    /** Throws where it is too much; it is taken all the same, until it is given back. */
    take(weight: number): void;
    giveBack(weight: number): void;
    /** Gives back all of it, and takes nothing more. */
    release(): void;
}
