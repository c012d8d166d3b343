import { flowError } from '../../core/errors/flow-error';
import { MinuteRate } from '../../core/work/minute-rate';

/** Counts the uploads of each user in any minute. Of one process: several together allow as much as each. */
export class UploadRate {
    private readonly rate: MinuteRate;

    constructor(
        private readonly perMinute: number,
        now: () => number,
    ) {
        this.rate = new MinuteRate(perMinute, now);
    }

    /** Counts an upload; throws RATE_LIMITED for one too many, which is not counted. */
    take(user: string): void {
        const waitMs = this.rate.take(user);
        if (waitMs === undefined) return;
        throw flowError(
            'RATE_LIMITED',
            { count: this.perMinute, what: 'uploads', seconds: Math.ceil(waitMs / 1000) },
            { waitMs },
        );
    }
}
