/** Places, and who waits for one: those for batches are the concurrency, the back-pressure and the memory bound of a run. */
export class Slots {
    private readonly waiting: Array<() => void> = [];
    private closed = false;

    constructor(private free: number) {}

    /** Resolves when there is a place, or at once when no place matters any more. */
    take(): Promise<void> {
        if (this.closed) return Promise.resolve();
        if (this.free > 0) {
            this.free--;
            return Promise.resolve();
        }
        return new Promise(resolve => this.waiting.push(resolve));
    }

    give(count = 1): void {
        for (let i = 0; i < count; i++) {
            const next = this.waiting.shift();
            if (next) next();
            else this.free++;
        }
    }

    /** The run stops: whoever waits for a place is let go, to see that for itself. */
    close(): void {
        this.closed = true;
        for (const next of this.waiting.splice(0)) next();
    }
}
