import { flowError } from '../../core/errors/flow-error';
import { MinuteRateLimiter } from '../../core/concurrency/minute-rate-limiter';

/** Counts the uploads of each user in any 60 seconds. Each process counts separately. */
export class UploadRate {
    private readonly limiter: MinuteRateLimiter;

    constructor(
        private readonly perMinute: number,
        now: () => number,
    ) {
        this.limiter = new MinuteRateLimiter(perMinute, now);
    }

    /** Counts an upload. Throws RATE_LIMITED for an upload above the limit, which is not counted. */
    take(user: string): void {
        const waitMs = this.limiter.take(user);
        if (waitMs === undefined) return;
        throw flowError(
            'RATE_LIMITED',
            { count: this.perMinute, what: 'uploads', seconds: Math.ceil(waitMs / 1000) },
            { waitMs },
        );
    }
}
