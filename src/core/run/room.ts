import { Slots } from './slots';

/**
 * So many batches for each that travels may be settled or on their way. Those behind a slow one settle before it, and positions commit in the
 * order of the source: with no room beyond the places, places would stand empty until the slow one has come (ADR 1).
 */
const AHEAD = 2;

/** The room that a run has for batches: places to travel in, and a line of those that travel, or have and are not durable yet. */
export class Room {
    private readonly places: Slots;
    private readonly line: Slots;

    constructor(places: number) {
        this.places = new Slots(places);
        this.line = new Slots(places === 1 ? 1 : places * AHEAD);
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

    /** One has come to its end; it stays in the line. */
    arrived(): void {
        this.places.give();
    }

    /** So many are durable. */
    landed(batches: number): void {
        this.line.give(batches);
    }

    /** The run stops: whoever waits is let go, to see that for itself. */
    close(): void {
        this.places.close();
        this.line.close();
    }
}
