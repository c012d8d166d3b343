/** The longest wait between two reminders, as a multiple of the first. */
const LONGEST = 8;

interface Given {
    readonly waitMs: number;
    readonly nextAt: number;
}

/**
 * Which of the things that wait the queue is to be reminded of. A queue that is busy for an hour must not fill up with
 * reminders of one run: the second comes after a sweep, each further one after twice the time.
 */
export class ReenqueueBackoff<T> {
    private given = new Map<T, Given>();

    constructor(private readonly sweepMs: number) {}

    /** Those of `waiting` that are due; what waits no longer is forgotten. */
    toGive(waiting: readonly T[], now: number): readonly T[] {
        const given = new Map<T, Given>();
        const due = waiting.filter(thing => {
            const known = this.given.get(thing);
            const isDue = !known || now >= known.nextAt;
            const waitMs = Math.min(LONGEST * this.sweepMs, known ? known.waitMs * 2 : this.sweepMs);
            // A sweep that comes a little early by its jitter still counts.
            given.set(thing, isDue ? { waitMs, nextAt: now + waitMs * 0.8 } : known!);
            return isDue;
        });
        this.given = given;
        return due;
    }
}
