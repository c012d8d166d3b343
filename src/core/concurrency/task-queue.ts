import type { YieldingTask } from './yielding-task';

/** After this number of milliseconds, other work of the process gets its turn. */
const TURN_MS = 8;

/**
 * Runs the work of a process in alternating stretches of a few milliseconds. Between two turns of the event loop there is at most one such stretch,
 * for any number of callers, and no caller waits for the end of another's work.
 */
export class TaskQueue {
    private readonly waiting: Array<() => void> = [];

    /** Returns the result of the work. Throws its errors. */
    async done<T>(yieldingTask: YieldingTask<T>): Promise<T> {
        await this.turn();
        let since = performance.now();
        for (;;) {
            const bit = yieldingTask.next();
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
