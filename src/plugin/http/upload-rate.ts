import { flowError } from '../../core/errors/flow-error';

const WINDOW_MS = 60_000;
/** So many are remembered; whoever has not been seen for longest is forgotten first. */
const MAX_USERS = 10_000;

/** Counts the uploads of each user in any minute (spec 4, "webhook rate limit"). Of one process: several together allow as much as each. */
export class UploadRate {
    /** When the uploads of the last minute were, of each user; in the order in which they were seen last. */
    private readonly seen = new Map<string, readonly number[]>();

    constructor(
        private readonly perMinute: number,
        private readonly now: () => number,
    ) {}

    /** Counts an upload; throws RATE_LIMITED for one too many, which is not counted. */
    take(user: string): void {
        const now = this.now();
        const recent = (this.seen.get(user) ?? []).filter(at => at > now - WINDOW_MS);
        this.seen.delete(user);
        const isTooMany = recent.length >= this.perMinute;
        this.seen.set(user, isTooMany ? recent : [...recent, now]);
        if (this.seen.size > MAX_USERS) this.seen.delete(this.seen.keys().next().value!);
        if (!isTooMany) return;
        const waitMs = recent[0]! + WINDOW_MS - now;
        throw flowError(
            'RATE_LIMITED',
            { count: recent.length, what: 'uploads', seconds: Math.ceil(waitMs / 1000) },
            { waitMs },
        );
    }
}
