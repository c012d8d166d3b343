import type { Clock } from '../../core/concurrency/clock';

/** After a pause, the requests of this part of a second may be sent at once. */
const BURST_MS = 100;

/** Assigns a limited number of turns per second, in the order of the requests; the turn of an abandoned request is lost. */
export class RateLimit {
    /** When the next turn is due at the exact rate. */
    private nextAt = 0;

    constructor(private readonly clock: Clock) {}

    /** Waits for a turn; rejects with the signal's reason if that comes first. */
    async turn(perSecond: number, signal: AbortSignal): Promise<void> {
        const now = this.clock.now();
        const at = Math.max(this.nextAt, now);
        this.nextAt = at + 1000 / perSecond;
        const waitMs = at - BURST_MS - now;
        if (waitMs > 0) await this.clock.sleep(Math.ceil(waitMs), signal);
    }

    /** True if no remembered turn could make a request wait. */
    get isIdle(): boolean {
        return this.nextAt <= this.clock.now();
    }
}

/** A limit for each host, shared by all who ask it. */
export class HostLimits {
    private readonly limits = new Map<string, RateLimit>();
    private sweepAt = 1000;

    constructor(private readonly clock: Clock) {}

    turn(host: string, perSecond: number, signal: AbortSignal): Promise<void> {
        const limit = this.limits.get(host) ?? new RateLimit(this.clock);
        this.limits.set(host, limit);
        if (this.limits.size > this.sweepAt) this.sweep();
        return limit.turn(perSecond, signal);
    }

    /** Hosts without waiting requests are removed whenever their number has doubled. */
    private sweep(): void {
        for (const [host, limit] of this.limits) if (limit.isIdle) this.limits.delete(host);
        this.sweepAt = Math.max(1000, this.limits.size * 2);
    }
}
