import { Semaphore } from './semaphore';

/**
 * The number of batches in the line for each travelling batch. Batches after a slow one settle before it, but positions commit in source order.
 * Without this extra room, places would stay empty until the slow batch has finished (ADR 1).
 */
const AHEAD = 2;

/** The room that a run has for batches: places to travel in, and a line of those that travel, or have and are not durable yet. */
export class InFlightLimiter {
    private readonly places: Semaphore;
    private readonly line: Semaphore;

    constructor(places: number) {
        this.places = new Semaphore(places);
        this.line = new Semaphore(places === 1 ? 1 : places * AHEAD);
    }

    /** Waits until one more batch may be on its way. */
    async take(): Promise<void> {
        await this.line.take();
        await this.places.take();
    }

    /** One that has room does not start after all. */
    giveBack(): void {
        this.places.give();
        this.line.give();
    }

    /** A batch has reached its end; it stays in the line. */
    arrived(): void {
        this.places.give();
    }

    /** This number of batches is durable. */
    committed(batches: number): void {
        this.line.give(batches);
    }

    /** The run stops: all waiting callers are released and check the state themselves. */
    close(): void {
        this.places.close();
        this.line.close();
    }
}
