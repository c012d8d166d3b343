/** The server's limits for a session that Flow uses, in milliseconds. */
export interface SessionLimits {
    /** The maximum idle time of a session within a transaction; after it, its worker counts as dead. */
    readonly idleMs: number;
    /** So long a statement waits for one lock. What is done then is its caller's matter. */
    readonly lockMs: number;
    /** After this time without a response, the server is queried whether it still executes the statement. */
    readonly answerMs: number;
    /** If the server does not know, the connection counts as lost after this time without a result. */
    readonly unknownMs: number;
}

const SHORTEST_ANSWER_MS = 3_000;
/** For transactions that a user waits for, and that lock rows which all processes need. */
const BRIEF = { idleMs: 2_500, lockMs: 800, answerMs: SHORTEST_ANSWER_MS };
/**
 * After this time, a brief transaction that has waited for locks is not retried, so that a user who cancels a run gets an answer within 5 seconds.
 */
export const BRIEF_PATIENCE_MS = 1_500;
/** A transaction that is neither brief nor repeatable waits this long for a lock, about as long as a user would. */
const UNREPEATED_LOCK_MS = 10_000;

/** The kinds of transactions: `brief`, `repeated` (retried after a lock timeout), or neither. */
export interface Limits {
    readonly brief: SessionLimits;
    readonly repeated: SessionLimits;
    readonly usual: SessionLimits;
}

/**
 * Limits that end the transactions of a stalled worker, or of one without a network, before its lease of `leaseMs` expires, because other workers
 * may then take over its runs. The wait for one lock is even shorter, because a stalled worker may still receive it.
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
