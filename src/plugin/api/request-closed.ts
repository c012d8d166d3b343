/** What is used of a response. */
interface ClosingResponse {
    once(event: 'close', listener: () => void): unknown;
}

const signals = new WeakMap<ClosingResponse, AbortSignal>();

/** Aborted when nobody waits for the answer any more. One for all fields of a request: each would add a listener to its response. */
export function untilClosed(response: ClosingResponse | undefined): AbortSignal {
    const known = response && signals.get(response);
    if (known) return known;
    const gone = new AbortController();
    if (response) {
        signals.set(response, gone.signal);
        response.once('close', () => gone.abort());
    }
    return gone.signal;
}
