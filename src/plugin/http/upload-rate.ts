import { flowError } from '../../core/errors/flow-error';
import { MinuteRateLimiter } from '../../core/concurrency/minute-rate-limiter';

/** Counts the uploads of each user in any minute. Of one process: several together allow as much as each. */
export class UploadRate {
    private readonly limiter: MinuteRateLimiter;

    constructor(
        private readonly perMinute: number,
        now: () => number,
    ) {
        this.limiter = new MinuteRateLimiter(perMinute, now);
    }

    /** Counts an upload; throws RATE_LIMITED for one too many, which is not counted. */
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
