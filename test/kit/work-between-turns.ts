import type { Clock } from '../../src/core/concurrency/clock';

/** What came of some work, and how it went on between two turns of the event loop. */
export interface WorkDone<T> {
    readonly value: T;
    /** The most units that were done without a turn. */
    readonly most: number;
    readonly total: number;
}

/**
 * Units of work, counted from one turn of the event loop to the next. The clock beside it stands still but for that work, of which each
 * unit takes its milliseconds: so it is the work alone that decides when a turn is due, however fast or busy the machine is.
 */
export class WorkBetweenTurns {
    /** For code that is given its clock. */
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

    /** Code that reads `performance.now()` is told the time of the work meanwhile. */
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
