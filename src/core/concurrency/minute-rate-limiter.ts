const MINUTE_MS = 60_000;
/** The maximum number of remembered keys; the key that was used least recently is removed first. */
const MAX_KEYS = 10_000;

/** The times of a key's last calls, as a ring: the oldest is at the index of the next one. */
interface Ring {
    readonly times: number[];
    next: number;
}

/** Counts calls per key in any period of a minute, not in calendar minutes. Each process counts separately. */
export class MinuteRateLimiter {
    /** In the order of their last use. */
    private readonly rings = new Map<string, Ring>();

    /** `perMinute`: the most in any minute, 1 or more. `now` in milliseconds. */
    constructor(
        private readonly perMinute: number,
        private readonly now: () => number,
    ) {}

    /** The number of milliseconds until the next call is allowed; undefined if it is allowed now. Counts nothing. */
    waitMs(key: string): number | undefined {
        const ring = this.rings.get(key);
        if (!ring || ring.times.length < this.perMinute) return undefined;
        this.touch(key, ring);
        const wait = ring.times[ring.next]! + MINUTE_MS - this.now();
        return wait > 0 ? wait : undefined;
    }

    /** Counts one, whether it may come or not. */
    count(key: string): void {
        const ring = this.rings.get(key) ?? { times: [], next: 0 };
        ring.times[ring.next] = this.now();
        ring.next = (ring.next + 1) % this.perMinute;
        this.touch(key, ring);
        if (this.rings.size > MAX_KEYS) this.rings.delete(this.rings.keys().next().value!);
    }

    /** Counts a call if it is allowed. Otherwise returns the number of milliseconds until it is. */
    take(key: string): number | undefined {
        const wait = this.waitMs(key);
        if (wait === undefined) this.count(key);
        return wait;
    }

    private touch(key: string, ring: Ring): void {
        this.rings.delete(key);
        this.rings.set(key, ring);
    }
}
