/** The interval at which a page polls while it waits for the server. */
export const POLLING = { firstMs: 1_000, laterMs: 10_000, slowerAfterMs: 60_000 } as const;

/** What determines the time of the next request. */
export interface Watch {
    /** For how long it has been watched, in milliseconds. */
    readonly watchedMs: number;
    readonly isHidden: boolean;
    readonly hasEnded: boolean;
}

/** Milliseconds until the next question; `false` where there is none to ask. */
export function nextQuestion({ watchedMs, isHidden, hasEnded }: Watch): number | false {
    if (isHidden || hasEnded) return false;
    return watchedMs < POLLING.slowerAfterMs ? POLLING.firstMs : POLLING.laterMs;
}
