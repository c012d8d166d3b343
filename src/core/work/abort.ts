/** What waits for a signal, by the signal; the one listener that it has calls all of them. */
const waiting = new WeakMap<AbortSignal, Shared>();

interface Shared {
    readonly told: Set<() => void>;
    readonly listener: () => void;
}

/**
 * Calls back once when the signal is aborted, and answers what ends the wait. However many batches, requests and waits of a run hang on its signal, they
 * share one listener: Node takes more than ten of them for a leak and says so. Of a signal that is aborted already it never calls back.
 */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
    // Of its own, so that the same function may wait twice.
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
        // Whoever is told may end the wait of another one, who is not told then.
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
