/** The waiters of each signal. One listener per signal notifies all of them. */
const waiting = new WeakMap<AbortSignal, Shared>();

interface Shared {
    readonly told: Set<() => void>;
    readonly listener: () => void;
}

/**
 * Calls back once when the signal is aborted, and returns a function that ends the wait. All waits on one signal share a single listener, because
 * Node warns about a leak if there are more than ten. Never calls back for a signal that is already aborted.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
    // A separate function, so that the same callback may wait twice.
    const own = (): void => callback();
    const shared = waiting.get(signal) ?? listening(signal);
    shared.told.add(own);
    return () => {
        shared.told.delete(own);
        if (shared.told.size > 0 || waiting.get(signal) !== shared) return;
        waiting.delete(signal);
        signal.removeEventListener('abort', shared.listener);
    };
}

function listening(signal: AbortSignal): Shared {
    const told = new Set<() => void>();
    const listener = (): void => {
        waiting.delete(signal);
        // A callback may end the wait of another one, which is then not called.
        for (const own of told) {
            told.delete(own);
            own();
        }
    };
    const shared = { told, listener };
    waiting.set(signal, shared);
    signal.addEventListener('abort', listener, { once: true });
    return shared;
}
