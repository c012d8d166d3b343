import { onAbort } from '../concurrency/abort';
import type { Clock } from '../concurrency/clock';

interface TimeLimit {
    readonly timeoutMs: number;
    readonly clock: Clock;
    /** Ends the wait, with its reason. */
    readonly signal: AbortSignal;
}

/**
 * Returns the result of the work within its time limit. Its signal is aborted when the time is over or the caller stops waiting; a later result or
 * error is ignored. Throws an Error if the work is late, or the signal's reason if that comes first.
 */
export async function withinTime(
    work: (signal: AbortSignal) => unknown,
    { timeoutMs, clock, signal }: TimeLimit,
): Promise<unknown> {
    if (signal.aborted) throw signal.reason;
    const own = new AbortController();
    const over = new AbortController();
    const stop = (): void => own.abort(signal.reason);
    const leave = onAbort(signal, stop);
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
