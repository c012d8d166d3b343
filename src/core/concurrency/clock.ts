import { onAbort } from './abort';

/** Time and waiting as the core sees them; tests hand in a clock that they turn themselves. */
export interface Clock {
    /** Milliseconds since 1970. */
    now(): number;
    /** Resolves after `ms` milliseconds; rejects with the signal's reason when that comes first. */
    sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
    now: () => Date.now(),
    sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
            if (signal?.aborted) return reject(signal.reason as Error);
            const stop = (): void => {
                clearTimeout(timer);
                reject(signal?.reason as Error);
            };
            const timer = setTimeout(() => {
                leave?.();
                resolve();
            }, ms);
            const leave = signal && onAbort(signal, stop);
        }),
};
