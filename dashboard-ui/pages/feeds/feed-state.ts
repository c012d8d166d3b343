/** What a feed serves, and whether it does. */
export type FeedState = 'served' | 'waiting' | 'expired' | 'revoked';

/** As far as a feed says it itself. */
export interface StatedFeed {
    readonly revokedAt: string | null;
    readonly expiresAt: string | null;
    /** What is served now. */
    readonly file: unknown;
}

/** Revoked stays revoked, whatever else has become of it. `now` is in ms. */
export function feedStateOf({ revokedAt, expiresAt, file }: StatedFeed, now: number): FeedState {
    if (revokedAt !== null) return 'revoked';
    if (expiresAt !== null && Date.parse(expiresAt) <= now) return 'expired';
    return file === null ? 'waiting' : 'served';
}
