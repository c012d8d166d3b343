import type { Clock } from './clock';

const STRETCH_MS = 20;

/**
 * Lets the event loop turn about every 20 ms, so that a run that computes does not starve the shop's requests, its own
 * heartbeat or the queue's locks. One for a run: all its trips share the thread.
 */
export class Pace {
    private turnedAt: number;

    constructor(private readonly clock: Clock) {
        this.turnedAt = clock.now();
    }

    get isDue(): boolean {
        return Math.abs(this.clock.now() - this.turnedAt) >= STRETCH_MS;
    }

    async turn(): Promise<void> {
        await new Promise<void>(resolve => setImmediate(resolve));
        this.turnedAt = this.clock.now();
    }
}
