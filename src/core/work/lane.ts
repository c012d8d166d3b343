import type { Work } from './work';

/** After so many milliseconds other work of the process gets its turn. */
const TURN_MS = 8;

/**
 * On which work of a process goes on one behind the other, each a few milliseconds at a time: between two turns of the event loop there is
 * never more than one such stretch, however many callers there are, and none of them waits for another one's end.
 */
export class Lane {
    private readonly waiting: Array<() => void> = [];

    /** Answers what the work answers. Throws what it throws. */
    async done<T>(work: Work<T>): Promise<T> {
        await this.turn();
        let since = performance.now();
        for (;;) {
            const bit = work.next();
            if (bit.done === true) return bit.value;
            if (performance.now() - since < TURN_MS) continue;
            await this.turn();
            since = performance.now();
        }
    }

    private turn(): Promise<void> {
        return new Promise(resolve => {
            this.waiting.push(resolve);
            if (this.waiting.length === 1) this.afterThis();
        });
    }

    /** What is set up for the next turn from within a turn does not belong to that one. */
    private afterThis(): void {
        setImmediate(() => {
            this.waiting.shift()!();
            if (this.waiting.length > 0) this.afterThis();
        });
    }
}
