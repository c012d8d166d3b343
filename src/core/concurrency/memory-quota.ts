/** A memory limit for several holders together, in characters. A holder releases its memory when it ends. */
export class MemoryQuota {
    private total = 0;

    constructor(private readonly most: number) {}

    /** The share of one holder. `exceeded` creates the error if all holders together exceed the limit. */
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

/** The memory of one holder. */
export interface QuotaReservation {
    /** Throws if the limit is exceeded. The memory is still counted, until it is released. */
    take(weight: number): void;
    giveBack(weight: number): void;
    /** Releases all of it, and accepts nothing more. */
    release(): void;
}
