import type { Clock } from '../../src/core/concurrency/clock';

/** The result of some work, and how it was divided between turns of the event loop. */
export interface WorkDone<T> {
    readonly value: T;
    /** The most units that were done without a turn. */
    readonly most: number;
    readonly total: number;
}

/**
 * Counts units of work from one turn of the event loop to the next. Each unit advances the clock by its milliseconds, and nothing else does. So only
 * the work decides when a turn is due, however fast or busy the machine is.
 */
export class WorkBetweenTurns {
    /** For code that takes a clock. */
    readonly clock: Clock = { now: () => this.total * this.unitMs, sleep: () => Promise.resolve() };
    private total = 0;
    private sinceTurn = 0;
    private most = 0;

    constructor(private readonly unitMs: number) {}

    did(units = 1): void {
        this.total += units;
        this.sinceTurn += units;
        this.most = Math.max(this.most, this.sinceTurn);
    }

    /** Code that calls `performance.now()` gets the time of the work in the meantime. */
    async during<T>(work: () => Promise<T>): Promise<WorkDone<T>> {
        let next: NodeJS.Immediate | undefined;
        const turned = (): void => {
            this.sinceTurn = 0;
            next = setImmediate(turned);
        };
        turned();
        Object.defineProperty(performance, 'now', { value: () => this.clock.now(), configurable: true });
        try {
            const value = await work();
            return { value, most: this.most, total: this.total };
        } finally {
            Reflect.deleteProperty(performance, 'now');
            clearImmediate(next);
        }
    }
}
