/** Slots, and the callers that wait for one. The slots for batches are the concurrency, the back-pressure and the memory bound of a run. */
export class Semaphore {
    private readonly waiting: Array<() => void> = [];
    private closed = false;

    constructor(private free: number) {}

    /** Resolves when a slot is free, or at once after the slots are closed. */
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

    /** The run stops: all waiting callers are released and check the state themselves. */
    close(): void {
        this.closed = true;
        for (const next of this.waiting.splice(0)) next();
    }
}
