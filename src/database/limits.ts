/** What the server may bear of a session while Flow has it, in milliseconds. */
export interface SessionLimits {
    /** So long the session may stand idle within a transaction: whoever does not go on by then is taken for dead. */
    readonly idleMs: number;
    /** So long a statement waits for one lock. What is done then is its caller's matter. */
    readonly lockMs: number;
    /** After so long without an answer the server is asked whether it is still at the statement. */
    readonly answerMs: number;
    /** Where the server cannot say that, the connection counts as lost after so long without an answer. */
    readonly unknownMs: number;
}

const SHORTEST_ANSWER_MS = 3_000;
/** For transactions that somebody waits for, and that hold the rows which everybody needs. */
const BRIEF = { idleMs: 2_500, lockMs: 800, answerMs: SHORTEST_ANSWER_MS };
/** A brief transaction that has waited for locks is not retried after this long: whoever cancels a run gets an answer within 5 seconds. */
export const BRIEF_PATIENCE_MS = 1_500;
/** Whoever is not brief and cannot try again waits for a lock as long as people would. */
const UNREPEATED_LOCK_MS = 10_000;

/** The kinds of transactions: `brief`, `repeated` (begun anew when it has waited too long for a lock), or neither. */
export interface Limits {
    readonly brief: SessionLimits;
    readonly repeated: SessionLimits;
    readonly usual: SessionLimits;
}

/**
 * Limits that end what a worker holds before its lease of so many milliseconds has run out, when it stands still, or its network does: by
 * then others may take its runs over. One lock is waited for a while that is shorter still, since who stands still may first get it.
 */
export function limitsFor(leaseMs: number): Limits {
    const idleMs = Math.round((leaseMs * 2) / 3);
    const answerMs = Math.max(SHORTEST_ANSWER_MS, leaseMs);
    const usual = { idleMs, lockMs: UNREPEATED_LOCK_MS, answerMs, unknownMs: answerMs };
    return {
        usual,
        repeated: { ...usual, lockMs: Math.min(5_000, Math.round(idleMs / 2)) },
        brief: { ...BRIEF, idleMs: Math.min(BRIEF.idleMs, idleMs), unknownMs: answerMs },
    };
}
