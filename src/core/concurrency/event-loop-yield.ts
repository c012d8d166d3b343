import type { Clock } from './clock';

/** How often, and until when. */
interface EventLoopYieldOptions {
    /** The clock. Default: the process's own. */
    readonly clock?: Pick<Clock, 'now'>;
    /** After this number of milliseconds, other work of the process gets its turn. */
    readonly everyMs?: number;
    /** Whose reason the next turn throws once it is aborted. */
    readonly signal?: AbortSignal | undefined;
}

const EVERY_MS = 20;
const processClock: Pick<Clock, 'now'> = { now: () => performance.now() };

/**
 * Lets the event loop turn regularly, so that computation does not starve the shop's requests, a run's heartbeat or the queue's locks. Call it
 * after each small unit of work. All work of a run shares one instance, because it shares the thread.
 */
export class EventLoopYield {
    private readonly clock: Pick<Clock, 'now'>;
    private readonly everyMs: number;
    private readonly signal: AbortSignal | undefined;
    private turnedAt: number;

    constructor({ clock = processClock, everyMs = EVERY_MS, signal }: EventLoopYieldOptions = {}) {
        this.clock = clock;
        this.everyMs = everyMs;
        this.signal = signal;
        this.turnedAt = clock.now();
    }

    get isDue(): boolean {
        return Math.abs(this.clock.now() - this.turnedAt) >= this.everyMs;
    }

    async turn(): Promise<void> {
        await new Promise<void>(resolve => setImmediate(resolve));
        this.signal?.throwIfAborted();
        this.turnedAt = this.clock.now();
    }

    async turnIfDue(): Promise<void> {
        if (this.isDue) await this.turn();
    }
}
