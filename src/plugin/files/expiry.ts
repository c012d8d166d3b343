/** How long a file is kept: some minutes, or until it is deleted. */
export type Expiry = { readonly minutes: number } | 'persistent';

export const DEFAULT_EXPIRY: Expiry = { minutes: 1_440 };
export const MAX_EXPIRY_MINUTES = 14_400;

/** When a file expires that is stored now. */
export function expiryOf(expiry: Expiry, now: number): Date | null {
    return expiry === 'persistent' ? null : new Date(now + expiry.minutes * 60_000);
}
