import { whenAborted } from '../work/abort';
import type { Clock } from '../work/clock';

export interface TimeLimit {
    readonly timeoutMs: number;
    readonly clock: Clock;
    /** Ends the wait, with its reason. */
    readonly signal: AbortSignal;
}

/**
 * What the work answers in its time. The signal that it gets is aborted when its time is over or nobody waits any more; what it answers
 * or throws after that is ignored. Throws an Error when it is late, and the signal's reason when that comes first.
 */
export async function withinTime(
    work: (signal: AbortSignal) => unknown,
    { timeoutMs, clock, signal }: TimeLimit,
): Promise<unknown> {
    if (signal.aborted) throw signal.reason;
    const own = new AbortController();
    const over = new AbortController();
    const stop = (): void => own.abort(signal.reason);
    const leave = whenAborted(signal, stop);
    const cut = new Promise<never>((_, reject) =>
        own.signal.addEventListener('abort', () => reject(own.signal.reason as Error), { once: true }),
    );
    const isLate = (): void => own.abort(new Error(`it did not end within ${timeoutMs} ms`));
    clock.sleep(timeoutMs, over.signal).then(isLate, () => undefined); // rejects when the work came in time
    try {
        return await Promise.race([(async () => work(own.signal))(), cut]);
    } finally {
        over.abort();
        leave();
    }
}
